// Operators wired together by handles. Building a graph runs nothing.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tessera/image.hpp"

namespace tessera {

struct Operator;

enum class ElementType : std::uint8_t { u32, u64, f32 };

[[nodiscard]] constexpr std::uint32_t bytes_per_element(ElementType type) noexcept {
    return type == ElementType::u64 ? 8 : 4;
}

/// Numbers that are no picture (counts, ranges, spectra): row-major, like a NumPy array.
struct ArrayInfo {
    ElementType element = ElementType::u32;
    std::vector<std::uint32_t> shape;

    [[nodiscard]] std::size_t count() const noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept {
        return count() * bytes_per_element(element);
    }
    bool operator==(const ArrayInfo&) const = default;
};

struct Array {
    ArrayInfo info;
    std::vector<std::byte> bytes;

    Array() = default;
    explicit Array(ArrayInfo array_info) : info(std::move(array_info)), bytes(info.bytes()) {}

    template <class T>
    [[nodiscard]] std::span<T> as() noexcept {
        return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
    template <class T>
    [[nodiscard]] std::span<const T> as() const noexcept {
        return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
};

/// What flows along a wire: known in full before anything runs.
using ValueInfo = std::variant<ImageInfo, ArrayInfo>;
/// The thing itself, on the host.
using Data = std::variant<Image, Array>;

[[nodiscard]] Data make_data(const ValueInfo& info);

/// A handle to one wire of one graph.
struct Value {
    std::uint32_t id = 0;
    bool operator==(const Value&) const = default;
};

/// One operator at work: its parameters (a copy of its plain struct) and its wires.
struct Node {
    const Operator* op = nullptr;
    std::any params;
    std::vector<Value> inputs;
    std::vector<Value> outputs;

    template <class Params>
    [[nodiscard]] const Params& as() const {
        return *std::any_cast<Params>(&params);
    }
};

/// A graph is built front to back, so its nodes are already in an order that runs. A plain value:
/// copy it, keep it, prepare it on any engine. Not synchronised.
class Graph {
public:
    struct Output {
        std::string name;
        Value value;
    };

    /// A picture or an array that each run brings.
    Value input(const ValueInfo& info);

    /// Adds an operator; checks its parameters and the kinds of its inputs, and works out what
    /// its outputs are. Throws Error(invalid_argument) with a sentence that names the parameter.
    std::vector<Value> add(const Operator& op, std::span<const Value> inputs, std::any params);

    /// Marks a value that each run gives back, by name.
    void output(Value value, std::string name);

    [[nodiscard]] const ValueInfo& info(Value value) const;
    [[nodiscard]] const ImageInfo& image_info(Value value) const;  ///< throws if it is no image
    [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }
    [[nodiscard]] const std::vector<Value>& inputs() const noexcept { return inputs_; }
    [[nodiscard]] const std::vector<Output>& outputs() const noexcept { return outputs_; }
    [[nodiscard]] std::size_t value_count() const noexcept { return infos_.size(); }

private:
    std::vector<ValueInfo> infos_;
    std::vector<Node> nodes_;
    std::vector<Value> inputs_;
    std::vector<Output> outputs_;
};

}  // namespace tessera
