// The chunks of a PNG file: checked before decoding, and one added after encoding.
#pragma once

#include <cstdint>

#include "media/header.hpp"
#include "media/source.hpp"

namespace tessera::media {

/// Walks over all chunks and their checksums, and takes the colour profile out. Throws Error(input)
/// where the file ends early or is damaged, which libpng would also report on standard error, out
/// of our hands.
[[nodiscard]] HeaderFacts check_and_mend_png(Source& source);

/// Inserts an eXIf chunk (PNG specification, third edition, 11.3.4.5); `exif` is a TIFF stream.
void add_exif_to_png(Bytes& png, ByteView exif);

}  // namespace tessera::media
