// Files that are written whole or not at all.
#pragma once

#include <filesystem>

#include "media/source.hpp"

namespace tessera::media {

/// Fails where writing to a target is bound to fail, before any work is done for it. Throws
/// Error(output).
void check_target(const std::filesystem::path& path);

/// A folder for a temporary file on the way to a target: the target's own, which is most likely to
/// have the room.
[[nodiscard]] std::filesystem::path scratch_folder(const std::filesystem::path& path);

/// Writes to a temporary file beside the target and renames it when whole; a failure leaves nothing
/// behind and what was there untouched. A link's target is replaced, not the link. What is no
/// regular file (a pipe, a device) is written to directly, and so is standard output, "-". Throws
/// Error(output).
void write_whole(ByteView bytes, const std::filesystem::path& path);

}  // namespace tessera::media
