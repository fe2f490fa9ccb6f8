// Where histograms are drawn and in which colours: decided once, on the host, in whole pixels,
// so that both engines draw the same picture.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/histogram.hpp"

namespace tessera {

/// One quad of a drawing: a rectangle of the canvas (pixels from the top left), and which of the
/// histograms (bits 0..3: red, green, blue, luminance) are drawn in it.
struct HistogramPanel {
    std::uint32_t x = 0, y = 0, width = 1, height = 1;
    std::uint32_t channels = 0;
};

struct HistogramLayout {
    std::uint32_t width = 1, height = 1;  ///< of the canvas
    std::uint32_t top = 0;                ///< the picture's row where the canvas begins (overlay)
    std::vector<HistogramPanel> panels;
    std::array<Color, 16> colors{};  ///< entry 0 fills a panel where no histogram reaches
};

/// The bits of the chosen channels.
[[nodiscard]] std::uint32_t channel_mask(PlotChannels channels) noexcept;

/// One panel that fills the canvas.
[[nodiscard]] HistogramLayout plot_layout(const HistogramPlotParams& params);

/// A strip across the picture's bottom quarter with a panel in either half. The colours are
/// converted to the picture's own transfer function, entry 0 made translucent.
[[nodiscard]] HistogramLayout overlay_layout(const ImageInfo& image,
                                             const HistogramOverlayParams& params);

/// The format of the overlaid picture: grey becomes RGB, sample type and alpha stay.
[[nodiscard]] PixelFormat overlay_format(PixelFormat format) noexcept;

}  // namespace tessera
