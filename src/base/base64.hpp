// Bytes as text (RFC 4648), for binary data inside JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

[[nodiscard]] std::string to_base64(std::span<const std::byte> bytes);
/// Throws Error(invalid_argument) for anything that `to_base64` does not write.
[[nodiscard]] std::vector<std::byte> from_base64(std::string_view text);

}  // namespace tessera
