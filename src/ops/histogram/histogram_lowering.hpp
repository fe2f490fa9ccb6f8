// The histogram as passes for a GPU.
#pragma once

#include "graph/lowering.hpp"

namespace tessera {

void lower_histogram(Lowering& lowering, const Node& node);

/// How the counting is laid out on a device: chosen by measurement, docs/performance.md.
struct CountShape {
    std::uint32_t workgroup_size = 256;
    std::uint32_t workgroups = 64;  ///< up to twice as many for large pictures
};
[[nodiscard]] CountShape count_shape(const DeviceProfile& device) noexcept;

/// The same with a shape of the caller's, for benchmarks.
void lower_histogram(Lowering& lowering, const Node& node, CountShape shape);

}  // namespace tessera
