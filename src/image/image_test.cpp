#include "tessera/image.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "tessera/error.hpp"

namespace tessera {
namespace {

constexpr PixelFormat rgba8{SampleType::u8, 4};

ErrorCode code_of(auto&& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_STRNE(error.what(), "");
        return error.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorCode::device;
}

TEST(PixelFormat, HasTheNameThatPeopleRead) {
    EXPECT_EQ(to_string({SampleType::u8, 4}), "rgba8");
    EXPECT_EQ(to_string({SampleType::u16, 1}), "grey16");
    EXPECT_EQ(to_string({SampleType::f16, 3}), "rgb16f");
    EXPECT_EQ(to_string({SampleType::f32, 2}), "grey+alpha32f");
}

TEST(Image, StartsZeroedWithRowsPaddedTo16Bytes) {
    for (std::uint32_t width : {1u, 5u, 16u, 17u}) {
        Image image({SampleType::u8, 3}, width, 7);
        EXPECT_EQ(image.pitch() % 16, 0);
        EXPECT_GE(image.pitch(), static_cast<std::ptrdiff_t>(image.row_bytes()));
        EXPECT_LT(image.pitch(), static_cast<std::ptrdiff_t>(image.row_bytes() + 16));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.row(0)) % 16, 0u);
        for (std::uint32_t y = 0; y < 7; ++y) {
            for (std::uint8_t sample : image.samples<std::uint8_t>(y)) EXPECT_EQ(sample, 0);
        }
    }
}

TEST(Image, RefusesASizeOfZeroAndChannelsOutside1To4) {
    EXPECT_EQ(code_of([] { Image(rgba8, 0, 5); }), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of([] { Image(rgba8, 5, 0); }), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of([] { Image({SampleType::u8, 0}, 5, 5); }), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of([] { Image({SampleType::u8, 5}, 5, 5); }), ErrorCode::invalid_argument);
}

TEST(Image, ThatCannotFitIsRefusedWithTheFigures) {
    constexpr auto most = std::numeric_limits<std::uint32_t>::max();
    const auto too_large = [] { Image({SampleType::f32, 4}, most, most); };
    EXPECT_EQ(code_of(too_large), ErrorCode::out_of_memory);
    try {
        too_large();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("4294967295 x 4294967295"), std::string::npos);
    }
}

TEST(Image, ClonesItsPixelsColourAndMetadata) {
    Image image(rgba8, 3, 2, {Transfer::linear, Primaries::bt2020});
    image.samples<std::uint8_t>(1)[5] = 200;
    image.metadata.icc_profile.resize(9);
    Image copy = image.clone();
    image.samples<std::uint8_t>(1)[5] = 0;
    EXPECT_EQ(copy.samples<std::uint8_t>(1)[5], 200);
    EXPECT_EQ(copy.info(), image.info());
    EXPECT_EQ(copy.metadata.icc_profile.size(), 9u);
}

TEST(Image, ClonesToAnEmptyOneWhenEmpty) {
    const Image image;
    EXPECT_TRUE(image.empty());
    EXPECT_TRUE(image.clone().empty());
}

TEST(Image, ReadsWrappedPixelsFromTheBottomUpAndTheSameRowForAPitchOf0) {
    std::array<std::uint8_t, 6> pixels{};
    std::iota(pixels.begin(), pixels.end(), std::uint8_t{0});
    const ImageInfo info{{SampleType::u8, 1}, 2, 3, {}};

    const Image upwards = Image::wrap(pixels.data() + 4, info, -2);
    EXPECT_EQ(upwards.samples<std::uint8_t>(0)[1], 5);
    EXPECT_EQ(upwards.samples<std::uint8_t>(2)[0], 0);
    const Image copy = upwards.clone();
    EXPECT_GT(copy.pitch(), 0);
    EXPECT_EQ(copy.samples<std::uint8_t>(2)[1], 1);

    const Image repeated = Image::wrap(pixels.data() + 2, info, 0).clone();
    EXPECT_EQ(repeated.samples<std::uint8_t>(0)[0], 2);
    EXPECT_EQ(repeated.samples<std::uint8_t>(2)[0], 2);
}

TEST(Image, KeepsTheOwnerOfWrappedPixelsAlive) {
    auto owner = std::make_shared<std::array<std::uint8_t, 4>>();
    std::weak_ptr<void> watch = owner;
    Image image = Image::wrap(owner->data(), {rgba8, 1, 1, {}}, 4, owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
    image = Image();
    EXPECT_TRUE(watch.expired());
}

TEST(Image, RefusesToWrapNothing) {
    EXPECT_EQ(code_of([] {
                  (void)Image::wrap(nullptr, {rgba8, 1, 1, {}}, 4);
              }),
              ErrorCode::invalid_argument);
}

TEST(Transfer, MeetsThePointsOfItsStandard) {
    EXPECT_DOUBLE_EQ(decode_transfer(Transfer::srgb, 0.04045), 0.04045 / 12.92);
    EXPECT_NEAR(decode_transfer(Transfer::srgb, 0.5), 0.214041140482, 1e-12);
    EXPECT_DOUBLE_EQ(decode_transfer(Transfer::bt709, 0.045), 0.01);
    EXPECT_NEAR(decode_transfer(Transfer::bt709, 0.5), 0.259589400506, 1e-12);
    EXPECT_NEAR(decode_transfer(Transfer::gamma22, 0.5), 0.217637640824, 1e-12);
    EXPECT_EQ(decode_transfer(Transfer::linear, 0.5), 0.5);
    for (Transfer transfer :
         {Transfer::srgb, Transfer::linear, Transfer::bt709, Transfer::gamma22}) {
        EXPECT_EQ(decode_transfer(transfer, 0.0), 0.0);
        EXPECT_NEAR(decode_transfer(transfer, 1.0), 1.0, 1e-15);
        EXPECT_EQ(decode_transfer(transfer, -0.7), -decode_transfer(transfer, 0.7));
        EXPECT_TRUE(std::isnan(decode_transfer(transfer, std::nan(""))));
    }
}

TEST(Transfer, RisesEverywhereButAtTheSeamOfBt709) {
    for (Transfer transfer : {Transfer::srgb, Transfer::bt709, Transfer::gamma22}) {
        for (int code = 1; code <= 65535; ++code) {
            // The standard's constants have three digits: its branches miss each other by 0.3 %.
            if (transfer == Transfer::bt709 && code == 5309) continue;
            ASSERT_GT(decode_transfer(transfer, code / 65535.0),
                      decode_transfer(transfer, (code - 1) / 65535.0))
                << code;
        }
    }
}

/// The value that the bits of a half mean, by the definition of IEEE 754.
double half_by_definition(std::uint32_t bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = bits & 1023;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(Half, ReadsEveryFiniteValueByTheDefinition) {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        if ((bits >> 10 & 31) == 31) continue;
        const float value = half_to_float(static_cast<std::uint16_t>(bits));
        ASSERT_EQ(value, half_by_definition(bits)) << bits;
        ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    }
}

TEST(Half, RoundTripsAll65536Patterns) {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = half_to_float(half);
        if (std::isnan(value)) {  // comes back quiet, with its sign and payload
            ASSERT_EQ(float_to_half(value), half | 0x200) << bits;
        } else {
            ASSERT_EQ(float_to_half(value), half) << bits;
        }
    }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
    for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
        const float low = half_to_float(static_cast<std::uint16_t>(bits));
        const float high = half_to_float(static_cast<std::uint16_t>(bits + 1));
        const float middle = (low + high) / 2;  // exact: a float has 13 bits more
        const std::uint32_t even = bits % 2 == 0 ? bits : bits + 1;
        for (float sign : {1.0f, -1.0f}) {
            const std::uint32_t sign_bit = sign < 0 ? 0x8000 : 0;
            ASSERT_EQ(float_to_half(sign * middle), even | sign_bit) << bits;
            ASSERT_EQ(float_to_half(sign * std::nextafter(middle, low)), bits | sign_bit) << bits;
            ASSERT_EQ(float_to_half(sign * std::nextafter(middle, high)), (bits + 1) | sign_bit)
                << bits;
        }
    }
}

TEST(Half, GoesToInfinityPastItsLargestAndToZeroBelowItsSmallest) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(float_to_half(65504.0f), 0x7bff);
    EXPECT_EQ(float_to_half(std::nextafter(65520.0f, 0.0f)), 0x7bff);
    EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
    EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()), 0x7c00);
    EXPECT_EQ(float_to_half(-infinity), 0xfc00);
    EXPECT_EQ(half_to_float(0x7c00), infinity);
    EXPECT_EQ(half_to_float(0xfc00), -infinity);
    EXPECT_EQ(float_to_half(0x1p-25f), 0x0000);  // halfway to the smallest: ties to even
    EXPECT_EQ(float_to_half(std::nextafter(0x1p-25f, 1.0f)), 0x0001);
    EXPECT_EQ(float_to_half(-0.0f), 0x8000);
    EXPECT_EQ(float_to_half(std::numeric_limits<float>::denorm_min()), 0x0000);
}

TEST(Half, KeepsNanAsNan) {
    EXPECT_TRUE(std::isnan(half_to_float(float_to_half(std::nanf("")))));
    // A payload in the low bits only must not become infinity.
    EXPECT_TRUE(std::isnan(half_to_float(float_to_half(std::bit_cast<float>(0x7f800001u)))));
}

}  // namespace
}  // namespace tessera
