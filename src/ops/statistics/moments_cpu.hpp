// Count, extremes, mean and squared deviations of planes of values, in double precision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "ops/statistics/partials.hpp"

namespace tessera::cpu {

/// What is known of one channel so far.
struct Moments {
    std::uint64_t count = 0, non_finite = 0, shadows = 0, highlights = 0;
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();
    double mean = 0;
    double m2 = 0;  ///< sum of squared deviations from the mean

    /// Chan, Golub and LeVeque 1979.
    void merge(const Moments& other) noexcept;
};

/// The moments of finite values; shadows are those at or below 0, highlights those at or above
/// `full`. The plane is one of engine/cpu/planes.hpp: aligned, with room past its last value.
[[nodiscard]] Moments moments_of_values(const float* values, std::size_t count, float full);

/// The moments of 8-bit codes that were counted by code.
[[nodiscard]] Moments moments_of_counts(const std::array<std::uint64_t, 256>& counts);

/// Rounds to what the operator gives; the count must fit into 32 bits. Empty stays empty.
[[nodiscard]] StatisticsPartial to_partial(const Moments& moments) noexcept;

}  // namespace tessera::cpu
