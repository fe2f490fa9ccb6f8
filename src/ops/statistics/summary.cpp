// The host's part of the statistics: partial results merged in double precision.
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "ops/pixels/values.hpp"
#include "ops/statistics/moments_cpu.hpp"
#include "ops/statistics/partials.hpp"
#include "tessera/statistics.hpp"

namespace tessera {
namespace {

cpu::Moments to_moments(const StatisticsPartial& partial) {
    cpu::Moments moments;
    moments.non_finite = partial.non_finite;
    if (partial.count == 0) return moments;
    moments.count = partial.count;
    moments.shadows = partial.shadows;
    moments.highlights = partial.highlights;
    moments.minimum = partial.minimum;
    moments.maximum = partial.maximum;
    moments.mean = partial.mean;
    moments.m2 = partial.m2;
    return moments;
}

ChannelStatistics summarise(const cpu::Moments& moments, double full) {
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    ChannelStatistics result;
    result.count = moments.count;
    result.non_finite = moments.non_finite;
    result.shadows = moments.shadows;
    result.highlights = moments.highlights;
    if (moments.count == 0) {
        result.minimum = result.maximum = result.mean = result.deviation = nothing;
        return result;
    }
    result.minimum = moments.minimum / full;
    result.maximum = moments.maximum / full;
    result.mean = moments.mean / full;
    result.deviation = std::sqrt(moments.m2 / static_cast<double>(moments.count)) / full;
    return result;
}

/// Codes stand in the partial results where the operator worked on codes.
double full_of(const ImageInfo& image, const StatisticsParams& params) {
    const bool decodes = params.linear && image.color.transfer != Transfer::linear;
    return decodes ? 1.0 : full_scale(image.format.sample);
}

}  // namespace

Statistics to_statistics(const Array& partials, const ImageInfo& image,
                         const StatisticsParams& params) {
    const auto parts = partials.as<StatisticsPartial>();
    if (parts.size() != statistics_partials * 4) {
        fail(ErrorCode::invalid_argument,
             "an array of {} bytes holds no statistics: give what the operator gave",
             partials.bytes.size());
    }
    const double full = full_of(image, params);
    Statistics result;
    for (std::size_t channel = 0; channel < 4; ++channel) {
        cpu::Moments all;
        for (std::size_t i = channel; i < parts.size(); i += 4) all.merge(to_moments(parts[i]));
        result[channel] = summarise(all, full);
    }
    return result;
}

}  // namespace tessera
