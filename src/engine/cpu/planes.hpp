// Blocks of pixels taken apart into planes of codes or values, by the rule of
// docs/pixel-values.md, with vector instructions chosen when the program runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/cpu/pixel_walk.hpp"
#include "ops/pixels/values.hpp"
#include "tessera/image.hpp"

namespace tessera::cpu {

/// Red, green, blue and luminance of a block. Of a grey picture only the first plane is filled: it
/// stands for all four. What lies behind the block's last pixel is unspecified.
template <class T>
struct Planes {
    alignas(64) std::array<std::array<T, block_pixels>, 4> channel{};
};

/// How many planes a format fills: 1 for grey, else 4.
[[nodiscard]] constexpr std::uint32_t filled_planes(PixelFormat format) noexcept {
    return format.channels < 3 ? 1 : 4;
}

/// The luminance codes of RGB or RGBA pixels of 8 bits (`channels` 3 or 4). `planes` is room to
/// work in; its last plane is the result.
void luma_of_codes(const std::byte* pixels, std::size_t count, std::uint32_t channels,
                   const LumaWeights& weights, Planes<std::uint8_t>& planes);

/// The codes of pixels of 16-bit integers.
void codes_of_pixels(const std::byte* pixels, std::size_t count, std::uint32_t channels,
                     const LumaWeights& weights, Planes<std::uint16_t>& codes);

/// Takes pixels of any format apart into values, on every path but `codes`.
class ValueReader {
public:
    /// The rule must outlive the reader.
    ValueReader(PixelFormat format, const ValueRule& rule, const LumaWeights& weights)
        : format_(format), rule_(&rule), weights_(weights) {}

    /// The values of a block; good until the next call.
    const Planes<float>& read(const std::byte* pixels, std::size_t count);

private:
    void read_colours(const std::byte* pixels, std::size_t count);

    PixelFormat format_;
    const ValueRule* rule_;
    LumaWeights weights_;
    Planes<std::uint16_t> narrow_;  // samples of 16 bits on their way
    Planes<float> values_;
};

}  // namespace tessera::cpu
