// What an operator sees while it turns its node into passes of a Plan.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/plan.hpp"

namespace tessera {

/// Where a value of the graph lives on the device: a buffer, and for images the bytes from row
/// to row. Rows begin at the buffer's start.
struct DeviceValue {
    std::uint32_t buffer = 0;
    std::uint32_t pitch = 0;
};

/// Rows of device images start on this many bytes, so that kernels may load 16 bytes at a time.
inline constexpr std::uint32_t row_alignment = 16;

[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

class Lowering {
public:
    Lowering(const Graph& graph, const DeviceProfile& device);

    [[nodiscard]] const DeviceProfile& device() const noexcept { return device_; }
    [[nodiscard]] const Graph& graph() const noexcept { return graph_; }

    /// Where an input of the operator lives.
    [[nodiscard]] DeviceValue locate(Value value) const;
    /// Where an output lives: allocates its buffer, image rows `pitch` bytes apart (0: the least).
    DeviceValue define(Value value, std::uint32_t pitch = 0);

    std::uint32_t add_buffer(std::string label, std::uint64_t size, std::uint32_t usage);
    std::uint32_t add_texture(PlanTexture texture);
    /// A buffer whose content is known now and never changes.
    std::uint32_t add_constant(std::string label, std::span<const std::byte> bytes,
                               std::uint32_t usage);
    /// The same for a buffer that exists already, such as the output of an operator.
    void set_content(std::uint32_t buffer, std::span<const std::byte> bytes);
    template <class T>
    std::uint32_t add_uniform(std::string label, const T& block) {
        return add_constant(std::move(label), std::as_bytes(std::span(&block, 1)), usage::uniform);
    }

    /// A binding of a whole buffer, or of a part (`size` 0: to its end).
    [[nodiscard]] PlanBinding uniform(std::string name, std::uint32_t buffer) const;
    [[nodiscard]] PlanBinding read(std::string name, std::uint32_t buffer, std::uint64_t offset = 0,
                                   std::uint64_t size = 0) const;
    [[nodiscard]] PlanBinding write(std::string name, std::uint32_t buffer,
                                    std::uint64_t offset = 0, std::uint64_t size = 0) const;

    /// Appends a step; kernels that it names are looked up and put into the plan.
    void add(PlanStep step);
    /// Says which variant was chosen, and why.
    void note(std::string text);

    [[nodiscard]] Plan finish();

private:
    [[nodiscard]] PlanBinding bind(std::string name, std::string type, std::uint32_t buffer,
                                   std::uint64_t offset, std::uint64_t size) const;
    void use_kernel(const std::string& name);

    const Graph& graph_;
    DeviceProfile device_;
    Plan plan_;
    std::vector<DeviceValue> places_;
    std::vector<bool> defined_;
};

/// Rows [first, first + count) of device images, bound from row `begin` on, whose offset every
/// device image's pitch makes one that the device accepts.
struct RowBand {
    std::uint32_t first = 0, count = 0, begin = 0;

    [[nodiscard]] std::uint32_t skip() const noexcept { return first - begin; }
    [[nodiscard]] std::uint64_t offset(std::uint32_t pitch) const noexcept {
        return std::uint64_t{begin} * pitch;
    }
    [[nodiscard]] std::uint64_t size(std::uint32_t pitch) const noexcept {
        return std::uint64_t{skip() + count} * pitch;
    }
};

/// Cuts rows [top, top + height) into bands that the device can bind, for images of this pitch or
/// a smaller one. Throws Error(out_of_memory) when a row is too long.
[[nodiscard]] std::vector<RowBand> row_bands(const DeviceProfile& device, std::uint32_t pitch,
                                             std::uint32_t top, std::uint32_t height);

}  // namespace tessera
