#include "media/icc_profile.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace tessera::media {
namespace {

constexpr std::size_t header_size = 128;
constexpr std::size_t colour_space_at = 16;
constexpr std::size_t magic_at = 36;
constexpr std::size_t tags_at = header_size + 4, tag_entry = 12;

/// Text in many languages: records of language, length and place.
bool is_sound_multilingual(ByteView tag) {
    constexpr std::size_t records_at = 16, record_size = 12;
    if (tag.size() < records_at) return false;
    const std::uint64_t count = big32(tag, 8);
    if (!lies_inside(tag, records_at, count * record_size)) return false;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto record = static_cast<std::size_t>(records_at + i * record_size);
        if (!lies_inside(tag, big32(tag, record + 8), big32(tag, record + 4))) return false;
    }
    return true;
}

/// The first tag of a name in a sound profile.
ByteView find_tag(ByteView profile, std::string_view name) {
    const std::uint32_t count = big32(profile, header_size);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t entry = tags_at + i * tag_entry;
        if (has_text_at(profile, entry, name)) {
            return profile.subspan(big32(profile, entry + 4), big32(profile, entry + 8));
        }
    }
    return {};
}

bool is_sound_tag(ByteView tag) {
    constexpr std::size_t text_at = 8, description_at = 12;
    if (has_text_at(tag, 0, "text")) return tag.size() >= text_at;
    if (has_text_at(tag, 0, "desc")) return tag.size() >= description_at;
    if (has_text_at(tag, 0, "mluc")) return is_sound_multilingual(tag);
    return tag.size() >= 4;
}

}  // namespace

bool is_sound_profile(ByteView profile) {
    if (profile.size() < tags_at || !has_text_at(profile, magic_at, "acsp")) return false;
    if (big32(profile, 0) != profile.size()) return false;
    const std::uint64_t count = big32(profile, header_size);
    if (!lies_inside(profile, tags_at, count * tag_entry)) return false;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto entry = static_cast<std::size_t>(tags_at + i * tag_entry);
        const std::uint32_t at = big32(profile, entry + 4), size = big32(profile, entry + 8);
        const bool is_sound =
            lies_inside(profile, at, size) && is_sound_tag(profile.subspan(at, size));
        if (!is_sound) return false;
    }
    return true;
}

bool profile_fits(ByteView profile, std::uint32_t colour_channels) {
    return has_text_at(profile, colour_space_at, colour_channels == 1 ? "GRAY" : "RGB ");
}

Primaries primaries_of(ByteView profile) {
    if (!is_sound_profile(profile)) return Primaries::bt709;
    // Plain text in old profiles, UTF-16 in new ones: without its zeros the same letters.
    std::string description;
    for (unsigned char letter : find_tag(profile, "desc")) {
        if (letter != 0) description += static_cast<char>(letter);
    }
    const auto names = [&](const char* text) {
        return description.find(text) != std::string::npos;
    };
    if (names("Display P3")) return Primaries::display_p3;
    if (names("2020") || names("2100")) return Primaries::bt2020;
    return Primaries::bt709;
}

void disable_profile(std::span<unsigned char> profile) {
    if (profile.size() >= magic_at + 4) std::ranges::fill(profile.subspan(magic_at, 4), 0);
}

}  // namespace tessera::media
