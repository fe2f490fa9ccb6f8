#include "ops/histogram_plot/histogram_plot_lowering.hpp"

#include <algorithm>

#include "ops/histogram_plot/layout.hpp"
#include "ops/pixels/pixel_params.hpp"

namespace tessera {
namespace {

/// Panel of draw.wgsl.
struct PanelBlock {
    std::array<float, 16> matrix{};
    std::uint32_t width = 0, height = 0, channels = 0, padding = 0;
    std::array<std::array<float, 4>, 16> colors{};
};

/// Params of overlay.wgsl.
struct OverlayBlock {
    PixelParams pixels;
    std::uint32_t target_row = 0, target_pitch = 0;
    std::int32_t layer_row = 0;
    std::uint32_t layer_pitch = 0;
};

/// Takes the unit square, y up, to the panel's place in clip space. Column by column.
std::array<float, 16> place(const HistogramPanel& panel, const HistogramLayout& layout) {
    const auto width = static_cast<float>(layout.width), height = static_cast<float>(layout.height);
    const auto left = static_cast<float>(panel.x);
    const auto bottom = height - static_cast<float>(panel.y + panel.height);
    std::array<float, 16> m{};
    m[0] = 2.0f * static_cast<float>(panel.width) / width;
    m[5] = 2.0f * static_cast<float>(panel.height) / height;
    m[10] = 1.0f;
    m[12] = 2.0f * left / width - 1.0f;
    m[13] = 2.0f * bottom / height - 1.0f;
    m[15] = 1.0f;
    return m;
}

std::array<float, 4> premultiplied(const Color& color) {
    const float alpha = static_cast<float>(color.a) / 255.0f;
    return {static_cast<float>(color.r) / 255.0f * alpha,
            static_cast<float>(color.g) / 255.0f * alpha,
            static_cast<float>(color.b) / 255.0f * alpha, alpha};
}

PanelBlock panel_block(const HistogramPanel& panel, const HistogramLayout& layout) {
    PanelBlock block{place(panel, layout), panel.width, panel.height, panel.channels, 0, {}};
    std::transform(layout.colors.begin(), layout.colors.end(), block.colors.begin(), premultiplied);
    return block;
}

/// Draws the panels and gives the texture that holds them.
std::uint32_t draw(Lowering& lowering, Value counts, const HistogramLayout& layout,
                   bool logarithmic) {
    const auto& info = std::get<ArrayInfo>(lowering.graph().info(counts));
    const std::uint32_t buffer = lowering.locate(counts).buffer;
    const std::map<std::string, double> constants{{"BINS", info.shape[0] - 1},
                                                  {"LOGARITHMIC", logarithmic ? 1 : 0}};
    const std::uint32_t scale = lowering.add_buffer("histogram scale", 16, usage::storage);
    lowering.add(step::Dispatch{
        .label = "scale",
        .program = {"histogram_plot/scale", constants},
        .bindings = {lowering.read("counts", buffer), lowering.write("scale", scale)},
        .bytes_read = info.bytes(),
        .bytes_written = 16});

    const std::uint32_t texture =
        lowering.add_texture({"histogram drawing", layout.width, layout.height, "rgba8unorm",
                              usage::render_attachment | usage::texture_copy_src});
    step::Render render{.label = "draw", .texture = texture};
    for (const HistogramPanel& panel : layout.panels) {
        const auto block = lowering.add_uniform("panel", panel_block(panel, layout));
        render.draws.push_back({"histogram",
                                {"histogram_plot/draw", constants},
                                {lowering.uniform("panel", block), lowering.read("counts", buffer),
                                 lowering.read("scale", scale)},
                                6});
    }
    lowering.add(std::move(render));
    return texture;
}

/// Workgroups for so many invocations, folded into two dimensions where one does not hold them.
std::array<std::uint32_t, 3> fold(const DeviceProfile& device, std::uint64_t invocations,
                                  std::uint32_t workgroup_size) {
    const std::uint64_t groups = (invocations + workgroup_size - 1) / workgroup_size;
    const std::uint64_t limit = device.max_compute_workgroups_per_dimension;
    const std::uint64_t rows = (groups + limit - 1) / limit;
    return {static_cast<std::uint32_t>((groups + rows - 1) / rows),
            static_cast<std::uint32_t>(rows), 1};
}

std::uint32_t layer_pitch(const HistogramLayout& layout) {
    constexpr std::uint32_t texture_copy_alignment = 256;
    return static_cast<std::uint32_t>(
        align_up(std::uint64_t{layout.width} * 4, texture_copy_alignment));
}

constexpr std::uint32_t workgroup_size = 64;

}  // namespace

void lower_histogram_plot(Lowering& lowering, const Node& node) {
    const auto& params = node.as<HistogramPlotParams>();
    const HistogramLayout layout = plot_layout(params);
    const std::uint32_t texture = draw(lowering, node.inputs[0], layout, params.log);
    const DeviceValue plot = lowering.define(node.outputs[0], layer_pitch(layout));
    lowering.add(step::CopyTexture{texture, plot.buffer, plot.pitch});

    const bool opaque = std::all_of(layout.colors.begin(), layout.colors.end(),
                                    [](const Color& color) { return color.a == 255; });
    if (opaque) return;
    const std::uint64_t pixels = std::uint64_t{plot.pitch} / 4 * layout.height;
    lowering.add(step::Dispatch{
        .label = "straighten",
        .program = {"histogram_plot/straighten", {{"WORKGROUP_SIZE", workgroup_size}}},
        .bindings = {lowering.write("pixels", plot.buffer)},
        .workgroups = fold(lowering.device(), pixels, workgroup_size),
        .bytes_read = pixels * 4,
        .bytes_written = pixels * 4});
}

void lower_histogram_overlay(Lowering& lowering, const Node& node) {
    const auto& params = node.as<HistogramOverlayParams>();
    const ImageInfo& image = lowering.graph().image_info(node.inputs[0]);
    const HistogramLayout layout = overlay_layout(image, params);
    const std::uint32_t texture = draw(lowering, node.inputs[1], layout, params.log);
    const std::uint32_t pitch = layer_pitch(layout);
    const std::uint32_t layer = lowering.add_buffer(
        "histogram layer", std::uint64_t{pitch} * layout.height, usage::storage | usage::copy_dst);
    lowering.add(step::CopyTexture{texture, layer, pitch});

    const DeviceValue result = lowering.define(node.outputs[0]);
    // The samples are looked at as they are, so any rule without a table does.
    const PixelSource source(lowering, node.inputs[0], {}, Luma::bt709, false, ValueRule{});
    auto constants = source.constants();
    constants["TARGET_CHANNELS"] = overlay_format(image.format).channels;
    constants["WORKGROUP_SIZE"] = workgroup_size;
    const std::uint32_t widest = std::max(result.pitch, source.place().pitch);
    for (const RowBand& band : row_bands(lowering.device(), widest, 0, image.height)) {
        const OverlayBlock block{
            source.params(band), band.skip(), result.pitch / 4,
            static_cast<std::int32_t>(band.first) - static_cast<std::int32_t>(layout.top),
            pitch / 4};
        const std::uint64_t quads = std::uint64_t{block.pixels.rows} * block.pixels.quads;
        lowering.add(step::Dispatch{
            .label = "overlay",
            .program = {"histogram_plot/overlay", constants},
            .bindings = {lowering.uniform("params", lowering.add_uniform("overlay params", block)),
                         source.pixels_binding(lowering, band), source.table_binding(lowering),
                         lowering.read("layer", layer),
                         lowering.write("target_pixels", result.buffer, band.offset(result.pitch),
                                        band.size(result.pitch))},
            .workgroups = fold(lowering.device(), quads, workgroup_size),
            .bytes_read = source.bytes(band),
            .bytes_written = std::uint64_t{band.count} * result.pitch});
    }
}

}  // namespace tessera
