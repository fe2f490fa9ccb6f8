// The directories of a TIFF file, checked and mended before decoding.
#pragma once

#include "media/source.hpp"

namespace tessera::media {

/// Makes OpenImageIO pass over colour profiles that are not sound. Throws Error(input) where JPEG
/// data inside the file ends early: libtiff paints what is missing grey.
void check_and_mend_tiff(Source& source);

}  // namespace tessera::media
