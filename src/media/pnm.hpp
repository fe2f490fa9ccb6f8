// Netpbm pictures (PBM, PGM, PPM, plain and raw) and PFM, read and written here: OpenImageIO 2.4
// gets half of all 16-bit values wrong by one when reading, and writes 8 bits only.
#pragma once

#include "media/header.hpp"
#include "media/source.hpp"
#include "tessera/image.hpp"

namespace tessera::media {

/// Size and kind, as the header tells. Throws Error(input) for a header that makes no sense.
[[nodiscard]] HeaderFacts check_pnm(const Source& source);

/// Samples are scaled so that the file's largest value means 1.0; a PFM's scale is left alone, as
/// most readers do.
[[nodiscard]] Image read_pnm(const Source& source);

/// Grey or RGB of any sample type but f16: PGM or PPM for integers, PFM for floating point.
[[nodiscard]] Bytes write_pnm(const Image& image);

}  // namespace tessera::media
