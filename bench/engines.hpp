// The engines that benchmarks run on, opened once.
#pragma once

#include <benchmark/benchmark.h>

#include "tessera/engine.hpp"

namespace tessera::bench {

/// The GPU engine, a software adapter included; nullptr when there is none.
[[nodiscard]] Engine* gpu();
[[nodiscard]] Engine& cpu();

/// Times the passes alone, from the first one's begin to the last one's end, by the GPU's clock.
/// Counters: the median and the least milliseconds.
void time_passes(benchmark::State& state, Prepared& prepared, const Image& image);

}  // namespace tessera::bench
