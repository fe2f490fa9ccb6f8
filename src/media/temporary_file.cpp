#include "media/temporary_file.hpp"

#include <cerrno>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace tessera::media {

namespace fs = std::filesystem;

File open_for_writing(const fs::path& path, bool must_be_new) {
#if defined(_WIN32)
    return File(_wfopen(path.c_str(), must_be_new ? L"wbx" : L"wb"));
#else
    return File(std::fopen(path.c_str(), must_be_new ? "wbx" : "wb"));
#endif
}

int write_and_close(File file, ByteView bytes) {
    errno = 0;
    const bool written =
        (bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size()) &&
        std::fflush(file.get()) == 0;
    int reason = errno;
    const bool closed = std::fclose(file.release()) == 0;
    if (written && closed) return 0;
    if (written) reason = errno;
    return reason != 0 ? reason : EIO;
}

TemporaryFile::TemporaryFile(const fs::path& folder) {
    std::random_device random;
    do {
        // A name of its own: the target's may be as long as the file system allows.
        path_ = folder / fmt::format(".tessera-{:08x}.tmp", random());
        errno = 0;
        file_ = open_for_writing(path_, true);
        reason_ = errno;
    } while (!file_ && reason_ == EEXIST);
    exists_ = file_ != nullptr;
}

TemporaryFile::~TemporaryFile() {
    file_.reset();
    std::error_code ignored;
    if (exists_) fs::remove(path_, ignored);
}

int TemporaryFile::write(ByteView bytes) {
    return file_ ? write_and_close(std::move(file_), bytes) : reason_;
}

std::error_code TemporaryFile::replace(const fs::path& target) {
    std::error_code error;
    const fs::file_status existing = fs::status(target, error);
    if (fs::exists(existing)) fs::permissions(path_, existing.permissions(), error);
    fs::rename(path_, target, error);
    exists_ = static_cast<bool>(error);
    return error;
}

}  // namespace tessera::media
