// The RIFF chunks of a WebP file: checked before decoding, put together after encoding.
//
// OpenImageIO 2.4 and 2.5 multiply WebP's colour by alpha when they read it (with 8 bits), take
// 8-bit linear light as an intermediate when they write it with alpha, and know neither its colour
// profile nor all of its EXIF. All of that is mended here, on the encoded bytes.
#pragma once

#include "media/header.hpp"
#include "media/source.hpp"
#include "tessera/image.hpp"

namespace tessera::media {

struct WebpFacts {
    HeaderFacts header;
    bool has_alpha = false;
    ByteView exif;  ///< a TIFF stream, inside the source's bytes
};

/// Throws Error(input) where the file ends early or is not made of chunks.
[[nodiscard]] WebpFacts check_webp(const Source& source);

/// A copy marked as having neither alpha nor EXIF, so that OpenImageIO decodes the colour as it
/// stands in the file.
[[nodiscard]] Bytes webp_colour_only(const Source& source);

/// What an ALPH chunk holds: alpha as it stands, or compressed as the lossless WebP file of a grey
/// picture whose values are the alpha.
[[nodiscard]] Bytes plain_webp_alpha(const Image& image);
[[nodiscard]] Bytes webp_alpha_from(ByteView lossless_webp);

/// What OpenImageIO cannot put into a file itself. Empty views are left out.
struct WebpExtras {
    ByteView alpha;
    ByteView icc_profile;
    ByteView exif;
};

/// A file with the picture of `webp`, a lossy WebP file without alpha, and the extras.
[[nodiscard]] Bytes webp_with_extras(ByteView webp, const WebpExtras& extras, std::uint32_t width,
                                     std::uint32_t height);

}  // namespace tessera::media
