// Pictures as the bytes of a file, with the metadata that the format keeps.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "media/formats.hpp"
#include "media/source.hpp"
#include "tessera/image.hpp"

namespace tessera::media {

/// Where a picture goes, by which name messages call it, and as what.
struct Target {
    const std::filesystem::path& path;
    const std::string& name;
    const OutputFormat& format;
};

/// The image must be in a format that the target holds. What has to be left out is added to the
/// notes. Throws Error(output).
[[nodiscard]] Bytes encode(const Image& image, const Target& target,
                           std::vector<std::string>& notes);

}  // namespace tessera::media
