// Counts the codes of pixels of 8 bits: red, green, blue and luminance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/cpu/planes.hpp"
#include "ops/pixels/values.hpp"

namespace tessera::cpu {

/// Pixels by code, for red, green, blue and luminance.
using ByteCounts = std::array<std::array<std::uint64_t, 256>, 4>;

/// The counters of one thread. About 24 KiB, which stay in the L1 cache while it counts.
class ByteCounters {
public:
    ByteCounters(std::uint32_t channels, const LumaWeights& weights)
        : channels_(channels), weights_(weights), counters_(4 * 256 * copies) {}

    /// Counts up to block_pixels pixels.
    void count(const std::byte* pixels, std::size_t count);

    /// Adds what was counted since the last call to `totals`. Of a grey picture all four channels
    /// get the same.
    void move_to(ByteCounts& totals);

    /// So many pixels can be counted before a counter may overflow; then `move_to` must be called.
    static constexpr std::uint64_t capacity = 0xffffffffu - block_pixels;
    [[nodiscard]] std::uint64_t pending() const noexcept { return pending_; }

private:
    // Neighbouring pixels are counted in different copies, side by side. So an addition never
    // waits for the one just before it on a picture of one colour, and on a photo, whose
    // neighbours are alike, consecutive stores meet in one cache line.
    static constexpr std::size_t copies = 4;

    std::uint32_t channels_;
    LumaWeights weights_;
    std::uint64_t pending_ = 0;
    std::vector<std::uint32_t> counters_;  // [channel][code][copy]
    Planes<std::uint8_t> planes_;
};

}  // namespace tessera::cpu
