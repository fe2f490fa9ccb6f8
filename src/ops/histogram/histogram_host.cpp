// The host's part of the histogram: from arrays to numbers that people ask for.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/errors.hpp"
#include "tessera/histogram.hpp"

namespace tessera {
namespace {

void check_arrays(const Array& counts, const Array& range) {
    const std::vector<std::uint32_t>& shape = counts.info.shape;
    const bool counted = counts.info.element == ElementType::u64 && shape.size() == 2 &&
                         shape[0] >= 2 && shape[1] == 4 &&
                         counts.bytes.size() == counts.info.bytes();
    const bool ranged = range.info.element == ElementType::f32 && range.info.count() == 2 &&
                        range.bytes.size() == range.info.bytes();
    if (!counted || !ranged) {
        fail(ErrorCode::invalid_argument,
             "these arrays hold no histogram: give the counts and the range of the operator");
    }
}

/// The value that stands for a bin: its centre. But 256 bins over 0..1 are the codes of 8 bits,
/// one each, and code b means b / 255, which always lies in bin b.
double bin_value(const Histogram& histogram, std::uint32_t bin) {
    const double width = histogram.high - histogram.low;
    if (histogram.bins == 256 && histogram.low == 0.0 && histogram.high == 1.0) {
        return bin / 255.0;
    }
    return histogram.low + (bin + 0.5) * width / histogram.bins;
}

}  // namespace

std::uint64_t Histogram::entries(std::size_t channel) const {
    return std::accumulate(counts[channel].begin(), counts[channel].end(), std::uint64_t{0});
}

double Histogram::quantile(std::size_t channel, double fraction) const {
    const std::uint64_t all = entries(channel);
    if (all == 0 || std::isnan(fraction)) return std::numeric_limits<double>::quiet_NaN();
    // At least so many entries lie in the bins up to the one that is looked for. The product may
    // be a rounding error above the whole number that is meant: 0.07 of 100 is 7.
    const double exact = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(all);
    const double wanted = std::max(std::ceil(exact * (1.0 - 1e-12)), 1.0);
    std::uint64_t below = 0;
    std::uint32_t last = 0;
    for (std::uint32_t bin = 0; bin < bins; ++bin) {
        below += counts[channel][bin];
        if (counts[channel][bin] != 0) last = bin;
        if (static_cast<double>(below) >= wanted) break;
    }
    return bin_value(*this, last);
}

Histogram to_histogram(const Array& counts, const Array& range) {
    check_arrays(counts, range);
    Histogram result;
    result.bins = counts.info.shape[0] - 1;
    result.low = range.as<float>()[0];
    result.high = range.as<float>()[1];
    const auto rows = counts.as<std::uint64_t>();
    for (std::size_t channel = 0; channel < 4; ++channel) {
        result.counts[channel].resize(result.bins);
        for (std::size_t bin = 0; bin < result.bins; ++bin) {
            result.counts[channel][bin] = rows[bin * 4 + channel];
        }
        result.non_finite[channel] = rows[result.bins * std::size_t{4} + channel];
    }
    return result;
}

}  // namespace tessera
