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

/// Neighbouring pixels are counted in different copies, so that on a picture of one colour an
/// addition does not wait for the one just before it.
inline constexpr std::size_t byte_counter_copies = 4;

/// The counters of one thread.
class ByteCounters {
public:
    ByteCounters(std::uint32_t channels, const LumaWeights& weights)
        : channels_(channels), weights_(weights), counters_(256 * 4 * byte_counter_copies) {}

    /// Counts up to block_pixels pixels.
    void count(const std::byte* pixels, std::size_t count);

    /// Adds all that was counted to `totals`, and starts again from 0. Of a grey picture all four
    /// channels get the same.
    void move_to(ByteCounts& totals);

private:
    // Counters of 16 bits, and those of one code side by side, because a core writes about one
    // cache line a cycle, but consecutive additions to one line at once: photos have alike
    // neighbours and alike channels. They fill 8 KiB.
    static constexpr std::size_t counter_limit = 65535;

    void flush();

    std::uint32_t channels_;
    LumaWeights weights_;
    std::size_t fullest_ = 0;              // no counter is above this
    std::vector<std::uint16_t> counters_;  // [code][channel][copy]
    ByteCounts totals_{};
    Planes<std::uint8_t> planes_;
};

}  // namespace tessera::cpu
