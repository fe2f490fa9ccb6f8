// What the statistics operator gives: partial results that merge in any order.
#pragma once

#include <cstdint>

namespace tessera {

/// Partial results in the operator's output, used or not; each covers a part of the picture.
inline constexpr std::uint32_t statistics_partials = 256;

/// One channel of one partial result, as the kernel writes it. Values are codes (0..full scale)
/// where pixel values are codes. Empty when `count` is 0.
struct StatisticsPartial {
    std::uint32_t count = 0, non_finite = 0, shadows = 0, highlights = 0;
    float minimum = 0, maximum = 0, mean = 0;
    float m2 = 0;  ///< sum of squared deviations from the mean
};

}  // namespace tessera
