// Histograms as rows of pixels: the drawing that histogram-plot shows and histogram-overlay lays
// over a picture. draw.wgsl is the same for GPUs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/histogram_plot/layout.hpp"
#include "tessera/graph.hpp"

namespace tessera::cpu {

/// Premultiplied, in 8 bits, as a GPU's texture keeps it.
using LayerPixel = std::array<std::uint8_t, 4>;

class HistogramDrawing {
public:
    /// `counts` is what the histogram operator gave.
    HistogramDrawing(const Array& counts, const HistogramLayout& layout, bool logarithmic);

    /// One row of the canvas, from the top; `row` has the canvas's width.
    void draw_row(std::uint32_t y, std::span<LayerPixel> row) const;

private:
    using Heights = std::array<float, 4>;
    using PremultipliedColor = std::array<float, 4>;

    struct Panel {
        HistogramPanel place;
        std::vector<Heights> columns;  ///< in rows of pixels, from the panel's bottom
    };

    [[nodiscard]] PremultipliedColor color_of_pixel(const Heights& heights, float bottom) const;

    std::vector<Panel> panels_;
    std::array<PremultipliedColor, 16> colors_{};
};

}  // namespace tessera::cpu
