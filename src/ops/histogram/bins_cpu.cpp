#include "ops/histogram/bins_cpu.hpp"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/histogram/bins_cpu.cpp"
#include <hwy/foreach_target.h>
// Included after foreach_target.h, as Highway asks.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void BinsOfCodes(std::uint16_t* plane, std::size_t count, std::uint32_t bins) {
    const hn::ScalableTag<std::int32_t> d32;
    const hn::RebindToUnsigned<decltype(d32)> du32;
    const hn::Rebind<std::uint16_t, decltype(d32)> narrow;
    const auto factor = hn::Set(du32, bins);
    const auto one = hn::Set(du32, 1u);
    const auto last = hn::Set(du32, bins - 1);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d32)) {
        const auto product = hn::Mul(hn::PromoteTo(du32, hn::Load(narrow, plane + i)), factor);
        // product / 65535, exact for products of 32 bits.
        const auto quotient =
            hn::ShiftRight<16>(hn::Add(product, hn::Add(hn::ShiftRight<16>(product), one)));
        const auto bin = hn::BitCast(d32, hn::Min(quotient, last));
        hn::Store(hn::DemoteTo(narrow, bin), narrow, plane + i);
    }
}

void BinsOfValues(const float* values, std::size_t count, float low, float scale,
                  std::uint32_t bins, std::uint16_t* plane) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<std::uint16_t, decltype(d)> narrow;
    const auto start = hn::Set(d, low);
    const auto factor = hn::Set(d, scale);
    const auto last = hn::Set(d, static_cast<float>(bins - 1));
    const auto zero = hn::Zero(d);
    const auto infinity = hn::Set(di, 0x7f800000);
    const auto no_bin = hn::Set(di, static_cast<std::int32_t>(bins));
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto value = hn::Load(d, values + i);
        auto position = hn::Mul(hn::Sub(value, start), factor);
        // Also takes NaN to 0: infinity times a scale of 0, for a range too wide to divide.
        position = hn::IfThenElseZero(hn::Gt(position, zero), position);
        const auto bin = hn::ConvertTo(di, hn::Min(position, last));
        const auto finite = hn::Lt(hn::BitCast(di, hn::Abs(value)), infinity);
        hn::Store(hn::DemoteTo(narrow, hn::IfThenElse(finite, bin, no_bin)), narrow, plane + i);
    }
}

void WidenRange(const float* values, std::size_t count, KeyRange& range) {
    const hn::ScalableTag<std::int32_t> d;
    const hn::RebindToFloat<decltype(d)> df;
    const auto infinity = hn::Set(d, 0x7f800000);
    const auto end = hn::Set(d, static_cast<std::int32_t>(count));
    auto least = hn::Set(d, range.least);
    auto greatest = hn::Set(d, range.greatest);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto bits = hn::BitCast(d, hn::Load(df, values + i));
        const auto magnitude = hn::And(bits, hn::Set(d, 0x7fffffff));
        const auto inside = hn::Lt(hn::Iota(d, static_cast<std::int32_t>(i)), end);
        const auto counted = hn::And(inside, hn::Lt(magnitude, infinity));
        // Negative floats order backwards: their magnitude bits are turned over.
        const auto key = hn::Xor(bits, hn::And(hn::ShiftRight<31>(bits), hn::Set(d, 0x7fffffff)));
        least = hn::IfThenElse(counted, hn::Min(least, key), least);
        greatest = hn::IfThenElse(counted, hn::Max(greatest, key), greatest);
    }
    range.least = hn::GetLane(hn::MinOfLanes(d, least));
    range.greatest = hn::GetLane(hn::MaxOfLanes(d, greatest));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {
namespace {

HWY_EXPORT(BinsOfCodes);
HWY_EXPORT(BinsOfValues);
HWY_EXPORT(WidenRange);

}  // namespace

void bins_of_codes(std::uint16_t* plane, std::size_t count, std::uint32_t bins) {
    HWY_DYNAMIC_DISPATCH(BinsOfCodes)(plane, count, bins);
}

void bins_of_values(const float* values, std::size_t count, float low, float scale,
                    std::uint32_t bins, std::uint16_t* plane) {
    HWY_DYNAMIC_DISPATCH(BinsOfValues)(values, count, low, scale, bins, plane);
}

float value_of_key(std::int32_t key) noexcept {
    return std::bit_cast<float>(key ^ ((key >> 31) & 0x7fffffff));
}

void widen_range(const float* values, std::size_t count, KeyRange& range) {
    HWY_DYNAMIC_DISPATCH(WidenRange)(values, count, range);
}

}  // namespace tessera::cpu
#endif  // HWY_ONCE
