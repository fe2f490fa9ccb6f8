// Histograms of red, green, blue and luminance, counted at once, and their drawing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/graph.hpp"
#include "tessera/params.hpp"

namespace tessera {

/// Weights of red, green and blue in luminance, by ITU-R recommendation.
enum class Luma { bt709, bt601, bt2020 };

struct HistogramParams {
    int bins = 256;            ///< 2..4096
    Luma luma = Luma::bt709;   ///< weights of the luminance
    bool linear = false;       ///< decode the transfer function before anything else
    ValueRange range{};        ///< values of the first bin's start and the last bin's end
    bool opaque_only = false;  ///< leave out pixels whose alpha is 0
    Rectangle roi{};           ///< region of interest; everything when empty
};

/// The wires of a histogram in a graph.
struct HistogramValues {
    Value counts;  ///< u64 [bins + 1][4]: red, green, blue, luminance; the last row counts what
                   ///< was not binned because it is NaN or infinite
    Value range;   ///< f32 [2]: the range that was used
};

/// Counts pixels by value. See docs/pixel-values.md for the exact arithmetic of each sample type.
/// Throws Error(invalid_argument) for a parameter out of range, a ROI outside the picture.
HistogramValues histogram(Graph& graph, Value image, const HistogramParams& params = {});

/// A histogram on the host.
struct Histogram {
    std::uint32_t bins = 0;
    double low = 0, high = 1;
    std::array<std::vector<std::uint64_t>, 4> counts;  ///< red, green, blue, luminance
    std::array<std::uint64_t, 4> non_finite{};

    /// Pixels that were binned in a channel.
    [[nodiscard]] std::uint64_t entries(std::size_t channel) const;
    /// The value below which a fraction of the entries lies, to within a bin (its centre; for
    /// 256 bins over 8-bit codes, the code itself). NaN where nothing was binned.
    [[nodiscard]] double quantile(std::size_t channel, double fraction) const;
};
[[nodiscard]] Histogram to_histogram(const Array& counts, const Array& range);

/// Which of the four histograms are drawn.
enum class PlotChannels { rgb, r, g, b, l, rgb_l };

struct HistogramPlotParams {
    PlotChannels channels = PlotChannels::rgb_l;
    CanvasSize size{1024, 512};  ///< pixels
    bool log = false;            ///< heights by log(1 + count) instead of count
    Palette colors{};            ///< 16 colours by which histograms reach a point, and a background
};

/// Draws histograms on a canvas of their own: an RGBA8 picture, tone along x, count along y.
/// Heights are scaled by max(1 / highest count, 0.2 · bins / entries) for each channel, so that one
/// spike (a clipped sky) does not flatten the rest. Columns narrower than a bin show their
/// highest bin.
Value histogram_plot(Graph& graph, const HistogramValues& histogram,
                     const HistogramPlotParams& params = {});

struct HistogramOverlayParams {
    PlotChannels channels = PlotChannels::rgb_l;
    bool log = false;
    Palette colors{};
};

/// Draws histograms over a photo: red, green and blue together in the lower left half, luminance
/// in the lower right, each 0.9 of the half's width and a quarter of the height, on a translucent
/// backing. Sample type and alpha stay; a grey picture becomes colour.
Value histogram_overlay(Graph& graph, Value image, const HistogramValues& histogram,
                        const HistogramOverlayParams& params = {});

}  // namespace tessera
