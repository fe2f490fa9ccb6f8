#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report.hpp"

namespace tessera::cli {
namespace {

struct Row {
    std::size_t channel;  ///< 0..3: red, green, blue, luminance
    std::string_view name;
    std::string_view color;  ///< what switches a terminal to it
};

constexpr std::string_view color_off = "\x1b[0m";

std::vector<Row> rows(const ImageInfo& image) {
    if (image.format.colour_channels() == 1) return {{3, "grey", ""}};
    return {{0, "red", "\x1b[91m"},
            {1, "green", "\x1b[92m"},
            {2, "blue", "\x1b[94m"},
            {3, "luminance", ""}};
}

bool draws(PlotChannels channels, std::size_t channel) {
    switch (channels) {
        case PlotChannels::rgb:
            return channel < 3;
        case PlotChannels::r:
            return channel == 0;
        case PlotChannels::g:
            return channel == 1;
        case PlotChannels::b:
            return channel == 2;
        case PlotChannels::l:
            return channel == 3;
        case PlotChannels::rgb_l:
            break;
    }
    return true;
}

/// 8-bit codes are what photographers know by heart; decoded to light they are codes no more.
bool tells_codes(const Report& report) {
    return report.image.format.sample == SampleType::u8 && !report.params.linear;
}

/// Four decimals, or four significant digits where these would hide the value or fill the line.
std::string number(double value) {
    const double size = std::abs(value);
    if (std::isnan(value)) return "-";
    if (size != 0 && (size < 0.001 || size >= 10)) return fmt::format("{:.4g}", value);
    return fmt::format("{:.4f}", value);
}

std::string code(double value, int decimals) {
    return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value * 255.0, decimals);
}

/// Rounding never hides that there is something, or that something is left.
std::string percent(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return "-";
    const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    if (part > 0 && share < 0.005) return "<0.01 %";
    if (part < whole && share >= 99.995) return ">99.99 %";
    return fmt::format("{:.2f} %", share);
}

std::vector<std::string> cells(const ChannelStatistics& s, double median, bool codes) {
    if (codes) {
        return {code(s.minimum, 0), code(s.maximum, 0), code(s.mean, 2), code(median, 0),
                code(s.deviation, 2)};
    }
    return {number(s.minimum), number(s.maximum), number(s.mean), number(median),
            number(s.deviation)};
}

std::string table(const Report& report) {
    const bool codes = tells_codes(report);
    const bool floats = !is_integer(report.image.format.sample);
    std::vector<std::vector<std::string>> lines;
    lines.push_back({codes ? "codes 0..255" : "1 is white", "min", "max", "mean", "median",
                     "deviation", "shadows", "highlights"});
    if (floats) lines.front().push_back("not finite");
    for (const Row& row : rows(report.image)) {
        const ChannelStatistics& s = report.statistics[row.channel];
        std::vector<std::string> line{std::string(row.name)};
        for (std::string& cell : cells(s, report.median[row.channel], codes)) {
            line.push_back(std::move(cell));
        }
        line.push_back(percent(s.shadows, s.count));
        line.push_back(percent(s.highlights, s.count));
        if (floats) line.push_back(fmt::format("{}", s.non_finite));
        lines.push_back(std::move(line));
    }

    std::vector<std::size_t> widths(lines.front().size());
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (const auto& line : lines) {
        text += fmt::format("  {:<{}}", line[0], widths[0]);
        for (std::size_t i = 1; i < line.size(); ++i)
            text += fmt::format("  {:>{}}", line[i], widths[i]);
        text += '\n';
    }
    return text;
}

/// Heights 0..1 of columns that show their highest bin, scaled as the drawing is, so that one
/// spike does not flatten the rest.
std::vector<double> column_heights(const Histogram& histogram, std::size_t channel,
                                   std::size_t columns, bool log) {
    const auto& counts = histogram.counts[channel];
    const auto height = [log](double count) { return log ? std::log1p(count) : count; };
    double highest = 0, sum = 0;
    for (const std::uint64_t count : counts) {
        highest = std::max(highest, height(static_cast<double>(count)));
        sum += height(static_cast<double>(count));
    }
    std::vector<double> heights(columns, 0.0);
    if (highest == 0) return heights;
    const double scale = std::max(1.0 / highest, 0.2 * histogram.bins / sum);
    for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t first = column * counts.size() / columns;
        const std::size_t end = std::max(first + 1, (column + 1) * counts.size() / columns);
        const auto most = *std::max_element(counts.begin() + static_cast<std::ptrdiff_t>(first),
                                            counts.begin() + static_cast<std::ptrdiff_t>(end));
        heights[column] = std::min(1.0, scale * height(static_cast<double>(most)));
    }
    return heights;
}

/// Two lines of bars. What is not empty can be seen.
std::string bars(const Histogram& histogram, const Row& row, std::size_t columns, bool log,
                 const Terminal& terminal) {
    constexpr std::array blocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    constexpr std::array ascii{" ", ".", ":", "|"};
    const int steps =
        terminal.unicode ? static_cast<int>(blocks.size()) - 1 : static_cast<int>(ascii.size()) - 1;
    const auto heights = column_heights(histogram, row.channel, columns, log);
    const bool colored = terminal.color && !row.color.empty();
    std::string text;
    for (int line = 1; line >= 0; --line) {
        std::string cells;
        for (const double height : heights) {
            const int level = static_cast<int>(std::ceil(height * 2 * steps)) - line * steps;
            const auto glyph = static_cast<std::size_t>(std::clamp(level, 0, steps));
            cells += terminal.unicode ? blocks[glyph] : ascii[glyph];
        }
        cells.erase(cells.find_last_not_of(' ') + 1);
        text += fmt::format("  {:<9}  {}{}{}\n", line == 0 ? row.name : "",
                            colored ? row.color : "", cells, colored ? color_off : "");
    }
    return text;
}

std::string bar_picture(const Report& report, const BarStyle& style, const Terminal& terminal) {
    constexpr int margin = 2 + 9 + 2;
    const auto columns = static_cast<std::size_t>(std::clamp(terminal.columns - margin, 16, 64));
    std::string text;
    for (const Row& row : rows(report.image)) {
        const bool grey = report.image.format.colour_channels() == 1;
        if (!grey && !draws(style.channels, row.channel)) continue;
        text += bars(report.histogram, row, columns, style.log, terminal);
    }
    const Histogram& histogram = report.histogram;
    const double scale = tells_codes(report) ? 255.0 : 1.0;
    const std::string low = fmt::format("{:.6g}", histogram.low * scale);
    const std::string high = fmt::format("{:.6g}", histogram.high * scale);
    return text + fmt::format("{:{}}{}{:>{}}\n", "", margin, low, high, columns - low.size());
}

std::string_view primaries_name(Primaries primaries) {
    switch (primaries) {
        case Primaries::bt2020:
            return "BT.2020";
        case Primaries::display_p3:
            return "Display P3";
        case Primaries::bt709:
            break;
    }
    return "";
}

std::string describe_values(const ColorFacts& color, bool linear) {
    std::string text;
    if (linear || color.transfer == Transfer::linear) {
        text = "linear light";
    } else if (color.transfer == Transfer::srgb) {
        text = "encoded sRGB values";
    } else {
        text = color.transfer == Transfer::bt709 ? "encoded BT.709 values"
                                                 : "encoded gamma 2.2 values";
    }
    const auto primaries = primaries_name(color.primaries);
    return primaries.empty() ? text : fmt::format("{} ({} primaries)", text, primaries);
}

std::string describe_format(PixelFormat format) {
    constexpr std::array colors{"grey", "grey with alpha", "RGB", "RGB with alpha"};
    constexpr std::array samples{"8-bit", "16-bit", "half float", "float"};
    return fmt::format("{} {}", samples[static_cast<std::size_t>(format.sample)],
                       colors[format.channels - 1]);
}

/// What was left out of the measurement, or weighted otherwise than usual.
std::string describe_selection(const HistogramParams& params) {
    std::string text;
    const Rectangle& roi = params.roi;
    if (!roi.empty()) {
        text += fmt::format("; {}x{} pixels from {},{}", roi.width, roi.height, roi.x, roi.y);
    }
    if (params.opaque_only) text += "; without transparent pixels";
    if (params.luma == Luma::bt601) text += "; luminance by BT.601";
    if (params.luma == Luma::bt2020) text += "; luminance by BT.2020";
    return text;
}

}  // namespace

std::string describe_picture(const std::string& file, const ImageInfo& image, bool linear) {
    return fmt::format("{}: {}x{}, {}, {}", file, image.width, image.height,
                       describe_format(image.format), describe_values(image.color, linear));
}

std::string summary(const Report& report, const BarStyle& style, const Terminal& terminal) {
    return fmt::format("{}{}; by {}\n\n{}\n{}",
                       describe_picture(report.file, report.image, report.params.linear),
                       describe_selection(report.params), report.engine, table(report),
                       bar_picture(report, style, terminal));
}

}  // namespace tessera::cli
