// Which format a file is in, and what each format that we write can hold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "media/source.hpp"
#include "tessera/image.hpp"

namespace tessera::media {

/// The name that OpenImageIO gives to the format of an encoded picture. Its content decides;
/// the file's extension only for formats without a signature. Throws Error(input) for anything
/// else.
[[nodiscard]] std::string identify(const Source& source);

/// Sets of sample types and of channel counts.
enum : unsigned { u8 = 1, u16 = 2, f16 = 4, f32 = 8 };
enum : unsigned { grey = 1, grey_alpha = 2, rgb = 4, rgb_alpha = 8 };

/// What a format that we write can hold.
struct OutputFormat {
    std::string_view name;        ///< as OpenImageIO names it
    std::string_view extensions;  ///< each between spaces: " jpg jpeg "
    unsigned samples;             ///< of u8, u16, f16, f32
    unsigned channels;            ///< of grey, grey_alpha, rgb, rgb_alpha
    std::uint32_t longest_side = 0x7fffffff;
    bool keeps_metadata = false;  ///< EXIF and its kin
    bool keeps_icc = false;
    bool multiplied_alpha = false;  ///< holds colour that is multiplied by alpha
    bool linear_by_custom = false;  ///< its readers take values for light

    [[nodiscard]] std::string_view first_extension() const {
        return extensions.substr(1, extensions.find(' ', 1) - 1);
    }
    /// The pixel format nearest to a picture's own, which loses least.
    [[nodiscard]] PixelFormat nearest(PixelFormat format) const;
};

/// By the target's extension, in any case; PNG for "-". Throws Error(output) when there is none
/// that we know how to write.
[[nodiscard]] const OutputFormat& output_format_for(const std::filesystem::path& path);

}  // namespace tessera::media
