#include "media/webp_chunks.hpp"

#include <algorithm>
#include <string_view>

namespace tessera::media {
namespace {

// RFC 9649. A file is "RIFF", its size, "WEBP", and chunks of a name, a size and padded data.
constexpr std::size_t file_header = 12;
constexpr std::size_t chunk_header = 8;

// Bits of the first byte of a VP8X chunk.
constexpr unsigned char icc_flag = 0x20, alpha_flag = 0x10, exif_flag = 0x08;
// The bit in a lossless picture's header that says whether its alpha counts: the 5th byte's 5th
// bit.
constexpr std::size_t lossless_header = 5;
constexpr unsigned char lossless_alpha_bit = 0x10;

struct Chunk {
    std::size_t at;  ///< of its name
    ByteView name, data;
    [[nodiscard]] bool is(std::string_view text) const { return has_text_at(name, 0, text); }
};

/// The chunk at an offset. The caller has checked that it lies inside the file.
Chunk chunk_at(ByteView bytes, std::size_t at) {
    return {at, bytes.subspan(at, 4), bytes.subspan(at + chunk_header, little32(bytes, at + 4))};
}

std::size_t padded(std::size_t size) { return size + size % 2; }

template <class Visit>
void for_each_chunk(ByteView bytes, Visit&& visit) {
    for (std::size_t at = file_header; bytes.size() - at >= chunk_header;) {
        const Chunk chunk = chunk_at(bytes, at);
        visit(chunk);
        at = std::min(bytes.size(), at + chunk_header + padded(chunk.data.size()));
    }
}

void read_picture_size(const Chunk& chunk, WebpFacts& facts) {
    HeaderFacts& header = facts.header;
    if (chunk.is("VP8X") && chunk.data.size() >= 10) {
        header.width = little24(chunk.data, 4) + 1;
        header.height = little24(chunk.data, 7) + 1;
        facts.has_alpha = (chunk.data[0] & alpha_flag) != 0;
    } else if (header.width == 0 && chunk.is("VP8 ") && chunk.data.size() >= 10) {
        header.width = little16(chunk.data, 6) & 0x3fff;
        header.height = little16(chunk.data, 8) & 0x3fff;
    } else if (header.width == 0 && chunk.is("VP8L") && chunk.data.size() >= lossless_header) {
        const std::uint32_t bits = little32(chunk.data, 1);
        header.width = (bits & 0x3fff) + 1;
        header.height = (bits >> 14 & 0x3fff) + 1;
        facts.has_alpha = (chunk.data[4] & lossless_alpha_bit) != 0;
    }
}

/// OpenImageIO leaves unset what an animation's first frame does not cover.
void check_first_frame(const Source& source, const Chunk& chunk, const HeaderFacts& canvas) {
    constexpr std::size_t frame_header = 16;  // place and size, in units of 2 and 1 pixels
    const bool covers_canvas = chunk.data.size() >= frame_header && little24(chunk.data, 0) == 0 &&
                               little24(chunk.data, 3) == 0 &&
                               little24(chunk.data, 6) + 1 == canvas.width &&
                               little24(chunk.data, 9) + 1 == canvas.height;
    if (!covers_canvas) {
        fail(ErrorCode::unsupported,
             "{}: an animation whose first frame is smaller than the picture cannot be read",
             source.name());
    }
}

void append_little(Bytes& bytes, std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<unsigned char>(value >> 8 * i));
}

void append_chunk(Bytes& bytes, std::string_view name, ByteView data) {
    bytes.insert(bytes.end(), name.begin(), name.end());
    append_little(bytes, static_cast<std::uint32_t>(data.size()), 4);
    bytes.insert(bytes.end(), data.begin(), data.end());
    if (data.size() % 2 != 0) bytes.push_back(0);
}

ByteView find_chunk(ByteView webp, std::string_view name) {
    ByteView found;
    for_each_chunk(webp, [&](const Chunk& chunk) {
        if (found.empty() && chunk.is(name)) found = chunk.data;
    });
    return found;
}

}  // namespace

WebpFacts check_webp(const Source& source) {
    const ByteView bytes = source.bytes();
    const std::uint64_t announced =
        bytes.size() < file_header ? file_header : std::uint64_t{little32(bytes, 4)} + chunk_header;
    // The last chunk's padding may be missing.
    if (bytes.size() + 1 < announced) fail_truncated(source, announced);

    for (std::size_t at = file_header; bytes.size() - at >= chunk_header;) {
        const std::uint64_t size = chunk_header + std::uint64_t{little32(bytes, at + 4)};
        if (bytes.size() - at < size) fail_truncated(source, at + size);
        at = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), at + size + size % 2));
    }
    WebpFacts facts;
    bool has_picture = false;
    for_each_chunk(bytes, [&](const Chunk& chunk) {
        read_picture_size(chunk, facts);
        if (!has_picture && chunk.is("ANMF")) check_first_frame(source, chunk, facts.header);
        has_picture |= chunk.is("VP8 ") || chunk.is("VP8L") || chunk.is("ANMF");
        if (chunk.is("ICCP")) facts.header.icc_profile.assign(chunk.data.begin(), chunk.data.end());
        if (chunk.is("EXIF")) {
            const bool prefixed = has_text_at(chunk.data, 0, std::string_view("Exif\0\0", 6));
            facts.exif = chunk.data.subspan(prefixed ? 6 : 0);
        }
    });
    if (!has_picture) fail_input(source, "the WebP file holds no picture");
    facts.header.bytes_per_pixel = facts.has_alpha ? 4 : 3;
    facts.header.codec_bytes_per_pixel = facts.header.bytes_per_pixel;
    return facts;
}

Bytes webp_colour_only(const Source& source) {
    Bytes copy(source.bytes().begin(), source.bytes().end());
    for_each_chunk(source.bytes(), [&](const Chunk& chunk) {
        const std::size_t data = chunk.at + chunk_header;
        if (chunk.is("VP8X") && !chunk.data.empty()) {
            copy[data] &= static_cast<unsigned char>(~(alpha_flag | exif_flag));
        }
        if (chunk.is("VP8L") && chunk.data.size() >= lossless_header) {
            copy[data + 4] &= static_cast<unsigned char>(~lossless_alpha_bit);
        }
    });
    return copy;
}

// RFC 9649, 2.7.1.2: a byte that says how, then the values.
Bytes plain_webp_alpha(const Image& image) {
    Bytes alpha = {0};
    alpha.reserve(1 + std::size_t{image.width()} * image.height());
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        const auto row = image.samples<std::uint8_t>(y);
        for (std::size_t i = 3; i < row.size(); i += 4) alpha.push_back(row[i]);
    }
    return alpha;
}

Bytes webp_alpha_from(ByteView lossless_webp) {
    constexpr unsigned char compressed = 1;
    const ByteView stream = find_chunk(lossless_webp, "VP8L").subspan(lossless_header);
    Bytes alpha(1 + stream.size(), compressed);
    std::ranges::copy(stream, alpha.begin() + 1);
    return alpha;
}

Bytes webp_with_extras(ByteView webp, const WebpExtras& extras, std::uint32_t width,
                       std::uint32_t height) {
    Bytes result;
    for (char letter : std::string_view("RIFF\0\0\0\0WEBP", file_header)) {
        result.push_back(static_cast<unsigned char>(letter));
    }
    Bytes features;
    features.push_back(static_cast<unsigned char>((extras.icc_profile.empty() ? 0 : icc_flag) |
                                                  (extras.exif.empty() ? 0 : exif_flag) |
                                                  (extras.alpha.empty() ? 0 : alpha_flag)));
    append_little(features, 0, 3);
    append_little(features, width - 1, 3);
    append_little(features, height - 1, 3);
    append_chunk(result, "VP8X", features);
    if (!extras.icc_profile.empty()) append_chunk(result, "ICCP", extras.icc_profile);
    if (!extras.alpha.empty()) append_chunk(result, "ALPH", extras.alpha);
    append_chunk(result, "VP8 ", find_chunk(webp, "VP8 "));
    if (!extras.exif.empty()) append_chunk(result, "EXIF", extras.exif);

    const auto size = static_cast<std::uint32_t>(result.size() - chunk_header);
    for (int i = 0; i < 4; ++i) result[4 + i] = static_cast<unsigned char>(size >> 8 * i);
    return result;
}

}  // namespace tessera::media
