// What can be told about an encoded picture before a codec sees it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "media/source.hpp"

namespace tessera::media {

struct HeaderFacts {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t bytes_per_pixel = 0;  ///< decoded
    /// How much the codec itself keeps while decoding, in bytes a pixel.
    std::uint32_t codec_bytes_per_pixel = 0;
    Bytes icc_profile;  ///< taken out of the file: OpenImageIO crashes at unsound ones
    std::vector<std::string> notes;
};

}  // namespace tessera::media
