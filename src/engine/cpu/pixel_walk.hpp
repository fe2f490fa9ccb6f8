// A rectangle of a picture, cut into pieces that threads can share and into blocks that fit into
// the L1 cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tessera/image.hpp"
#include "tessera/params.hpp"

namespace tessera::cpu {

/// Pixels that are worked on at once. A multiple of every vector length.
inline constexpr std::size_t block_pixels = 1024;

/// Walks over the pixels of a rectangle in no particular shape: what is counted does not depend on
/// where it lies. The image must outlive the walk.
class PixelWalk {
public:
    /// `roi` must lie inside the image and not be empty. `opaque_only` leaves out the pixels whose
    /// alpha is 0, where the format has alpha.
    PixelWalk(const Image& image, const Rectangle& roi, bool opaque_only) noexcept;

    /// Pieces of a row, the unit in which threads share the work.
    [[nodiscard]] std::uint64_t pieces() const noexcept { return rows_ * pieces_per_row_; }
    /// Pieces that are worth a thread's while.
    [[nodiscard]] std::uint64_t grain() const noexcept;
    /// Pixels in the rectangle, transparent ones included.
    [[nodiscard]] std::uint64_t pixels() const noexcept { return rows_ * row_pixels_; }

    /// Calls `visit(const std::byte* pixels, std::size_t count)` for blocks of 1..block_pixels
    /// pixels that lie side by side, which together are the pieces [begin, end).
    template <class Visit>
    void visit(std::uint64_t begin, std::uint64_t end, Visit&& visit) const {
        OpaqueBuffer opaque;
        for (std::uint64_t piece = begin; piece < end; ++piece) {
            const std::uint64_t first = piece % pieces_per_row_ * piece_pixels;
            const std::uint64_t last = std::min(first + piece_pixels, row_pixels_);
            const std::byte* const row =
                origin_ + static_cast<std::ptrdiff_t>(piece / pieces_per_row_) * pitch_;
            for (std::uint64_t pixel = first; pixel < last; pixel += block_pixels) {
                const std::byte* pixels = row + pixel * format_.bytes_per_pixel();
                auto count =
                    static_cast<std::size_t>(std::min<std::uint64_t>(block_pixels, last - pixel));
                if (opaque_only_) pixels = keep_opaque(pixels, count, opaque);
                if (count > 0) visit(pixels, count);
            }
        }
    }

private:
    static constexpr std::uint64_t piece_pixels = 16 * block_pixels;
    static constexpr std::size_t largest_pixel = 16;
    using OpaqueBuffer = std::array<std::byte, block_pixels * largest_pixel>;

    /// The pixels whose alpha is not 0, and how many they are: the same ones where that is all.
    const std::byte* keep_opaque(const std::byte* pixels, std::size_t& count,
                                 OpaqueBuffer& opaque) const noexcept;

    const std::byte* origin_;
    std::ptrdiff_t pitch_;
    PixelFormat format_;
    bool opaque_only_;
    std::uint64_t rows_, row_pixels_, pieces_per_row_;
};

}  // namespace tessera::cpu
