#include "ops/histogram_plot/histogram_plot_cpu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "base/errors.hpp"
#include "ops/histogram_plot/layout.hpp"
#include "support/histogram_reference.hpp"
#include "support/images.hpp"
#include "tessera/histogram.hpp"

namespace tessera {
namespace {

using test::make_image;
using test::Rows;

using Bins = std::vector<std::array<std::uint64_t, 4>>;

/// The operator's array: bins, and a row of what is not finite that must not be drawn.
Array counts_of(const Bins& bins) {
    Array counts({ElementType::u64, {static_cast<std::uint32_t>(bins.size()) + 1, 4}});
    const auto values = counts.as<std::uint64_t>();
    for (std::size_t i = 0; i < bins.size() * 4; ++i) values[i] = bins[i / 4][i % 4];
    for (std::size_t c = 0; c < 4; ++c) values[bins.size() * 4 + c] = 1000000;
    return counts;
}

/// A hill for each channel, a spike, and holes.
Bins hilly_bins(std::size_t count) {
    std::mt19937 random(4);
    Bins bins(count);
    for (std::size_t bin = 0; bin < count; ++bin) {
        for (std::size_t c = 0; c < 4; ++c) {
            const double at = static_cast<double>(bin) / static_cast<double>(count);
            const double centre = 0.2 * (static_cast<double>(c) + 1);
            const double hill = std::exp(-std::pow((at - centre) * 6, 2));
            bins[bin][c] = random() % 5 == 0 ? 0 : static_cast<std::uint64_t>(hill * 5000);
        }
    }
    bins[count - 1] = {400000, 3, 0, 90000};
    return bins;
}

std::vector<Bins> bins_that_hurt() {
    std::vector<Bins> all{hilly_bins(256), hilly_bins(2), hilly_bins(3), hilly_bins(1000),
                          Bins(256)};
    Bins even(256);
    for (auto& bin : even) bin = {7, 7, 7, 7};
    all.push_back(even);
    Bins spike(64);
    spike[20] = {1, 5000000000ull, 0, 77};
    all.push_back(spike);
    return all;
}

Palette translucent_palette() {
    Palette palette;
    for (std::size_t i = 0; i < 16; ++i) {
        palette.colors[i].a = static_cast<std::uint8_t>(i * 17);
        palette.colors[i].r = static_cast<std::uint8_t>(255 - i * 9);
    }
    return palette;
}

Image plot(const Bins& bins, const HistogramPlotParams& params) {
    Node node;
    node.params = params;
    const Data counts = counts_of(bins);
    const Data range = Array({ElementType::f32, {2}});
    Data result = Image({SampleType::u8, 4}, params.size.width, params.size.height);
    const Data* const inputs[] = {&counts, &range};
    Data* const outputs[] = {&result};
    run_histogram_plot(node, inputs, outputs);
    return std::get<Image>(std::move(result));
}

/// Within one level of the premultiplied canvas; where it is translucent, one level of that is
/// 255 / alpha levels of the straight colour.
void expect_plot(const Image& image, const test::CanvasReference& canvas) {
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        for (std::uint32_t x = 0; x < image.width(); ++x) {
            const std::uint8_t* const pixel = image.samples<std::uint8_t>(y).data() + x * 4u;
            const auto& expected = canvas[std::size_t{y} * image.width() + x];
            ASSERT_NEAR(pixel[3], expected[3], 1) << "alpha at " << x << ", " << y;
            if (expected[3] <= 1) continue;
            for (std::size_t c = 0; c < 3; ++c) {
                const double scale = 255.0 / expected[3];
                const double straight = std::min(expected[c] * scale, 255.0);
                ASSERT_NEAR(pixel[c], straight, expected[3] == 255 ? 1.0 : 2.0 * scale + 1.0)
                    << "channel " << c << " at " << x << ", " << y;
            }
        }
    }
}

TEST(HistogramPlotCpu, MatchesTheDefinition) {
    for (const Bins& bins : bins_that_hurt()) {
        for (const CanvasSize size : {CanvasSize{1, 1}, CanvasSize{1, 33}, CanvasSize{33, 1},
                                      CanvasSize{97, 51}, CanvasSize{300, 64}}) {
            for (const PlotChannels channels :
                 {PlotChannels::rgb_l, PlotChannels::rgb, PlotChannels::g, PlotChannels::l}) {
                for (const bool log : {false, true}) {
                    for (const Palette& palette : {Palette{}, translucent_palette()}) {
                        SCOPED_TRACE(fmt::format("{} bins, {}x{}, channels {}, log {}", bins.size(),
                                                 size.width, size.height,
                                                 static_cast<int>(channels), log));
                        const HistogramPlotParams params{channels, size, log, palette};
                        expect_plot(plot(bins, params),
                                    test::canvas_reference(bins, plot_layout(params), log));
                        if (HasFatalFailure()) return;
                    }
                }
            }
        }
    }
}

TEST(HistogramPlotCpu, DrawsAHalfFilledRowInHalfOfEachColour) {
    // Two bins; red's second is half as high, on a canvas of one row: half red, half background.
    HistogramPlotParams params;
    params.channels = PlotChannels::r;
    params.size = {2, 1};
    params.colors.colors[0] = {0, 0, 0, 255};
    params.colors.colors[1] = {200, 100, 50, 255};
    const Image image = plot({{{4, 0, 0, 0}}, {{2, 0, 0, 0}}}, params);
    const auto pixels = image.samples<std::uint8_t>(0);
    EXPECT_EQ(std::vector<int>(pixels.begin(), pixels.end()),
              (std::vector<int>{200, 100, 50, 255, 100, 50, 25, 255}));
}

Image overlay(const Image& picture, const Bins& bins, const HistogramOverlayParams& params,
              Rows rows) {
    Node node;
    node.params = params;
    const Data input =
        Image::wrap(const_cast<std::byte*>(picture.row(0)), picture.info(), picture.pitch());
    const Data counts = counts_of(bins);
    const Data range = Array({ElementType::f32, {2}});
    ImageInfo info = picture.info();
    info.format = overlay_format(info.format);
    Data result = make_image(info, rows);
    const Data* const inputs[] = {&input, &counts, &range};
    Data* const outputs[] = {&result};
    run_histogram_overlay(node, inputs, outputs);
    return std::get<Image>(std::move(result));
}

/// Red, green, blue and alpha as they are stored; a grey is all three.
std::uint32_t source_bits(const Image& picture, std::uint32_t x, std::uint32_t y, std::uint32_t c) {
    const PixelFormat format = picture.format();
    if (c == 3) return test::sample_bits(picture, x, y, format.channels - 1);
    return test::sample_bits(picture, x, y, format.channels < 3 ? 0 : c);
}

void expect_overlay(const Image& result, const Image& picture, const Bins& bins,
                    const HistogramOverlayParams& params) {
    const HistogramLayout layout = overlay_layout(picture.info(), params);
    const auto canvas = test::canvas_reference(bins, layout, params.log);
    for (std::uint32_t y = 0; y < picture.height(); ++y) {
        for (std::uint32_t x = 0; x < picture.width(); ++x) {
            const bool drawn = y >= layout.top;
            const auto layer = drawn ? canvas[std::size_t{y - layout.top} * layout.width + x]
                                     : std::array<std::uint8_t, 4>{};
            const auto expected = test::overlay_reference(picture, x, y, layer);
            for (std::uint32_t c = 0; c < result.format().channels; ++c) {
                const std::string place = fmt::format("channel {} at {}, {}", c, x, y);
                if (layer[3] == 0) {
                    ASSERT_EQ(test::sample_bits(result, x, y, c), source_bits(picture, x, y, c))
                        << place;
                    continue;
                }
                const double value = test::unit_sample(result, x, y, c);
                if (std::isnan(expected[c])) {
                    ASSERT_TRUE(std::isnan(value)) << place;
                    continue;
                }
                // Half and single precision hold large values coarsely; infinities are equal.
                const double level = 1.01 / 255.0 + 1e-3 * std::fabs(expected[c]);
                const bool clipped = is_integer(picture.format().sample);
                double wanted = clipped ? std::clamp(expected[c], 0.0, 1.0) : expected[c];
                if (picture.format().sample == SampleType::f16) {  // may pass the largest half
                    wanted = half_to_float(float_to_half(static_cast<float>(wanted)));
                }
                if (value == wanted) continue;
                ASSERT_NEAR(value, wanted, level) << place;
            }
        }
    }
}

class HistogramOverlayOfEveryFormat : public testing::TestWithParam<PixelFormat> {};

TEST_P(HistogramOverlayOfEveryFormat, MatchesTheDefinition) {
    const Bins bins = hilly_bins(256);
    for (const test::NamedImage& hurting : test::images_that_hurt(GetParam())) {
        if (hurting.image.width() * hurting.image.height() > 10000) continue;
        for (const PlotChannels channels : {PlotChannels::rgb_l, PlotChannels::l}) {
            for (const Palette& palette : {Palette{}, translucent_palette()}) {
                SCOPED_TRACE(hurting.name);
                const HistogramOverlayParams params{channels, false, palette};
                expect_overlay(overlay(hurting.image, bins, params, Rows::padded), hurting.image,
                               bins, params);
                if (HasFatalFailure()) return;
            }
        }
    }
}

TEST_P(HistogramOverlayOfEveryFormat, KeepsTheFactsAboveTheStrip) {
    Image picture = make_image({GetParam(), 120, 80, {Transfer::linear, Primaries::bt2020}});
    test::fill_random(picture, 9);
    const Bins bins = hilly_bins(100);
    const HistogramOverlayParams params{PlotChannels::rgb, true, {}};
    const Image result = overlay(picture, bins, params, Rows::bottom_up);
    EXPECT_EQ(result.color(), picture.color());
    EXPECT_EQ(result.format(), overlay_format(picture.format()));
    expect_overlay(result, picture, bins, params);
}

INSTANTIATE_TEST_SUITE_P(Cpu, HistogramOverlayOfEveryFormat, testing::ValuesIn(test::all_formats()),
                         [](const auto& format) { return test::test_name(format.param); });

}  // namespace
}  // namespace tessera
