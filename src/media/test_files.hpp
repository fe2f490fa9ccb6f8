// Pictures and files for the tests of this room, made in code.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "media/source.hpp"
#include "tessera/error.hpp"
#include "tessera/image.hpp"
#include "tessera/media.hpp"

namespace tessera::media {

// --- Folders and files --------------------------------------------------------------------------

/// A folder of its own for each test, gone with it.
class MediaTest : public testing::Test {
protected:
    MediaTest() {
        static std::atomic<int> count{0};
        const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::temp_directory_path() /
                  fmt::format("tessera-{}-{}-{}", info->test_suite_name(), info->name(),
                              std::random_device{}() + static_cast<unsigned>(count++));
        std::filesystem::create_directories(folder_);
    }
    ~MediaTest() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] std::filesystem::path file(std::string_view name) const { return folder_ / name; }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] std::vector<std::string> names_in_folder() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
            names.push_back(entry.path().filename().string());
        }
        std::ranges::sort(names);
        return names;
    }

private:
    std::filesystem::path folder_;
};

inline Bytes read_bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, ByteView bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(file.good()) << path;
}

/// The sentence of the error that an action throws, checked to be one; with its code.
inline std::string sentence_of(ErrorCode code, auto&& action) {
    try {
        action();
    } catch (const Error& error) {
        const std::string sentence = error.what();
        EXPECT_EQ(error.code(), code) << sentence;
        EXPECT_EQ(sentence.find_first_of("\r\n"), std::string::npos) << sentence;
        EXPECT_FALSE(sentence.ends_with('.') || sentence.ends_with(' ')) << sentence;
        return sentence;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

inline bool any_contains(const std::vector<std::string>& notes, std::string_view part) {
    return std::ranges::any_of(notes, [&](const auto& note) { return contains(note, part); });
}

// --- Pictures -----------------------------------------------------------------------------------

constexpr PixelFormat grey8{SampleType::u8, 1}, rgb8{SampleType::u8, 3}, rgba8{SampleType::u8, 4};

/// Every sample different from its neighbours, over the whole range; floats also beyond 0..1.
inline Image pattern(PixelFormat format, std::uint32_t width, std::uint32_t height,
                     ColorFacts color = {}) {
    Image image(format, width, height, color);
    std::uint32_t state = 1;
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::size_t i = 0; i < std::size_t{width} * format.channels; ++i) {
            state = state * 1664525u + 1013904223u;
            const float value = static_cast<float>(state >> 8) / 16777216.0f * 3 - 1;
            switch (format.sample) {
                case SampleType::u8:
                    image.samples<std::uint8_t>(y)[i] = static_cast<std::uint8_t>(state >> 24);
                    break;
                case SampleType::u16:
                    image.samples<std::uint16_t>(y)[i] = static_cast<std::uint16_t>(state >> 16);
                    break;
                case SampleType::f16:
                    image.samples<std::uint16_t>(y)[i] = float_to_half(value);
                    break;
                case SampleType::f32:
                    image.samples<float>(y)[i] = value;
                    break;
            }
        }
    }
    return image;
}

/// Smooth, so that lossy codecs keep it well.
inline Image ramp(PixelFormat format, std::uint32_t width, std::uint32_t height) {
    Image image(format, width, height);
    for (std::uint32_t y = 0; y < height; ++y) {
        const auto row = image.samples<std::uint8_t>(y);
        for (std::uint32_t x = 0; x < width; ++x) {
            for (std::uint32_t c = 0; c < format.channels; ++c) {
                row[x * format.channels + c] = static_cast<std::uint8_t>(c == 0   ? 255 * x / width
                                                                         : c == 1 ? 255 * y / height
                                                                                  : 64 * c);
            }
        }
    }
    return image;
}

/// The first sample that differs bit by bit, in words; empty where there is none.
inline std::string first_difference(const Image& a, const Image& b) {
    if (a.format() != b.format() || a.width() != b.width() || a.height() != b.height()) {
        return fmt::format("{} {}x{} against {} {}x{}", to_string(a.format()), a.width(),
                           a.height(), to_string(b.format()), b.width(), b.height());
    }
    for (std::uint32_t y = 0; y < a.height(); ++y) {
        for (std::size_t i = 0; i < a.row_bytes(); ++i) {
            if (a.row(y)[i] == b.row(y)[i]) continue;
            return fmt::format("x {} y {}: byte {} against {}", i / a.format().bytes_per_pixel(), y,
                               static_cast<int>(a.row(y)[i]), static_cast<int>(b.row(y)[i]));
        }
    }
    return {};
}

/// The largest difference between samples of 8 bits.
inline int largest_difference(const Image& a, const Image& b) {
    EXPECT_EQ(a.format(), b.format());
    int largest = 0;
    for (std::uint32_t y = 0; y < a.height(); ++y) {
        const auto left = a.samples<std::uint8_t>(y), right = b.samples<std::uint8_t>(y);
        for (std::size_t i = 0; i < left.size(); ++i) {
            largest = std::max(largest, std::abs(left[i] - right[i]));
        }
    }
    return largest;
}

template <class T>
std::vector<T> samples_of(const Image& image) {
    std::vector<T> samples;
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        const auto row = image.samples<T>(y);
        samples.insert(samples.end(), row.begin(), row.end());
    }
    return samples;
}

// --- Files by hand ------------------------------------------------------------------------------

inline void append(Bytes& bytes, std::string_view text) {
    for (char letter : text) bytes.push_back(static_cast<unsigned char>(letter));
}

inline void append_big(Bytes& bytes, std::uint32_t value, int count) {
    for (int i = count - 1; i >= 0; --i) {
        bytes.push_back(static_cast<unsigned char>(value >> 8 * i));
    }
}

inline void append_little(Bytes& bytes, std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<unsigned char>(value >> 8 * i));
}

/// An uncompressed TIFF file of one strip, its tags as given.
struct TiffFile {
    std::uint32_t width = 1, height = 1;
    std::uint32_t bits = 8, channels = 1, photometric = 1;
    Bytes pixels = {};
    struct Tag {
        std::uint32_t number, type;  // 3: short, 4: long, 7: bytes
        std::vector<std::uint32_t> values;
    };
    std::vector<Tag> more_tags = {};

    [[nodiscard]] Bytes bytes() const {
        std::vector<Tag> tags = {{256, 4, {width}},
                                 {257, 4, {height}},
                                 {258, 3, std::vector<std::uint32_t>(channels, bits)},
                                 {259, 3, {1}},
                                 {262, 3, {photometric}},
                                 {273, 4, {8}},
                                 {277, 3, {channels}},
                                 {278, 4, {height}},
                                 {279, 4, {static_cast<std::uint32_t>(pixels.size())}}};
        tags.insert(tags.end(), more_tags.begin(), more_tags.end());
        std::ranges::sort(tags, {}, &Tag::number);

        Bytes file;
        append(file, std::string_view("II*\0", 4));
        const auto data_size = static_cast<std::uint32_t>(pixels.size() + pixels.size() % 2);
        append_little(file, 8 + data_size, 4);
        file.insert(file.end(), pixels.begin(), pixels.end());
        file.resize(8 + data_size);
        Bytes long_values;
        const auto long_values_at =
            static_cast<std::uint32_t>(file.size() + 2 + 12 * tags.size() + 4);
        append_little(file, static_cast<std::uint32_t>(tags.size()), 2);
        for (const Tag& tag : tags) {
            const int size = tag.type == 3 ? 2 : tag.type == 4 ? 4 : 1;
            append_little(file, tag.number, 2);
            append_little(file, tag.type, 2);
            append_little(file, static_cast<std::uint32_t>(tag.values.size()), 4);
            Bytes values;
            for (std::uint32_t value : tag.values) append_little(values, value, size);
            if (values.size() <= 4) {
                values.resize(4);
                file.insert(file.end(), values.begin(), values.end());
            } else {
                append_little(file, long_values_at + static_cast<std::uint32_t>(long_values.size()),
                              4);
                long_values.insert(long_values.end(), values.begin(), values.end());
                long_values.resize(long_values.size() + long_values.size() % 2);
            }
        }
        append_little(file, 0, 4);
        file.insert(file.end(), long_values.begin(), long_values.end());
        return file;
    }
};

/// A TIFF stream of EXIF with nothing in it but an orientation.
inline Bytes exif_with_orientation(std::uint32_t orientation) {
    Bytes exif;
    append(exif, std::string_view("II*\0", 4));
    append_little(exif, 8, 4);
    append_little(exif, 1, 2);
    append_little(exif, 274, 2);
    append_little(exif, 3, 2);
    append_little(exif, 1, 4);
    append_little(exif, orientation, 4);
    append_little(exif, 0, 4);
    return exif;
}

/// Puts a segment right behind a JPEG's first marker.
inline Bytes jpeg_with_segment(const Bytes& jpeg, unsigned char marker, ByteView payload) {
    Bytes segment = {0xff, marker};
    append_big(segment, static_cast<std::uint32_t>(payload.size() + 2), 2);
    segment.insert(segment.end(), payload.begin(), payload.end());
    Bytes result = jpeg;
    result.insert(result.begin() + 2, segment.begin(), segment.end());
    return result;
}

inline Bytes jpeg_with_orientation(const Bytes& jpeg, std::uint32_t orientation) {
    Bytes payload;
    append(payload, std::string_view("Exif\0\0", 6));
    const Bytes exif = exif_with_orientation(orientation);
    payload.insert(payload.end(), exif.begin(), exif.end());
    return jpeg_with_segment(jpeg, 0xe1, payload);
}

/// A chunk with its length and checksum.
inline Bytes png_chunk(std::string_view type, ByteView data) {
    Bytes chunk;
    append_big(chunk, static_cast<std::uint32_t>(data.size()), 4);
    append(chunk, type);
    chunk.insert(chunk.end(), data.begin(), data.end());
    std::uint32_t crc = 0xffffffff;
    for (std::size_t i = 4; i < chunk.size(); ++i) {
        crc ^= chunk[i];
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    append_big(chunk, ~crc, 4);
    return chunk;
}

/// A zlib stream of one block that is not compressed.
inline Bytes zlib_stored(ByteView bytes) {
    Bytes data = {0x78, 0x01, 0x01};
    append_little(data, static_cast<std::uint32_t>(bytes.size()), 2);
    append_little(data, ~static_cast<std::uint32_t>(bytes.size()), 2);
    data.insert(data.end(), bytes.begin(), bytes.end());
    std::uint32_t low = 1, high = 0;
    for (unsigned char byte : bytes) {
        low = (low + byte) % 65521;
        high = (high + low) % 65521;
    }
    append_big(data, high << 16 | low, 4);
    return data;
}

/// A PNG file whose rows, with their filter bytes, are stored uncompressed.
inline Bytes png_file(std::uint32_t width, std::uint32_t height, int bits, int color_type,
                      ByteView rows, const std::vector<Bytes>& more_chunks = {}) {
    Bytes header;
    append_big(header, width, 4);
    append_big(header, height, 4);
    for (int byte : {bits, color_type, 0, 0, 0}) header.push_back(static_cast<unsigned char>(byte));

    Bytes file;
    append(file, "\x89PNG\r\n\x1a\n");
    const auto add = [&](const Bytes& chunk) {
        file.insert(file.end(), chunk.begin(), chunk.end());
    };
    add(png_chunk("IHDR", header));
    for (const Bytes& chunk : more_chunks) add(chunk);
    add(png_chunk("IDAT", zlib_stored(rows)));
    add(png_chunk("IEND", {}));
    return file;
}

/// An 8 x 8 JPEG file of one colour in four inks, as Adobe's programs write it.
inline Bytes flat_cmyk_jpeg(const std::array<int, 4>& inks) {
    Bytes file = {0xff, 0xd8};
    const auto segment = [&](unsigned char marker, const Bytes& payload) {
        file.insert(file.end(), {0xff, marker});
        append_big(file, static_cast<std::uint32_t>(payload.size() + 2), 2);
        file.insert(file.end(), payload.begin(), payload.end());
    };
    segment(0xee, {'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0});
    Bytes quantization(65, 1);
    quantization[0] = 0;
    segment(0xdb, quantization);
    segment(0xc0, {8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0});
    // Twelve sizes of a mean, four bits each; of the other coefficients only "no more", one bit.
    segment(0xc4, {0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0,
                   0,    0, 0, 1, 2,  3, 4, 5, 6, 7, 8, 9, 10, 11});
    segment(0xc4, {0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    segment(0xda, {4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0});
    std::string bits;
    for (int ink : inks) {
        const int mean = (ink - 128) * 8;
        int size = 0;
        while (std::abs(mean) >> size != 0) ++size;
        bits += fmt::format("{:04b}", size);
        if (size > 0)
            bits += fmt::format("{:0{}b}", mean > 0 ? mean : mean + (1 << size) - 1, size);
        bits += '0';
    }
    bits.resize((bits.size() + 7) / 8 * 8, '1');
    for (std::size_t i = 0; i < bits.size(); i += 8) {
        file.push_back(static_cast<unsigned char>(std::stoi(bits.substr(i, 8), nullptr, 2)));
        if (file.back() == 0xff) file.push_back(0);
    }
    file.insert(file.end(), {0xff, 0xd9});
    return file;
}

/// A colour profile that is sound, says what it is for, and has the size asked for.
inline std::vector<std::byte> profile(std::string_view colour_space, std::size_t size = 400,
                                      std::string_view description = "made for a test") {
    Bytes bytes(size);
    const auto put = [&](std::size_t at, std::string_view text) {
        std::ranges::copy(text, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    };
    const auto put_big = [&](std::size_t at, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i) {
            bytes[at + i] = static_cast<unsigned char>(value >> (24 - 8 * i));
        }
    };
    put_big(0, static_cast<std::uint32_t>(size));
    put_big(8, 0x02100000);
    put(12, "mntr");
    put(16, colour_space);
    put(20, "XYZ ");
    put(36, "acsp");
    put_big(68, 0x0000f6d6);  // the illuminant, D50
    put_big(72, 0x00010000);
    put_big(76, 0x0000d32d);
    put_big(128, 1);
    put(132, "desc");
    put_big(136, 144);
    put_big(140, 112);
    put(144, "desc");
    put_big(152, static_cast<std::uint32_t>(description.size() + 1));
    put(156, description);
    for (std::size_t i = 256; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 7 + i / 256);
    const auto view = std::as_bytes(std::span(bytes));
    return {view.begin(), view.end()};
}

}  // namespace tessera::media
