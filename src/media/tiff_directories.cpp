#include "media/tiff_directories.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "media/icc_profile.hpp"

namespace tessera::media {
namespace {

// Tags (TIFF 6.0, and the supplement for ICC profiles).
enum : std::uint64_t {
    compression = 259,
    strip_offsets = 273,
    strip_sizes = 279,
    tile_offsets = 324,
    tile_sizes = 325,
    icc_profile = 34675,
};

/// A TIFF or BigTIFF stream of either byte order. Offsets may lead anywhere: reading outside gives
/// 0, which as the place of a directory means that there are no more.
class Tiff {
public:
    explicit Tiff(ByteView bytes)
        : bytes_(bytes), big_endian_(bytes[0] == 'M'), is_big_tiff_(number(2, 2) == 43) {}

    struct Entry {
        std::uint64_t tag, type, count, value_at;
    };

    [[nodiscard]] std::uint64_t first_directory() const {
        return is_big_tiff_ ? number(8, 8) : number(4, 4);
    }
    [[nodiscard]] std::uint64_t next_directory(std::uint64_t directory) const {
        return number(entry_at(directory, entries(directory)), is_big_tiff_ ? 8 : 4);
    }
    [[nodiscard]] std::uint64_t entries(std::uint64_t directory) const {
        return std::min(number(directory, is_big_tiff_ ? 8 : 2), most_entries);
    }
    [[nodiscard]] Entry entry(std::uint64_t directory, std::uint64_t index) const {
        const std::uint64_t at = entry_at(directory, index);
        return {number(at, 2), number(at + 2, 2), number(at + 4, is_big_tiff_ ? 8 : 4),
                at + (is_big_tiff_ ? 12 : 8)};
    }
    [[nodiscard]] std::optional<Entry> find(std::uint64_t directory, std::uint64_t tag) const {
        for (std::uint64_t i = 0; i < entries(directory); ++i) {
            if (entry(directory, i).tag == tag) return entry(directory, i);
        }
        return std::nullopt;
    }
    /// Where an entry's values lie: in the entry itself where they fit.
    [[nodiscard]] std::uint64_t values_at(const Entry& entry) const {
        const std::uint64_t room = is_big_tiff_ ? 8 : 4;
        const bool fits = entry.count <= room / type_size(entry);
        return fits ? entry.value_at : number(entry.value_at, room);
    }
    /// One of an entry's values, for integers.
    [[nodiscard]] std::uint64_t value(const Entry& entry, std::uint64_t index) const {
        return number(values_at(entry) + index * type_size(entry), type_size(entry));
    }

private:
    static constexpr std::uint64_t most_entries = 65535;

    static std::uint64_t type_size(const Entry& entry) {
        switch (entry.type) {
            case 3:
                return 2;  // short
            case 4:
            case 13:
                return 4;  // long
            case 16:
            case 18:
                return 8;  // long of BigTIFF
            default:
                return 1;
        }
    }
    [[nodiscard]] std::uint64_t entry_at(std::uint64_t directory, std::uint64_t index) const {
        return directory + (is_big_tiff_ ? 8 + index * 20 : 2 + index * 12);
    }
    [[nodiscard]] std::uint64_t number(std::uint64_t at, std::uint64_t size) const {
        if (!lies_inside(bytes_, at, size)) return 0;
        std::uint64_t value = 0;
        for (std::uint64_t i = 0; i < size; ++i) {
            value = value << 8 | bytes_[at + (big_endian_ ? i : size - 1 - i)];
        }
        return value;
    }

    ByteView bytes_;
    bool big_endian_;
    bool is_big_tiff_;
};

void check_jpeg_data(const Source& source, const Tiff& tiff, std::uint64_t directory) {
    const auto method = tiff.find(directory, compression);
    constexpr std::uint64_t old_jpeg = 6, jpeg = 7;
    if (!method || (tiff.value(*method, 0) != old_jpeg && tiff.value(*method, 0) != jpeg)) return;
    const bool is_tiled = tiff.find(directory, tile_offsets).has_value();
    const auto offsets = tiff.find(directory, is_tiled ? tile_offsets : strip_offsets);
    const auto sizes = tiff.find(directory, is_tiled ? tile_sizes : strip_sizes);
    if (!offsets || !sizes) return;
    const std::uint64_t count =
        std::min({offsets->count, sizes->count, std::uint64_t{source.bytes().size()}});
    for (std::uint64_t i = 0; i < count; ++i) {
        if (!lies_inside(source.bytes(), tiff.value(*offsets, i), tiff.value(*sizes, i))) {
            fail_truncated(source);
        }
    }
}

}  // namespace

void check_and_mend_tiff(Source& source) {
    constexpr std::size_t header = 16;
    Bytes& bytes = source.editable_bytes();
    if (bytes.size() < header) fail_truncated(source);
    const Tiff tiff(bytes);
    check_jpeg_data(source, tiff, tiff.first_directory());
    std::set<std::uint64_t> seen;  // directories may form a ring
    for (std::uint64_t at = tiff.first_directory(); at != 0 && seen.insert(at).second;
         at = tiff.next_directory(at)) {
        const auto entry = tiff.find(at, icc_profile);
        if (!entry || !lies_inside(bytes, tiff.values_at(*entry), entry->count)) continue;
        const auto profile = std::span(bytes).subspan(tiff.values_at(*entry), entry->count);
        if (!is_sound_profile(profile)) disable_profile(profile);
    }
}

}  // namespace tessera::media
