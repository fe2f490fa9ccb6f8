#include "media/attributes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <OpenImageIO/tiffutils.h>

namespace tessera::media {
namespace {

using OIIO::ParamValue;
using OIIO::TypeDesc;

constexpr std::size_t most_values = 4096;

bool describes_the_file(std::string_view name) {
    // Maker notes ("Canon:") depend on where they lie in the file, and cannot be moved safely.
    constexpr std::array prefixes = {
        "oiio:",        "tiff:",     "jpeg:",   "jpeg2000:",  "png:",
        "openexr:",     "gif:",      "webp:",   "heif:",      "bmp:",
        "dds:",         "hdr:",      "targa:",  "dpx:",       "psd:",
        "raw:",         "rla:",      "Canon:",  "ICCProfile", "photoshop:ICCProfile",
        "screenWindow", "thumbnail", "tessera:"};
    constexpr std::array names = {
        "Orientation",          "compression",          "CompressionQuality",
        "planarconfig",         "Exif:PixelXDimension", "Exif:PixelYDimension",
        "exif:PixelXDimension", "exif:PixelYDimension", "textureformat",
        "FramesPerSecond",      "chromaticities"};
    return std::ranges::any_of(prefixes, [&](std::string_view p) { return name.starts_with(p); }) ||
           std::ranges::find(names, name) != names.end();
}

template <class To, class From>
std::vector<To> values_of(const ParamValue& parameter) {
    const std::size_t count = parameter.type().basevalues();
    const auto* const from = static_cast<const From*>(parameter.data());
    return std::vector<To>(from, from + count);
}

std::optional<decltype(Metadata::Attribute::value)> value_of(const ParamValue& parameter) {
    const TypeDesc type = parameter.type();
    if (type == TypeDesc::STRING) return parameter.get_string(0);
    if (type.basevalues() == 0 || type.basevalues() > most_values) return std::nullopt;
    switch (type.basetype) {
        case TypeDesc::INT:
            return values_of<std::int32_t, std::int32_t>(parameter);
        case TypeDesc::UINT:
            return values_of<std::uint32_t, std::uint32_t>(parameter);
        case TypeDesc::INT16:
            return values_of<std::int32_t, std::int16_t>(parameter);
        case TypeDesc::UINT16:
            return values_of<std::uint32_t, std::uint16_t>(parameter);
        case TypeDesc::FLOAT:
            return values_of<float, float>(parameter);
        case TypeDesc::DOUBLE:
            return values_of<float, double>(parameter);
        case TypeDesc::UINT8:
            // Arrays of bytes are previews and the like, which would no longer be true.
            if (type.basevalues() > 1) return std::nullopt;
            return values_of<std::uint32_t, std::uint8_t>(parameter);
        default:
            return std::nullopt;
    }
}

/// A quarter turn exchanges what holds along x and along y.
void exchange_axes(std::vector<Metadata::Attribute>& attributes) {
    for (auto& attribute : attributes) {
        if (attribute.name == "XResolution") {
            attribute.name = "YResolution";
        } else if (attribute.name == "YResolution") {
            attribute.name = "XResolution";
        } else if (attribute.name == "PixelAspectRatio") {
            auto* const ratio = std::get_if<std::vector<float>>(&attribute.value);
            if (ratio != nullptr && ratio->size() == 1 && ratio->front() > 0) {
                ratio->front() = 1 / ratio->front();
            }
        }
    }
}

std::vector<std::byte> profile_of(const OIIO::ImageSpec& spec) {
    const ParamValue* const parameter = spec.find_attribute("ICCProfile");
    if (parameter == nullptr || parameter->type().basetype != TypeDesc::UINT8) return {};
    std::vector<std::byte> profile(parameter->type().size());
    std::memcpy(profile.data(), parameter->data(), profile.size());
    return profile;
}

bool is_near(float value, float wanted) { return std::fabs(value - wanted) < 0.05f; }

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::optional<Transfer> transfer_named(const std::string& name) {
    if (name == "srgb") return Transfer::srgb;
    if (name == "linear" || name == "scene_linear" || name.starts_with("lin_")) {
        return Transfer::linear;
    }
    if (name == "rec709" || name == "bt709") return Transfer::bt709;
    if (name == "gamma2.2") return Transfer::gamma22;
    return std::nullopt;
}

}  // namespace

Metadata metadata_of(const OIIO::ImageSpec& spec, int orientation) {
    Metadata metadata;
    metadata.icc_profile = profile_of(spec);
    for (const ParamValue& parameter : spec.extra_attribs) {
        const std::string name = parameter.name().string();
        if (describes_the_file(name)) continue;
        if (auto value = value_of(parameter)) {
            metadata.attributes.push_back(
                {name, std::move(*value), parameter.type() == OIIO::TypeRational});
        }
    }
    if (orientation >= 5 && orientation <= 8) exchange_axes(metadata.attributes);
    return metadata;
}

void add_attributes(const Metadata& metadata, OIIO::ImageSpec& spec) {
    const auto add = [&spec](const Metadata::Attribute& attribute, const auto& values,
                             TypeDesc::BASETYPE type) {
        if (values.empty()) return;
        const bool rational = attribute.rational && type == TypeDesc::INT && values.size() == 2;
        const int array_size = values.size() == 1 ? 0 : static_cast<int>(values.size());
        spec.attribute(attribute.name, rational ? OIIO::TypeRational : TypeDesc(type, array_size),
                       values.data());
    };
    for (const auto& attribute : metadata.attributes) {
        std::visit(
            [&]<class T>(const T& value) {
                if constexpr (std::is_same_v<T, std::string>) {
                    spec.attribute(attribute.name, value);
                } else if constexpr (std::is_same_v<T, std::vector<float>>) {
                    add(attribute, value, TypeDesc::FLOAT);
                } else {
                    // The TIFF writer skips unsigned values, which its EXIF reader makes.
                    const bool fits_int = std::ranges::all_of(
                        value, [](auto v) { return std::in_range<std::int32_t>(v); });
                    add(attribute, value, fits_int ? TypeDesc::INT : TypeDesc::UINT);
                }
            },
            attribute.value);
    }
}

Transfer transfer_of(const OIIO::ImageSpec& spec, SampleType sample, bool has_profile) {
    if (const auto own = transfer_named(lower(spec.get_string_attribute(transfer_attribute)))) {
        return *own;
    }
    const std::string name = lower(spec.get_string_attribute("oiio:ColorSpace"));
    // A PNG's gAMA chunk beside a profile is a makeshift for readers that know no profiles.
    if (!has_profile || !name.starts_with("gamma")) {
        if (const auto named = transfer_named(name)) return *named;
        const float gamma = spec.get_float_attribute("oiio:Gamma");
        if (is_near(gamma, 1.0f)) return Transfer::linear;
        if (is_near(gamma, 2.2f)) return Transfer::gamma22;
    }
    return is_integer(sample) ? Transfer::srgb : Transfer::linear;
}

std::string color_space_name(Transfer transfer) {
    switch (transfer) {
        case Transfer::srgb:
            return "sRGB";
        case Transfer::linear:
            return "Linear";
        case Transfer::bt709:
            return "Rec709";
        case Transfer::gamma22:
            return "Gamma2.2";
    }
    return {};
}

Bytes exif_of(const Metadata& metadata) {
    if (metadata.attributes.empty()) return {};
    OIIO::ImageSpec spec;
    add_attributes(metadata, spec);
    std::vector<char> blob;
    OIIO::encode_exif(spec, blob);
    // Without any tag of its own it is still a header and an empty directory.
    constexpr std::size_t empty_stream = 14;
    if (blob.size() <= empty_stream) return {};
    return {blob.begin(), blob.end()};
}

}  // namespace tessera::media
