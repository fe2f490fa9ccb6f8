// Both engines over the same graphs: counts to the last pixel, statistics to rounding, drawings
// within one level. The CPU engine is held to the plain references in its own rooms' tests.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "tessera/engine.hpp"
#include "tessera/error.hpp"
#include "tessera/histogram.hpp"
#include "tessera/operator.hpp"
#include "tessera/statistics.hpp"

namespace tessera {
namespace {

struct Size {
    std::uint32_t width, height;
};
constexpr std::array sizes{Size{1, 1}, Size{1, 17}, Size{19, 1},
                           Size{5, 3}, Size{64, 9}, Size{131, 47}};
constexpr std::array samples{SampleType::u8, SampleType::u16, SampleType::f16, SampleType::f32};

/// Any bits that a sample may have; floats mostly around 0..1, with every kind of odd one.
Image random_image(PixelFormat format, Size size, unsigned seed,
                   Transfer transfer = Transfer::srgb) {
    Image image(format, size.width, size.height, {transfer});
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> usual(-0.2f, 1.3f);
    constexpr std::array<float, 8> odd{std::numeric_limits<float>::quiet_NaN(),
                                       std::numeric_limits<float>::infinity(),
                                       -std::numeric_limits<float>::infinity(),
                                       0.0f,
                                       -0.0f,
                                       1.0f,
                                       60000.0f,
                                       1e-6f};
    const auto value = [&] {
        return random() % 16 == 0 ? odd[random() % odd.size()] : usual(random);
    };
    for (std::uint32_t y = 0; y < size.height; ++y) {
        switch (format.sample) {
            case SampleType::u8:
                for (auto& s : image.samples<std::uint8_t>(y)) {
                    s = static_cast<std::uint8_t>(random());
                }
                break;
            case SampleType::u16:
                for (auto& s : image.samples<std::uint16_t>(y)) {
                    s = static_cast<std::uint16_t>(random());
                }
                break;
            case SampleType::f16:
                for (auto& s : image.samples<std::uint16_t>(y)) s = float_to_half(value());
                break;
            case SampleType::f32:
                for (auto& s : image.samples<float>(y)) s = value();
                break;
        }
    }
    return image;
}

/// Opened once: a software adapter takes a while. Tests end where there is no adapter at all.
Engine& gpu_engine() {
    static Engine engine = Engine::open({.kind = EngineKind::gpu});
    return engine;
}
Engine& cpu_engine() {
    static Engine engine = Engine::open({.kind = EngineKind::cpu});
    return engine;
}

class EnginesAgreeOnGpu : public testing::Test {
protected:
    void SetUp() override {
        try {
            (void)gpu_engine();
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }
};

std::string describe(const Image& image, const HistogramParams& params) {
    std::string text = to_string(image.format()) + " " + std::to_string(image.width()) + "x" +
                       std::to_string(image.height());
    for (const ParamSpec& spec : find_operator("histogram")->params) {
        text += " " + spec.name + "=" + spec.text(params);
    }
    return text;
}

void expect_equal_counts(const Image& image, const HistogramParams& params) {
    Graph graph;
    const Value input = graph.input(image.info());
    const HistogramValues values = histogram(graph, input, params);
    graph.output(values.counts, "counts");
    graph.output(values.range, "range");
    Prepared on_cpu = cpu_engine().prepare(graph), on_gpu = gpu_engine().prepare(graph);
    on_cpu.run(image);
    on_gpu.run(image);

    const auto range_cpu = on_cpu.array("range").as<float>();
    const auto range_gpu = on_gpu.array("range").as<float>();
    EXPECT_EQ(range_cpu[0], range_gpu[0]) << describe(image, params);
    EXPECT_EQ(range_cpu[1], range_gpu[1]) << describe(image, params);
    const auto cpu = on_cpu.array("counts").as<std::uint64_t>();
    const auto gpu = on_gpu.array("counts").as<std::uint64_t>();
    ASSERT_EQ(cpu.size(), gpu.size());
    for (std::size_t i = 0; i < cpu.size(); ++i) {
        ASSERT_EQ(cpu[i], gpu[i]) << "bin " << i / 4 << " channel " << i % 4 << " (CPU, GPU) of "
                                  << describe(image, params);
    }
}

TEST_F(EnginesAgreeOnGpu, CountsEveryFormatAndSizeAlike) {
    for (const SampleType sample : samples) {
        for (std::uint32_t channels = 1; channels <= 4; ++channels) {
            for (const Size size : sizes) {
                expect_equal_counts(random_image({sample, channels}, size, channels), {});
            }
        }
    }
}

TEST_F(EnginesAgreeOnGpu, CountsEveryNumberOfBinsAlike) {
    for (const SampleType sample : samples) {
        const Image image = random_image({sample, 4}, {67, 31}, 7);
        for (const int bins : {2, 3, 100, 255, 256, 257, 1000, 1024, 1025, 4096}) {
            expect_equal_counts(image, {.bins = bins});
        }
    }
}

TEST_F(EnginesAgreeOnGpu, CountsEveryRangeAlike) {
    for (const SampleType sample : samples) {
        const Image image = random_image({sample, 3}, {67, 31}, 8);
        for (const int bins : {7, 256}) {
            for (const ValueRange range :
                 {ValueRange{.automatic = true}, ValueRange{.low = 0.1f, .high = 0.3f},
                  ValueRange{.low = -3.0f, .high = 5.0f}, ValueRange{.low = 0, .high = 1e-30f}}) {
                expect_equal_counts(image, {.bins = bins, .range = range});
            }
        }
    }
}

TEST_F(EnginesAgreeOnGpu, FindsTheRangeOfConstantAndOfNonFinitePicturesAlike) {
    for (const float value : {0.0f, -2.5f, 1e30f, std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity()}) {
        Image image({SampleType::f32, 3}, 9, 5, {Transfer::linear});
        for (std::uint32_t y = 0; y < 5; ++y) {
            for (float& sample : image.samples<float>(y)) sample = value;
        }
        expect_equal_counts(image, {.range = {.automatic = true}});
    }
}

TEST_F(EnginesAgreeOnGpu, DecodesEveryTransferFunctionAlike) {
    for (const SampleType sample : samples) {
        for (const Transfer transfer :
             {Transfer::srgb, Transfer::linear, Transfer::bt709, Transfer::gamma22}) {
            const Image image = random_image({sample, 3}, {67, 31}, 9, transfer);
            expect_equal_counts(image, {.bins = 300, .linear = true});
        }
    }
}

TEST_F(EnginesAgreeOnGpu, WeighsLuminanceAlike) {
    for (const SampleType sample : samples) {
        const Image image = random_image({sample, 4}, {67, 31}, 10);
        for (const Luma luma : {Luma::bt601, Luma::bt709, Luma::bt2020}) {
            expect_equal_counts(image, {.bins = 4096, .luma = luma});
        }
    }
}

TEST_F(EnginesAgreeOnGpu, LeavesOutTransparentPixelsAlike) {
    for (const SampleType sample : samples) {
        for (const std::uint32_t channels : {2u, 4u}) {
            Image image = random_image({sample, channels}, {67, 31}, 11);
            for (std::uint32_t y = 0; y < image.height(); y += 2) {
                std::fill_n(image.row(y), image.row_bytes() / 2, std::byte{0});
            }
            expect_equal_counts(image, {.opaque_only = true});
        }
    }
}

TEST_F(EnginesAgreeOnGpu, CountsARegionOfInterestAlikeAtEveryCorner) {
    for (const SampleType sample : samples) {
        for (std::uint32_t channels = 1; channels <= 4; ++channels) {
            const Image image = random_image({sample, channels}, {67, 31}, 12);
            for (const Rectangle roi :
                 {Rectangle{0, 0, 1, 1}, Rectangle{66, 0, 1, 1}, Rectangle{0, 30, 1, 1},
                  Rectangle{66, 30, 1, 1}, Rectangle{3, 5, 60, 20}, Rectangle{0, 29, 67, 2}}) {
                expect_equal_counts(image, {.roi = roi});
            }
        }
    }
}

TEST_F(EnginesAgreeOnGpu, CountsRowsOfAnyPitchAlike) {
    const Image image = random_image({SampleType::u8, 3}, {67, 31}, 13);
    std::vector<std::byte> pixels(std::size_t{31} * 211);
    for (std::uint32_t y = 0; y < 31; ++y) {
        std::copy_n(image.row(y), image.row_bytes(), &pixels[std::size_t{30 - y} * 211]);
    }
    const Image upside_down = Image::wrap(&pixels[30 * 211], image.info(), -211);
    const Image one_row = Image::wrap(pixels.data(), image.info(), 0);
    expect_equal_counts(upside_down, {});
    expect_equal_counts(one_row, {});
}

TEST_F(EnginesAgreeOnGpu, CountsALargePictureAlike) {
    expect_equal_counts(random_image({SampleType::u8, 4}, {1921, 1083}, 14), {});
    expect_equal_counts(random_image({SampleType::u8, 3}, {1921, 1083}, 15), {});
}

/// Lowered for the least of devices, the picture is cut into bands of few rows.
TEST_F(EnginesAgreeOnGpu, CountsInBandsAlike) {
    for (const std::uint32_t channels : {3u, 4u}) {
        const Image image = random_image({SampleType::u8, channels}, {333, 201}, 16);
        Graph graph;
        const Value input = graph.input(image.info());
        const HistogramValues values = histogram(graph, input, {.roi = {1, 3, 331, 190}});
        graph.output(values.counts, "counts");
        graph.output(statistics(graph, input), "statistics");
        graph.output(histogram_overlay(graph, input, values), "overlay");
        DeviceProfile least;
        least.max_storage_buffer_binding_size = 80'000;
        Prepared in_bands = gpu_engine().prepare(lower(graph, least));
        Prepared at_once = gpu_engine().prepare(graph);
        in_bands.run(image);
        at_once.run(image);
        EXPECT_EQ(in_bands.array("counts").bytes, at_once.array("counts").bytes);
        const auto a = to_statistics(in_bands.array("statistics"), image.info());
        const auto b = to_statistics(at_once.array("statistics"), image.info());
        EXPECT_EQ(a[0].count, b[0].count);
        EXPECT_NEAR(a[3].mean, b[3].mean, 1e-6);
        for (std::uint32_t y = 0; y < image.height(); ++y) {
            const Image& first = in_bands.image("overlay");
            ASSERT_EQ(0,
                      std::memcmp(first.row(y), at_once.image("overlay").row(y), first.row_bytes()))
                << "row " << y;
        }
    }
}

/// Totals that pass 32 bits carry into the upper word: counters that start near the limit stand
/// for the four thousand million pixels that came before.
TEST_F(EnginesAgreeOnGpu, CarriesTotalsBeyond32Bits) {
    Graph graph;
    const Value input = graph.input(ImageInfo{{SampleType::u8, 4}, 64, 64, {}});
    graph.output(histogram(graph, input).counts, "counts");
    Plan plan = lower(graph, gpu_engine().adapter().profile);
    // In place of the step that clears the counters, a buffer of totals close to 2^32.
    std::vector<std::uint64_t> totals(257 * 4, 0xffffff00u);
    const auto bytes = std::as_bytes(std::span(totals));
    std::erase_if(plan.steps,
                  [](const PlanStep& step) { return std::holds_alternative<step::Clear>(step); });
    for (PlanStep& step : plan.steps) {
        if (auto* dispatch = std::get_if<step::Dispatch>(&step)) {
            dispatch->program.constants["WIDE"] = 1;
            plan.constants.push_back(
                {dispatch->bindings.back().buffer, 0, {bytes.begin(), bytes.end()}});
        }
    }
    Image image({SampleType::u8, 4}, 64, 64);
    Prepared prepared = gpu_engine().prepare(plan);
    prepared.run(image);
    const auto counts = prepared.array("counts").as<std::uint64_t>();
    for (std::size_t channel = 0; channel < 4; ++channel) {
        EXPECT_EQ(counts[channel], 0xffffff00u + 4096ull);
        EXPECT_EQ(counts[4 + channel], 0xffffff00u);
    }
}

TEST_F(EnginesAgreeOnGpu, MeasuresStatisticsAlike) {
    for (const SampleType sample : samples) {
        for (std::uint32_t channels = 1; channels <= 4; ++channels) {
            for (const bool linear : {false, true}) {
                for (const Size size : sizes) {
                    const Image image = random_image({sample, channels}, size, 17);
                    const StatisticsParams params{.linear = linear};
                    Graph graph;
                    const Value input = graph.input(image.info());
                    graph.output(statistics(graph, input, params), "partials");
                    Prepared on_cpu = cpu_engine().prepare(graph);
                    Prepared on_gpu = gpu_engine().prepare(graph);
                    on_cpu.run(image);
                    on_gpu.run(image);
                    const auto a = to_statistics(on_cpu.array("partials"), image.info(), params);
                    const auto b = to_statistics(on_gpu.array("partials"), image.info(), params);
                    for (std::size_t c = 0; c < 4; ++c) {
                        SCOPED_TRACE(to_string(image.format()) + " channel " + std::to_string(c));
                        EXPECT_EQ(a[c].count, b[c].count);
                        EXPECT_EQ(a[c].non_finite, b[c].non_finite);
                        EXPECT_EQ(a[c].shadows, b[c].shadows);
                        EXPECT_EQ(a[c].highlights, b[c].highlights);
                        if (a[c].count == 0) continue;
                        EXPECT_EQ(a[c].minimum, b[c].minimum);
                        EXPECT_EQ(a[c].maximum, b[c].maximum);
                        const double tolerance = 1e-5 * std::max(std::abs(a[c].maximum), 1.0);
                        EXPECT_NEAR(a[c].mean, b[c].mean, tolerance);
                        EXPECT_NEAR(a[c].deviation, b[c].deviation, tolerance);
                    }
                }
            }
        }
    }
}

/// Translucent colours are compared as they are drawn, multiplied by alpha; that they are stored
/// straight costs either engine up to half a level more.
double plot_distance(const Image& a, const Image& b) {
    double most = 0;
    for (std::uint32_t y = 0; y < a.height(); ++y) {
        const auto one = a.samples<std::uint8_t>(y), other = b.samples<std::uint8_t>(y);
        for (std::size_t i = 0; i < one.size(); ++i) {
            const std::size_t alpha = i / 4 * 4 + 3;
            if (i == alpha || (one[alpha] == 255 && other[alpha] == 255)) {
                most = std::max<double>(most, std::abs(one[i] - other[i]));
            } else {
                const double drawn = one[i] * one[alpha] / 255.0;
                const double drawn_other = other[i] * other[alpha] / 255.0;
                most = std::max(most, std::abs(drawn - drawn_other) - 1.0);
            }
        }
    }
    return most;
}

/// A sample in levels of 8 bits.
double level(const Image& image, std::uint32_t y, std::uint32_t i) {
    switch (image.format().sample) {
        case SampleType::u8:
            return image.samples<std::uint8_t>(y)[i];
        case SampleType::u16:
            return image.samples<std::uint16_t>(y)[i] / 257.0;
        case SampleType::f16:
            return 255.0 * half_to_float(image.samples<std::uint16_t>(y)[i]);
        case SampleType::f32:
            return 255.0 * double(image.samples<float>(y)[i]);
    }
    return 0;
}

/// The largest difference of any sample, in levels, less what rounding to the format may add.
/// Colours are compared as they are seen, times their opacity: a level of the drawing is many of a
/// colour that is nearly clear.
double distance(const Image& a, const Image& b) {
    const std::uint32_t channels = a.format().channels;
    const bool alpha = a.format().has_alpha();
    double rounding = 0;
    if (a.format().sample == SampleType::f16) rounding = 255.0 * 0x1p-11;
    if (a.format().sample == SampleType::u16) rounding = 1.0 / 257;
    if (a.format().sample == SampleType::u8 && alpha) rounding = 1.0;
    double most = 0;
    for (std::uint32_t y = 0; y < a.height(); ++y) {
        for (std::uint32_t i = 0; i < a.width() * channels; ++i) {
            double one = level(a, y, i), other = level(b, y, i);
            if (alpha && i % channels != channels - 1) {
                const std::uint32_t opacity = i - i % channels + channels - 1;
                one *= level(a, y, opacity) / 255;
                other *= level(b, y, opacity) / 255;
            }
            const double difference = std::abs(one - other) - rounding;
            most = std::isnan(difference) ? 1e9 : std::max(most, difference);
        }
    }
    return most;
}

template <class Distance>
void expect_same_picture(const Graph& graph, const Image& image, const std::string& what,
                         const Distance& difference) {
    Prepared on_cpu = cpu_engine().prepare(graph), on_gpu = gpu_engine().prepare(graph);
    on_cpu.run(image);
    on_gpu.run(image);
    EXPECT_LE(difference(on_cpu.image("picture"), on_gpu.image("picture")), 1.0) << what;
}

TEST_F(EnginesAgreeOnGpu, DrawsPlotsAlike) {
    const Image image = random_image({SampleType::u8, 3}, {131, 47}, 18);
    Palette translucent;
    for (std::size_t i = 0; i < 16; ++i) {
        translucent.colors[i] = {static_cast<std::uint8_t>(i * 16), static_cast<std::uint8_t>(200),
                                 static_cast<std::uint8_t>(255 - i * 9),
                                 static_cast<std::uint8_t>(i * 17)};
    }
    for (const int bins : {2, 256, 1000}) {
        for (const PlotChannels channels :
             {PlotChannels::rgb_l, PlotChannels::rgb, PlotChannels::l}) {
            for (const CanvasSize size :
                 {CanvasSize{1, 1}, CanvasSize{37, 61}, CanvasSize{512, 300}}) {
                for (const bool log : {false, true}) {
                    for (const Palette& colors : {Palette{}, translucent}) {
                        Graph graph;
                        const Value input = graph.input(image.info());
                        graph.output(histogram_plot(graph, histogram(graph, input, {.bins = bins}),
                                                    {channels, size, log, colors}),
                                     "picture");
                        expect_same_picture(graph, image,
                                            "bins " + std::to_string(bins) + " width " +
                                                std::to_string(size.width) + (log ? " log" : ""),
                                            plot_distance);
                    }
                }
            }
        }
    }
}

TEST_F(EnginesAgreeOnGpu, DrawsOverlaysAlike) {
    for (const SampleType sample : samples) {
        for (std::uint32_t channels = 1; channels <= 4; ++channels) {
            for (const Size size : sizes) {
                for (const Transfer transfer : {Transfer::srgb, Transfer::linear}) {
                    Image image = random_image({sample, channels}, size, 19, transfer);
                    if (!is_integer(sample)) {
                        // Alpha outside 0..1 has no meaning to agree on.
                        for (std::uint32_t y = 0; y < size.height; ++y) {
                            if (sample == SampleType::f32) {
                                for (float& s : image.samples<float>(y)) {
                                    s = std::isfinite(s) ? std::clamp(s, 0.0f, 1.0f) : 0.5f;
                                }
                            } else {
                                for (auto& s : image.samples<std::uint16_t>(y)) {
                                    const float v = half_to_float(s);
                                    s = float_to_half(std::isfinite(v) ? std::clamp(v, 0.0f, 1.0f)
                                                                       : 0.5f);
                                }
                            }
                        }
                    }
                    Graph graph;
                    const Value input = graph.input(image.info());
                    graph.output(histogram_overlay(graph, input, histogram(graph, input)),
                                 "picture");
                    expect_same_picture(graph, image, to_string(image.format()), distance);
                }
            }
        }
    }
}

}  // namespace
}  // namespace tessera
