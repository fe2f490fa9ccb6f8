// The CPU engine's drawing of histograms.
#pragma once

#include <span>

#include "tessera/graph.hpp"

namespace tessera {

void run_histogram_plot(const Node& node, std::span<const Data* const> inputs,
                        std::span<Data* const> outputs);
void run_histogram_overlay(const Node& node, std::span<const Data* const> inputs,
                           std::span<Data* const> outputs);

}  // namespace tessera
