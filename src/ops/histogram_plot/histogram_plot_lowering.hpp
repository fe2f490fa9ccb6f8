// The drawing of histograms as passes for a GPU.
#pragma once

#include "graph/lowering.hpp"

namespace tessera {

void lower_histogram_plot(Lowering& lowering, const Node& node);
void lower_histogram_overlay(Lowering& lowering, const Node& node);

}  // namespace tessera
