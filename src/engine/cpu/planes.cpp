#include "engine/cpu/planes.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/planes.cpp"
#include <hwy/foreach_target.h>
// Included after foreach_target.h, as Highway asks.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The colour samples of pixels, plane by plane; alpha is dropped.
template <class T>
void Split(const std::byte* pixels, std::size_t count, std::uint32_t channels, Planes<T>& planes) {
    const hn::ScalableTag<T> d;
    const std::size_t step = hn::Lanes(d);
    const T* const samples = reinterpret_cast<const T*>(pixels);
    T* const red = planes.channel[0].data();
    T* const green = planes.channel[1].data();
    T* const blue = planes.channel[2].data();
    hn::Vec<decltype(d)> v0, v1, v2, v3;
    std::size_t i = 0;
    if (channels == 1) {
        std::memcpy(red, pixels, count * sizeof(T));
        return;
    }
    if (channels == 2) {
        for (; i + step <= count; i += step) {
            hn::LoadInterleaved2(d, samples + i * 2, v0, v1);
            hn::Store(v0, d, red + i);
        }
    } else if (channels == 3) {
        for (; i + step <= count; i += step) {
            hn::LoadInterleaved3(d, samples + i * 3, v0, v1, v2);
            hn::Store(v0, d, red + i);
            hn::Store(v1, d, green + i);
            hn::Store(v2, d, blue + i);
        }
    } else {
        for (; i + step <= count; i += step) {
            hn::LoadInterleaved4(d, samples + i * 4, v0, v1, v2, v3);
            hn::Store(v0, d, red + i);
            hn::Store(v1, d, green + i);
            hn::Store(v2, d, blue + i);
        }
    }
    const std::uint32_t colours = channels == 2 ? 1 : 3;
    for (; i < count; ++i) {
        for (std::uint32_t c = 0; c < colours; ++c) {
            std::memcpy(&planes.channel[c][i], pixels + (i * channels + c) * sizeof(T), sizeof(T));
        }
    }
}

void SplitBytes(const std::byte* pixels, std::size_t count, std::uint32_t channels,
                Planes<std::uint8_t>& planes) {
    Split(pixels, count, channels, planes);
}
void SplitWords(const std::byte* pixels, std::size_t count, std::uint32_t channels,
                Planes<std::uint16_t>& planes) {
    Split(pixels, count, channels, planes);
}
void SplitFloats(const std::byte* pixels, std::size_t count, std::uint32_t channels,
                 Planes<float>& planes) {
    Split(pixels, count, channels, planes);
}

/// The fourth plane from the first three; see luma_code. Sums of 16-bit codes stay below 2^32.
template <class T>
void LumaOfCodes(std::size_t count, const LumaWeights& weights, Planes<T>& planes) {
    const hn::ScalableTag<std::int32_t> d32;
    const hn::RebindToUnsigned<decltype(d32)> du32;
    const hn::Rebind<T, decltype(d32)> narrow;
    const auto red_weight = hn::Set(du32, weights.fixed[0]);
    const auto green_weight = hn::Set(du32, weights.fixed[1]);
    const auto blue_weight = hn::Set(du32, weights.fixed[2]);
    const auto half = hn::Set(du32, 32768u);
    const auto load = [&](const T* plane)
                          HWY_ATTR { return hn::PromoteTo(du32, hn::Load(narrow, plane)); };
    for (std::size_t i = 0; i < count; i += hn::Lanes(d32)) {
        const auto red = hn::Mul(load(&planes.channel[0][i]), red_weight);
        const auto green = hn::Mul(load(&planes.channel[1][i]), green_weight);
        const auto blue = hn::Mul(load(&planes.channel[2][i]), blue_weight);
        const auto sum = hn::Add(hn::Add(red, green), hn::Add(blue, half));
        const auto luma = hn::BitCast(d32, hn::ShiftRight<16>(sum));
        hn::Store(hn::DemoteTo(narrow, luma), narrow, &planes.channel[3][i]);
    }
}

void LumaOfBytes(std::size_t count, const LumaWeights& weights, Planes<std::uint8_t>& planes) {
    LumaOfCodes(count, weights, planes);
}
void LumaOfWords(std::size_t count, const LumaWeights& weights, Planes<std::uint16_t>& planes) {
    LumaOfCodes(count, weights, planes);
}

/// The fourth plane from the first three; see luma_value. No fused operation.
void LumaOfValues(std::size_t count, const LumaWeights& weights, Planes<float>& planes) {
    const hn::ScalableTag<float> d;
    const auto red_weight = hn::Set(d, weights.real[0]);
    const auto green_weight = hn::Set(d, weights.real[1]);
    const auto blue_weight = hn::Set(d, weights.real[2]);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto red = hn::Mul(red_weight, hn::Load(d, &planes.channel[0][i]));
        const auto green = hn::Mul(green_weight, hn::Load(d, &planes.channel[1][i]));
        const auto blue = hn::Mul(blue_weight, hn::Load(d, &planes.channel[2][i]));
        hn::Store(hn::Add(hn::Add(red, green), blue), d, &planes.channel[3][i]);
    }
}

/// Half to single, to the bit, subnormals included.
void FloatsOfHalfs(const std::uint16_t* halfs, std::size_t count, float* values) {
    const hn::ScalableTag<float> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<std::uint16_t, decltype(d)> narrow;
    const auto smallest_normal = hn::Set(du, 0x400u);
    const auto infinity = hn::Set(du, 0x7c00u);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto half = hn::PromoteTo(du, hn::Load(narrow, halfs + i));
        const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(du, 0x8000u)));
        const auto magnitude = hn::And(half, hn::Set(du, 0x7fffu));
        const auto shifted = hn::ShiftLeft<13>(magnitude);
        const auto normal = hn::Add(shifted, hn::Set(du, 0x38000000u));
        const auto special = hn::Add(shifted, hn::Set(du, 0x70000000u));
        const auto subnormal = hn::BitCast(
            du, hn::Mul(hn::ConvertTo(d, hn::BitCast(di, magnitude)), hn::Set(d, 0x1p-24f)));
        auto bits = hn::IfThenElse(hn::Lt(magnitude, smallest_normal), subnormal, normal);
        bits = hn::IfThenElse(hn::Lt(magnitude, infinity), bits, special);
        hn::Store(hn::BitCast(d, hn::Or(sign, bits)), d, values + i);
    }
}

/// Values through an interpolated table, in place; what is not finite is left alone.
void Interpolate(const float* table, std::size_t count, float* values) {
    const hn::ScalableTag<float> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::RebindToSigned<decltype(d)> di;
    const auto fraction_mask = hn::Set(di, (1 << interpolated_shift) - 1);
    const auto infinity = hn::Set(di, 0x7f800000);
    const auto fraction_scale = hn::Set(d, 1.0f / static_cast<float>(1u << interpolated_shift));
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto value = hn::Load(d, values + i);
        const auto magnitude = hn::BitCast(di, hn::Abs(value));
        const auto finite = hn::Lt(magnitude, infinity);
        const auto entry =
            hn::BitCast(di, hn::ShiftRight<static_cast<int>(interpolated_shift)>(
                                hn::BitCast(du, hn::IfThenElseZero(finite, magnitude))));
        const auto fraction =
            hn::Mul(hn::ConvertTo(d, hn::And(magnitude, fraction_mask)), fraction_scale);
        const auto low = hn::GatherIndex(d, table, entry);
        const auto high = hn::GatherIndex(d, table + 1, entry);
        const auto decoded = hn::Add(low, hn::Mul(hn::Sub(high, low), fraction));
        // A negative table entry cannot be: the sign bit is free.
        const auto mirrored = hn::Or(decoded, hn::And(value, hn::SignBit(d)));
        const auto is_finite = hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(di, finite)));
        hn::Store(hn::IfThenElse(is_finite, mirrored, value), d, values + i);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tessera::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {
namespace {

HWY_EXPORT(SplitBytes);
HWY_EXPORT(SplitWords);
HWY_EXPORT(SplitFloats);
HWY_EXPORT(LumaOfBytes);
HWY_EXPORT(LumaOfWords);
HWY_EXPORT(LumaOfValues);
HWY_EXPORT(FloatsOfHalfs);
HWY_EXPORT(Interpolate);

/// Samples of 8 bits are looked up where they lie.
void look_up_bytes(const std::byte* pixels, std::size_t count, std::uint32_t channels,
                   const float* table, float* values) {
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = table[std::to_integer<std::size_t>(pixels[i * channels])];
    }
}

}  // namespace

void luma_of_codes(const std::byte* pixels, std::size_t count, std::uint32_t channels,
                   const LumaWeights& weights, Planes<std::uint8_t>& planes) {
    HWY_DYNAMIC_DISPATCH(SplitBytes)(pixels, count, channels, planes);
    HWY_DYNAMIC_DISPATCH(LumaOfBytes)(count, weights, planes);
}

void codes_of_pixels(const std::byte* pixels, std::size_t count, std::uint32_t channels,
                     const LumaWeights& weights, Planes<std::uint16_t>& codes) {
    HWY_DYNAMIC_DISPATCH(SplitWords)(pixels, count, channels, codes);
    if (channels >= 3) HWY_DYNAMIC_DISPATCH(LumaOfWords)(count, weights, codes);
}

void ValueReader::read_colours(const std::byte* pixels, std::size_t count) {
    const std::uint32_t colours = format_.colour_channels();
    if (format_.sample == SampleType::f32) {
        HWY_DYNAMIC_DISPATCH(SplitFloats)(pixels, count, format_.channels, values_);
        if (rule_->path != ValuePath::interpolated) return;
        for (std::uint32_t c = 0; c < colours; ++c) {
            HWY_DYNAMIC_DISPATCH(Interpolate)
            (rule_->table.data(), count, values_.channel[c].data());
        }
        return;
    }
    if (format_.sample == SampleType::u8) {
        for (std::uint32_t c = 0; c < colours; ++c) {
            look_up_bytes(pixels + c, count, format_.channels, rule_->table.data(),
                          values_.channel[c].data());
        }
        return;
    }
    HWY_DYNAMIC_DISPATCH(SplitWords)(pixels, count, format_.channels, narrow_);
    for (std::uint32_t c = 0; c < colours; ++c) {
        const std::uint16_t* const samples = narrow_.channel[c].data();
        float* const values = values_.channel[c].data();
        if (rule_->path == ValuePath::floats) {
            HWY_DYNAMIC_DISPATCH(FloatsOfHalfs)(samples, count, values);
        } else {
            const float* const table = rule_->table.data();
            for (std::size_t i = 0; i < count; ++i) values[i] = table[samples[i]];
        }
    }
}

const Planes<float>& ValueReader::read(const std::byte* pixels, std::size_t count) {
    read_colours(pixels, count);
    if (format_.channels >= 3) HWY_DYNAMIC_DISPATCH(LumaOfValues)(count, weights_, values_);
    return values_;
}

}  // namespace tessera::cpu
#endif  // HWY_ONCE
