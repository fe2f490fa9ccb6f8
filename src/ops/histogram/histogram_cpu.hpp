// The CPU engine's histogram.
#pragma once

#include <span>

#include "tessera/graph.hpp"

namespace tessera {

void run_histogram(const Node& node, std::span<const Data* const> inputs,
                   std::span<Data* const> outputs);

}  // namespace tessera
