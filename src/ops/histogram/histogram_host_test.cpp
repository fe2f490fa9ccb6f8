#include <gtest/gtest.h>

#include <cmath>

#include "tessera/error.hpp"
#include "tessera/histogram.hpp"

namespace tessera {
namespace {

/// A histogram whose four channels are alike.
Histogram of_counts(std::vector<std::uint64_t> counts, double low = 0, double high = 1) {
    Histogram histogram;
    histogram.bins = static_cast<std::uint32_t>(counts.size());
    histogram.low = low;
    histogram.high = high;
    histogram.counts.fill(counts);
    return histogram;
}

Array array_of(ElementType element, std::vector<std::uint32_t> shape) {
    return Array({element, std::move(shape)});
}

TEST(Histogram, ComesOutOfTheOperatorsArrays) {
    Array counts = array_of(ElementType::u64, {4, 4});
    for (std::uint64_t i = 0; i < 16; ++i) counts.as<std::uint64_t>()[i] = i;
    Array range = array_of(ElementType::f32, {2});
    range.as<float>()[0] = -0.5f;
    range.as<float>()[1] = 2.0f;
    const Histogram histogram = to_histogram(counts, range);
    EXPECT_EQ(histogram.bins, 3u);
    EXPECT_EQ(histogram.low, -0.5);
    EXPECT_EQ(histogram.high, 2.0);
    EXPECT_EQ(histogram.counts[1], (std::vector<std::uint64_t>{1, 5, 9}));
    EXPECT_EQ(histogram.non_finite[3], 15u);
    EXPECT_EQ(histogram.entries(2), 2u + 6u + 10u);
}

TEST(Histogram, RefusesArraysThatHoldNone) {
    const Array counts = array_of(ElementType::u64, {4, 4});
    const Array range = array_of(ElementType::f32, {2});
    EXPECT_THROW((void)to_histogram(array_of(ElementType::u32, {4, 4}), range), Error);
    EXPECT_THROW((void)to_histogram(array_of(ElementType::u64, {4, 3}), range), Error);
    EXPECT_THROW((void)to_histogram(counts, array_of(ElementType::f32, {3})), Error);
    EXPECT_THROW((void)to_histogram(counts, counts), Error);
}

TEST(Histogram, GivesEveryCodeOfEightBitsBackAsAQuantile) {
    for (std::uint32_t code = 0; code < 256; ++code) {
        std::vector<std::uint64_t> counts(256);
        counts[code] = 1000;
        const Histogram histogram = of_counts(counts);
        for (const double fraction : {0.0, 0.5, 1.0}) {
            EXPECT_EQ(histogram.quantile(0, fraction), code / 255.0);
        }
    }
}

TEST(Histogram, GivesTheCentreOfABinElsewhere) {
    const Histogram histogram = of_counts({0, 10, 0, 10}, -1.0, 3.0);
    EXPECT_DOUBLE_EQ(histogram.quantile(0, 0.0), 0.5);
    EXPECT_DOUBLE_EQ(histogram.quantile(0, 0.5), 0.5);
    EXPECT_DOUBLE_EQ(histogram.quantile(0, 0.51), 2.5);
    EXPECT_DOUBLE_EQ(histogram.quantile(0, 1.0), 2.5);
    EXPECT_DOUBLE_EQ(histogram.quantile(0, 7.0), 2.5);
}

TEST(Histogram, TakesTheBinThatHoldsTheWantedEntryInSpiteOfRounding) {
    // 0.07 * 100 is 7.000000000000001 in binary.
    const Histogram histogram = of_counts({7, 93});
    EXPECT_DOUBLE_EQ(histogram.quantile(0, 0.07), 0.25);
    EXPECT_DOUBLE_EQ(histogram.quantile(0, 0.071), 0.75);
}

TEST(Histogram, HasNoQuantileWithoutEntries) {
    EXPECT_TRUE(std::isnan(of_counts({0, 0, 0}).quantile(3, 0.5)));
    EXPECT_TRUE(std::isnan(of_counts({1, 1}).quantile(0, std::nan(""))));
}

}  // namespace
}  // namespace tessera
