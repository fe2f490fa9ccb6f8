// The CPU engine's statistics.
#pragma once

#include <span>

#include "tessera/graph.hpp"

namespace tessera {

void run_statistics(const Node& node, std::span<const Data* const> inputs,
                    std::span<Data* const> outputs);

}  // namespace tessera
