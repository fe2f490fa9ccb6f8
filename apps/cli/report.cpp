#include "report.hpp"

#include <cstddef>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tessera::cli {
namespace {

constexpr std::array channel_names{"r", "g", "b", "l"};

/// Where a bin starts, exactly for the first bin and for the end of the last.
double bin_edge(const Histogram& histogram, std::uint32_t bin) {
    const double share = static_cast<double>(bin) / histogram.bins;
    return histogram.low * (1.0 - share) + histogram.high * share;
}

}  // namespace

std::string to_json(const Report& report) {
    using nlohmann::ordered_json;
    const Histogram& histogram = report.histogram;
    std::string channels, statistics;
    for (std::size_t c = 0; c < 4; ++c) {
        const ChannelStatistics& s = report.statistics[c];
        const ordered_json numbers{
            {"count", s.count},     {"min", s.minimum},           {"max", s.maximum},
            {"mean", s.mean},       {"median", report.median[c]}, {"deviation", s.deviation},
            {"shadows", s.shadows}, {"highlights", s.highlights}, {"non_finite", s.non_finite}};
        const char* separator = c == 0 ? "" : ",\n";
        channels += fmt::format("{}    \"{}\": {}", separator, channel_names[c],
                                ordered_json(histogram.counts[c]).dump());
        statistics += fmt::format("{}    \"{}\": {}", separator, channel_names[c], numbers.dump());
    }
    return fmt::format(
        "{{\n"
        "  \"width\": {},\n"
        "  \"height\": {},\n"
        "  \"bins\": {},\n"
        "  \"range\": {},\n"
        "  \"channels\": {{\n{}\n  }},\n"
        "  \"statistics\": {{\n{}\n  }}\n"
        "}}\n",
        report.image.width, report.image.height, histogram.bins,
        ordered_json::array({histogram.low, histogram.high}).dump(), channels, statistics);
}

std::string to_csv(const Histogram& histogram) {
    std::string text = "bin,low,high,r,g,b,l\n";
    for (std::uint32_t bin = 0; bin < histogram.bins; ++bin) {
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}\n", bin,
                       bin_edge(histogram, bin), bin_edge(histogram, bin + 1),
                       histogram.counts[0][bin], histogram.counts[1][bin], histogram.counts[2][bin],
                       histogram.counts[3][bin]);
    }
    return text;
}

}  // namespace tessera::cli
