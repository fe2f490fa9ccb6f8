// The textbook histograms that the operator improves on, for RGBA pictures of 8 bits and 256 bins.
#pragma once

#include "tessera/engine.hpp"

namespace tessera::bench {

/// One invocation counts everything.
[[nodiscard]] Prepared prepare_single(Engine& engine, const Image& image);

/// A workgroup counts 256 pixels and stores its bins; pairs of them are added up in log2(n) passes.
[[nodiscard]] Prepared prepare_chunks(Engine& engine, const Image& image);

}  // namespace tessera::bench
