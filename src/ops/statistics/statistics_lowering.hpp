// Statistics as passes for a GPU.
#pragma once

#include "graph/lowering.hpp"

namespace tessera {

void lower_statistics(Lowering& lowering, const Node& node);

}  // namespace tessera
