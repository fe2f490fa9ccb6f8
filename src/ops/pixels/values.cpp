#include "ops/pixels/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "base/errors.hpp"

namespace tessera {

std::string_view precision(ValuePath path) noexcept {
    switch (path) {
        case ValuePath::codes:
            return "whole codes, exact";
        case ValuePath::floats:
            return "single precision";
        case ValuePath::table:
            return "single precision through a table of every code";
        case ValuePath::interpolated:
            return "single precision through an interpolated table";
    }
    return "";
}

LumaWeights luma_weights(Luma luma) noexcept {
    switch (luma) {
        case Luma::bt601:
            return {{19595, 38470, 7471}, {0.299f, 0.587f, 0.114f}};
        case Luma::bt2020:
            return {{17216, 44434, 3886}, {0.2627f, 0.6780f, 0.0593f}};
        case Luma::bt709:
            break;
    }
    return {{13933, 46871, 4732}, {0.2126f, 0.7152f, 0.0722f}};
}

namespace {

float finite_float(double value) noexcept {
    constexpr double limit = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(value, -limit, limit));
}

std::vector<float> code_table(SampleType sample, Transfer transfer) {
    std::vector<float> table(full_scale(sample) + 1);
    for (std::size_t code = 0; code < table.size(); ++code) {
        table[code] = static_cast<float>(
            decode_transfer(transfer, static_cast<double>(code) / full_scale(sample)));
    }
    return table;
}

std::vector<float> half_table(Transfer transfer) {
    std::vector<float> table(65536);
    for (std::size_t bits = 0; bits < table.size(); ++bits) {
        const float value = half_to_float(static_cast<std::uint16_t>(bits));
        table[bits] = std::isfinite(value) ? finite_float(decode_transfer(transfer, value)) : value;
    }
    return table;
}

std::vector<float> float_table(Transfer transfer) {
    std::vector<float> table(interpolated_entries);
    for (std::uint32_t i = 0; i < interpolated_entries; ++i) {
        const float value = std::bit_cast<float>(i << interpolated_shift);
        // The last entry stands for infinity, which is never looked up; it ends the last interval.
        table[i] = std::isfinite(value) ? finite_float(decode_transfer(transfer, value))
                                        : std::numeric_limits<float>::max();
    }
    return table;
}

constexpr std::size_t transfers = 4;

std::span<const float> kept_table(SampleType sample, Transfer transfer) {
    struct Entry {
        std::once_flag made;
        std::vector<float> table;
    };
    // One for each pair of a sample type and a transfer function.
    static std::array<std::array<Entry, transfers>, 4> entries;
    Entry& entry = entries[static_cast<std::size_t>(sample)].at(static_cast<std::size_t>(transfer));
    std::call_once(entry.made, [&] {
        switch (sample) {
            case SampleType::u8:
            case SampleType::u16:
                entry.table = code_table(sample, transfer);
                break;
            case SampleType::f16:
                entry.table = half_table(transfer);
                break;
            case SampleType::f32:
                entry.table = float_table(transfer);
                break;
        }
    });
    return entry.table;
}

}  // namespace

ValueRule value_rule(const ImageInfo& image, bool linear, bool real) {
    const Transfer transfer = linear ? image.color.transfer : Transfer::linear;
    const bool decodes = transfer != Transfer::linear;
    switch (image.format.sample) {
        case SampleType::u8:
        case SampleType::u16:
            if (!decodes && !real) return {ValuePath::codes, {}};
            return {ValuePath::table, kept_table(image.format.sample, transfer)};
        case SampleType::f16:
            if (decodes) return {ValuePath::table, kept_table(SampleType::f16, transfer)};
            break;
        case SampleType::f32:
            if (decodes) return {ValuePath::interpolated, kept_table(SampleType::f32, transfer)};
            break;
    }
    return {ValuePath::floats, {}};
}

Rectangle resolve_roi(const Rectangle& roi, const ImageInfo& image) {
    if (roi.empty()) return {0, 0, image.width, image.height};
    const bool inside = roi.width > 0 && roi.height > 0 && roi.x < image.width &&
                        roi.y < image.height && roi.width <= image.width - roi.x &&
                        roi.height <= image.height - roi.y;
    if (!inside) {
        fail(ErrorCode::invalid_argument,
             "roi = {},{},{},{} does not lie inside the picture of {}x{} pixels", roi.x, roi.y,
             roi.width, roi.height, image.width, image.height);
    }
    return roi;
}

float bin_scale(int bins, float low, float high) noexcept {
    constexpr float least = std::numeric_limits<float>::min();
    const float width = high - low;
    if (!(width >= least) || !std::isfinite(width)) return 0.0f;
    const float scale = static_cast<float>(bins) / width;
    // Subnormal quotients, which GPUs may flush, count as 0.
    return scale < least ? 0.0f : std::min(scale, std::numeric_limits<float>::max());
}

}  // namespace tessera
