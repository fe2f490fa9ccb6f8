#include "media/png_chunks.hpp"

#include <algorithm>
#include <string_view>

#include <zlib.h>

namespace tessera::media {
namespace {

constexpr std::size_t signature_size = 8;
constexpr std::size_t chunk_overhead = 12;  // length, type and checksum

/// Of a chunk's name and data.
std::uint32_t checksum(ByteView bytes) {
    return static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

void put_big32(unsigned char* at, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) at[i] = static_cast<unsigned char>(value >> (24 - 8 * i));
}

/// The profile of an iCCP chunk: a name, a zero, the method (0), and zlib data.
Bytes inflate_profile(ByteView data) {
    constexpr std::size_t most = std::size_t{16} << 20;
    const auto name_end = std::ranges::find(data, 0);
    if (data.end() - name_end < 2) return {};
    const ByteView compressed(name_end + 2, data.end());
    Bytes profile;
    int result = Z_BUF_ERROR;
    for (std::size_t room = 16384; result == Z_BUF_ERROR && room <= most; room *= 4) {
        profile.resize(room);
        uLongf size = profile.size();
        result = uncompress(profile.data(), &size, compressed.data(), compressed.size());
        if (result == Z_OK) profile.resize(size);
    }
    return result == Z_OK ? profile : Bytes();
}

/// Gives a chunk a private name, at which libpng passes over it.
void hide_chunk(std::span<unsigned char> chunk) {
    chunk[5] |= 0x20;  // the case of the second letter
    put_big32(chunk.data() + chunk.size() - 4, checksum(chunk.subspan(4, chunk.size() - 8)));
}

HeaderFacts read_ihdr(const Source& source, ByteView data) {
    if (data.size() != 13) fail_input(source, "its PNG header has a wrong length");
    const std::uint32_t bits = data[8];
    const std::uint32_t color = data[9];
    const bool interlaced = data[12] != 0;
    const bool bits_known = bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16;
    const bool low_bits_allowed = color == 0 || color == 3;
    if (color > 6 || color == 1 || color == 5 || !bits_known || (bits < 8 && !low_bits_allowed) ||
        (bits == 16 && color == 3) || data[10] != 0 || data[11] != 0 || data[12] > 1) {
        fail_input(source, "its PNG header makes no sense (colour type {}, {} bits)", color, bits);
    }
    HeaderFacts facts;
    facts.width = big32(data, 0);
    facts.height = big32(data, 4);
    constexpr std::uint32_t longest_side = 1000000;  // libpng's own limit
    if (facts.width > longest_side || facts.height > longest_side) {
        fail_input(source, "its header gives a size of {} x {} pixels; at most {} a side are read",
                   facts.width, facts.height, longest_side);
    }
    // Palettes and grey may grow an alpha by a tRNS chunk: count it.
    const std::uint32_t channels = color == 0 || color == 4 ? 2 : 4;
    facts.bytes_per_pixel = channels * (bits == 16 ? 2 : 1);
    facts.codec_bytes_per_pixel = interlaced ? facts.bytes_per_pixel : 0;
    return facts;
}

}  // namespace

HeaderFacts check_and_mend_png(Source& source) {
    const std::span<unsigned char> bytes = source.editable_bytes();
    HeaderFacts facts;
    bool has_pixels = false;
    for (std::size_t at = signature_size; true;) {
        if (bytes.size() - at < chunk_overhead) fail_truncated(source);
        const std::uint32_t length = big32(bytes, at);
        if (bytes.size() - at - chunk_overhead < length) fail_truncated(source);
        const ByteView data = bytes.subspan(at + 8, length);
        const auto is = [&](std::string_view type) { return has_text_at(bytes, at + 4, type); };
        if (checksum(bytes.subspan(at + 4, length + 4)) != big32(bytes, at + 8 + length)) {
            fail_input(source, "the PNG data is damaged (wrong checksum at byte {})", at);
        }
        if (at == signature_size) {
            if (!is("IHDR")) fail_input(source, "the PNG data does not begin with its header");
            facts = read_ihdr(source, data);
        } else if (is("IDAT")) {
            has_pixels = true;
        } else if (is("iCCP")) {
            facts.icc_profile = inflate_profile(data);
            hide_chunk(bytes.subspan(at, chunk_overhead + length));
        } else if (is("acTL")) {
            facts.notes.push_back("the file is an animation: only its still picture was read");
        } else if (is("IEND")) {
            break;
        }
        at += chunk_overhead + length;
    }
    if (!has_pixels) fail_input(source, "the PNG file holds no picture");
    return facts;
}

void add_exif_to_png(Bytes& png, ByteView exif) {
    constexpr std::size_t after_header = signature_size + chunk_overhead + 13;
    Bytes chunk(chunk_overhead + exif.size());
    put_big32(chunk.data(), static_cast<std::uint32_t>(exif.size()));
    std::ranges::copy(std::string_view("eXIf"), chunk.begin() + 4);
    std::ranges::copy(exif, chunk.begin() + 8);
    put_big32(chunk.data() + chunk.size() - 4,
              checksum(ByteView(chunk).subspan(4, chunk.size() - 8)));
    png.insert(png.begin() + after_header, chunk.begin(), chunk.end());
}

}  // namespace tessera::media
