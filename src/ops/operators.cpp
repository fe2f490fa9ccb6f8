#include "ops/operators.hpp"

#include <algorithm>
#include <array>

namespace tessera {

std::span<const Operator* const> operators() {
    static const std::array table{
        &histogram_operator(),
        &statistics_operator(),
        &histogram_plot_operator(),
        &histogram_overlay_operator(),
    };
    return table;
}

const Operator* find_operator(std::string_view name) {
    const auto table = operators();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Operator* op) { return op->name == name; });
    return found == table.end() ? nullptr : *found;
}

}  // namespace tessera
