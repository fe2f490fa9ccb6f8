#include "media/samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tessera::media {
namespace {

// One row as floats: integers become value / full scale, which rounds back to the same integer.
void load_row(const Image& image, std::uint32_t y, std::vector<float>& row) {
    row.resize(std::size_t{image.width()} * image.format().channels);
    const auto load = [&]<class T>(T, auto&& to_float) {
        std::ranges::transform(image.samples<T>(y), row.begin(), to_float);
    };
    switch (image.format().sample) {
        case SampleType::u8:
            load(std::uint8_t{}, [](std::uint8_t v) { return static_cast<float>(v) / 255.0f; });
            break;
        case SampleType::u16:
            load(std::uint16_t{}, [](std::uint16_t v) { return static_cast<float>(v) / 65535.0f; });
            break;
        case SampleType::f16:
            load(std::uint16_t{}, half_to_float);
            break;
        case SampleType::f32:
            load(float{}, [](float v) { return v; });
            break;
    }
}

template <class T>
T to_integer(float value) {
    constexpr auto full = static_cast<float>(std::numeric_limits<T>::max());
    if (!(value > 0.0f)) return 0;  // NaN, too
    return static_cast<T>(std::min(value, 1.0f) * full + 0.5f);
}

void store_row(const std::vector<float>& row, Image& image, std::uint32_t y) {
    const auto store = [&]<class T>(T, auto&& from_float) {
        std::ranges::transform(row, image.samples<T>(y).begin(), from_float);
    };
    switch (image.format().sample) {
        case SampleType::u8:
            store(std::uint8_t{}, to_integer<std::uint8_t>);
            break;
        case SampleType::u16:
            store(std::uint16_t{}, to_integer<std::uint16_t>);
            break;
        case SampleType::f16:
            store(std::uint16_t{}, float_to_half);
            break;
        case SampleType::f32:
            store(float{}, [](float v) { return v; });
            break;
    }
}

void change_channels(const std::vector<float>& from, PixelFormat from_format,
                     std::vector<float>& to, PixelFormat to_format) {
    const std::size_t pixels = from.size() / from_format.channels;
    to.resize(pixels * to_format.channels);
    for (std::size_t i = 0; i < pixels; ++i) {
        const float* const in = from.data() + i * from_format.channels;
        float* const out = to.data() + i * to_format.channels;
        for (std::uint32_t c = 0; c < to_format.colour_channels(); ++c) {
            out[c] = in[std::min(c, from_format.colour_channels() - 1)];
        }
        if (to_format.has_alpha()) {
            out[to_format.channels - 1] =
                from_format.has_alpha() ? in[from_format.channels - 1] : 1.0f;
        }
    }
}

float largest_finite(SampleType sample) {
    switch (sample) {
        case SampleType::f16:
            return 65504.0f;
        case SampleType::f32:
            return std::numeric_limits<float>::max();
        default:
            return 1.0f;
    }
}

/// Replaces each colour sample by combine(colour, alpha).
template <class Combine>
void combine_with_alpha(Image& image, Combine&& combine) {
    if (!image.format().has_alpha()) return;
    const std::size_t channels = image.format().channels;
    std::vector<float> row;
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        load_row(image, y, row);
        for (std::size_t i = 0; i < row.size(); i += channels) {
            const float alpha = row[i + channels - 1];
            for (std::size_t c = 0; c + 1 < channels; ++c) row[i + c] = combine(row[i + c], alpha);
        }
        store_row(row, image, y);
    }
}

}  // namespace

Image converted(const Image& image, PixelFormat format) {
    if (format == image.format()) return image.clone();
    Image result(format, image.width(), image.height(), image.color());
    result.metadata = image.metadata;
    std::vector<float> row, changed;
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        load_row(image, y, row);
        if (format.channels == image.format().channels) {
            store_row(row, result, y);
        } else {
            change_channels(row, image.format(), changed, format);
            store_row(changed, result, y);
        }
    }
    return result;
}

void multiply_by_alpha(Image& image) {
    combine_with_alpha(image, [](float colour, float alpha) { return colour * alpha; });
}

void divide_by_alpha(Image& image) {
    const float largest = largest_finite(image.format().sample);
    combine_with_alpha(image, [largest](float colour, float alpha) {
        if (alpha == 0.0f || alpha == 1.0f || !std::isfinite(colour)) return colour;
        return std::clamp(colour / alpha, -largest, largest);
    });
}

bool is_opaque(const Image& image) {
    if (!image.format().has_alpha()) return true;
    const std::size_t channels = image.format().channels;
    std::vector<float> row;
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        load_row(image, y, row);
        for (std::size_t i = channels - 1; i < row.size(); i += channels) {
            if (row[i] != 1.0f) return false;
        }
    }
    return true;
}

}  // namespace tessera::media
