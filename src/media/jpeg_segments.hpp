// The segments of a JPEG file: checked and mended before decoding, added to after encoding.
#pragma once

#include "media/header.hpp"
#include "media/source.hpp"

namespace tessera::media {

/// Walks over all segments and scans. libjpeg paints what is missing grey and only warns, so a file
/// that ends early is found here: Error(input). The colour profile is taken out, metadata segments
/// too short for what they claim are renamed to one that nobody reads, and a single scan without
/// its end marker gets one.
[[nodiscard]] HeaderFacts check_and_mend_jpeg(Source& source);

/// Inserts a colour profile in as many segments as it takes. False, and
/// nothing done, where that is more than can be counted in a byte.
[[nodiscard]] bool add_icc_to_jpeg(Bytes& jpeg, ByteView profile);

/// The most bytes that a segment holds, and with it any one block of EXIF or XMP.
inline constexpr std::size_t jpeg_segment_capacity = 65533;

}  // namespace tessera::media
