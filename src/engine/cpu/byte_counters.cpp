#include "engine/cpu/byte_counters.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tessera::cpu {
namespace {

constexpr std::size_t copies = byte_counter_copies;

/// Counts one code of one channel.
void add(std::uint16_t* counters, std::size_t code, std::size_t channel, std::size_t copy) {
    ++counters[(code * 4 + channel) * copies + copy];
}

static_assert(std::endian::native == std::endian::little, "byte_of counts from the low end");

/// Pixels that are counted together: the samples of eight fill whole words in every layout.
constexpr std::size_t group = 8;

/// Byte `i` of words that were loaded whole. A core holds back a load of a byte while a store to
/// what might be the same place is under way, as counters' stores are, so there should be few
/// loads.
template <std::size_t words>
[[nodiscard]] std::size_t byte_of(const std::array<std::uint64_t, words>& bytes, std::size_t i) {
    return static_cast<std::size_t>(bytes[i / 8] >> (i % 8 * 8) & 0xffu);
}

/// Counts one pixel of a group. All indices are constants, so nothing is left of them in the code.
template <std::size_t channels, std::size_t pixel, std::size_t... colour>
void add_pixel(std::uint16_t* counters, const std::array<std::uint64_t, channels>& samples,
               std::index_sequence<colour...>) {
    (add(counters, byte_of(samples, pixel * channels + colour), colour, pixel % copies), ...);
}

template <std::size_t channels, std::size_t... pixel>
void add_group(std::uint16_t* counters, const std::byte* pixels, const std::uint8_t* luma,
               std::index_sequence<pixel...>) {
    using Colours = std::make_index_sequence<channels >= 3 ? 3 : 1>;
    std::array<std::uint64_t, channels> samples;
    for (std::size_t word = 0; word < channels; ++word) {
        std::memcpy(&samples[word], pixels + word * sizeof samples[word], sizeof samples[word]);
    }
    std::array<std::uint64_t, 1> luminances{};
    if constexpr (channels >= 3) std::memcpy(luminances.data(), luma, sizeof luminances);
    const auto add_one = [&]<std::size_t p>(std::integral_constant<std::size_t, p>) {
        add_pixel<channels, p>(counters, samples, Colours());
        if constexpr (channels >= 3) add(counters, byte_of(luminances, p), 3, p % copies);
    };
    (add_one(std::integral_constant<std::size_t, pixel>()), ...);
}

/// Pixel i goes to copy i % copies. `luma` holds a code for each pixel where there are 3 colours.
template <std::size_t channels>
void scatter(const std::byte* pixels, const std::uint8_t* luma, std::size_t count,
             std::uint16_t* counters) {
    std::size_t i = 0;
    for (; i + group <= count; i += group) {
        add_group<channels>(counters, pixels + i * channels, luma + i,
                            std::make_index_sequence<group>());
    }
    for (; i < count; ++i) {
        for (std::size_t c = 0; c < (channels >= 3 ? 3 : 1); ++c) {
            const auto code = std::to_integer<std::size_t>(pixels[i * channels + c]);
            add(counters, code, c, i % copies);
        }
        if constexpr (channels >= 3) add(counters, luma[i], 3, i % copies);
    }
}

}  // namespace

void ByteCounters::count(const std::byte* pixels, std::size_t count) {
    const std::size_t rounds = (count + copies - 1) / copies;
    if (fullest_ + rounds > counter_limit) flush();
    fullest_ += rounds;
    std::uint8_t* const luma = planes_.channel[3].data();
    if (channels_ >= 3) luma_of_codes(pixels, count, channels_, weights_, planes_);
    switch (channels_) {
        case 1:
            return scatter<1>(pixels, luma, count, counters_.data());
        case 2:
            return scatter<2>(pixels, luma, count, counters_.data());
        case 3:
            return scatter<3>(pixels, luma, count, counters_.data());
        default:
            return scatter<4>(pixels, luma, count, counters_.data());
    }
}

void ByteCounters::flush() {
    for (std::size_t i = 0; i < 256 * 4; ++i) {
        const std::uint16_t* const counters = &counters_[i * copies];
        totals_[i % 4][i / 4] +=
            std::uint64_t{counters[0]} + counters[1] + counters[2] + counters[3];
    }
    std::fill(counters_.begin(), counters_.end(), std::uint16_t{0});
    fullest_ = 0;
}

void ByteCounters::move_to(ByteCounts& totals) {
    flush();
    for (std::size_t channel = 0; channel < 4; ++channel) {
        const auto& counted = totals_[channels_ >= 3 ? channel : 0];
        for (std::size_t code = 0; code < 256; ++code) totals[channel][code] += counted[code];
    }
    totals_ = {};
}

}  // namespace tessera::cpu
