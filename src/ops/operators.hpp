// The operators, each defined in its own room. Adding one: its line here, and one in
// operators.cpp.
#pragma once

#include "tessera/operator.hpp"

namespace tessera {

[[nodiscard]] const Operator& histogram_operator();
[[nodiscard]] const Operator& statistics_operator();
[[nodiscard]] const Operator& histogram_plot_operator();
[[nodiscard]] const Operator& histogram_overlay_operator();

}  // namespace tessera
