// Pictures to time with: a photo, noise, a ramp and a constant, of any size.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tessera/image.hpp"

namespace tessera::bench {

enum class Content { photo, noise, ramp, constant };

inline constexpr std::array contents{Content::photo, Content::noise, Content::ramp,
                                     Content::constant};

[[nodiscard]] std::string_view name(Content content) noexcept;

/// 8 bits, 3 or 4 channels. The photo is tiled in mirror images; alpha is 255.
[[nodiscard]] Image picture(Content content, std::uint32_t width, std::uint32_t height,
                            std::uint32_t channels);

}  // namespace tessera::bench
