// The GPU's half of "pixels to values": the uniform block and constants of pixels.inc.wgsl.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "graph/lowering.hpp"
#include "ops/pixels/values.hpp"

namespace tessera {

/// PixelParams of pixels.inc.wgsl, field by field.
struct PixelParams {
    std::uint32_t first_row = 0, rows = 0;
    std::uint32_t left = 0, right = 0;
    std::uint32_t pitch_words = 0;
    std::uint32_t first_quad = 0, quads = 0;
    std::uint32_t zero = 0;
    std::array<std::uint32_t, 4> luma_fixed{};
    std::array<float, 4> luma{};
};

/// What a kernel that includes pixels.inc.wgsl needs to look at a part of a picture.
class PixelSource {
public:
    PixelSource(Lowering& lowering, Value image, const Rectangle& roi, Luma luma, bool opaque_only,
                const ValueRule& rule);

    [[nodiscard]] const Rectangle& roi() const noexcept { return roi_; }
    [[nodiscard]] const ImageInfo& image() const noexcept { return image_; }
    [[nodiscard]] DeviceValue place() const noexcept { return place_; }
    [[nodiscard]] std::map<std::string, double> constants() const;
    /// The bindings that pixels.inc.wgsl names: `pixels` (the band's rows) and `table`.
    [[nodiscard]] PlanBinding pixels_binding(const Lowering& lowering, const RowBand& band) const;
    [[nodiscard]] PlanBinding table_binding(const Lowering& lowering) const;
    [[nodiscard]] PixelParams params(const RowBand& band) const;
    [[nodiscard]] std::vector<RowBand> bands(const DeviceProfile& device) const;
    /// Bytes of the picture that a band's pass reads.
    [[nodiscard]] std::uint64_t bytes(const RowBand& band) const noexcept;

private:
    ImageInfo image_;
    Rectangle roi_;
    DeviceValue place_;
    LumaWeights weights_;
    bool opaque_only_;
    ValuePath path_;
    std::uint32_t table_;
};

}  // namespace tessera
