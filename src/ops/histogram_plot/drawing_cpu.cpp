#include "ops/histogram_plot/drawing_cpu.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::cpu {
namespace {

using Counts = std::span<const std::uint64_t>;  // bin by bin: red, green, blue, luminance

/// What takes a channel's counts to heights between 0 and 1.
struct HeightScale {
    bool logarithmic = false;
    std::array<float, 4> factor{};

    /// A fifth of what an even spread would fill is always enough to reach the top, so that one
    /// spike does not flatten the rest.
    HeightScale(Counts counts, std::uint64_t bins, bool by_logarithm) : logarithmic(by_logarithm) {
        for (std::size_t channel = 0; channel < 4; ++channel) {
            std::uint64_t most = 0, entries = 0;
            for (std::size_t bin = 0; bin < bins; ++bin) {
                most = std::max(most, counts[bin * 4 + channel]);
                entries += counts[bin * 4 + channel];
            }
            if (most != 0) factor[channel] = factor_of(most, entries, bins);
        }
    }

    [[nodiscard]] float height(std::size_t channel, std::uint64_t count) const {
        const auto value = static_cast<float>(count);
        return std::min((logarithmic ? std::log2(1.0f + value) : value) * factor[channel], 1.0f);
    }

private:
    [[nodiscard]] float factor_of(std::uint64_t most, std::uint64_t entries,
                                  std::uint64_t bins) const {
        const auto highest = static_cast<float>(most);
        if (logarithmic) return 1.0f / std::log2(1.0f + highest);
        return std::max(1.0f / highest,
                        0.2f * static_cast<float>(bins) / static_cast<float>(entries));
    }
};

/// The highest count among the bins that a column of pixels stands for.
std::uint64_t column_count(Counts counts, std::uint64_t bins, std::uint64_t column,
                           std::uint64_t columns, std::size_t channel) {
    const std::uint64_t first = column * bins / columns;
    const std::uint64_t end = std::max(first + 1, (column + 1) * bins / columns);
    std::uint64_t most = 0;
    for (std::uint64_t bin = first; bin < end; ++bin) {
        most = std::max(most, counts[bin * 4 + channel]);
    }
    return most;
}

std::array<float, 4> premultiplied(const Color& color) {
    const float alpha = static_cast<float>(color.a) / 255.0f;
    return {static_cast<float>(color.r) / 255.0f * alpha,
            static_cast<float>(color.g) / 255.0f * alpha,
            static_cast<float>(color.b) / 255.0f * alpha, alpha};
}

/// Source-over blending of premultiplied colours into 8 bits.
void blend(LayerPixel& target, const std::array<float, 4>& color) {
    for (std::size_t c = 0; c < 4; ++c) {
        const float sum = color[c] + static_cast<float>(target[c]) / 255.0f * (1.0f - color[3]);
        target[c] =
            static_cast<std::uint8_t>(std::floor(std::clamp(sum, 0.0f, 1.0f) * 255.0f + 0.5f));
    }
}

}  // namespace

HistogramDrawing::HistogramDrawing(const Array& array, const HistogramLayout& layout,
                                   bool logarithmic) {
    const Counts counts = array.as<std::uint64_t>();
    const std::uint64_t bins = array.info.shape[0] - 1;
    const HeightScale scale(counts, bins, logarithmic);
    std::transform(layout.colors.begin(), layout.colors.end(), colors_.begin(), premultiplied);
    for (const HistogramPanel& place : layout.panels) {
        Panel panel{place, std::vector<Heights>(place.width)};
        for (std::uint32_t x = 0; x < place.width; ++x) {
            for (std::size_t channel = 0; channel < 4; ++channel) {
                if ((place.channels >> channel & 1u) == 0) continue;
                const std::uint64_t count = column_count(counts, bins, x, place.width, channel);
                panel.columns[x][channel] =
                    scale.height(channel, count) * static_cast<float>(place.height);
            }
        }
        panels_.push_back(std::move(panel));
    }
}

/// From `bottom` up by one row: between two heights that end there, the channels that reach pick
/// the colour, and the length its share. Four heights make at most five stretches.
HistogramDrawing::PremultipliedColor HistogramDrawing::color_of_pixel(const Heights& heights,
                                                                      float bottom) const {
    const float end = bottom + 1.0f;
    PremultipliedColor color{};
    for (float at = bottom; at < end;) {
        std::size_t reaching = 0;
        float next = end;
        for (std::size_t channel = 0; channel < 4; ++channel) {
            if (heights[channel] <= at) continue;
            reaching |= std::size_t{1} << channel;
            next = std::min(next, heights[channel]);
        }
        if (at == bottom && next == end) return colors_[reaching];
        for (std::size_t c = 0; c < 4; ++c) color[c] += (next - at) * colors_[reaching][c];
        at = next;
    }
    return color;
}

void HistogramDrawing::draw_row(std::uint32_t y, std::span<LayerPixel> row) const {
    std::fill(row.begin(), row.end(), LayerPixel{});
    for (const Panel& panel : panels_) {
        if (y < panel.place.y || y - panel.place.y >= panel.place.height) continue;
        const auto bottom = static_cast<float>(panel.place.height - 1 - (y - panel.place.y));
        for (std::uint32_t x = 0; x < panel.place.width; ++x) {
            blend(row[panel.place.x + x], color_of_pixel(panel.columns[x], bottom));
        }
    }
}

}  // namespace tessera::cpu
