// The benchmark's photo, which its build puts into the program so that the program can be carried.
#pragma once

#include <cstdint>
#include <span>

namespace tessera::bench {

inline constexpr std::uint32_t photo_width = 480, photo_height = 320;

/// RGB of 8 bits, row by row: bench/coffee.ppm.
[[nodiscard]] std::span<const std::uint8_t> photo_bytes();

}  // namespace tessera::bench
