// What was measured of one picture, and its forms: a summary for people, JSON and CSV.
#pragma once

#include <array>
#include <string>

#include "console.hpp"
#include "tessera/histogram.hpp"
#include "tessera/image.hpp"
#include "tessera/statistics.hpp"

namespace tessera::cli {

struct Report {
    std::string file;
    ImageInfo image;
    std::string engine;
    HistogramParams params;
    Histogram histogram;
    // Asked for by the summary and by JSON; red, green, blue, luminance.
    Statistics statistics{};
    std::array<double, 4> median{};
};

/// How the terminal's bars are drawn; as the drawing's parameters of the same names.
struct BarStyle {
    PlotChannels channels = PlotChannels::rgb_l;
    bool log = false;
};

/// A header, a table with a row for each channel, and bars. Grey pictures have one channel to tell
/// about. 8-bit pictures are told in codes, 0..255; others on the scale where 1 is white.
[[nodiscard]] std::string summary(const Report& report, const BarStyle& style,
                                  const Terminal& terminal);

/// "coffee.png: 600x400, 8-bit RGB, encoded sRGB values"
[[nodiscard]] std::string describe_picture(const std::string& file, const ImageInfo& image,
                                           bool linear);

/// Counts of each channel and statistics; a number that does not exist is null.
[[nodiscard]] std::string to_json(const Report& report);
/// A row for each bin: its number, where it starts and ends, and the four counts.
[[nodiscard]] std::string to_csv(const Histogram& histogram);

}  // namespace tessera::cli
