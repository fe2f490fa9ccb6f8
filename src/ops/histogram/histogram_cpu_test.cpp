#include "ops/histogram/histogram_cpu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "base/errors.hpp"
#include "engine/cpu/planes.hpp"
#include "ops/histogram/bins_cpu.hpp"
#include "support/histogram_reference.hpp"
#include "support/images.hpp"
#include "tessera/histogram.hpp"

namespace tessera {
namespace {

using test::fill_constant;
using test::fill_random;
using test::fill_samples;
using test::make_image;
using test::Rows;

struct Result {
    Array counts, range;
    [[nodiscard]] Histogram histogram() const { return to_histogram(counts, range); }
};

/// A view of the same pixels, since images are not copied.
Image view(const Image& image) {
    return Image::wrap(const_cast<std::byte*>(image.row(0)), image.info(), image.pitch());
}

Result run(const Image& image, const HistogramParams& params) {
    Node node;
    node.params = params;
    const Data input = view(image);
    Data counts = Array({ElementType::u64, {static_cast<std::uint32_t>(params.bins) + 1, 4}});
    Data range = Array({ElementType::f32, {2}});
    const Data* const inputs[] = {&input};
    Data* const outputs[] = {&counts, &range};
    run_histogram(node, inputs, outputs);
    return {std::get<Array>(std::move(counts)), std::get<Array>(std::move(range))};
}

std::string describe(const HistogramParams& p) {
    return fmt::format("bins {} luma {} linear {} range {}{}:{} opaque {} roi {},{},{},{}", p.bins,
                       static_cast<int>(p.luma), p.linear, p.range.automatic ? "auto " : "",
                       p.range.low, p.range.high, p.opaque_only, p.roi.x, p.roi.y, p.roi.width,
                       p.roi.height);
}

/// Every count and the range equal; else one failure that names the first bin that differs.
void expect_the_definition(const Image& image, const HistogramParams& params,
                           const std::string& name) {
    const Result result = run(image, params);
    const test::HistogramReference expected = test::histogram_reference(image, params);
    const auto range = result.range.as<float>();
    EXPECT_EQ(range[0], expected.range[0]) << name << "; " << describe(params);
    EXPECT_EQ(range[1], expected.range[1]) << name << "; " << describe(params);
    const auto counts = result.counts.as<std::uint64_t>();
    ASSERT_EQ(counts.size(), expected.rows.size() * 4);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        ASSERT_EQ(counts[i], expected.rows[i / 4][i % 4])
            << "bin " << i / 4 << ", channel " << i % 4 << " of " << name << "; "
            << describe(params);
    }
}

/// One change at a time, and a few together.
std::vector<HistogramParams> parameter_sets() {
    return {
        {},
        {.bins = 2},
        {.bins = 3, .luma = Luma::bt601},
        {.bins = 100, .luma = Luma::bt2020},
        {.bins = 1000, .opaque_only = true},
        {.bins = 4096, .luma = Luma::bt601, .opaque_only = true},
        {.bins = 4096, .linear = true},
        {.linear = true, .opaque_only = true},
        {.bins = 77, .luma = Luma::bt2020, .range = {false, -0.25f, 0.75f}},
        {.range = {false, 0.5f, 2.0f}, .opaque_only = true},
        {.bins = 3, .range = {true, 0, 1}},
        {.linear = true, .range = {true, 0, 1}, .opaque_only = true},
        {.range = {false, 0.2f, 0.2f}},
        {.range = {false, -3e38f, 3e38f}},
    };
}

class HistogramOfEveryFormat : public testing::TestWithParam<PixelFormat> {};

TEST_P(HistogramOfEveryFormat, MatchesTheDefinition) {
    for (const test::NamedImage& hurting : test::images_that_hurt(GetParam())) {
        for (const HistogramParams& params : parameter_sets()) {
            expect_the_definition(hurting.image, params, hurting.name);
            if (HasFatalFailure()) return;
        }
    }
}

TEST_P(HistogramOfEveryFormat, DecodesEveryTransferFunction) {
    for (const Transfer transfer :
         {Transfer::srgb, Transfer::linear, Transfer::bt709, Transfer::gamma22}) {
        Image image = make_image({GetParam(), 91, 11, {transfer, Primaries::bt709}}, Rows::padded);
        fill_random(image, 7);
        for (const bool automatic : {false, true}) {
            expect_the_definition(image, {.linear = true, .range = {automatic, 0, 1}},
                                  "transfer " + std::to_string(static_cast<int>(transfer)));
        }
    }
}

TEST_P(HistogramOfEveryFormat, CountsOnlyTheRegionOfInterest) {
    const std::uint32_t width = 37, height = 19;
    for (const Rows rows : {Rows::side_by_side, Rows::padded, Rows::bottom_up}) {
        Image image = make_image({GetParam(), width, height, {}}, rows);
        fill_random(image, 3);
        const Rectangle regions[] = {{0, 0, 1, 1},          {width - 1, 0, 1, 1},
                                     {0, height - 1, 1, 1}, {width - 1, height - 1, 1, 1},
                                     {3, 5, 17, 11},        {0, 7, width, 1},
                                     {9, 0, 1, height},     {0, 2, width, height - 2}};
        for (const Rectangle& roi : regions) {
            expect_the_definition(image, {.bins = 64, .roi = roi}, "region");
            expect_the_definition(image, {.range = {true, 0, 1}, .opaque_only = true, .roi = roi},
                                  "region");
        }
    }
}

TEST_P(HistogramOfEveryFormat, IsTheSameOnSeveralThreads) {
    Image image = make_image({GetParam(), 517, 301, {}}, Rows::padded);
    fill_random(image, 11);
    expect_the_definition(image, {}, "large");
    expect_the_definition(image, {.opaque_only = true}, "large");
}

INSTANTIATE_TEST_SUITE_P(Cpu, HistogramOfEveryFormat, testing::ValuesIn(test::all_formats()),
                         [](const auto& format) { return test::test_name(format.param); });

TEST(HistogramCpu, FindsNoRangeInAPictureWithoutFiniteValues) {
    Image image = make_image({{SampleType::f32, 3}, 5, 4, {}});
    fill_samples(image, [](std::size_t) { return 0x7fc00000u; });
    const Result result = run(image, {.range = {true, 0, 1}});
    EXPECT_EQ(result.range.as<float>()[0], 0.0f);
    EXPECT_EQ(result.range.as<float>()[1], 1.0f);
    const Histogram histogram = result.histogram();
    for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_EQ(histogram.entries(c), 0u);
        EXPECT_EQ(histogram.non_finite[c], 20u);
        EXPECT_TRUE(std::isnan(histogram.quantile(c, 0.5)));
    }
}

TEST(HistogramCpu, KeepsAllFloatsInsideAnAutomaticRange) {
    Image image = make_image({{SampleType::f32, 1}, 64, 64, {}});
    std::mt19937 random(5);
    fill_samples(image, [&](std::size_t) { return static_cast<std::uint32_t>(random()); });
    expect_the_definition(image, {.range = {true, 0, 1}}, "any bits");
    expect_the_definition(image, {.linear = true, .range = {false, -1, 1}}, "any bits");
}

TEST(HistogramCpu, CountsARegionOfNothingButTransparency) {
    Image image = make_image({{SampleType::u8, 4}, 1100, 3, {}});
    fill_constant(image, 0.0f);
    const Histogram histogram = run(image, {.opaque_only = true}).histogram();
    for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(histogram.entries(c), 0u);
}

TEST(HistogramCpu, RefusesARegionOutsideThePicture) {
    const Image image = make_image({{SampleType::u8, 3}, 8, 8, {}});
    EXPECT_THROW((void)run(image, {.roi = {4, 4, 5, 1}}), Error);
}

TEST(HistogramCpu, ReadsAPictureOfOneRepeatedRow) {
    std::vector<std::uint8_t> row(300);
    std::iota(row.begin(), row.end(), std::uint8_t{0});
    const Image image = Image::wrap(row.data(), {{SampleType::u8, 3}, 100, 1000, {}}, 0);
    expect_the_definition(image, {}, "pitch 0");
}

TEST(BinsCpu, DivideExactlyForEveryCodeAndEveryNumberOfBins) {
    cpu::Planes<std::uint16_t> planes;
    auto& plane = planes.channel[0];
    for (std::uint32_t bins = 2; bins <= 4096; bins += bins < 300 ? 1 : 61) {
        for (std::uint32_t first = 0; first < 65536; first += cpu::block_pixels) {
            std::iota(plane.begin(), plane.end(), static_cast<std::uint16_t>(first));
            cpu::bins_of_codes(plane.data(), plane.size(), bins);
            for (std::uint32_t i = 0; i < cpu::block_pixels; ++i) {
                const std::uint64_t code = first + i;
                const auto exact = std::min<std::uint64_t>(bins - 1, code * bins / 65535);
                ASSERT_EQ(plane[i], exact) << code << " of " << bins << " bins";
                ASSERT_EQ(cpu::bin_of_code(first + i, bins, 65535), exact);
            }
        }
    }
}

// Only where it takes a second or so.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(HistogramCpu, CountsPastThirtyTwoBits) {
    std::vector<std::uint8_t> row(65536, 200);
    const Image image = Image::wrap(row.data(), {{SampleType::u8, 1}, 65536, 65537, {}}, 0);
    const Histogram histogram = run(image, {}).histogram();
    for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_EQ(histogram.counts[c][200], 65536ull * 65537ull);
        EXPECT_EQ(histogram.entries(c), 65536ull * 65537ull);
    }
}
#endif

}  // namespace
}  // namespace tessera
