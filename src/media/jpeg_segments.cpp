#include "media/jpeg_segments.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace tessera::media {
namespace {

using namespace std::string_view_literals;

enum Marker : unsigned char {
    sof0 = 0xc0,
    dht = 0xc4,
    jpg = 0xc8,
    dac = 0xcc,
    rst0 = 0xd0,
    soi = 0xd8,
    eoi = 0xd9,
    sos = 0xda,
    app0 = 0xe0,
    app1 = 0xe1,
    app2 = 0xe2,
    app11 = 0xeb,
    app13 = 0xed,
    tem = 0x01,
};

// What begins a segment with a part of a colour profile (ICC.1:2010, annex B.4).
constexpr auto profile_name = "ICC_PROFILE\0"sv;

constexpr bool stands_alone(unsigned char marker) {
    return marker == tem || (marker >= rst0 && marker <= soi);
}

constexpr bool begins_frame(unsigned char marker) {
    return marker >= sof0 && marker <= 0xcf && marker != dht && marker != jpg && marker != dac;
}

constexpr bool is_progressive(unsigned char marker) { return (marker & 3) == 2; }

/// The first marker at or after `at` that ends entropy-coded data; the end where there is none.
std::size_t end_of_scan(ByteView bytes, std::size_t at) {
    while (at + 1 < bytes.size()) {
        const auto* const found =
            std::find(bytes.data() + at, bytes.data() + bytes.size() - 1, 0xff);
        at = static_cast<std::size_t>(found - bytes.data());
        if (at + 1 >= bytes.size()) break;
        const unsigned char next = bytes[at + 1];
        const bool inside = next == 0 || next == 0xff || (next >= rst0 && next < soi);
        if (!inside) return at;
        at += next == 0xff ? 1 : 2;
    }
    return bytes.size();
}

/// A colour profile's parts, which may come in any order.
class ProfileParts {
public:
    void add(ByteView segment) {
        if (segment.size() <= overhead) return;
        parts_.emplace(segment[overhead - 2], segment.subspan(overhead));
    }
    [[nodiscard]] Bytes whole() const {
        Bytes profile;
        for (const auto& [number, part] : parts_) {
            profile.insert(profile.end(), part.begin(), part.end());
        }
        return profile;
    }

private:
    static constexpr std::size_t overhead = profile_name.size() + 2;  // number and count
    std::map<unsigned char, ByteView> parts_;
};

/// Whether OpenImageIO may read a metadata segment: it trusts the lengths in some of them.
bool is_well_formed(unsigned char marker, ByteView payload) {
    if (marker == app1 && has_text_at(payload, 0, "Exif")) return payload.size() >= 14;
    if (marker == app13 && has_text_at(payload, 0, "Photoshop 3.0")) {
        constexpr std::size_t header = 26;  // name, "8BIM", resource, empty name, size
        if (payload.size() < header || !has_text_at(payload, 14, "8BIM")) return false;
        return payload.size() - header >= big16(payload, header - 2);
    }
    return true;
}

void read_frame_header(const Source& source, unsigned char marker, ByteView payload,
                       HeaderFacts& facts) {
    if (payload.size() < 6) fail_input(source, "its JPEG header is too short");
    const std::uint32_t components = payload[5];
    facts.height = big16(payload, 1);
    facts.width = big16(payload, 3);
    facts.bytes_per_pixel = components == 1 ? 1 : 3;
    // A progressive picture is decoded when all its coefficients, of two bytes, have arrived.
    facts.codec_bytes_per_pixel = is_progressive(marker) ? 2 * components : 0;
}

}  // namespace

HeaderFacts check_and_mend_jpeg(Source& source) {
    Bytes& bytes = source.editable_bytes();
    HeaderFacts facts;
    bool progressive = false;
    bool lacks_end = false;
    std::uint64_t scans = 0;
    ProfileParts profile;
    for (std::size_t at = 2; true;) {
        // Stray bytes are skipped, as libjpeg does.
        while (at < bytes.size() && bytes[at] != 0xff) ++at;
        while (at < bytes.size() && bytes[at] == 0xff) ++at;
        if (at >= bytes.size()) {
            // Some cameras leave the last marker out. Data that is missing before it then shows up
            // as a warning of libjpeg, but scans that are missing altogether would not.
            if (scans != 1 || progressive) fail_truncated(source);
            facts.notes.push_back("the JPEG data lacks its end marker");
            lacks_end = true;
            break;
        }
        const unsigned char marker = bytes[at++];
        if (marker == eoi) break;
        if (marker == 0 || stands_alone(marker)) continue;
        if (bytes.size() - at < 2) fail_truncated(source);
        const std::size_t length = big16(bytes, at);
        if (length < 2) fail_input(source, "the JPEG data is damaged (at byte {})", at);
        if (bytes.size() - at < length) fail_truncated(source);
        const ByteView payload = ByteView(bytes).subspan(at + 2, length - 2);
        if (begins_frame(marker) && facts.bytes_per_pixel == 0) {
            read_frame_header(source, marker, payload, facts);
            progressive = is_progressive(marker);
        }
        const bool is_profile = marker == app2 && has_text_at(payload, 0, profile_name);
        if (is_profile) profile.add(payload);
        if (is_profile || !is_well_formed(marker, payload)) bytes[at - 1] = app11;
        at += length;
        if (marker == sos) {
            ++scans;
            at = end_of_scan(bytes, at);
        }
    }
    if (facts.bytes_per_pixel == 0 || scans == 0) {
        fail_input(source, "the JPEG file holds no picture");
    }
    facts.icc_profile = profile.whole();
    if (lacks_end) bytes.insert(bytes.end(), {0xff, eoi});
    return facts;
}

bool add_icc_to_jpeg(Bytes& jpeg, ByteView profile) {
    constexpr std::size_t chunk = jpeg_segment_capacity - profile_name.size() - 2;
    const std::size_t count = (profile.size() + chunk - 1) / chunk;
    if (count > 255) return false;
    Bytes segments;
    for (std::size_t i = 0; i < count; ++i) {
        const ByteView part =
            profile.subspan(i * chunk, std::min(chunk, profile.size() - i * chunk));
        const std::size_t length = 2 + profile_name.size() + 2 + part.size();
        segments.insert(segments.end(), {0xff, app2, static_cast<unsigned char>(length >> 8),
                                         static_cast<unsigned char>(length)});
        segments.insert(segments.end(), profile_name.begin(), profile_name.end());
        segments.push_back(static_cast<unsigned char>(i + 1));
        segments.push_back(static_cast<unsigned char>(count));
        segments.insert(segments.end(), part.begin(), part.end());
    }
    // JFIF wants its own segment first.
    std::size_t at = 2;
    if (jpeg.size() > 6 && jpeg[2] == 0xff && jpeg[3] == app0) at += 2 + big16(jpeg, 4);
    jpeg.insert(jpeg.begin() + static_cast<std::ptrdiff_t>(at), segments.begin(), segments.end());
    return true;
}

}  // namespace tessera::media
