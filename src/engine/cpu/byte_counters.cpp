#include "engine/cpu/byte_counters.hpp"

#include <algorithm>
#include <utility>

namespace tessera::cpu {
namespace {

/// Pixel i goes to copy i % copies. `luma` holds a code for each pixel where there are 3 colours.
template <std::size_t copies, std::size_t channels>
void scatter(const std::byte* pixels, const std::uint8_t* luma, std::size_t count,
             std::uint32_t* counters) {
    constexpr std::size_t colours = channels >= 3 ? 3 : 1;
    const auto add = [&](std::size_t pixel, std::size_t copy) {
        for (std::size_t c = 0; c < colours; ++c) {
            const auto code = std::to_integer<std::size_t>(pixels[pixel * channels + c]);
            ++counters[(c * 256 + code) * copies + copy];
        }
        if constexpr (colours == 3) ++counters[(3 * 256 + luma[pixel]) * copies + copy];
    };
    std::size_t i = 0;
    for (; i + copies <= count; i += copies) {
        for (std::size_t copy = 0; copy < copies; ++copy) add(i + copy, copy);
    }
    for (; i < count; ++i) add(i, i % copies);
}

}  // namespace

void ByteCounters::count(const std::byte* pixels, std::size_t count) {
    pending_ += count;
    std::uint8_t* const luma = planes_.channel[3].data();
    if (channels_ >= 3) luma_of_codes(pixels, count, channels_, weights_, planes_);
    switch (channels_) {
        case 1: return scatter<copies, 1>(pixels, luma, count, counters_.data());
        case 2: return scatter<copies, 2>(pixels, luma, count, counters_.data());
        case 3: return scatter<copies, 3>(pixels, luma, count, counters_.data());
        default: return scatter<copies, 4>(pixels, luma, count, counters_.data());
    }
}

void ByteCounters::move_to(ByteCounts& totals) {
    for (std::size_t channel = 0; channel < 4; ++channel) {
        const std::size_t source = channels_ >= 3 ? channel : 0;
        for (std::size_t code = 0; code < 256; ++code) {
            for (std::size_t copy = 0; copy < copies; ++copy) {
                totals[channel][code] += counters_[(source * 256 + code) * copies + copy];
            }
        }
    }
    std::fill(counters_.begin(), counters_.end(), 0u);
    pending_ = 0;
}

}  // namespace tessera::cpu
