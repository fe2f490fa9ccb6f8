#include <array>

#include "graph/define.hpp"
#include "ops/histogram_plot/histogram_plot_cpu.hpp"
#include "ops/histogram_plot/histogram_plot_lowering.hpp"
#include "ops/histogram_plot/layout.hpp"
#include "ops/operators.hpp"
#include "tessera/histogram.hpp"

namespace tessera {
namespace {

template <class Params>
auto channels_param(PlotChannels Params::*member) {
    return param("channels", member)
        .help("which histograms to draw")
        .choices({{"rgb", PlotChannels::rgb},
                  {"r", PlotChannels::r},
                  {"g", PlotChannels::g},
                  {"b", PlotChannels::b},
                  {"l", PlotChannels::l},
                  {"rgb+l", PlotChannels::rgb_l}});
}

template <class Params>
auto log_param(bool Params::*member) {
    return param("log", member).help("heights by the logarithm of the counts");
}

template <class Params>
auto colors_param(Palette Params::*member) {
    return param("colors", member)
        .help(
            "4 colours for red, green, blue and luminance (mixtures are added), a 5th for the "
            "background; or all 16 by the bits r g b l");
}

const std::vector<PortSpec>& histogram_ports() {
    static const std::vector<PortSpec> ports{{"counts", "counts of the histogram operator", false},
                                             {"range", "range of the histogram operator", false}};
    return ports;
}

void check_counts(const ValueInfo& counts) {
    const auto& array = std::get<ArrayInfo>(counts);
    if (array.element != ElementType::u64 || array.shape.size() != 2 || array.shape[0] < 3 ||
        array.shape[1] != 4) {
        fail(ErrorCode::invalid_argument, "'counts' must be what the histogram operator gives");
    }
}

std::vector<ValueInfo> infer_plot(std::span<const ValueInfo> inputs, const std::any& any) {
    check_counts(inputs[0]);
    const auto& params = *std::any_cast<HistogramPlotParams>(&any);
    return {ImageInfo{{SampleType::u8, 4}, params.size.width, params.size.height, {}}};
}

std::vector<ValueInfo> infer_overlay(std::span<const ValueInfo> inputs, const std::any&) {
    check_counts(inputs[1]);
    ImageInfo image = std::get<ImageInfo>(inputs[0]);
    image.format = overlay_format(image.format);
    return {image};
}

}  // namespace

const Operator& histogram_plot_operator() {
    using P = HistogramPlotParams;
    static const Operator op = define<P>({
        .name = "histogram-plot",
        .summary = "Draw histograms on a canvas of their own",
        .inputs = histogram_ports(),
        .outputs = {{"plot", "the drawing, RGBA of 8 bits", true}},
        .params = params(channels_param(&P::channels),
                         param("size", &P::size).help("of the drawing").unit("px"),
                         log_param(&P::log), colors_param(&P::colors)),
        .infer = infer_plot,
        .lower = lower_histogram_plot,
        .run = run_histogram_plot,
    });
    return op;
}

const Operator& histogram_overlay_operator() {
    using P = HistogramOverlayParams;
    std::vector<PortSpec> inputs{{"image", "the picture to draw over", true}};
    inputs.insert(inputs.end(), histogram_ports().begin(), histogram_ports().end());
    static const Operator op = define<P>({
        .name = "histogram-overlay",
        .summary = "Draw histograms over a picture",
        .inputs = inputs,
        .outputs = {{"dst", "the picture with the histograms over it", true}},
        .params =
            params(channels_param(&P::channels), log_param(&P::log), colors_param(&P::colors)),
        .infer = infer_overlay,
        .lower = lower_histogram_overlay,
        .run = run_histogram_overlay,
    });
    return op;
}

Value histogram_plot(Graph& graph, const HistogramValues& histogram,
                     const HistogramPlotParams& params) {
    return graph.add(histogram_plot_operator(), std::array{histogram.counts, histogram.range},
                     params)[0];
}

Value histogram_overlay(Graph& graph, Value image, const HistogramValues& histogram,
                        const HistogramOverlayParams& params) {
    return graph.add(histogram_overlay_operator(),
                     std::array{image, histogram.counts, histogram.range}, params)[0];
}

}  // namespace tessera
