// Minimum, maximum, mean, deviation and clipping of each channel.
#pragma once

#include <array>
#include <cstdint>

#include "tessera/graph.hpp"
#include "tessera/histogram.hpp"

namespace tessera {

struct StatisticsParams {
    Luma luma = Luma::bt709;
    bool linear = false;
    bool opaque_only = false;
    Rectangle roi{};
};

struct ChannelStatistics {
    std::uint64_t count = 0;       ///< finite values
    std::uint64_t non_finite = 0;  ///< NaN and infinities
    std::uint64_t shadows = 0;     ///< values at or below 0
    std::uint64_t highlights = 0;  ///< values at or above 1
    double minimum = 0, maximum = 0, mean = 0,
           deviation = 0;  ///< full scale = 1; NaN when count is 0
};
/// Red, green, blue, luminance.
using Statistics = std::array<ChannelStatistics, 4>;

/// An f32/u32 array of partial results, which `to_statistics` merges in double precision
/// (parallel variance after Chan, Golub and LeVeque 1979). Counts, minimum and maximum are exact.
Value statistics(Graph& graph, Value image, const StatisticsParams& params = {});
[[nodiscard]] Statistics to_statistics(const Array& partials, const ImageInfo& image,
                                       const StatisticsParams& params = {});

}  // namespace tessera
