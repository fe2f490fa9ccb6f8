#include "media/tiff_directories.hpp"

#include <set>

#include "media/icc_profile.hpp"

namespace tessera::media {
namespace {

/// A TIFF or BigTIFF stream of either byte order. Offsets may lead anywhere: reading outside gives 0,
/// which as an offset of a directory means that there are no more.
class Tiff {
public:
    explicit Tiff(ByteView bytes)
        : bytes_(bytes),
          big_endian_(bytes[0] == 'M'),
          big_(number(2, 2) == 43) {}

    [[nodiscard]] std::uint64_t first_directory() const { return big_ ? number(8, 8) : number(4, 4); }

    struct Entry {
        std::uint64_t tag, type, count, value;
    };
    [[nodiscard]] std::uint64_t entries(std::uint64_t directory) const {
        return number(directory, big_ ? 8 : 2);
    }
    [[nodiscard]] Entry entry(std::uint64_t directory, std::uint64_t index) const {
        const std::uint64_t at = directory + (big_ ? 8 + index * 20 : 2 + index * 12);
        return {number(at, 2), number(at + 2, 2), number(at + 4, big_ ? 8 : 4),
                big_ ? number(at + 12, 8) : number(at + 8, 4)};
    }
    [[nodiscard]] std::uint64_t next_directory(std::uint64_t directory) const {
        const std::uint64_t count = entries(directory);
        if (count > bytes_.size()) return 0;
        return big_ ? number(directory + 8 + count * 20, 8) : number(directory + 2 + count * 12, 4);
    }

private:
    [[nodiscard]] std::uint64_t number(std::uint64_t at, std::uint64_t size) const {
        if (at > bytes_.size() || size > bytes_.size() - at) return 0;
        std::uint64_t value = 0;
        for (std::uint64_t i = 0; i < size; ++i) {
            value = value << 8 | bytes_[at + (big_endian_ ? i : size - 1 - i)];
        }
        return value;
    }

    ByteView bytes_;
    bool big_endian_;
    bool big_;
};

}  // namespace

void mend_tiff(Source& source) {
    constexpr std::uint64_t icc_profile = 34675;
    constexpr std::uint64_t most_entries = 65535;
    Bytes& bytes = source.editable_bytes();
    if (bytes.size() < 16) return;
    const Tiff tiff(bytes);
    std::set<std::uint64_t> seen;  // directories may form a ring
    for (std::uint64_t at = tiff.first_directory(); at != 0 && seen.insert(at).second;
         at = tiff.next_directory(at)) {
        const std::uint64_t count = std::min(tiff.entries(at), most_entries);
        for (std::uint64_t i = 0; i < count; ++i) {
            const Tiff::Entry entry = tiff.entry(at, i);
            if (entry.tag != icc_profile || entry.value > bytes.size() ||
                entry.count > bytes.size() - entry.value) {
                continue;
            }
            const auto profile = std::span(bytes).subspan(entry.value, entry.count);
            if (!is_sound_profile(profile)) disable_profile(profile);
        }
    }
}

}  // namespace tessera::media
