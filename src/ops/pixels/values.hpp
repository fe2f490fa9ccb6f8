// How a pixel's samples become the four values that histograms and statistics look at: red,
// green, blue and luminance. This is the host's half of the rule; values.inc.wgsl is the GPU's.
// Both must give the same bits, so the arithmetic is spelled out in docs/pixel-values.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tessera/histogram.hpp"
#include "tessera/image.hpp"

namespace tessera {

/// What stands between a stored sample and its value. The numbers are the kernels' constants.
enum class ValuePath : std::uint32_t {
    codes = 0,         ///< integer samples as they are; luminance in fixed point
    floats = 1,        ///< floating-point samples as they are
    table = 2,         ///< value = table[bits of the sample]: 8 and 16-bit samples
    interpolated = 3,  ///< f32 through a table over the upper bits, linear in between
};

/// "codes, exact" and the like: what arithmetic a path means, for people.
[[nodiscard]] std::string_view precision(ValuePath path) noexcept;

/// Codes: (wr R + wg G + wb B + 32768) >> 16. Values: (wr R + wg G) + wb B, every operation
/// rounded.
struct LumaWeights {
    std::array<std::uint32_t, 3> fixed{};  ///< 16 fraction bits, summing to 65536
    std::array<float, 3> real{};
};
[[nodiscard]] LumaWeights luma_weights(Luma luma) noexcept;

/// Upper bits of a positive float that index the interpolated table, and entries in it.
inline constexpr std::uint32_t interpolated_shift = 13;
inline constexpr std::uint32_t interpolated_entries = (0x7f800000u >> interpolated_shift) + 1;

struct ValueRule {
    ValuePath path = ValuePath::codes;
    std::span<const float> table;  ///< empty for codes and floats; lives as long as the program
};

/// The rule for a picture. `real` asks for values on the 0..1 scale even for integer samples
/// (a range other than 0:1); `linear` decodes the transfer function. Tables are worked out when
/// first asked for, and kept. Thread-safe.
[[nodiscard]] ValueRule value_rule(const ImageInfo& image, bool linear, bool real);

/// The part of the picture that a rectangle selects: all of it when empty. Throws
/// Error(invalid_argument) when it is not inside the picture.
[[nodiscard]] Rectangle resolve_roi(const Rectangle& roi, const ImageInfo& image);

/// A range's position → bin: bin = clamp(floor((value - low) · scale), 0, bins - 1), with one
/// rounding for each operation. The scale is 0 (everything in bin 0) for a range too narrow to
/// divide.
[[nodiscard]] float bin_scale(int bins, float low, float high) noexcept;

}  // namespace tessera
