#include "pictures.hpp"

#include <random>
#include <span>
#include <vector>

#include "photo_bytes.hpp"

namespace tessera::bench {
namespace {

struct Photo {
    std::uint32_t width, height;
    std::span<const std::uint8_t> pixels;

    [[nodiscard]] const std::uint8_t* at(std::uint32_t x, std::uint32_t y) const {
        return &pixels[3 * (std::size_t{mirror(y, height)} * width + mirror(x, width))];
    }

private:
    static std::uint32_t mirror(std::uint32_t i, std::uint32_t size) {
        const std::uint32_t place = i % (2 * size);
        return place < size ? place : 2 * size - 1 - place;
    }
};

}  // namespace

std::string_view name(Content content) noexcept {
    switch (content) {
        case Content::photo:
            return "photo";
        case Content::noise:
            return "noise";
        case Content::ramp:
            return "ramp";
        case Content::constant:
            break;
    }
    return "constant";
}

Image picture(Content content, std::uint32_t width, std::uint32_t height, std::uint32_t channels) {
    const Photo photo{photo_width, photo_height, photo_bytes()};
    std::minstd_rand random(1);
    Image image({SampleType::u8, channels}, width, height);
    for (std::uint32_t y = 0; y < height; ++y) {
        const auto row = image.samples<std::uint8_t>(y);
        for (std::uint32_t x = 0; x < width; ++x) {
            std::uint8_t* pixel = &row[std::size_t{x} * channels];
            for (std::uint32_t c = 0; c < 3; ++c) {
                switch (content) {
                    case Content::photo:
                        pixel[c] = photo.at(x, y)[c];
                        break;
                    case Content::noise:
                        pixel[c] = static_cast<std::uint8_t>(random() >> 16);
                        break;
                    case Content::ramp:
                        pixel[c] = static_cast<std::uint8_t>(std::uint64_t{x} * 256 / width);
                        break;
                    case Content::constant:
                        pixel[c] = 128;
                        break;
                }
            }
            if (channels == 4) pixel[3] = 255;
        }
    }
    return image;
}

}  // namespace tessera::bench
