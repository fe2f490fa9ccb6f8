// The baselines' kernels, embedded from bench/kernels/.
#pragma once

#include <span>

#include "graph/kernel_sources.hpp"

namespace tessera::bench {

[[nodiscard]] std::span<const KernelSource> kernel_sources();

}  // namespace tessera::bench
