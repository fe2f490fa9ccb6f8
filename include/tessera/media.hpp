// Pictures from files and into files. The only part of tessera that knows codecs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tessera/image.hpp"

namespace tessera {

struct LoadedImage {
    Image image;
    /// Things the user should know: "3 more pages were left alone", "CMYK was converted to RGB".
    std::vector<std::string> notes;
};

/// Reads the first picture of a file, or of standard input when the path is "-".
/// Orientation is applied; CMYK and palettes become RGB; 16-bit and float samples are kept; ICC
/// and EXIF are carried along. Any format that the OpenImageIO found at build time reads.
/// Throws Error(input) naming the file and what is wrong with it, Error(out_of_memory) when the
/// decoded picture would not fit into `memory_limit` bytes (default: three quarters of what the
/// machine has free).
[[nodiscard]] LoadedImage load_image(const std::filesystem::path& path,
                                     std::optional<std::uint64_t> memory_limit = {});

/// Writes a picture in the format its extension names, or PNG to standard output for "-".
/// The bytes go to a temporary file beside the target, which is renamed when whole: a failure
/// leaves no partial file and keeps what was there before. Samples that the format cannot hold
/// are converted (float to the deepest integer, half to float, alpha dropped where there is no
/// room for it); each conversion is told in the returned notes. Throws Error(output).
std::vector<std::string> save_image(const Image& image, const std::filesystem::path& path);

/// Writes text whole or not at all, to a file (temporary beside it, then renamed) or to standard
/// output for "-". Throws Error(output).
void save_text(const std::string& text, const std::filesystem::path& path);

}  // namespace tessera
