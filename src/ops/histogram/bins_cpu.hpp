// From codes and values to histogram bins, a plane at a time, with vector instructions.
// Planes begin on a multiple of 64 bytes and have room up to a multiple of 64 elements, as
// engine/cpu/planes.hpp makes them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::cpu {

/// The bin of one code: docs/pixel-values.md. `full` is 255 or 65535.
[[nodiscard]] constexpr std::uint32_t bin_of_code(std::uint32_t code, std::uint32_t bins,
                                                  std::uint32_t full) noexcept {
    const std::uint32_t bin = code * bins / full;
    return bin < bins ? bin : bins - 1;
}

/// Turns 16-bit codes into bins, in place.
void bins_of_codes(std::uint16_t* plane, std::size_t count, std::uint32_t bins);

/// The bins of values, or `bins` for what is not finite.
void bins_of_values(const float* values, std::size_t count, float low, float scale,
                    std::uint32_t bins, std::uint16_t* plane);

/// Numbers that order finite floats as their values do, -0 below 0.
struct KeyRange {
    std::int32_t least = 0x7fffffff, greatest = -0x7fffffff - 1;
    [[nodiscard]] bool empty() const noexcept { return least > greatest; }
};
[[nodiscard]] float value_of_key(std::int32_t key) noexcept;

/// Widens a range to the finite values of a plane.
void widen_range(const float* values, std::size_t count, KeyRange& range);

}  // namespace tessera::cpu
