#include "engine/cpu/pixel_walk.hpp"

#include <cstring>

namespace tessera::cpu {
namespace {

/// Whether alpha is anything but 0. `ignored`: bits of it that do not count, the sign of a float.
template <class Sample>
bool is_opaque(const std::byte* pixel, std::size_t bytes, std::uint32_t ignored) noexcept {
    Sample alpha;
    std::memcpy(&alpha, pixel + bytes - sizeof alpha, sizeof alpha);
    return (alpha & ~ignored) != 0;
}

/// Copies without a branch on alpha, which may be noise. Most pictures are opaque almost
/// everywhere, so blocks with nothing to leave out are not copied at all.
template <class Sample>
const std::byte* keep_opaque_pixels(const std::byte* pixels, std::size_t& count,
                                    std::uint32_t channels, std::uint32_t ignored,
                                    std::byte* opaque) noexcept {
    const std::size_t bytes = channels * sizeof(Sample);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        kept += is_opaque<Sample>(pixels + i * bytes, bytes, ignored) ? 1 : 0;
    }
    if (kept == count) return pixels;
    kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const pixel = pixels + i * bytes;
        std::memcpy(opaque + kept * bytes, pixel, bytes);
        kept += is_opaque<Sample>(pixel, bytes, ignored) ? 1 : 0;
    }
    count = kept;
    return opaque;
}

}  // namespace

PixelWalk::PixelWalk(const Image& image, const Rectangle& roi, bool opaque_only) noexcept
    : origin_(image.row(roi.y) + std::size_t{roi.x} * image.format().bytes_per_pixel()),
      pitch_(image.pitch()),
      format_(image.format()),
      opaque_only_(opaque_only && image.format().has_alpha()),
      rows_(roi.height),
      row_pixels_(roi.width) {
    const bool side_by_side = roi.width == image.width() && pitch_ >= 0 &&
                              static_cast<std::size_t>(pitch_) == image.row_bytes();
    if (side_by_side) {
        row_pixels_ *= rows_;
        rows_ = 1;
    }
    pieces_per_row_ = (row_pixels_ + piece_pixels - 1) / piece_pixels;
}

std::uint64_t PixelWalk::grain() const noexcept {
    return std::max<std::uint64_t>(1, 2 * piece_pixels / std::min(row_pixels_, piece_pixels));
}

const std::byte* PixelWalk::keep_opaque(const std::byte* pixels, std::size_t& count,
                                        OpaqueBuffer& opaque) const noexcept {
    const std::uint32_t channels = format_.channels;
    std::byte* const room = opaque.data();
    switch (format_.sample) {
        case SampleType::u8:
            return keep_opaque_pixels<std::uint8_t>(pixels, count, channels, 0, room);
        case SampleType::u16:
            return keep_opaque_pixels<std::uint16_t>(pixels, count, channels, 0, room);
        case SampleType::f16:
            return keep_opaque_pixels<std::uint16_t>(pixels, count, channels, 0x8000u, room);
        case SampleType::f32:
            break;
    }
    return keep_opaque_pixels<std::uint32_t>(pixels, count, channels, 0x80000000u, room);
}

}  // namespace tessera::cpu
