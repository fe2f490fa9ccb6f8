#include "tessera/statistics.hpp"

#include <array>

#include "ops/operators.hpp"
#include "ops/pixels/params.hpp"
#include "ops/pixels/values.hpp"
#include "ops/statistics/partials.hpp"
#include "ops/statistics/statistics_cpu.hpp"
#include "ops/statistics/statistics_lowering.hpp"

namespace tessera {
namespace {

std::vector<ValueInfo> infer(std::span<const ValueInfo> inputs, const std::any& any) {
    const auto& params = *std::any_cast<StatisticsParams>(&any);
    (void)resolve_roi(params.roi, std::get<ImageInfo>(inputs[0]));
    return {ArrayInfo{ElementType::u32, {statistics_partials, 4, 8}}};
}

}  // namespace

const Operator& statistics_operator() {
    using P = StatisticsParams;
    static const Operator op = define<P>({
        .name = "statistics",
        .summary = "Minimum, maximum, mean, deviation and clipping of each channel",
        .source = "Chan, Golub and LeVeque 1979 (merging of variances)",
        .inputs = {{"image", "the picture to look at", true}},
        .outputs = {{"partials", "u32 [256][4][8]: partial results, merged by to_statistics",
                     false}},
        .params = params(luma_param(&P::luma), linear_param(&P::linear),
                         opaque_only_param(&P::opaque_only), roi_param(&P::roi)),
        .infer = infer,
        .lower = lower_statistics,
        .run = run_statistics,
    });
    return op;
}

Value statistics(Graph& graph, Value image, const StatisticsParams& params) {
    return graph.add(statistics_operator(), std::array{image}, params)[0];
}

}  // namespace tessera
