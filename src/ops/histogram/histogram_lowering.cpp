#include "ops/histogram/histogram_lowering.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ops/pixels/pixel_params.hpp"

namespace tessera {
namespace {

/// Params of count_rgba8.wgsl.
struct Rgba8Params {
    std::uint32_t first_row = 0, rows = 0;
    std::uint32_t width = 0;  ///< pixels
    std::uint32_t pitch = 0;  ///< groups of four pixels
    std::array<std::uint32_t, 4> luma_fixed{};
};

/// Counters of one workgroup: as many of the four channels at once as its memory holds.
struct Counters {
    std::uint32_t rows = 0;
    std::uint32_t channels_at_once = 4;

    Counters(const DeviceProfile& device, std::uint32_t counter_rows) : rows(counter_rows) {
        while (channels_at_once > 1 &&
               channels_at_once * rows * 4 > device.max_compute_workgroup_storage_size) {
            channels_at_once /= 2;
        }
    }
};

/// How the counting is laid out on a device: chosen by measurement, docs/performance.md.
struct CountShape {
    std::uint32_t workgroup_size = 256;
    std::uint32_t workgroups = 64;  ///< up to twice as many for large pictures
};

CountShape count_shape(const DeviceProfile& device) noexcept {
    // A software device runs as many workgroups as it has threads: more of them only merge more.
    if (device.software) return {std::min(device.max_compute_invocations_per_workgroup, 256u), 8};
    const std::uint32_t size = std::min(
        {device.max_compute_invocations_per_workgroup, device.max_compute_workgroup_size_x, 1024u});
    return {size, 132u * 1024u / size};
}

class HistogramLowering {
public:
    HistogramLowering(Lowering& lowering, const Node& node)
        : lowering_(lowering),
          params_(node.as<HistogramParams>()),
          image_(lowering.graph().image_info(node.inputs[0])),
          rule_(value_rule(image_, params_.linear, params_.range != ValueRange{})),
          source_(lowering, node.inputs[0], params_.roi, params_.luma, params_.opaque_only, rule_),
          counters_(lowering.device(), bins() + (rule_.path == ValuePath::codes ? 0 : 1)),
          shape_(count_shape(lowering.device())),
          counts_(lowering.define(node.outputs[0]).buffer),
          range_(lowering.define(node.outputs[1]).buffer) {}

    void lower() {
        lowering_.add(step::Clear{counts_, 0, (bins() + 1) * 32ull});
        if (rule_.path != ValuePath::codes) {
            const std::uint32_t bin_range = params_.range.automatic ? find_range() : fixed_range();
            count("histogram/count_values", [&](const RowBand& band) {
                auto bindings = pixel_bindings(band, counts_, "counts");
                bindings.push_back(lowering_.read("bin_range", bin_range));
                return bindings;
            });
            return;
        }
        set_range({0.0f, 1.0f});
        if (is_whole_rgba8()) {
            count_rgba8();
        } else {
            count("histogram/count_codes",
                  [&](const RowBand& band) { return pixel_bindings(band, counts_, "counts"); });
        }
    }

private:
    [[nodiscard]] std::uint32_t bins() const { return static_cast<std::uint32_t>(params_.bins); }

    /// Whole rows of an RGBA picture of 8 bits.
    [[nodiscard]] bool is_whole_rgba8() const {
        return image_.format == PixelFormat{SampleType::u8, 4} && !params_.opaque_only &&
               source_.roi().width == image_.width;
    }

    [[nodiscard]] std::map<std::string, double> counter_constants() const {
        const std::uint64_t pixels = std::uint64_t{source_.roi().width} * source_.roi().height;
        return {{"BINS", bins()},
                {"ROWS", counters_.rows},
                {"CHANNELS_AT_ONCE", counters_.channels_at_once},
                {"WORKGROUP_SIZE", shape_.workgroup_size},
                {"WIDE", pixels >> 32 != 0 ? 1 : 0}};
    }

    /// Enough workgroups to fill the device, more for larger pictures, none with nothing to do.
    /// `items` are groups of four pixels.
    [[nodiscard]] std::uint32_t workgroups(std::uint64_t items) const {
        constexpr std::uint64_t items_each = 16;
        const std::uint64_t useful = (items + shape_.workgroup_size - 1) / shape_.workgroup_size;
        const std::uint64_t wanted = std::clamp<std::uint64_t>(
            useful / items_each, shape_.workgroups, 2ull * shape_.workgroups);
        return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(useful, 1, wanted));
    }

    std::vector<PlanBinding> pixel_bindings(const RowBand& band, std::uint32_t result,
                                            std::string name) {
        return {lowering_.uniform("params",
                                  lowering_.add_uniform("pixel params", source_.params(band))),
                source_.pixels_binding(lowering_, band), source_.table_binding(lowering_),
                lowering_.write(std::move(name), result)};
    }

    template <class Bindings>
    void count(const std::string& kernel, const Bindings& bindings) {
        auto constants = source_.constants();
        constants.merge(counter_constants());
        for (const RowBand& band : source_.bands(lowering_.device())) {
            const PixelParams params = source_.params(band);
            add_count(kernel, constants, bindings(band),
                      workgroups(std::uint64_t{params.rows} * params.quads), source_.bytes(band));
        }
    }

    void count_rgba8() {
        for (const RowBand& band : source_.bands(lowering_.device())) {
            Rgba8Params params;
            params.first_row = band.skip();
            params.rows = band.count;
            params.width = image_.width;
            params.pitch = source_.place().pitch / 16;
            params.luma_fixed = source_.params(band).luma_fixed;
            add_count("histogram/count_rgba8", counter_constants(),
                      {lowering_.uniform("params", lowering_.add_uniform("count params", params)),
                       source_.pixels_binding(lowering_, band), lowering_.write("counts", counts_)},
                      workgroups(std::uint64_t{band.count} * params.pitch), source_.bytes(band));
        }
    }

    void add_count(const std::string& kernel, std::map<std::string, double> constants,
                   std::vector<PlanBinding> bindings, std::uint32_t workgroups,
                   std::uint64_t bytes) {
        const std::uint32_t groups = 4 / counters_.channels_at_once;
        lowering_.note(fmt::format(
            "histogram: {} on {} workgroups of {}, {} of 4 channels at once ({} bytes of "
            "workgroup memory); {}",
            kernel, workgroups, shape_.workgroup_size, counters_.channels_at_once,
            counters_.channels_at_once * counters_.rows * 4, precision(rule_.path)));
        lowering_.add(step::Dispatch{.label = "count",
                                     .program = {kernel, std::move(constants)},
                                     .bindings = std::move(bindings),
                                     .workgroups = {workgroups, groups, 1},
                                     .bytes_read = bytes * groups,
                                     .bytes_written = (bins() + 1) * 32ull});
    }

    void set_range(const std::array<float, 2>& range) {
        lowering_.set_content(range_, std::as_bytes(std::span(range)));
    }

    std::uint32_t fixed_range() {
        const std::array range{params_.range.low, params_.range.high};
        set_range(range);
        const std::array bin_range{range[0], bin_scale(params_.bins, range[0], range[1])};
        return lowering_.add_constant("bin range", std::as_bytes(std::span(bin_range)),
                                      usage::storage);
    }

    std::uint32_t find_range() {
        const auto keys = lowering_.add_buffer("range keys", 8, usage::storage | usage::copy_dst);
        lowering_.add(step::Clear{keys, 0, 8});
        auto constants = source_.constants();
        constants["WORKGROUP_SIZE"] = shape_.workgroup_size;
        for (const RowBand& band : source_.bands(lowering_.device())) {
            const PixelParams params = source_.params(band);
            lowering_.add(step::Dispatch{
                .label = "find range",
                .program = {"histogram/find_range", constants},
                .bindings = pixel_bindings(band, keys, "keys"),
                .workgroups = {workgroups(std::uint64_t{params.rows} * params.quads), 1, 1},
                .bytes_read = source_.bytes(band)});
        }
        const auto bin_range = lowering_.add_buffer("bin range", 16, usage::storage);
        constexpr std::uint32_t zero = 0;
        lowering_.add(step::Dispatch{
            .label = "finish range",
            .program = {"histogram/finish_range", {{"BINS", bins()}}},
            .bindings = {lowering_.uniform("params", lowering_.add_uniform("zero", zero)),
                         lowering_.read("keys", keys), lowering_.write("range", range_),
                         lowering_.write("bin_range", bin_range)}});
        return bin_range;
    }

    Lowering& lowering_;
    const HistogramParams& params_;
    ImageInfo image_;
    ValueRule rule_;
    PixelSource source_;
    Counters counters_;
    CountShape shape_;
    std::uint32_t counts_, range_;
};

}  // namespace

void lower_histogram(Lowering& lowering, const Node& node) {
    HistogramLowering(lowering, node).lower();
}

}  // namespace tessera
