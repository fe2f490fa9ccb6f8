// The operator table: what each operator is called, takes, gives, and accepts as parameters.
// The command line, the bindings and the reference pages are made from it.
#pragma once

#include <any>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/graph.hpp"

namespace tessera {

class Lowering;  // builds a Plan; src/graph/lowering.hpp

/// One parameter of an operator, described once for every front end. The text form is the one
/// that the command line takes ("4", "bt709", "0:1"); `set` and `get` speak it.
struct ParamSpec {
    std::string name;  ///< "sigma-space"
    std::string help;
    std::string type;  ///< "integer", "number", "switch", "choice", "range", "rectangle", ...
    std::string unit;
    std::string range;                 ///< "2..4096", "above 0"; empty where all values are right
    std::vector<std::string> choices;  ///< for type "choice"
    std::string default_text;

    /// Sets the field of a parameter struct from text; Error(invalid_argument) if it does not read.
    std::function<void(std::any& params, std::string_view text)> set;
    [[nodiscard]] std::string text(const std::any& params) const { return get(params); }
    std::function<std::string(const std::any& params)> get;
    /// Error(invalid_argument), naming parameter, value and range, when the field is out of range.
    std::function<void(const std::any& params)> check;
};

struct PortSpec {
    std::string name;
    std::string help;
    bool image = true;  ///< a picture; otherwise an array
};

/// Everything about one operator. Instances live as long as the program.
struct Operator {
    std::string name;      ///< "histogram-plot"
    std::string summary;   ///< one line
    std::string source{};  ///< the paper or reference that the method comes from
    std::vector<PortSpec> inputs;
    std::vector<PortSpec> outputs;
    std::vector<ParamSpec> params{};
    std::function<std::any()> default_params{};
    /// What comes out, for what goes in; checks what single parameters cannot know.
    std::function<std::vector<ValueInfo>(std::span<const ValueInfo>, const std::any& params)>
        infer{};
    /// To passes for a GPU.
    std::function<void(Lowering&, const Node&)> lower{};
    /// On the CPU engine. Outputs are allocated to what `infer` said.
    std::function<void(const Node&, std::span<const Data* const> inputs,
                       std::span<Data* const> outputs)>
        run{};
};

/// All operators, in the order in which help lists them.
[[nodiscard]] std::span<const Operator* const> operators();
/// By name; nullptr when there is none.
[[nodiscard]] const Operator* find_operator(std::string_view name);

}  // namespace tessera
