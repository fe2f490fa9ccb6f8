// Encoded pictures as bytes in memory, from a file or from standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace tessera::media {

using Bytes = std::vector<unsigned char>;
using ByteView = std::span<const unsigned char>;

/// The path that means standard input or standard output.
[[nodiscard]] bool is_standard_stream(const std::filesystem::path& path);

/// A file that is being read: its beginning first, which says whether the rest is worth reading.
class Source {
public:
    /// Opens the file and reads its first kilobyte. Throws Error(input) when there is none, when it
    /// is a folder, when it may not be read, and when it is empty.
    explicit Source(const std::filesystem::path& path);

    /// What messages call it: the path as it was given, or "standard input".
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// Empty for standard input.
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] ByteView bytes() const noexcept { return bytes_; }
    /// How many bytes were read, whatever was mended since.
    [[nodiscard]] std::size_t size_read() const noexcept { return size_read_; }

    /// Reads what follows the beginning. Throws Error(out_of_memory) when there are more bytes than
    /// `limit`.
    void read_rest(std::uint64_t limit);

    /// For repairs before decoding.
    [[nodiscard]] Bytes& editable_bytes() noexcept { return bytes_; }

private:
    void read_until(std::size_t size);

    std::filesystem::path path_;
    std::string name_;
    std::ifstream file_;
    Bytes bytes_;
    std::size_t size_read_ = 0;
};

/// Throws Error(input) with the file's name before the sentence.
template <class... Args>
[[noreturn]] void fail_input(const Source& source, fmt::format_string<Args...> sentence,
                             Args&&... args) {
    fail(ErrorCode::input, "{}: {}", source.name(),
         fmt::format(sentence, std::forward<Args>(args)...));
}

[[noreturn]] void fail_truncated(const Source& source);
/// Where the file says how long it ought to be.
[[noreturn]] void fail_truncated(const Source& source, std::uint64_t expected_bytes);

/// Big-endian and little-endian numbers at an offset that the caller has checked.
[[nodiscard]] constexpr std::uint32_t big16(ByteView bytes, std::size_t at) {
    return std::uint32_t{bytes[at]} << 8 | bytes[at + 1];
}
[[nodiscard]] constexpr std::uint32_t big32(ByteView bytes, std::size_t at) {
    return big16(bytes, at) << 16 | big16(bytes, at + 2);
}
[[nodiscard]] constexpr std::uint32_t little16(ByteView bytes, std::size_t at) {
    return std::uint32_t{bytes[at + 1]} << 8 | bytes[at];
}
[[nodiscard]] constexpr std::uint32_t little24(ByteView bytes, std::size_t at) {
    return std::uint32_t{bytes[at + 2]} << 16 | little16(bytes, at);
}
[[nodiscard]] constexpr std::uint32_t little32(ByteView bytes, std::size_t at) {
    return little16(bytes, at + 2) << 16 | little16(bytes, at);
}

/// Whether a range of bytes, which may be anywhere, lies inside.
[[nodiscard]] constexpr bool lies_inside(ByteView bytes, std::uint64_t at, std::uint64_t size) {
    return at <= bytes.size() && size <= bytes.size() - at;
}

[[nodiscard]] inline ByteView view_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline std::vector<std::byte> copy_of(ByteView bytes) {
    const auto view = std::as_bytes(bytes);
    return {view.begin(), view.end()};
}

/// Whether `text` stands at an offset, which may be past the end.
[[nodiscard]] bool has_text_at(ByteView bytes, std::size_t at, std::string_view text);

}  // namespace tessera::media
