#include "media/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <system_error>

#include "base/memory.hpp"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#endif

namespace tessera::media {
namespace {

constexpr std::size_t head_size = 1024;
constexpr std::size_t chunk_size = std::size_t{1} << 20;

std::size_t read_standard_input(unsigned char* to, std::size_t size) {
#if defined(_WIN32)
    _setmode(_fileno(stdin), _O_BINARY);
#endif
    return std::fread(to, 1, size, stdin);
}

}  // namespace

bool is_standard_stream(const std::filesystem::path& path) { return path == "-"; }

Source::Source(const std::filesystem::path& path)
    : path_(is_standard_stream(path) ? std::filesystem::path() : path),
      name_(path_.empty() ? "standard input" : path_.string()) {
    if (path.empty()) fail(ErrorCode::input, "the name of the picture is empty");
    if (!path_.empty()) {
        std::error_code error;
        const auto status = std::filesystem::status(path_, error);
        if (std::filesystem::is_directory(status)) {
            fail_input(*this, "this is a folder, not a picture");
        }
        if (status.type() == std::filesystem::file_type::not_found) {
            fail_input(*this, "there is no such file");
        }
        errno = 0;
        file_.open(path_, std::ios::binary);
        if (!file_) {
            const int reason = error ? error.value() : errno;
            if (reason == EACCES || reason == EPERM) fail_input(*this, "no permission to read it");
            fail_input(*this, "it cannot be opened ({})", std::generic_category().message(reason));
        }
    }
    read_until(head_size);
    if (bytes_.empty()) fail_input(*this, "there is nothing in it (0 bytes)");
}

void Source::read_until(std::size_t size) {
    const std::size_t before = bytes_.size();
    bytes_.resize(size);
    std::size_t got = 0;
    if (path_.empty()) {
        got = read_standard_input(bytes_.data() + before, size - before);
        if (std::ferror(stdin) != 0) fail_input(*this, "reading from it failed");
    } else {
        file_.read(reinterpret_cast<char*>(bytes_.data() + before),
                   static_cast<std::streamsize>(size - before));
        got = static_cast<std::size_t>(file_.gcount());
        if (file_.bad()) fail_input(*this, "reading from it failed");
    }
    bytes_.resize(before + got);
    size_read_ = bytes_.size();
}

void Source::read_rest(std::uint64_t limit) {
    std::error_code error;
    // Only a hint: pipes have no size, and a file may still be growing.
    const std::uintmax_t size = path_.empty() ? 0 : std::filesystem::file_size(path_, error);
    const auto fail_too_large = [&](std::uint64_t needed) {
        fail(ErrorCode::out_of_memory, "{}: the file alone needs {} of memory; {} may be used",
             name_, human_bytes(needed), human_bytes(limit));
    };
    if (!error && size > limit) fail_too_large(size);

    std::size_t goal = !error && size > bytes_.size() ? static_cast<std::size_t>(size)
                                                      : bytes_.size() + chunk_size;
    while (true) {
        read_until(goal);
        if (bytes_.size() > limit) fail_too_large(bytes_.size());
        if (bytes_.size() < goal) break;
        goal = bytes_.size() + std::max(chunk_size, bytes_.size() / 2);
        // The common case, a file of the announced size, must not be moved to a larger buffer.
        if (bytes_.size() == size && file_.peek() == std::ifstream::traits_type::eof()) break;
    }
}

void fail_truncated(const Source& source) {
    fail_input(source, "the file ends in the middle of the picture (after {} bytes)",
               source.size_read());
}

void fail_truncated(const Source& source, std::uint64_t expected_bytes) {
    fail_input(source, "the file ends in the middle of the picture ({} of {} bytes)",
               source.size_read(), expected_bytes);
}

bool has_text_at(ByteView bytes, std::size_t at, std::string_view text) {
    return lies_inside(bytes, at, text.size()) &&
           std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

}  // namespace tessera::media
