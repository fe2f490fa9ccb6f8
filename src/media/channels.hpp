// Which of a file's channels make a picture, and how their samples are kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <OpenImageIO/imageio.h>

#include "tessera/image.hpp"

namespace tessera::media {

struct ChannelSelection {
    std::vector<int> channels;  ///< at most 4, in the order of our formats
    bool has_alpha = false;
};

/// R, G, B and A, or Y and A, by their names, also inside a layer; else the first ones.
[[nodiscard]] ChannelSelection select_channels(const OIIO::ImageSpec& spec);

/// "R, G, B", for messages.
[[nodiscard]] std::string names_of(const OIIO::ImageSpec& spec, const std::vector<int>& channels);

struct SampleChoice {
    SampleType type;
    const char* note;  ///< null where nothing is lost
};

/// The type that holds the widest of the selected channels.
[[nodiscard]] SampleChoice sample_for(const OIIO::ImageSpec& spec,
                                      const ChannelSelection& selection);

/// Whether the codec hands out colour that is multiplied by alpha. It says where it does not, but
/// not for formats in which there is no other way.
[[nodiscard]] bool is_multiplied_by_alpha(std::string_view format, const OIIO::ImageSpec& spec);

}  // namespace tessera::media
