// The directories of a TIFF file, mended before decoding.
#pragma once

#include "media/source.hpp"

namespace tessera::media {

/// Makes OpenImageIO pass over colour profiles that are not sound.
void mend_tiff(Source& source);

}  // namespace tessera::media
