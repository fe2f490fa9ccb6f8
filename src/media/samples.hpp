// Conversions between sample types, channel counts and kinds of alpha, on the way to a file or from
// one. Encoded values keep their meaning; nothing here knows about colour.
#pragma once

#include "tessera/image.hpp"

namespace tessera::media {

/// A copy in another format. Integers are rounded to nearest; floating point outside 0..1 is
/// clipped on the way to integers, and NaN becomes 0. Grey is repeated into RGB; a missing alpha is
/// opaque; an alpha without room is dropped. RGB never becomes grey. Metadata is copied.
[[nodiscard]] Image converted(const Image& image, PixelFormat format);

/// Colour times alpha. Formats without alpha are left alone.
void multiply_by_alpha(Image& image);

/// Colour divided by alpha, at most the largest finite value of the type. Where alpha is 0 the
/// colour stays: it is light without coverage, and no division gives it back.
void divide_by_alpha(Image& image);

/// Whether every pixel is opaque; true for formats without alpha.
[[nodiscard]] bool is_opaque(const Image& image);

}  // namespace tessera::media
