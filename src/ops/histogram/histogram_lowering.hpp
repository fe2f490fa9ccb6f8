// The histogram as passes for a GPU.
#pragma once

#include "graph/lowering.hpp"

namespace tessera {

void lower_histogram(Lowering& lowering, const Node& node);

}  // namespace tessera
