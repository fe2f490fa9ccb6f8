// Colour profiles (ICC.1:2010), as far as it must be known whether one is sound and what it is for.
#pragma once

#include <cstdint>

#include "media/source.hpp"
#include "tessera/image.hpp"

namespace tessera::media {

/// Whether all of a profile's tags lie inside it and are as long as their types say. OpenImageIO
/// reads profiles with trust in all of that, and crashes where it is misplaced.
[[nodiscard]] bool is_sound_profile(ByteView profile);

/// Whether a profile is meant for pixels of so many colour channels: a printer's profile, say, says
/// nothing about the RGB that its CMYK became.
[[nodiscard]] bool profile_fits(ByteView profile, std::uint32_t colour_channels);

/// What a profile says about its primaries: few say it in words that can be matched, but those that
/// phones and cameras write do.
[[nodiscard]] Primaries primaries_of(ByteView profile);

/// Makes OpenImageIO pass over a profile in an encoded file; afterwards it is not sound.
void disable_profile(std::span<unsigned char> profile);

}  // namespace tessera::media
