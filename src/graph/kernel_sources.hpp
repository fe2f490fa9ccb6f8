// The WGSL kernels of all operators, embedded at build time by cmake/embed_kernels.py.
#pragma once

#include <span>
#include <string_view>

namespace tessera {

struct KernelSource {
    std::string_view name;  ///< the file below src/ops/ without ".wgsl": "histogram/count_rgba8"
    std::string_view text;  ///< the whole kernel, its includes in place
};

/// Sorted by name.
[[nodiscard]] std::span<const KernelSource> kernel_sources();

}  // namespace tessera
