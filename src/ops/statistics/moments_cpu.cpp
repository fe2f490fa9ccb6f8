#include "ops/statistics/moments_cpu.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/statistics/moments_cpu.cpp"
#include <hwy/foreach_target.h>
// Included after foreach_target.h, as Highway asks.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Floats = hn::Rebind<float, Doubles>;

/// Values of a plane as doubles, with a mask of those that are finite and lie before its end.
class PlaneReader {
public:
    PlaneReader(const float* values, std::size_t count) : values_(values), count_(count) {}

    HWY_ATTR hn::Vec<Doubles> Load(std::size_t i) const {
        return hn::PromoteTo(Doubles(), hn::Load(Floats(), values_ + i));
    }
    HWY_ATTR hn::Mask<Doubles> Inside(std::size_t i) const {
        return hn::FirstN(Doubles(), std::min(count_ - i, hn::Lanes(Doubles())));
    }
    /// False for NaN too.
    HWY_ATTR static hn::Mask<Doubles> Finite(hn::Vec<Doubles> values) {
        return hn::Le(hn::Abs(values),
                      hn::Set(Doubles(), double{std::numeric_limits<float>::max()}));
    }

private:
    const float* values_;
    std::size_t count_;
};

/// Two passes over a block that lies in the L1 cache: the mean first, then what deviates from it.
Moments MomentsOfValues(const float* values, std::size_t count, float full) {
    const Doubles d;
    const PlaneReader plane(values, count);
    const auto zero = hn::Zero(d);
    const auto top = hn::Set(d, double{full});
    Moments result;
    auto least = hn::Set(d, result.minimum);
    auto greatest = hn::Set(d, result.maximum);
    auto sum = zero;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto value = plane.Load(i);
        const auto counted = hn::And(plane.Inside(i), plane.Finite(value));
        result.count += hn::CountTrue(d, counted);
        result.shadows += hn::CountTrue(d, hn::And(counted, hn::Le(value, zero)));
        result.highlights += hn::CountTrue(d, hn::And(counted, hn::Ge(value, top)));
        least = hn::IfThenElse(counted, hn::Min(least, value), least);
        greatest = hn::IfThenElse(counted, hn::Max(greatest, value), greatest);
        sum = hn::Add(sum, hn::IfThenElseZero(counted, value));
    }
    result.non_finite = count - result.count;
    if (result.count == 0) return result;
    result.minimum = hn::GetLane(hn::MinOfLanes(d, least));
    result.maximum = hn::GetLane(hn::MaxOfLanes(d, greatest));
    result.mean = hn::GetLane(hn::SumOfLanes(d, sum)) / static_cast<double>(result.count);

    const auto mean = hn::Set(d, result.mean);
    auto m2 = zero;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto value = plane.Load(i);
        const auto counted = hn::And(plane.Inside(i), plane.Finite(value));
        const auto deviation = hn::IfThenElseZero(counted, hn::Sub(value, mean));
        m2 = hn::MulAdd(deviation, deviation, m2);
    }
    result.m2 = hn::GetLane(hn::SumOfLanes(d, m2));
    return result;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {
namespace {

HWY_EXPORT(MomentsOfValues);

}  // namespace

void Moments::merge(const Moments& other) noexcept {
    non_finite += other.non_finite;
    if (other.count == 0) return;
    const double before = static_cast<double>(count);
    const double added = static_cast<double>(other.count);
    const double share = added / (before + added);
    const double difference = other.mean - mean;
    count += other.count;
    shadows += other.shadows;
    highlights += other.highlights;
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
    mean += difference * share;
    m2 += other.m2 + difference * difference * (before * share);
}

Moments moments_of_values(const float* values, std::size_t count, float full) {
    return HWY_DYNAMIC_DISPATCH(MomentsOfValues)(values, count, full);
}

Moments moments_of_counts(const std::array<std::uint64_t, 256>& counts) {
    Moments result;
    std::uint64_t sum = 0;
    for (std::size_t code = 0; code < counts.size(); ++code) {
        if (counts[code] == 0) continue;
        result.count += counts[code];
        sum += counts[code] * code;
        result.minimum = std::min(result.minimum, static_cast<double>(code));
        result.maximum = static_cast<double>(code);
    }
    if (result.count == 0) return result;
    result.shadows = counts[0];
    result.highlights = counts[255];
    result.mean = static_cast<double>(sum) / static_cast<double>(result.count);
    for (std::size_t code = 0; code < counts.size(); ++code) {
        const double deviation = static_cast<double>(code) - result.mean;
        result.m2 += static_cast<double>(counts[code]) * deviation * deviation;
    }
    return result;
}

StatisticsPartial to_partial(const Moments& moments) noexcept {
    StatisticsPartial partial;
    partial.count = static_cast<std::uint32_t>(moments.count);
    partial.non_finite = static_cast<std::uint32_t>(moments.non_finite);
    if (moments.count == 0) return partial;
    partial.shadows = static_cast<std::uint32_t>(moments.shadows);
    partial.highlights = static_cast<std::uint32_t>(moments.highlights);
    partial.minimum = static_cast<float>(moments.minimum);
    partial.maximum = static_cast<float>(moments.maximum);
    partial.mean = static_cast<float>(moments.mean);
    // Squares of large floats pass the range of a float: then this is infinite.
    partial.m2 = static_cast<float>(moments.m2);
    return partial;
}

}  // namespace tessera::cpu
#endif  // HWY_ONCE
