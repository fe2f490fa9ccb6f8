#include "media/orientation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace tessera::media {
namespace {

/// Where the upright picture's pixels lie in the stored one: each step along an upright row or
/// column is a constant number of bytes.
struct Walk {
    const std::byte* first;
    std::ptrdiff_t along_row;
    std::ptrdiff_t along_column;
};

// EXIF 2.3, tag 274: the stored first row is the visual top (1, 2), bottom (3, 4), left (5, 8) or
// right (6, 7) side, and the stored first column the other one.
Walk walk_for(const Image& stored, int orientation) {
    const auto pixel = static_cast<std::ptrdiff_t>(stored.format().bytes_per_pixel());
    const std::ptrdiff_t row = stored.pitch();
    const bool from_right =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool from_bottom =
        orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    const std::byte* const first =
        stored.row(from_bottom ? stored.height() - 1 : 0) +
        (from_right ? static_cast<std::ptrdiff_t>(stored.width() - 1) * pixel : 0);
    const std::ptrdiff_t x_step = from_right ? -pixel : pixel;
    const std::ptrdiff_t y_step = from_bottom ? -row : row;
    return exchanges_sides(orientation) ? Walk{first, y_step, x_step} : Walk{first, x_step, y_step};
}

template <std::size_t PixelBytes>
void gather(const Walk& walk, Image& to) {
    // Blocks, so that walking down the columns of the stored picture stays in the cache.
    constexpr std::uint32_t block = 32;
    for (std::uint32_t top = 0; top < to.height(); top += block) {
        const std::uint32_t bottom = std::min(top + block, to.height());
        for (std::uint32_t left = 0; left < to.width(); left += block) {
            const std::uint32_t right = std::min(left + block, to.width());
            for (std::uint32_t y = top; y < bottom; ++y) {
                const std::byte* from = walk.first + walk.along_column * std::ptrdiff_t{y} +
                                        walk.along_row * std::ptrdiff_t{left};
                std::byte* out = to.row(y) + std::size_t{left} * PixelBytes;
                for (std::uint32_t x = left; x < right; ++x) {
                    std::memcpy(out, from, PixelBytes);
                    from += walk.along_row;
                    out += PixelBytes;
                }
            }
        }
    }
}

}  // namespace

Image upright(Image image, int orientation) {
    if (orientation < 2 || orientation > 8) return image;
    ImageInfo info = image.info();
    if (exchanges_sides(orientation)) std::swap(info.width, info.height);
    Image turned(info);
    turned.metadata = std::move(image.metadata);
    const Walk walk = walk_for(image, orientation);
    switch (info.format.bytes_per_pixel()) {
        case 1:
            gather<1>(walk, turned);
            break;
        case 2:
            gather<2>(walk, turned);
            break;
        case 3:
            gather<3>(walk, turned);
            break;
        case 4:
            gather<4>(walk, turned);
            break;
        case 6:
            gather<6>(walk, turned);
            break;
        case 8:
            gather<8>(walk, turned);
            break;
        case 12:
            gather<12>(walk, turned);
            break;
        case 16:
            gather<16>(walk, turned);
            break;
    }
    return turned;
}

}  // namespace tessera::media
