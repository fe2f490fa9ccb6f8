#include "media/pnm.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

namespace tessera::media {
namespace {

/// Reads the header's words and the numbers of plain files; a # comments the rest of its line out.
class Words {
public:
    explicit Words(ByteView bytes)
        : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

    [[nodiscard]] std::size_t position() const noexcept { return at_; }
    void skip(std::size_t count) noexcept { at_ = std::min(text_.size(), at_ + count); }

    template <class T>
    std::optional<T> number() {
        skip_space();
        T value{};
        const auto [end, error] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc()) return std::nullopt;
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }

    /// A plain bitmap's digits need no space between them.
    std::optional<std::uint32_t> bit() {
        skip_space();
        if (at_ >= text_.size() || (text_[at_] != '0' && text_[at_] != '1')) return std::nullopt;
        return text_[at_++] == '1' ? 1 : 0;
    }

    [[nodiscard]] bool at_end() {
        skip_space();
        return at_ >= text_.size();
    }

private:
    void skip_space() {
        while (at_ < text_.size()) {
            if (text_[at_] == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
                ++at_;
            } else {
                break;
            }
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

struct Header {
    char kind = 0;  ///< the second letter: '1' to '6', 'f' or 'F'
    std::uint32_t width = 0, height = 0;
    std::uint32_t largest = 1;
    bool big_endian = false;
    std::size_t pixels_at = 0;

    [[nodiscard]] bool is_float() const { return kind == 'f' || kind == 'F'; }
    [[nodiscard]] bool is_plain() const { return kind <= '3'; }
    [[nodiscard]] bool is_bitmap() const { return kind == '1' || kind == '4'; }
    [[nodiscard]] PixelFormat format() const {
        const bool is_rgb = kind == '3' || kind == '6' || kind == 'F';
        return {is_float()      ? SampleType::f32
                : largest > 255 ? SampleType::u16
                                : SampleType::u8,
                is_rgb ? 3u : 1u};
    }
    [[nodiscard]] std::uint64_t row_bytes() const {
        return is_bitmap() ? (std::uint64_t{width} + 7) / 8
                           : std::uint64_t{width} * format().bytes_per_pixel();
    }
};

Header read_header(const Source& source) {
    Header header;
    header.kind = static_cast<char>(source.bytes()[1]);
    Words words(source.bytes());
    words.skip(2);
    const auto width = words.number<std::uint32_t>();
    const auto height = words.number<std::uint32_t>();
    bool complete = width && height;
    if (header.is_float()) {
        const auto scale = words.number<float>();
        complete = complete && scale && *scale != 0.0f && std::isfinite(*scale);
        if (complete) header.big_endian = *scale > 0;
    } else if (!header.is_bitmap()) {
        const auto largest = words.number<std::uint32_t>();
        complete = complete && largest && *largest >= 1 && *largest <= 65535;
        if (complete) header.largest = *largest;
    }
    if (!complete) fail_input(source, "its PNM header makes no sense");
    words.skip(1);
    header.width = *width;
    header.height = *height;
    header.pixels_at = words.position();
    return header;
}

/// A value of 0..largest on the scale of T, rounded to nearest.
template <class T>
T scaled(std::uint32_t value, std::uint32_t largest) {
    constexpr std::uint64_t full = std::numeric_limits<T>::max();
    const std::uint64_t clipped = std::min(value, largest);
    return static_cast<T>((clipped * full * 2 + largest) / (std::uint64_t{largest} * 2));
}

template <class T>
void read_plain(const Source& source, const Header& header, Image& image) {
    Words words(source.bytes());
    words.skip(header.pixels_at);
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        for (T& sample : image.samples<T>(y)) {
            const auto value = header.is_bitmap() ? words.bit() : words.number<std::uint32_t>();
            if (!value) {
                if (words.at_end()) fail_truncated(source);
                fail_input(source, "the PNM data is damaged (at byte {})", words.position());
            }
            // In bitmaps 1 is black.
            sample = scaled<T>(header.is_bitmap() ? 1 - *value : *value, header.largest);
        }
    }
}

void read_raw_row(const Header& header, ByteView row, Image& image, std::uint32_t y) {
    if (header.is_bitmap()) {
        const auto samples = image.samples<std::uint8_t>(y);
        for (std::size_t x = 0; x < samples.size(); ++x) {
            samples[x] = (row[x / 8] >> (7 - x % 8) & 1) != 0 ? 0 : 255;
        }
    } else if (image.format().sample == SampleType::u8) {
        std::ranges::transform(row, image.samples<std::uint8_t>(y).begin(), [&](std::uint8_t v) {
            return scaled<std::uint8_t>(v, header.largest);
        });
    } else if (image.format().sample == SampleType::u16) {
        const auto samples = image.samples<std::uint16_t>(y);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i] = scaled<std::uint16_t>(big16(row, 2 * i), header.largest);
        }
    } else {
        // PFM counts its rows from the bottom.
        const auto samples = image.samples<float>(image.height() - 1 - y);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i] =
                std::bit_cast<float>(header.big_endian ? big32(row, 4 * i) : little32(row, 4 * i));
        }
    }
}

}  // namespace

HeaderFacts check_pnm(const Source& source) {
    const Header header = read_header(source);
    HeaderFacts facts;
    facts.width = header.width;
    facts.height = header.height;
    facts.bytes_per_pixel = header.format().bytes_per_pixel();
    return facts;
}

Image read_pnm(const Source& source) {
    const Header header = read_header(source);
    const ByteView bytes = source.bytes();
    const std::uint64_t pixel_bytes = header.row_bytes() * header.height;
    // Checked first, so that a lying header cannot make us allocate.
    if (!header.is_plain() && bytes.size() - header.pixels_at < pixel_bytes) {
        fail_truncated(source, header.pixels_at + pixel_bytes);
    }
    const ColorFacts color{header.is_float() ? Transfer::linear : Transfer::srgb};
    Image image(header.format(), header.width, header.height, color);
    if (header.is_plain()) {
        image.format().sample == SampleType::u8 ? read_plain<std::uint8_t>(source, header, image)
                                                : read_plain<std::uint16_t>(source, header, image);
        return image;
    }
    const auto row_bytes = static_cast<std::size_t>(header.row_bytes());
    for (std::uint32_t y = 0; y < header.height; ++y) {
        read_raw_row(header, bytes.subspan(header.pixels_at + y * row_bytes, row_bytes), image, y);
    }
    return image;
}

Bytes write_pnm(const Image& image) {
    const SampleType sample = image.format().sample;
    const bool is_rgb = image.format().channels == 3;
    const std::string header =
        sample == SampleType::f32
            ? fmt::format("P{}\n{} {}\n-1.0\n", is_rgb ? 'F' : 'f', image.width(), image.height())
            : fmt::format("P{}\n{} {}\n{}\n", is_rgb ? '6' : '5', image.width(), image.height(),
                          full_scale(sample));
    Bytes bytes(header.begin(), header.end());
    bytes.reserve(header.size() + image.row_bytes() * image.height());
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        if (sample == SampleType::u8) {
            const auto row = image.samples<std::uint8_t>(y);
            bytes.insert(bytes.end(), row.begin(), row.end());
        } else if (sample == SampleType::u16) {
            for (std::uint16_t v : image.samples<std::uint16_t>(y)) {
                bytes.push_back(static_cast<unsigned char>(v >> 8));
                bytes.push_back(static_cast<unsigned char>(v));
            }
        } else {
            for (float v : image.samples<float>(image.height() - 1 - y)) {
                const auto bits = std::bit_cast<std::uint32_t>(v);
                for (int shift = 0; shift < 32; shift += 8) {
                    bytes.push_back(static_cast<unsigned char>(bits >> shift));
                }
            }
        }
    }
    return bytes;
}

}  // namespace tessera::media
