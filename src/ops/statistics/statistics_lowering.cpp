#include "ops/statistics/statistics_lowering.hpp"

#include <algorithm>

#include "ops/pixels/pixel_params.hpp"
#include "ops/statistics/partials.hpp"
#include "tessera/statistics.hpp"

namespace tessera {
namespace {

struct Params {
    PixelParams pixels;
    std::uint32_t first_partial = 0;
    std::array<std::uint32_t, 3> padding{};
};

}  // namespace

void lower_statistics(Lowering& lowering, const Node& node) {
    const auto& params = node.as<StatisticsParams>();
    const ImageInfo& image = lowering.graph().image_info(node.inputs[0]);
    const PixelSource source(lowering, node.inputs[0], params.roi, params.luma, params.opaque_only,
                             value_rule(image, params.linear, false));
    const std::uint32_t partials = lowering.define(node.outputs[0]).buffer;
    lowering.add(step::Clear{partials, 0, statistics_partials * 4 * sizeof(StatisticsPartial)});

    // Every band has partial results of its own; a workgroup writes one.
    const auto bands = source.bands(lowering.device());
    const auto share = std::max(statistics_partials / static_cast<std::uint32_t>(bands.size()), 1u);
    std::uint32_t first = 0;
    for (const RowBand& band : bands) {
        constexpr std::uint32_t workgroup_size = 128;
        const Params block{source.params(band), first};
        const std::uint64_t quads = std::uint64_t{block.pixels.rows} * block.pixels.quads;
        const std::uint64_t useful = (quads + workgroup_size - 1) / workgroup_size;
        auto constants = source.constants();
        constants["WORKGROUP_SIZE"] = workgroup_size;
        lowering.add(step::Dispatch{
            .label = "statistics",
            .program = {"statistics/statistics", std::move(constants)},
            .bindings = {lowering.uniform("params", lowering.add_uniform("pixel params", block)),
                         source.pixels_binding(lowering, band), source.table_binding(lowering),
                         lowering.write("partials", partials)},
            .workgroups = {static_cast<std::uint32_t>(std::min<std::uint64_t>(useful, share)), 1,
                           1},
            .bytes_read = source.bytes(band),
            .bytes_written = share * 4 * sizeof(StatisticsPartial)});
        first += share;
    }
}

}  // namespace tessera
