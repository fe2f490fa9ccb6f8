#include "ops/histogram_plot/histogram_plot_cpu.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/cpu/parallel.hpp"
#include "ops/histogram_plot/drawing_cpu.hpp"
#include "ops/histogram_plot/layout.hpp"
#include "tessera/histogram.hpp"

namespace tessera {
namespace {

using cpu::HistogramDrawing;
using cpu::LayerPixel;

/// Calls `row(y, layer)` for every row of a picture on several threads; `layer` is room for one
/// row of the drawing.
template <class Row>
void for_each_row(std::uint32_t height, std::uint32_t width, Row row) {
    const std::uint64_t grain = std::max<std::uint64_t>(1, 16384 / width);
    cpu::parallel_for(height, grain, [&](std::uint64_t begin, std::uint64_t end) {
        std::vector<LayerPixel> layer(width);
        for (std::uint64_t y = begin; y < end; ++y) row(static_cast<std::uint32_t>(y), layer);
    });
}

/// From premultiplied to straight alpha, rounded to the nearest code.
LayerPixel straight(const LayerPixel& pixel) {
    const unsigned alpha = pixel[3];
    if (alpha == 0 || alpha == 255) return pixel;
    LayerPixel result = pixel;
    for (std::size_t c = 0; c < 3; ++c) {
        const unsigned code = (pixel[c] * 255u * 2u + alpha) / (alpha * 2u);
        result[c] = static_cast<std::uint8_t>(std::min(code, 255u));
    }
    return result;
}

// ---- one sample between its bits and the scale on which 1 is full ----

struct Bytes {
    using Bits = std::uint8_t;
    static constexpr Bits opaque = 255;
    static float to_unit(Bits bits) { return static_cast<float>(bits) / 255.0f; }
    static Bits from_unit(float value) {
        return static_cast<Bits>(std::clamp(std::floor(value * 255.0f + 0.5f), 0.0f, 255.0f));
    }
};

struct Words {
    using Bits = std::uint16_t;
    static constexpr Bits opaque = 65535;
    static float to_unit(Bits bits) { return static_cast<float>(bits) / 65535.0f; }
    static Bits from_unit(float value) {
        return static_cast<Bits>(std::clamp(std::floor(value * 65535.0f + 0.5f), 0.0f, 65535.0f));
    }
};

struct Halfs {
    using Bits = std::uint16_t;
    static constexpr Bits opaque = 0x3c00;
    static float to_unit(Bits bits) { return half_to_float(bits); }
    static Bits from_unit(float value) { return float_to_half(value); }
};

struct Floats {
    using Bits = std::uint32_t;  // a NaN's bits survive too
    static constexpr Bits opaque = 0x3f800000u;
    static float to_unit(Bits bits) { return std::bit_cast<float>(bits); }
    static Bits from_unit(float value) { return std::bit_cast<Bits>(value); }
};

/// Rows of a picture of one sample type, with or without a drawing over them.
template <class Sample>
class Overlay {
public:
    Overlay(const Image& picture, Image& result) : picture_(picture), result_(result) {}

    /// Grey becomes three times the same; nothing else changes.
    void copy_row(std::uint32_t y) const {
        if (picture_.format() == result_.format()) {
            std::memcpy(result_.row(y), picture_.row(y), picture_.row_bytes());
            return;
        }
        for (std::uint32_t x = 0; x < picture_.width(); ++x) store(y, x, load(y, x));
    }

    void draw_row(std::uint32_t y, std::span<const LayerPixel> layer) const {
        copy_row(y);
        for (std::uint32_t x = 0; x < picture_.width(); ++x) {
            if (layer[x][3] != 0) store(y, x, over(layer[x], load(y, x)));
        }
    }

private:
    using Bits = typename Sample::Bits;
    using Pixel = std::array<Bits, 4>;  // red, green, blue, alpha

    [[nodiscard]] Pixel load(std::uint32_t y, std::uint32_t x) const {
        const PixelFormat format = picture_.format();
        const std::byte* const source = picture_.row(y) + std::size_t{x} * format.bytes_per_pixel();
        Pixel pixel;
        pixel[3] = Sample::opaque;
        if (format.channels >= 3) {
            std::memcpy(pixel.data(), source, format.bytes_per_pixel());
            return pixel;
        }
        std::memcpy(pixel.data(), source, sizeof(Bits));
        pixel[1] = pixel[2] = pixel[0];
        if (format.has_alpha()) std::memcpy(&pixel[3], source + sizeof(Bits), sizeof(Bits));
        return pixel;
    }

    void store(std::uint32_t y, std::uint32_t x, const Pixel& pixel) const {
        const std::size_t bytes = result_.format().bytes_per_pixel();
        std::memcpy(result_.row(y) + x * bytes, pixel.data(), bytes);
    }

    [[nodiscard]] static Pixel over(const LayerPixel& drawing, const Pixel& picture) {
        const float alpha = Bytes::to_unit(drawing[3]);
        const float share = Sample::to_unit(picture[3]) * (1.0f - alpha);
        const float all = alpha + share;
        Pixel result;
        for (std::size_t c = 0; c < 3; ++c) {
            const float color = Bytes::to_unit(drawing[c]) + Sample::to_unit(picture[c]) * share;
            result[c] = Sample::from_unit(color / all);
        }
        result[3] = Sample::from_unit(all);
        return result;
    }

    const Image& picture_;
    Image& result_;
};

template <class Sample>
void overlay(const Image& picture, const HistogramDrawing& drawing, std::uint32_t top,
             Image& result) {
    const Overlay<Sample> rows(picture, result);
    for_each_row(picture.height(), picture.width(),
                 [&](std::uint32_t y, std::vector<LayerPixel>& layer) {
                     if (y < top) {
                         rows.copy_row(y);
                         return;
                     }
                     drawing.draw_row(y - top, layer);
                     rows.draw_row(y, layer);
                 });
}

}  // namespace

void run_histogram_plot(const Node& node, std::span<const Data* const> inputs,
                        std::span<Data* const> outputs) {
    const auto& params = node.as<HistogramPlotParams>();
    const HistogramLayout layout = plot_layout(params);
    const HistogramDrawing drawing(std::get<Array>(*inputs[0]), layout, params.log);
    auto& plot = std::get<Image>(*outputs[0]);
    for_each_row(layout.height, layout.width, [&](std::uint32_t y, std::vector<LayerPixel>& layer) {
        drawing.draw_row(y, layer);
        std::transform(layer.begin(), layer.end(), layer.begin(), straight);
        std::memcpy(plot.row(y), layer.data(), plot.row_bytes());
    });
}

void run_histogram_overlay(const Node& node, std::span<const Data* const> inputs,
                           std::span<Data* const> outputs) {
    const auto& params = node.as<HistogramOverlayParams>();
    const auto& picture = std::get<Image>(*inputs[0]);
    const HistogramLayout layout = overlay_layout(picture.info(), params);
    const HistogramDrawing drawing(std::get<Array>(*inputs[1]), layout, params.log);
    auto& result = std::get<Image>(*outputs[0]);
    switch (picture.format().sample) {
        case SampleType::u8:
            return overlay<Bytes>(picture, drawing, layout.top, result);
        case SampleType::u16:
            return overlay<Words>(picture, drawing, layout.top, result);
        case SampleType::f16:
            return overlay<Halfs>(picture, drawing, layout.top, result);
        case SampleType::f32:
            return overlay<Floats>(picture, drawing, layout.top, result);
    }
}

}  // namespace tessera
