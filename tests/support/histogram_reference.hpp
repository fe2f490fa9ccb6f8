// Histograms, statistics and their drawings, as the documentation defines them: one pixel after
// the other, slow on purpose, and sharing no code with either engine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ops/histogram_plot/layout.hpp"
#include "support/images.hpp"
#include "tessera/histogram.hpp"
#include "tessera/statistics.hpp"

namespace tessera::test {

// ---- docs/pixel-values.md: from samples to values ----

/// What histograms and statistics take from a picture.
struct ValueChoice {
    Luma luma = Luma::bt709;
    bool linear = false;
    bool unit_range = true;  ///< the range is 0:1
    bool opaque_only = false;
    Rectangle roi;

    explicit ValueChoice(const HistogramParams& p)
        : luma(p.luma),
          linear(p.linear),
          unit_range(!p.range.automatic && p.range.low == 0 && p.range.high == 1),
          opaque_only(p.opaque_only),
          roi(p.roi) {}
    explicit ValueChoice(const StatisticsParams& p)
        : luma(p.luma), linear(p.linear), opaque_only(p.opaque_only), roi(p.roi) {}

    [[nodiscard]] bool decodes(const ImageInfo& image) const {
        return linear && image.color.transfer != Transfer::linear;
    }
    /// Whether values are the integer codes themselves.
    [[nodiscard]] bool codes(const ImageInfo& image) const {
        return is_integer(image.format.sample) && !decodes(image) && unit_range;
    }
};

inline float rounded_decode(Transfer transfer, double value) {
    constexpr double limit = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(decode_transfer(transfer, value), -limit, limit));
}

/// A float through the table over the upper 18 bits of its magnitude.
inline float interpolated_reference(Transfer transfer, float value) {
    const float magnitude = std::fabs(value);
    const std::uint32_t entry = std::bit_cast<std::uint32_t>(magnitude) >> 13;
    const auto decoded = [&](std::uint32_t index) {
        const float at = std::bit_cast<float>(index << 13);
        return std::isfinite(at) ? rounded_decode(transfer, at) : std::numeric_limits<float>::max();
    };
    const float low = decoded(entry), high = decoded(entry + 1);
    const float fraction =
        static_cast<float>(std::bit_cast<std::uint32_t>(magnitude) & 0x1fffu) / 8192.0f;
    const float rise = (high - low) * fraction;
    return std::copysign(low + rise, value);
}

inline float sample_value(const Image& image, std::uint32_t bits, bool decode) {
    const SampleType sample = image.format().sample;
    const Transfer transfer = decode ? image.color().transfer : Transfer::linear;
    if (is_integer(sample)) {
        return rounded_decode(transfer, static_cast<double>(bits) / full_scale(sample));
    }
    const float value = sample == SampleType::f16 ? half_to_float(static_cast<std::uint16_t>(bits))
                                                  : std::bit_cast<float>(bits);
    if (!std::isfinite(value) || transfer == Transfer::linear) return value;
    return sample == SampleType::f16 ? rounded_decode(transfer, value)
                                     : interpolated_reference(transfer, value);
}

/// Red, green, blue and luminance: codes where the choice says so, else values.
inline std::array<float, 4> pixel_reference(const Image& image, const ValueChoice& choice,
                                            std::uint32_t x, std::uint32_t y) {
    constexpr std::uint32_t fixed[3][3] = {
        {13933, 46871, 4732}, {19595, 38470, 7471}, {17216, 44434, 3886}};
    constexpr float real[3][3] = {
        {0.2126f, 0.7152f, 0.0722f}, {0.299f, 0.587f, 0.114f}, {0.2627f, 0.6780f, 0.0593f}};
    const auto luma = static_cast<std::size_t>(choice.luma);
    const bool grey = image.format().channels < 3;
    std::array<std::uint32_t, 3> bits{};
    for (std::uint32_t c = 0; c < 3; ++c) bits[c] = sample_bits(image, x, y, grey ? 0 : c);

    std::array<float, 4> values{};
    if (choice.codes(image.info())) {
        const std::uint64_t sum = std::uint64_t{fixed[luma][0]} * bits[0] +
                                  std::uint64_t{fixed[luma][1]} * bits[1] +
                                  std::uint64_t{fixed[luma][2]} * bits[2];
        for (std::size_t c = 0; c < 3; ++c) values[c] = static_cast<float>(bits[c]);
        values[3] = grey ? values[0] : static_cast<float>((sum + 32768) >> 16);
        return values;
    }
    for (std::size_t c = 0; c < 3; ++c) {
        values[c] = sample_value(image, bits[c], choice.decodes(image.info()));
    }
    const float red = real[luma][0] * values[0], green = real[luma][1] * values[1],
                blue = real[luma][2] * values[2];
    values[3] = grey ? values[0] : (red + green) + blue;
    return values;
}

inline bool is_transparent(const Image& image, std::uint32_t x, std::uint32_t y) {
    const PixelFormat format = image.format();
    if (!format.has_alpha()) return false;
    const std::uint32_t bits = sample_bits(image, x, y, format.channels - 1);
    if (format.sample == SampleType::f16) return (bits & 0x7fffu) == 0;
    if (format.sample == SampleType::f32) return (bits & 0x7fffffffu) == 0;
    return bits == 0;
}

/// Calls `visit(values)` for each pixel that is counted.
template <class Visit>
void for_each_counted(const Image& image, const ValueChoice& choice, Visit visit) {
    const Rectangle roi =
        choice.roi.empty() ? Rectangle{0, 0, image.width(), image.height()} : choice.roi;
    for (std::uint32_t y = roi.y; y < roi.y + roi.height; ++y) {
        for (std::uint32_t x = roi.x; x < roi.x + roi.width; ++x) {
            if (choice.opaque_only && is_transparent(image, x, y)) continue;
            visit(pixel_reference(image, choice, x, y));
        }
    }
}

// ---- histogram ----

struct HistogramReference {
    std::vector<std::array<std::uint64_t, 4>> rows;  ///< bins, and what was not finite
    std::array<float, 2> range{0.0f, 1.0f};
};

inline std::array<float, 2> range_reference(const Image& image, const HistogramParams& params) {
    if (!params.range.automatic) return {params.range.low, params.range.high};
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for_each_counted(image, ValueChoice(params), [&](const std::array<float, 4>& values) {
        for (std::size_t c = 0; c < 3; ++c) {
            if (!std::isfinite(values[c])) continue;
            low = std::min(low, values[c]);
            high = std::max(high, values[c]);
        }
    });
    if (low > high) return {0.0f, 1.0f};
    return {low, high};
}

inline std::size_t bin_reference(float value, std::size_t bins, const std::array<float, 2>& range) {
    const float width = range[1] - range[0];
    const bool divides =
        width >= std::numeric_limits<float>::min() && width <= std::numeric_limits<float>::max();
    if (!std::isfinite(value)) return bins;
    if (!divides) return 0;
    const float scale = static_cast<float>(bins) / width;
    const float offset = value - range[0];
    const float position = offset * scale;
    if (!(position >= 0.0f)) return 0;
    if (position >= static_cast<float>(bins)) return bins - 1;
    return static_cast<std::size_t>(std::floor(position));
}

inline HistogramReference histogram_reference(const Image& image, const HistogramParams& params) {
    const auto bins = static_cast<std::size_t>(params.bins);
    const ValueChoice choice(params);
    HistogramReference result;
    result.rows.resize(bins + 1);
    result.range = range_reference(image, params);
    for_each_counted(image, choice, [&](const std::array<float, 4>& values) {
        for (std::size_t c = 0; c < 4; ++c) {
            std::size_t bin = 0;
            if (choice.codes(image.info())) {
                const auto code = static_cast<std::size_t>(values[c]);
                bin = std::min(bins - 1, code * bins / full_scale(image.format().sample));
            } else {
                bin = bin_reference(values[c], bins, result.range);
            }
            ++result.rows[bin][c];
        }
    });
    return result;
}

// ---- statistics ----

inline Statistics statistics_reference(const Image& image, const StatisticsParams& params) {
    const ValueChoice choice(params);
    const double full = choice.codes(image.info()) ? full_scale(image.format().sample) : 1.0;
    std::array<std::vector<double>, 4> finite;
    Statistics result;
    for_each_counted(image, choice, [&](const std::array<float, 4>& values) {
        for (std::size_t c = 0; c < 4; ++c) {
            if (std::isfinite(values[c])) {
                finite[c].push_back(static_cast<double>(values[c]) / full);
            } else {
                ++result[c].non_finite;
            }
        }
    });
    for (std::size_t c = 0; c < 4; ++c) {
        ChannelStatistics& channel = result[c];
        channel.count = finite[c].size();
        channel.minimum = channel.maximum = channel.mean = channel.deviation =
            std::numeric_limits<double>::quiet_NaN();
        if (finite[c].empty()) continue;
        double sum = 0, squares = 0;
        for (const double value : finite[c]) {
            channel.shadows += value <= 0 ? 1 : 0;
            channel.highlights += value >= 1 ? 1 : 0;
            sum += value;
        }
        const auto count = static_cast<double>(finite[c].size());
        channel.mean = sum / count;
        for (const double value : finite[c]) {
            squares += (value - channel.mean) * (value - channel.mean);
        }
        channel.deviation = std::sqrt(squares / count);
        channel.minimum = *std::min_element(finite[c].begin(), finite[c].end());
        channel.maximum = *std::max_element(finite[c].begin(), finite[c].end());
    }
    return result;
}

// ---- drawings ----

/// A canvas of premultiplied colours of 8 bits, row by row from the top.
using CanvasReference = std::vector<std::array<std::uint8_t, 4>>;

/// How high a channel stands in a column of a panel, in rows of pixels.
inline double height_reference(const std::vector<std::array<std::uint64_t, 4>>& bins,
                               std::size_t channel, std::uint64_t column,
                               const HistogramPanel& panel, bool logarithmic) {
    const std::uint64_t count = bins.size();
    std::uint64_t highest = 0, entries = 0, here = 0;
    for (const auto& bin : bins) {
        highest = std::max(highest, bin[channel]);
        entries += bin[channel];
    }
    const std::uint64_t first = column * count / panel.width;
    const std::uint64_t end = std::max(first + 1, (column + 1) * count / panel.width);
    for (std::uint64_t bin = first; bin < end; ++bin) here = std::max(here, bins[bin][channel]);
    if (highest == 0) return 0;
    const auto most = static_cast<double>(highest), value = static_cast<double>(here);
    const double scale =
        std::max(1.0 / most, 0.2 * static_cast<double>(count) / static_cast<double>(entries));
    const double height =
        logarithmic ? std::log2(1.0 + value) / std::log2(1.0 + most) : value * scale;
    return std::min(height, 1.0) * panel.height;
}

/// The mean colour of one pixel of a panel, premultiplied: `bottom` is the row from the bottom.
inline std::array<double, 4> pixel_color_reference(const std::array<double, 4>& heights,
                                                   double bottom,
                                                   const std::array<Color, 16>& colors) {
    std::array<double, 6> cuts{bottom, bottom + 1};
    for (std::size_t c = 0; c < 4; ++c) cuts[2 + c] = std::clamp(heights[c], bottom, bottom + 1);
    std::sort(cuts.begin(), cuts.end());
    std::array<double, 4> mean{};
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const double middle = (cuts[i] + cuts[i + 1]) / 2;
        std::size_t reaching = 0;
        for (std::size_t c = 0; c < 4; ++c) {
            if (heights[c] > middle) reaching |= std::size_t{1} << c;
        }
        const Color color = colors[reaching];
        const double length = cuts[i + 1] - cuts[i], alpha = color.a / 255.0;
        mean[0] += length * color.r / 255.0 * alpha;
        mean[1] += length * color.g / 255.0 * alpha;
        mean[2] += length * color.b / 255.0 * alpha;
        mean[3] += length * alpha;
    }
    return mean;
}

/// `bins`: without the row of what is not finite.
inline CanvasReference canvas_reference(const std::vector<std::array<std::uint64_t, 4>>& bins,
                                        const HistogramLayout& layout, bool logarithmic) {
    CanvasReference canvas(std::size_t{layout.width} * layout.height);
    for (const HistogramPanel& panel : layout.panels) {
        for (std::uint32_t x = 0; x < panel.width; ++x) {
            std::array<double, 4> heights{};
            for (std::size_t c = 0; c < 4; ++c) {
                if ((panel.channels >> c & 1u) == 0) continue;
                heights[c] = height_reference(bins, c, x, panel, logarithmic);
            }
            for (std::uint32_t y = 0; y < panel.height; ++y) {
                const auto color =
                    pixel_color_reference(heights, panel.height - 1.0 - y, layout.colors);
                auto& target = canvas[std::size_t{panel.y + y} * layout.width + panel.x + x];
                for (std::size_t c = 0; c < 4; ++c) {
                    const double blended = color[c] + target[c] / 255.0 * (1.0 - color[3]);
                    target[c] = static_cast<std::uint8_t>(std::floor(blended * 255.0 + 0.5));
                }
            }
        }
    }
    return canvas;
}

/// A sample on the scale where 1 is full.
inline double unit_sample(const Image& image, std::uint32_t x, std::uint32_t y,
                          std::uint32_t channel) {
    const SampleType sample = image.format().sample;
    const std::uint32_t bits = sample_bits(image, x, y, channel);
    if (sample == SampleType::f16) return half_to_float(static_cast<std::uint16_t>(bits));
    if (sample == SampleType::f32) return std::bit_cast<float>(bits);
    return static_cast<double>(bits) / full_scale(sample);
}

/// Red, green, blue and alpha of one pixel under a layer's pixel, full scale = 1.
inline std::array<double, 4> overlay_reference(const Image& picture, std::uint32_t x,
                                               std::uint32_t y,
                                               const std::array<std::uint8_t, 4>& layer) {
    const PixelFormat format = picture.format();
    const double covered = layer[3] / 255.0;
    const double alpha = format.has_alpha() ? unit_sample(picture, x, y, format.channels - 1) : 1.0;
    std::array<double, 4> result{};
    result[3] = covered + alpha * (1.0 - covered);
    for (std::uint32_t c = 0; c < 3; ++c) {
        const double below = unit_sample(picture, x, y, format.channels < 3 ? 0 : c);
        result[c] = (layer[c] / 255.0 + below * alpha * (1.0 - covered)) / result[3];
    }
    return result;
}

}  // namespace tessera::test
