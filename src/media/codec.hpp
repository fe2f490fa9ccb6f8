// What reading and writing through OpenImageIO have in common.
#pragma once

#include <string>

#include <OpenImageIO/typedesc.h>

#include "tessera/image.hpp"

namespace tessera::media {

/// Sets OpenImageIO up once: it must not print. Safe to call from any thread, any number of times.
void prepare_codecs();

/// The name under which pictures in memory are opened, so that it can be found in messages.
inline constexpr const char* picture_in_memory = "<picture>";

/// One line out of what OpenImageIO says, which may have many, or none at all, and repeats the name
/// under which it opened the picture.
[[nodiscard]] std::string one_line(const std::string& message);

[[nodiscard]] OIIO::TypeDesc type_of(SampleType sample);

}  // namespace tessera::media
