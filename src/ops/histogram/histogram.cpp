#include "tessera/histogram.hpp"

#include <array>

#include "graph/define.hpp"
#include "ops/histogram/histogram_cpu.hpp"
#include "ops/histogram/histogram_lowering.hpp"
#include "ops/operators.hpp"
#include "ops/pixels/params.hpp"
#include "ops/pixels/values.hpp"

namespace tessera {
namespace {

std::vector<ValueInfo> infer(std::span<const ValueInfo> inputs, const std::any& any) {
    const auto& params = *std::any_cast<HistogramParams>(&any);
    (void)resolve_roi(params.roi, std::get<ImageInfo>(inputs[0]));
    return {ArrayInfo{ElementType::u64, {static_cast<std::uint32_t>(params.bins) + 1, 4}},
            ArrayInfo{ElementType::f32, {2}}};
}

}  // namespace

const Operator& histogram_operator() {
    using P = HistogramParams;
    static const Operator op = define<P>({
        .name = "histogram",
        .summary = "Count red, green, blue and luminance by value",
        .source = "luminance weights: ITU-R BT.709-6, BT.601-7, BT.2020-2",
        .inputs = {{"image", "the picture to count", true}},
        .outputs = {{"counts", "u64 [bins + 1][4]: red, green, blue, luminance; last: non-finite",
                     false},
                    {"range", "f32 [2]: the range that was used", false}},
        .params = params(
            param("bins", &P::bins).help("number of bins").range(2, 4096), luma_param(&P::luma),
            linear_param(&P::linear),
            param("range", &P::range)
                .help("values of the first bin's start and the last bin's end; auto: the finite "
                      "minimum and maximum")
                .unit("of full scale"),
            opaque_only_param(&P::opaque_only), roi_param(&P::roi)),
        .infer = infer,
        .lower = [](Lowering& lowering, const Node& node) { lower_histogram(lowering, node); },
        .run = run_histogram,
    });
    return op;
}

HistogramValues histogram(Graph& graph, Value image, const HistogramParams& params) {
    const auto outputs = graph.add(histogram_operator(), std::array{image}, params);
    return {outputs[0], outputs[1]};
}

}  // namespace tessera
