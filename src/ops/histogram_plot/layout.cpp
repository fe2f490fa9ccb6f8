#include "ops/histogram_plot/layout.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

std::uint8_t encode_linear(std::uint8_t code) {
    return static_cast<std::uint8_t>(
        std::lround(255.0 * decode_transfer(Transfer::srgb, code / 255.0)));
}

/// 0.9 of the half's width, centred in it.
HistogramPanel half_panel(std::uint32_t width, std::uint32_t height, bool right,
                          std::uint32_t channels) {
    const std::uint32_t half = std::max(width / 2, 1u);
    const std::uint32_t panel = std::max(half * 9 / 10, 1u);
    const std::uint32_t start = right ? width - half : 0;
    return {start + (half - panel) / 2, 0, panel, height, channels};
}

}  // namespace

std::array<Color, 16> Palette::defaults() noexcept {
    // Red, green and blue add up as light does; where luminance reaches too, the colour is
    // lifted towards white, so that both can be read through each other.
    std::array<Color, 16> colors{};
    const auto channel = [](bool on, bool luminance) -> std::uint8_t {
        if (luminance) return on ? 255 : 112;
        return on ? 224 : 40;
    };
    for (std::uint32_t i = 1; i < 16; ++i) {
        const bool luminance = (i & 8u) != 0;
        colors[i] = {channel((i & 1u) != 0, luminance), channel((i & 2u) != 0, luminance),
                     channel((i & 4u) != 0, luminance), 255};
    }
    colors[8] = {176, 176, 176, 255};
    colors[0] = {20, 20, 20, 255};
    return colors;
}

std::uint32_t channel_mask(PlotChannels channels) noexcept {
    switch (channels) {
        case PlotChannels::rgb:
            return 7;
        case PlotChannels::r:
            return 1;
        case PlotChannels::g:
            return 2;
        case PlotChannels::b:
            return 4;
        case PlotChannels::l:
            return 8;
        case PlotChannels::rgb_l:
            break;
    }
    return 15;
}

HistogramLayout plot_layout(const HistogramPlotParams& params) {
    HistogramLayout layout;
    layout.width = params.size.width;
    layout.height = params.size.height;
    layout.panels = {{0, 0, layout.width, layout.height, channel_mask(params.channels)}};
    layout.colors = params.colors.colors;
    return layout;
}

HistogramLayout overlay_layout(const ImageInfo& image, const HistogramOverlayParams& params) {
    HistogramLayout layout;
    layout.width = image.width;
    layout.height = std::max(image.height / 4, 1u);
    layout.top = image.height - layout.height;
    const std::uint32_t mask = channel_mask(params.channels);
    if ((mask & 7u) != 0) {
        layout.panels.push_back(half_panel(layout.width, layout.height, false, mask & 7u));
    }
    if ((mask & 8u) != 0) {
        layout.panels.push_back(half_panel(layout.width, layout.height, true, 8u));
    }
    layout.colors = params.colors.colors;
    layout.colors[0].a = static_cast<std::uint8_t>(layout.colors[0].a * 5 / 8);
    if (image.color.transfer == Transfer::linear) {
        for (Color& color : layout.colors) {
            color = {encode_linear(color.r), encode_linear(color.g), encode_linear(color.b),
                     color.a};
        }
    }
    return layout;
}

PixelFormat overlay_format(PixelFormat format) noexcept {
    return {format.sample, format.has_alpha() ? 4u : 3u};
}

}  // namespace tessera
