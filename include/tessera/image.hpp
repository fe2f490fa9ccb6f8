// Pixels on the host: their format, size, colour facts, and the metadata that must survive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

/// How one sample is stored. Integer samples are scaled so that the largest code means 1.0.
enum class SampleType : std::uint8_t { u8, u16, f16, f32 };

[[nodiscard]] constexpr std::uint32_t bytes_per_sample(SampleType type) noexcept {
    return type == SampleType::u8 ? 1 : type == SampleType::f32 ? 4 : 2;
}

[[nodiscard]] constexpr bool is_integer(SampleType type) noexcept {
    return type == SampleType::u8 || type == SampleType::u16;
}

/// The value that means 1.0: 255, 65535, or 1 for floating point.
[[nodiscard]] constexpr std::uint32_t full_scale(SampleType type) noexcept {
    return type == SampleType::u8 ? 255 : type == SampleType::u16 ? 65535 : 1;
}

/// Interleaved samples: 1 = grey, 2 = grey + alpha, 3 = RGB, 4 = RGB + alpha (not premultiplied).
struct PixelFormat {
    SampleType sample = SampleType::u8;
    std::uint32_t channels = 4;

    [[nodiscard]] constexpr std::uint32_t bytes_per_pixel() const noexcept {
        return bytes_per_sample(sample) * channels;
    }
    [[nodiscard]] constexpr bool has_alpha() const noexcept {
        return channels == 2 || channels == 4;
    }
    [[nodiscard]] constexpr std::uint32_t colour_channels() const noexcept {
        return channels >= 3 ? 3 : 1;
    }
    bool operator==(const PixelFormat&) const = default;
};

/// "rgba8", "grey16", "rgb16f", "grey+alpha32f": the name used in messages and in a Plan.
[[nodiscard]] std::string to_string(PixelFormat format);

/// How encoded values relate to light.
enum class Transfer : std::uint8_t { srgb, linear, bt709, gamma22 };
enum class Primaries : std::uint8_t { bt709, bt2020, display_p3 };

/// What the numbers of an image mean. Encoded sRGB is assumed where a file says nothing, except
/// for floating-point files, which are linear by custom.
struct ColorFacts {
    Transfer transfer = Transfer::srgb;
    Primaries primaries = Primaries::bt709;
    bool operator==(const ColorFacts&) const = default;
};

/// The light, 0..1, that an encoded value means. IEC 61966-2-1 for srgb; ITU-R BT.709-6 inverted
/// for bt709; a pure power of 2.2 for gamma22. Negative values mirror positive ones.
[[nodiscard]] double decode_transfer(Transfer transfer, double encoded) noexcept;

/// All that a Plan depends on; the pixels themselves come later.
struct ImageInfo {
    PixelFormat format;
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    ColorFacts color;
    bool operator==(const ImageInfo&) const = default;
};

/// Facts that travel with a picture from file to file and that no operator looks at.
struct Metadata {
    struct Attribute {
        std::string name;  ///< as OpenImageIO names it, "Exif:FocalLength"
        std::variant<std::string, std::vector<std::int32_t>, std::vector<std::uint32_t>,
                     std::vector<float>>
            value;
        bool rational = false;  ///< an integer value of two elements is numerator and denominator
    };
    std::vector<std::byte> icc_profile;
    std::vector<Attribute> attributes;
};

/// An image in host memory. Move-only; `clone()` says where pixels are copied.
/// Rows start `pitch()` bytes apart. Not synchronised: many readers or one writer.
class Image {
public:
    Image() = default;

    /// Zeroed pixels, rows padded to 16 bytes (the pitch that a GPU upload takes unchanged).
    /// Throws Error(invalid_argument) for a size of 0 or a channel count outside 1..4,
    /// Error(out_of_memory) when the pixels do not fit.
    Image(PixelFormat format, std::uint32_t width, std::uint32_t height, ColorFacts color = {});
    explicit Image(const ImageInfo& info);

    /// A view of pixels that somebody else keeps (or that `keep_alive` keeps). The pitch may be
    /// negative (rows from the bottom up) or 0 (every row the same memory).
    [[nodiscard]] static Image wrap(void* pixels, const ImageInfo& info, std::ptrdiff_t pitch,
                                    std::shared_ptr<void> keep_alive = {});

    /// What was moved from is empty.
    Image(Image&& other) noexcept
        : metadata(std::move(other.metadata)),
          info_(other.info_),
          pixels_(std::exchange(other.pixels_, nullptr)),
          pitch_(other.pitch_),
          storage_(std::move(other.storage_)) {}
    Image& operator=(Image&& other) noexcept {
        metadata = std::move(other.metadata);
        info_ = other.info_;
        pixels_ = std::exchange(other.pixels_, nullptr);
        pitch_ = other.pitch_;
        storage_ = std::move(other.storage_);
        return *this;
    }
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;
    ~Image() = default;

    [[nodiscard]] Image clone() const;

    [[nodiscard]] bool empty() const noexcept { return pixels_ == nullptr; }
    [[nodiscard]] const ImageInfo& info() const noexcept { return info_; }
    [[nodiscard]] PixelFormat format() const noexcept { return info_.format; }
    [[nodiscard]] std::uint32_t width() const noexcept { return info_.width; }
    [[nodiscard]] std::uint32_t height() const noexcept { return info_.height; }
    [[nodiscard]] const ColorFacts& color() const noexcept { return info_.color; }
    void set_color(ColorFacts color) noexcept { info_.color = color; }
    [[nodiscard]] std::ptrdiff_t pitch() const noexcept { return pitch_; }
    /// Bytes of one row without its padding.
    [[nodiscard]] std::size_t row_bytes() const noexcept {
        return std::size_t{info_.width} * info_.format.bytes_per_pixel();
    }

    [[nodiscard]] std::byte* row(std::uint32_t y) noexcept {
        return pixels_ + static_cast<std::ptrdiff_t>(y) * pitch_;
    }
    [[nodiscard]] const std::byte* row(std::uint32_t y) const noexcept {
        return pixels_ + static_cast<std::ptrdiff_t>(y) * pitch_;
    }
    /// The samples of one row as T, which must be of the sample's size.
    template <class T>
    [[nodiscard]] std::span<T> samples(std::uint32_t y) noexcept {
        return {reinterpret_cast<T*>(row(y)), std::size_t{info_.width} * info_.format.channels};
    }
    template <class T>
    [[nodiscard]] std::span<const T> samples(std::uint32_t y) const noexcept {
        return {reinterpret_cast<const T*>(row(y)),
                std::size_t{info_.width} * info_.format.channels};
    }

    Metadata metadata;

private:
    ImageInfo info_;
    std::byte* pixels_ = nullptr;
    std::ptrdiff_t pitch_ = 0;
    std::shared_ptr<void> storage_;
};

/// Half precision to single and back (round to nearest even), for hosts without a half type.
[[nodiscard]] float half_to_float(std::uint16_t half) noexcept;
[[nodiscard]] std::uint16_t float_to_half(float value) noexcept;

}  // namespace tessera
