#include "base/base64.hpp"

#include <algorithm>
#include <cstdint>

#include "base/errors.hpp"

namespace tessera {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= count ? alphabet[group >> (18 - 6 * k) & 63] : '=';
        }
    }
    return text;
}

std::vector<std::byte> from_base64(std::string_view text) {
    const auto broken = [] { fail(ErrorCode::invalid_argument, "this is no base64 text"); };
    if (text.size() % 4 != 0) broken();
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0, available = 0;
    for (const char c : text) {
        const auto digit = alphabet.find(c);
        if (digit == std::string_view::npos) broken();
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        available += 6;
        if (available >= 8) {
            available -= 8;
            bytes.push_back(static_cast<std::byte>(bits >> available & 255));
        }
    }
    return bytes;
}

}  // namespace tessera
