#include "media/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "media/temporary_file.hpp"
#include "tessera/media.hpp"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#else
#include <unistd.h>
#endif

namespace tessera::media {
namespace {

namespace fs = std::filesystem;

std::string system_message(int error) { return std::generic_category().message(error); }

template <class... Args>
[[noreturn]] void fail_output(const fs::path& path, fmt::format_string<Args...> sentence,
                              Args&&... args) {
    fail(ErrorCode::output, "{}: {}", is_standard_stream(path) ? "standard output" : path.string(),
         fmt::format(sentence, std::forward<Args>(args)...));
}

/// Where a chain of links ends, whether or not anything is there.
fs::path follow_links(const fs::path& path) {
    fs::path target = path;
    std::error_code error;
    constexpr int most_links = 40;  // as the kernel counts
    for (int i = 0; i < most_links && fs::is_symlink(target, error); ++i) {
        target = target.parent_path() / fs::read_symlink(target, error);
    }
    return target;
}

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

bool may_write(const fs::path& path) {
#if defined(_WIN32)
    return _waccess(path.c_str(), 2) == 0;
#else
    return ::access(path.c_str(), W_OK) == 0;
#endif
}

void write_to_standard_output(ByteView bytes) {
#if defined(_WIN32)
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    errno = 0;
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() ||
        std::fflush(stdout) != 0) {
        fail_output("-", "it cannot be written ({})", system_message(errno));
    }
}

}  // namespace

void check_target(const fs::path& path) {
    if (path.empty()) fail(ErrorCode::output, "the name of the file to write is empty");
    if (is_standard_stream(path)) return;
    std::error_code error;
    const fs::path target = follow_links(path);
    const fs::file_status status = fs::status(target, error);
    if (fs::is_directory(status)) fail_output(path, "this is a folder, not a file");
    if (!target.has_filename()) fail_output(path, "the name of the file is missing");
    if (fs::exists(status)) {
        if (!may_write(target)) fail_output(path, "no permission to write it");
        if (!fs::is_regular_file(status)) return;
    }
    const fs::path folder = folder_of(target);
    const fs::file_status folder_status = fs::status(folder, error);
    if (!fs::exists(folder_status)) {
        fail_output(path, "there is no folder {}", folder.string());
    }
    if (!fs::is_directory(folder_status)) fail_output(path, "{} is no folder", folder.string());
    if (!may_write(folder)) fail_output(path, "no permission to write into {}", folder.string());
}

fs::path scratch_folder(const fs::path& path) {
    const fs::path target = follow_links(path);
    std::error_code error;
    const fs::file_status status = fs::status(target, error);
    const bool is_file = !fs::exists(status) || fs::is_regular_file(status);
    return is_file ? folder_of(target) : fs::temp_directory_path();
}

void write_whole(ByteView bytes, const fs::path& path) {
    check_target(path);
    if (is_standard_stream(path)) return write_to_standard_output(bytes);

    const fs::path target = follow_links(path);
    std::error_code error;
    const fs::file_status status = fs::status(target, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        File file = open_for_writing(target, false);
        const int reason = file ? write_and_close(std::move(file), bytes) : errno;
        if (reason != 0) fail_output(path, "it cannot be written ({})", system_message(reason));
        return;
    }

    TemporaryFile temporary(folder_of(target));
    if (const int reason = temporary.write(bytes); reason != 0) {
        fail_output(path, "it cannot be written ({})", system_message(reason));
    }
    if (const std::error_code failed = temporary.replace(target)) {
        fail_output(path, "it cannot be replaced ({})", failed.message());
    }
}

}  // namespace tessera::media

namespace tessera {

void save_text(const std::string& text, const std::filesystem::path& path) {
    media::write_whole({reinterpret_cast<const unsigned char*>(text.data()), text.size()}, path);
}

}  // namespace tessera
