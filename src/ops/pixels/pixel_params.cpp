#include "ops/pixels/pixel_params.hpp"

namespace tessera {
namespace {

std::uint32_t add_table(Lowering& lowering, std::span<const float> table) {
    constexpr float nothing = 0.0f;  // a binding may not be empty
    const auto entries = table.empty() ? std::span(&nothing, 1) : table;
    return lowering.add_constant("value table", std::as_bytes(entries), usage::storage);
}

}  // namespace

PixelSource::PixelSource(Lowering& lowering, Value image, const Rectangle& roi, Luma luma,
                         bool opaque_only, const ValueRule& rule)
    : image_(lowering.graph().image_info(image)),
      roi_(resolve_roi(roi, image_)),
      place_(lowering.locate(image)),
      weights_(luma_weights(luma)),
      opaque_only_(opaque_only && image_.format.has_alpha()),
      path_(rule.path),
      table_(add_table(lowering, rule.table)) {}

std::map<std::string, double> PixelSource::constants() const {
    return {{"SAMPLE_BYTES", bytes_per_sample(image_.format.sample)},
            {"CHANNELS", image_.format.channels},
            {"PATH", static_cast<double>(path_)},
            {"IS_FLOAT", is_integer(image_.format.sample) ? 0 : 1},
            {"OPAQUE_ONLY", opaque_only_ ? 1 : 0}};
}

PlanBinding PixelSource::pixels_binding(const Lowering& lowering, const RowBand& band) const {
    return lowering.read("pixels", place_.buffer, band.offset(place_.pitch),
                         band.size(place_.pitch));
}

PlanBinding PixelSource::table_binding(const Lowering& lowering) const {
    return lowering.read("table", table_);
}

std::vector<RowBand> PixelSource::bands(const DeviceProfile& device) const {
    return row_bands(device, place_.pitch, roi_.y, roi_.height);
}

std::uint64_t PixelSource::bytes(const RowBand& band) const noexcept {
    return std::uint64_t{band.count} * roi_.width * image_.format.bytes_per_pixel();
}

PixelParams PixelSource::params(const RowBand& band) const {
    PixelParams params;
    params.first_row = band.skip();
    params.rows = band.count;
    params.left = roi_.x;
    params.right = roi_.x + roi_.width;
    params.pitch_words = place_.pitch / 4;
    params.first_quad = params.left / 4;
    params.quads = (params.right + 3) / 4 - params.first_quad;
    for (std::size_t i = 0; i < 3; ++i) {
        params.luma_fixed[i] = weights_.fixed[i];
        params.luma[i] = weights_.real[i];
    }
    return params;
}

}  // namespace tessera
