// Pictures for tests: any format, any pitch, and the contents that break image code.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tessera/image.hpp"

namespace tessera::test {

/// How the rows of a picture lie in memory.
enum class Rows { side_by_side, padded, bottom_up };

/// An image with memory of its own in which every byte, padding too, starts as 0xa5. Padded rows
/// are multiples of the sample's size but of nothing more.
inline Image make_image(const ImageInfo& info, Rows rows = Rows::side_by_side) {
    const std::size_t row = std::size_t{info.width} * info.format.bytes_per_pixel();
    const std::size_t pitch =
        row + (rows == Rows::side_by_side ? 0 : 5 * bytes_per_sample(info.format.sample));
    auto memory = std::make_shared<std::vector<std::byte>>(pitch * info.height, std::byte{0xa5});
    const bool up = rows == Rows::bottom_up;
    std::byte* const first = memory->data() + (up ? pitch * (info.height - 1) : 0);
    const auto signed_pitch = static_cast<std::ptrdiff_t>(pitch);
    return Image::wrap(first, info, up ? -signed_pitch : signed_pitch, memory);
}

/// Where one sample lies.
inline std::byte* sample_address(Image& image, std::uint32_t x, std::uint32_t y,
                                 std::uint32_t channel) {
    const PixelFormat format = image.format();
    return image.row(y) + std::size_t{x} * format.bytes_per_pixel() +
           channel * bytes_per_sample(format.sample);
}
inline const std::byte* sample_address(const Image& image, std::uint32_t x, std::uint32_t y,
                                       std::uint32_t channel) {
    return sample_address(const_cast<Image&>(image), x, y, channel);
}

/// The bits of one sample, in the low end of the word.
inline std::uint32_t sample_bits(const Image& image, std::uint32_t x, std::uint32_t y,
                                 std::uint32_t channel) {
    std::uint32_t bits = 0;
    const std::size_t bytes = bytes_per_sample(image.format().sample);
    const auto* const address =
        reinterpret_cast<const unsigned char*>(sample_address(image, x, y, channel));
    for (std::size_t i = 0; i < bytes; ++i) bits |= std::uint32_t{address[i]} << (8 * i);
    return bits;
}
inline void set_sample_bits(Image& image, std::uint32_t x, std::uint32_t y, std::uint32_t channel,
                            std::uint32_t bits) {
    const std::size_t bytes = bytes_per_sample(image.format().sample);
    auto* const address = reinterpret_cast<unsigned char*>(sample_address(image, x, y, channel));
    for (std::size_t i = 0; i < bytes; ++i) {
        address[i] = static_cast<unsigned char>(bits >> (8 * i));
    }
}

/// A value on the scale where 1 is full, as the bits of a sample: the nearest code, or the nearest
/// floating-point number.
inline std::uint32_t bits_of_value(SampleType sample, float value) {
    switch (sample) {
        case SampleType::f16:
            return float_to_half(value);
        case SampleType::f32:
            return std::bit_cast<std::uint32_t>(value);
        default:
            break;
    }
    const auto full = static_cast<float>(full_scale(sample));
    if (!(value > 0.0f)) return 0;
    return value >= 1.0f ? full_scale(sample)
                         : static_cast<std::uint32_t>(std::lround(value * full));
}

/// Sets every sample, row by row, pixel by pixel, to what `bits(index)` says.
template <class Bits>
void fill_samples(Image& image, Bits bits) {
    std::size_t index = 0;
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        for (std::uint32_t x = 0; x < image.width(); ++x) {
            for (std::uint32_t c = 0; c < image.format().channels; ++c) {
                set_sample_bits(image, x, y, c, bits(index++));
            }
        }
    }
}

/// Any code of an integer picture. Of a float one mostly values around 0..1, and among them
/// zeros of both signs, exact ones, large values, NaN and infinities. A tenth of the alphas is 0.
inline void fill_random(Image& image, unsigned seed = 1) {
    std::mt19937 random(seed);
    const PixelFormat format = image.format();
    const auto any_float = [&] {
        constexpr float infinity = std::numeric_limits<float>::infinity();
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        constexpr float odd[] = {0.0f,      -0.0f,    1.0f,   -1.0f, 60000.0f, nan,
                                 -infinity, infinity, -1e-6f, 0.5f,  2.0f};
        const std::uint32_t kind = random() % 32;
        if (kind < std::size(odd)) return odd[kind];
        return static_cast<float>(random() >> 8) * 0x1p-24f * 1.4f - 0.2f;
    };
    fill_samples(image, [&](std::size_t index) -> std::uint32_t {
        const bool alpha = format.has_alpha() && index % format.channels == format.channels - 1;
        if (alpha && random() % 10 == 0) {
            // A float's zero may have a sign.
            if (is_integer(format.sample) || random() % 2 == 0) return 0;
            return format.sample == SampleType::f16 ? 0x8000u : 0x80000000u;
        }
        if (is_integer(format.sample)) return random() & full_scale(format.sample);
        return bits_of_value(format.sample, any_float());
    });
}

/// Every channel of every pixel the same value, full scale = 1.
inline void fill_constant(Image& image, float value) {
    const std::uint32_t bits = bits_of_value(image.format().sample, value);
    fill_samples(image, [&](std::size_t) { return bits; });
}

struct NamedImage {
    std::string name;  ///< "13x7 random, padded rows, rgba8"
    Image image;
};

/// One picture of every shape and content that has broken image code before, in one format: 1x1,
/// 1xN, Nx1, odd sizes, padded and upside-down rows, constant, and every code of 8 and 16 bits.
inline std::vector<NamedImage> images_that_hurt(PixelFormat format, ColorFacts color = {}) {
    struct Shape {
        std::uint32_t width, height;
        Rows rows;
    };
    std::vector<NamedImage> images;
    const auto add = [&](const Shape& shape, const std::string& content) -> Image& {
        constexpr const char* rows[] = {"", ", padded rows", ", rows bottom up"};
        images.push_back({std::to_string(shape.width) + "x" + std::to_string(shape.height) + " " +
                              content + rows[static_cast<int>(shape.rows)] + ", " +
                              to_string(format),
                          make_image({format, shape.width, shape.height, color}, shape.rows)});
        return images.back().image;
    };
    const Shape shapes[] = {
        {1, 1, Rows::side_by_side},  {1, 37, Rows::side_by_side}, {1, 37, Rows::padded},
        {37, 1, Rows::side_by_side}, {13, 7, Rows::padded},       {64, 5, Rows::side_by_side},
        {67, 31, Rows::bottom_up},   {1500, 3, Rows::padded},     {129, 17, Rows::side_by_side},
    };
    unsigned seed = 1;
    for (const Shape& shape : shapes) fill_random(add(shape, "random"), seed++);
    for (const float value : {0.0f, 0.3f, 1.0f}) {
        fill_constant(add({65, 9, Rows::padded}, "constant"), value);
    }
    const bool wide = bytes_per_sample(format.sample) == 2;
    const std::uint32_t side = wide ? 256 : 16;
    fill_samples(add({side, side, Rows::side_by_side}, "ramp"), [&](std::size_t index) {
        const auto pixel = static_cast<std::uint32_t>(index / format.channels);
        return format.sample == SampleType::f32
                   ? std::bit_cast<std::uint32_t>(static_cast<float>(pixel) / 255.0f)
                   : pixel;
    });
    return images;
}

/// "greyalpha16": a format's name with nothing that a test's name cannot hold.
inline std::string test_name(PixelFormat format) {
    std::string name = to_string(format);
    std::erase(name, '+');
    return name;
}

/// All sample types with all channel counts.
inline std::vector<PixelFormat> all_formats() {
    std::vector<PixelFormat> formats;
    for (const SampleType sample :
         {SampleType::u8, SampleType::u16, SampleType::f16, SampleType::f32}) {
        for (std::uint32_t channels = 1; channels <= 4; ++channels) {
            formats.push_back({sample, channels});
        }
    }
    return formats;
}

}  // namespace tessera::test
