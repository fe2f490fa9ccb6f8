#include "ops/statistics/statistics_cpu.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/errors.hpp"
#include "ops/statistics/partials.hpp"
#include "support/histogram_reference.hpp"
#include "support/images.hpp"
#include "tessera/statistics.hpp"

namespace tessera {
namespace {

using test::fill_random;
using test::fill_samples;
using test::make_image;
using test::Rows;

Array run_partials(const Image& image, const StatisticsParams& params) {
    Node node;
    node.params = params;
    const Data input =
        Image::wrap(const_cast<std::byte*>(image.row(0)), image.info(), image.pitch());
    Data partials = Array({ElementType::u32, {statistics_partials, 4, 8}});
    const Data* const inputs[] = {&input};
    Data* const outputs[] = {&partials};
    run_statistics(node, inputs, outputs);
    return std::get<Array>(std::move(partials));
}

Statistics run(const Image& image, const StatisticsParams& params) {
    return to_statistics(run_partials(image, params), image.info(), params);
}

/// Counts and extremes exact; mean and deviation to single precision of what the values span.
void expect_the_definition(const Image& image, const StatisticsParams& params,
                           const std::string& name) {
    const Statistics result = run(image, params);
    const Statistics expected = test::statistics_reference(image, params);
    for (std::size_t c = 0; c < 4; ++c) {
        SCOPED_TRACE(fmt::format("channel {} of {}; luma {} linear {} opaque {} roi {},{},{},{}", c,
                                 name, static_cast<int>(params.luma), params.linear,
                                 params.opaque_only, params.roi.x, params.roi.y, params.roi.width,
                                 params.roi.height));
        EXPECT_EQ(result[c].count, expected[c].count);
        EXPECT_EQ(result[c].non_finite, expected[c].non_finite);
        EXPECT_EQ(result[c].shadows, expected[c].shadows);
        EXPECT_EQ(result[c].highlights, expected[c].highlights);
        if (expected[c].count == 0) {
            EXPECT_TRUE(std::isnan(result[c].minimum) && std::isnan(result[c].maximum) &&
                        std::isnan(result[c].mean) && std::isnan(result[c].deviation));
            continue;
        }
        EXPECT_EQ(result[c].minimum, expected[c].minimum);
        EXPECT_EQ(result[c].maximum, expected[c].maximum);
        const double largest =
            std::max(std::fabs(expected[c].minimum), std::fabs(expected[c].maximum));
        EXPECT_NEAR(result[c].mean, expected[c].mean, 1.2e-7 * largest);
        EXPECT_NEAR(result[c].deviation, expected[c].deviation, 2.4e-7 * largest);
    }
}

class StatisticsOfEveryFormat : public testing::TestWithParam<PixelFormat> {};

TEST_P(StatisticsOfEveryFormat, MatchTheDefinition) {
    const StatisticsParams sets[] = {{},
                                     {.luma = Luma::bt601, .opaque_only = true},
                                     {.luma = Luma::bt2020, .linear = true},
                                     {.linear = true, .opaque_only = true}};
    for (const test::NamedImage& hurting : test::images_that_hurt(GetParam())) {
        for (const StatisticsParams& params : sets) {
            expect_the_definition(hurting.image, params, hurting.name);
            if (HasFailure()) return;
        }
    }
}

TEST_P(StatisticsOfEveryFormat, LookOnlyAtTheRegionOfInterest) {
    Image image = make_image({GetParam(), 37, 19, {}}, Rows::bottom_up);
    fill_random(image, 3);
    for (const Rectangle& roi :
         {Rectangle{0, 0, 1, 1}, Rectangle{36, 0, 1, 1}, Rectangle{0, 18, 1, 1},
          Rectangle{36, 18, 1, 1}, Rectangle{3, 5, 17, 11}}) {
        expect_the_definition(image, {.roi = roi}, "region");
    }
}

TEST_P(StatisticsOfEveryFormat, MergeWhatSeveralThreadsFound) {
    Image image = make_image({GetParam(), 517, 301, {}}, Rows::padded);
    fill_random(image, 11);
    expect_the_definition(image, {}, "large");
    expect_the_definition(image, {.linear = true, .opaque_only = true}, "large");
}

INSTANTIATE_TEST_SUITE_P(Cpu, StatisticsOfEveryFormat, testing::ValuesIn(test::all_formats()),
                         [](const auto& format) { return test::test_name(format.param); });

TEST(StatisticsCpu, AreNotANumberWhereNothingIsFinite) {
    Image image = make_image({{SampleType::f16, 4}, 9, 9, {}});
    fill_samples(image, [](std::size_t) { return 0x7c00u; });
    expect_the_definition(image, {}, "infinite");
}

TEST(StatisticsCpu, KeepASmallDeviationFarFromZero) {
    Image image = make_image({{SampleType::f32, 1}, 300, 200, {}});
    fill_samples(image, [](std::size_t i) {
        return std::bit_cast<std::uint32_t>(1000.0f + (i % 2 == 0 ? 0.0078125f : -0.0078125f));
    });
    const ChannelStatistics red = run(image, {})[0];
    EXPECT_NEAR(red.mean, 1000.0, 1e-4);
    EXPECT_NEAR(red.deviation, 0.0078125, 1e-8);
}

TEST(StatisticsCpu, ComeOutTheSameEveryTime) {
    Image image = make_image({{SampleType::f32, 3}, 700, 500, {}});
    fill_random(image, 2);
    const Array first = run_partials(image, {});
    for (int i = 0; i < 5; ++i) EXPECT_EQ(run_partials(image, {}).bytes, first.bytes);
}

TEST(StatisticsCpu, RefuseAnArrayOfAnotherSize) {
    const Array array({ElementType::u32, {3, 4, 8}});
    EXPECT_THROW((void)to_statistics(array, {{SampleType::u8, 3}, 1, 1, {}}), Error);
}

// Only where it takes a second or so.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(StatisticsCpu, CountPastThirtyTwoBits) {
    std::vector<std::uint8_t> row(65536, 255);
    row[0] = 0;
    const Image image = Image::wrap(row.data(), {{SampleType::u8, 1}, 65536, 65537, {}}, 0);
    const ChannelStatistics luminance = run(image, {})[3];
    EXPECT_EQ(luminance.count, 65536ull * 65537ull);
    EXPECT_EQ(luminance.shadows, 65537u);
    EXPECT_EQ(luminance.highlights, 65535ull * 65537ull);
    EXPECT_NEAR(luminance.mean, 65535.0 / 65536.0, 1e-7);
}
#endif

}  // namespace
}  // namespace tessera
