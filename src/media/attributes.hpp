// Metadata and colour facts, between our own types and OpenImageIO's.
#pragma once

#include <OpenImageIO/imageio.h>

#include "media/source.hpp"
#include "tessera/image.hpp"

namespace tessera::media {

/// All that should travel with the picture. What describes the file's own layout (compression,
/// tiles, bit depth) stays behind, and so does the orientation, which is applied.
[[nodiscard]] Metadata metadata_of(const OIIO::ImageSpec& spec, int orientation);

/// Adds attributes to what will be written; the profile goes its own way.
void add_attributes(const Metadata& metadata, OIIO::ImageSpec& spec);

/// What the file says about its values, or what is customary where it says nothing. A colour
/// profile is no part of this, but makes a bare gamma worth nothing.
[[nodiscard]] Transfer transfer_of(const OIIO::ImageSpec& spec, SampleType sample,
                                   bool has_profile);

/// How OpenEXR files of ours say that they are not linear; the format itself has no such word.
inline constexpr const char* transfer_attribute = "tessera:transfer";

/// The name that OpenImageIO gives to a transfer function.
[[nodiscard]] std::string color_space_name(Transfer transfer);

/// EXIF as a TIFF stream, and nothing where there are no attributes that EXIF knows.
[[nodiscard]] Bytes exif_of(const Metadata& metadata);

}  // namespace tessera::media
