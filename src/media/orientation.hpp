// Turning and mirroring a picture as its EXIF orientation asks.
#pragma once

#include "tessera/image.hpp"

namespace tessera::media {

/// Whether an EXIF orientation (1 to 8) exchanges width and height.
[[nodiscard]] constexpr bool exchanges_sides(int orientation) noexcept {
    return orientation >= 5 && orientation <= 8;
}

/// The picture as it is meant to be seen; values outside 1..8 mean 1. Metadata comes along.
[[nodiscard]] Image upright(Image image, int orientation);

}  // namespace tessera::media
