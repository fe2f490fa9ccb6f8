#include "tessera/graph.hpp"

#include <algorithm>
#include <numeric>

#include "base/errors.hpp"
#include "tessera/operator.hpp"

namespace tessera {

std::size_t ArrayInfo::count() const noexcept {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

Data make_data(const ValueInfo& info) {
    if (const auto* image = std::get_if<ImageInfo>(&info)) return Image(*image);
    return Array(std::get<ArrayInfo>(info));
}

Value Graph::input(const ValueInfo& info) {
    const Value value{static_cast<std::uint32_t>(infos_.size())};
    infos_.push_back(info);
    inputs_.push_back(value);
    return value;
}

std::vector<Value> Graph::add(const Operator& op, std::span<const Value> inputs, std::any params) {
    if (inputs.size() != op.inputs.size()) {
        fail(ErrorCode::invalid_argument, "{} takes {} inputs, not {}", op.name, op.inputs.size(),
             inputs.size());
    }
    std::vector<ValueInfo> input_infos;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        input_infos.push_back(info(inputs[i]));
        if (std::holds_alternative<ImageInfo>(input_infos.back()) != op.inputs[i].image) {
            fail(ErrorCode::invalid_argument, "{}: input '{}' must be {}", op.name,
                 op.inputs[i].name, op.inputs[i].image ? "an image" : "an array");
        }
    }
    for (const ParamSpec& spec : op.params) spec.check(params);

    Node node{&op, std::move(params), {inputs.begin(), inputs.end()}, {}};
    for (ValueInfo& output : op.infer(input_infos, node.params)) {
        node.outputs.push_back({static_cast<std::uint32_t>(infos_.size())});
        infos_.push_back(std::move(output));
    }
    nodes_.push_back(std::move(node));
    return nodes_.back().outputs;
}

void Graph::output(Value value, std::string name) {
    (void)info(value);
    const auto same = [&](const Output& known) { return known.name == name; };
    if (std::any_of(outputs_.begin(), outputs_.end(), same)) {
        fail(ErrorCode::invalid_argument, "this graph has an output named '{}' already", name);
    }
    outputs_.push_back({std::move(name), value});
}

const ValueInfo& Graph::info(Value value) const {
    if (value.id >= infos_.size()) {
        fail(ErrorCode::invalid_argument, "value {} belongs to another graph", value.id);
    }
    return infos_[value.id];
}

const ImageInfo& Graph::image_info(Value value) const {
    const auto* image = std::get_if<ImageInfo>(&info(value));
    if (image == nullptr) fail(ErrorCode::invalid_argument, "value {} is no image", value.id);
    return *image;
}

}  // namespace tessera
