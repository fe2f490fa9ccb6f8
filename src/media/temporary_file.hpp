// A new file that is gone when its object is, unless it took another file's place.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "media/source.hpp"

namespace tessera::media {

struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

[[nodiscard]] File open_for_writing(const std::filesystem::path& path, bool must_be_new);

/// Returns 0 or the reason, as errno has it. A full disk may show only when the last buffer goes
/// out, so that closing is part of it.
[[nodiscard]] int write_and_close(File file, ByteView bytes);

class TemporaryFile {
public:
    explicit TemporaryFile(const std::filesystem::path& folder);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

    /// Returns 0 or the reason, also for a file that could not be made. Once only.
    [[nodiscard]] int write(ByteView bytes);

    /// Renames the file; the target's permissions, where it exists, are handed on.
    [[nodiscard]] std::error_code replace(const std::filesystem::path& target);

private:
    std::filesystem::path path_;
    File file_;
    int reason_ = 0;
    bool exists_ = false;
};

}  // namespace tessera::media
