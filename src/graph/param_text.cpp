#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "graph/define.hpp"

namespace tessera::param_text {
namespace {

template <class T>
bool parse_whole(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

[[noreturn]] void misread(std::string_view name, std::string_view text, std::string_view form) {
    fail(ErrorCode::invalid_argument, "{} = '{}' does not read: {}", name, text, form);
}

/// "#rrggbb", "#rrggbbaa", "#rgb", with or without the sign.
bool parse_color(std::string_view text, Color& color) {
    if (text.starts_with('#')) text.remove_prefix(1);
    std::string digits(text);
    if (digits.size() == 3) digits = {text[0], text[0], text[1], text[1], text[2], text[2]};
    if (digits.size() == 6) digits += "ff";
    if (digits.size() != 8) return false;
    std::array<std::uint8_t, 4> channels{};
    for (std::size_t i = 0; i < 4; ++i) {
        const char* first = digits.data() + 2 * i;
        const auto [end, error] = std::from_chars(first, first + 2, channels[i], 16);
        if (error != std::errc{} || end != first + 2) return false;
    }
    color = {channels[0], channels[1], channels[2], channels[3]};
    return true;
}

/// Where several histograms reach, their colours add up as light does.
void mix(std::array<Color, 16>& colors) {
    const auto add = [](std::uint8_t a, std::uint8_t b) {
        return static_cast<std::uint8_t>(std::min(255, a + b));
    };
    for (std::size_t i = 3; i < 16; ++i) {
        if ((i & (i - 1)) == 0) continue;  // a single channel has its own colour
        const Color& rest = colors[i & (i - 1)];
        const Color& lowest = colors[i & ~(i - 1)];
        colors[i] = {add(rest.r, lowest.r), add(rest.g, lowest.g), add(rest.b, lowest.b),
                     std::max(rest.a, lowest.a)};
    }
}

}  // namespace

void refuse(std::string_view name, std::string_view value, std::string_view problem,
            std::string_view help) {
    fail(ErrorCode::invalid_argument, "{} = {} {} ({})", name, value, problem, help);
}

bool read_switch(std::string_view name, std::string_view text) {
    if (text == "on" || text == "true" || text == "1" || text == "yes") return true;
    if (text == "off" || text == "false" || text == "0" || text == "no") return false;
    misread(name, text, "on or off");
}

std::int64_t read_integer(std::string_view name, std::string_view text) {
    std::int64_t value = 0;
    if (!parse_whole(text, value)) misread(name, text, "a whole number");
    return value;
}

double read_number(std::string_view name, std::string_view text) {
    double value = 0;
    if (!parse_whole(text, value) || !std::isfinite(value)) misread(name, text, "a number");
    return value;
}

ValueRange read_range(std::string_view name, std::string_view text) {
    if (text == "auto") return {.automatic = true};
    const auto parts = split(text, ':');
    ValueRange range;
    if (parts.size() != 2 || !parse_whole(parts[0], range.low) ||
        !parse_whole(parts[1], range.high) || !std::isfinite(range.low) ||
        !std::isfinite(range.high)) {
        misread(name, text, "auto, or low:high such as 0:1");
    }
    if (!(range.low < range.high)) {
        fail(ErrorCode::invalid_argument, "{} = {}: the low end must be below the high end", name,
             text);
    }
    return range;
}

Rectangle read_rectangle(std::string_view name, std::string_view text) {
    const auto parts = split(text, ',');
    Rectangle r;
    if (parts.size() != 4 || !parse_whole(parts[0], r.x) || !parse_whole(parts[1], r.y) ||
        !parse_whole(parts[2], r.width) || !parse_whole(parts[3], r.height)) {
        misread(name, text, "x,y,width,height in pixels");
    }
    if (!r.empty() && (r.width == 0 || r.height == 0)) {
        fail(ErrorCode::invalid_argument, "{} = {} holds no pixel", name, text);
    }
    return r;
}

CanvasSize read_size(std::string_view name, std::string_view text) {
    const auto parts = split(text, 'x');
    CanvasSize size;
    if (parts.size() != 2 || !parse_whole(parts[0], size.width) ||
        !parse_whole(parts[1], size.height)) {
        misread(name, text, "WIDTHxHEIGHT in pixels such as 1024x512");
    }
    constexpr std::uint32_t limit = 16384;
    if (size.width < 1 || size.height < 1 || size.width > limit || size.height > limit) {
        fail(ErrorCode::invalid_argument, "{} = {} is outside 1x1..{}x{} pixels", name, text, limit,
             limit);
    }
    return size;
}

Palette read_palette(std::string_view name, std::string_view text) {
    const auto parts = split(text, ',');
    std::vector<Color> given(parts.size());
    bool fits = parts.size() == 4 || parts.size() == 5 || parts.size() == 16;
    for (std::size_t i = 0; fits && i < parts.size(); ++i) fits = parse_color(parts[i], given[i]);
    if (!fits) {
        misread(name, text,
                "4 colours such as #e02828 for red, green, blue and luminance, a 5th for the "
                "background, or all 16");
    }
    Palette palette;
    if (given.size() == 16) {
        std::copy(given.begin(), given.end(), palette.colors.begin());
        return palette;
    }
    for (std::size_t i = 0; i < 4; ++i) palette.colors[std::size_t{1} << i] = given[i];
    if (given.size() == 5) palette.colors[0] = given[4];
    mix(palette.colors);
    return palette;
}

std::string write(double number) { return fmt::format("{}", number); }

std::string write(const ValueRange& range) {
    return range.automatic ? "auto" : fmt::format("{}:{}", range.low, range.high);
}

std::string write(const Rectangle& r) {
    return fmt::format("{},{},{},{}", r.x, r.y, r.width, r.height);
}

std::string write(const CanvasSize& size) { return fmt::format("{}x{}", size.width, size.height); }

std::string write(const Palette& palette) {
    std::string text;
    for (const Color& c : palette.colors) {
        text +=
            fmt::format("{}#{:02x}{:02x}{:02x}{:02x}", text.empty() ? "" : ",", c.r, c.g, c.b, c.a);
    }
    return text;
}

}  // namespace tessera::param_text
