#include "tessera/image.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/errors.hpp"
#include "base/memory.hpp"

namespace tessera {
namespace {

void check_shape(const ImageInfo& info) {
    if (info.width == 0 || info.height == 0) {
        fail(ErrorCode::invalid_argument, "an image of {} x {} pixels has none", info.width,
             info.height);
    }
    if (info.format.channels < 1 || info.format.channels > 4) {
        fail(ErrorCode::invalid_argument, "an image has 1 to 4 channels, not {}",
             info.format.channels);
    }
}

std::size_t padded_row_bytes(const ImageInfo& info) {
    constexpr std::size_t alignment = 16;
    const std::size_t bytes = std::size_t{info.width} * info.format.bytes_per_pixel();
    return (bytes + alignment - 1) / alignment * alignment;
}

/// Zeroed by the system page by page as they are first touched, so that an image that is
/// overwritten at once costs no pass over memory.
std::shared_ptr<void> allocate_zeroed(const ImageInfo& info, std::size_t row_bytes) {
    constexpr std::size_t largest = std::numeric_limits<std::ptrdiff_t>::max();
    void* const memory =
        info.height <= largest / row_bytes ? std::calloc(info.height, row_bytes) : nullptr;
    if (memory == nullptr) {
        fail(ErrorCode::out_of_memory, "no memory for an image of {} x {} pixels, {} ({})",
             info.width, info.height, to_string(info.format),
             static_cast<double>(row_bytes) * info.height < 1e18
                 ? human_bytes(std::uint64_t{row_bytes} * info.height)
                 : "over 1 EB");
    }
    return {memory, std::free};
}

double decode_positive(Transfer transfer, double encoded) noexcept {
    switch (transfer) {
        case Transfer::srgb:
            return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
        case Transfer::bt709:
            return encoded < 0.081 ? encoded / 4.5
                                   : std::pow((encoded + 0.099) / 1.099, 1.0 / 0.45);
        case Transfer::gamma22:
            return std::pow(encoded, 2.2);
        case Transfer::linear:
            break;
    }
    return encoded;
}

}  // namespace

std::string to_string(PixelFormat format) {
    constexpr const char* channels[] = {"no channels ", "grey", "grey+alpha", "rgb", "rgba"};
    constexpr const char* samples[] = {"8", "16", "16f", "32f"};
    return std::string(channels[format.channels <= 4 ? format.channels : 0]) +
           samples[static_cast<std::size_t>(format.sample)];
}

double decode_transfer(Transfer transfer, double encoded) noexcept {
    return std::copysign(decode_positive(transfer, std::fabs(encoded)), encoded);
}

Image::Image(PixelFormat format, std::uint32_t width, std::uint32_t height, ColorFacts color)
    : Image(ImageInfo{format, width, height, color}) {}

Image::Image(const ImageInfo& info) : info_(info) {
    check_shape(info);
    const std::size_t bytes = padded_row_bytes(info);
    storage_ = allocate_zeroed(info, bytes);
    pixels_ = static_cast<std::byte*>(storage_.get());
    pitch_ = static_cast<std::ptrdiff_t>(bytes);
}

Image Image::wrap(void* pixels, const ImageInfo& info, std::ptrdiff_t pitch,
                  std::shared_ptr<void> keep_alive) {
    check_shape(info);
    if (pixels == nullptr) {
        fail(ErrorCode::invalid_argument, "an image cannot wrap a null pointer");
    }
    Image image;
    image.info_ = info;
    image.pixels_ = static_cast<std::byte*>(pixels);
    image.pitch_ = pitch;
    image.storage_ = std::move(keep_alive);
    return image;
}

Image Image::clone() const {
    if (empty()) return {};
    Image copy(info_);
    for (std::uint32_t y = 0; y < height(); ++y) std::memcpy(copy.row(y), row(y), row_bytes());
    copy.metadata = metadata;
    return copy;
}

float half_to_float(std::uint16_t half) noexcept {
    const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fu;
    const std::uint32_t fraction = half & 0x3ffu;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) {
        return std::bit_cast<float>(sign | (exponent + (127 - 15)) << 23 | fraction << 13);
    }
    // Zero or subnormal: fraction * 2^-24, which a float holds exactly.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
}

std::uint16_t float_to_half(float value) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;

    if (magnitude > 0x7f800000u) {  // NaN: the payload's high bits, and quiet
        return static_cast<std::uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    }
    // 65520, halfway between the largest half and the next step, rounds to even: to infinity.
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;

    if (magnitude < 0x38800000u) {  // below 2^-14: a subnormal half counts steps of 2^-24
        // Adding 1/2 puts those steps into the lowest bits of the sum, rounded by the adder itself.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(
            sign | (std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5f)));
    }
    const std::uint32_t rebiased = magnitude - ((127u - 15u) << 23);
    const std::uint32_t odd = rebiased >> 13 & 1u;
    return static_cast<std::uint16_t>(sign | (rebiased + 0xfffu + odd) >> 13);
}

}  // namespace tessera
