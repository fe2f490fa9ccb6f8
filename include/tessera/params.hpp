// Types of operator parameters that are more than a number.
#pragma once

#include <array>
#include <cstdint>

namespace tessera {

/// A range of values: "0:1", or "auto" (the finite minimum and maximum of the picture).
struct ValueRange {
    bool automatic = false;
    float low = 0.0f;
    float high = 1.0f;
    bool operator==(const ValueRange&) const = default;
};

/// "x,y,width,height" in pixels from the top left; empty (0,0,0,0) means everything.
struct Rectangle {
    std::uint32_t x = 0, y = 0, width = 0, height = 0;
    [[nodiscard]] bool empty() const noexcept {
        return width == 0 && height == 0 && x == 0 && y == 0;
    }
    bool operator==(const Rectangle&) const = default;
};

/// "1024x512" in pixels.
struct CanvasSize {
    std::uint32_t width = 1024, height = 512;
    bool operator==(const CanvasSize&) const = default;
};

/// An 8-bit sRGB colour with straight alpha.
struct Color {
    std::uint8_t r = 0, g = 0, b = 0, a = 255;
    bool operator==(const Color&) const = default;
};

/// Colours of a histogram drawing. Bit 0 of the index stands for red, bit 1 green, bit 2 blue,
/// bit 3 luminance: entry 5 is the colour where the red and the blue histograms, and no other,
/// reach. Entry 0 is the background.
struct Palette {
    std::array<Color, 16> colors = defaults();
    [[nodiscard]] static std::array<Color, 16> defaults() noexcept;
    bool operator==(const Palette&) const = default;
};

}  // namespace tessera
