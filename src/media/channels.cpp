#include "media/channels.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace tessera::media {
namespace {

std::optional<int> channel_named(const OIIO::ImageSpec& spec, std::string_view name) {
    for (int c = 0; c < spec.nchannels; ++c) {
        const std::string candidate = spec.channel_name(c);
        if (std::ranges::equal(candidate, name, [](unsigned char a, unsigned char b) {
                return std::toupper(a) == std::toupper(b);
            })) {
            return c;
        }
    }
    return std::nullopt;
}

/// By the names of the channels, with a layer's prefix ("diffuse.") or none.
std::optional<ChannelSelection> select_by_name(const OIIO::ImageSpec& spec,
                                               const std::string& layer) {
    const auto red = channel_named(spec, layer + "R");
    const auto green = channel_named(spec, layer + "G");
    const auto blue = channel_named(spec, layer + "B");
    const auto grey = channel_named(spec, layer + "Y");
    const auto alpha = channel_named(spec, layer + "A");
    ChannelSelection selection;
    if (red && green && blue) {
        selection.channels = {*red, *green, *blue};
    } else if (grey) {
        selection.channels = {*grey};
    } else {
        return std::nullopt;
    }
    if (alpha) selection.channels.push_back(*alpha);
    selection.has_alpha = alpha.has_value();
    return selection;
}

SampleChoice sample_for(OIIO::TypeDesc::BASETYPE type) {
    using OIIO::TypeDesc;
    switch (type) {
        case TypeDesc::UINT8:
            return {SampleType::u8, nullptr};
        case TypeDesc::UINT16:
            return {SampleType::u16, nullptr};
        case TypeDesc::HALF:
            return {SampleType::f16, nullptr};
        case TypeDesc::FLOAT:
            return {SampleType::f32, nullptr};
        case TypeDesc::INT8:
            return {SampleType::u8, "signed 8-bit samples: negative ones became 0"};
        case TypeDesc::INT16:
            return {SampleType::u16, "signed 16-bit samples: negative ones became 0"};
        case TypeDesc::DOUBLE:
            return {SampleType::f32, "64-bit samples were rounded to 32-bit floating point"};
        default:
            return {SampleType::f32, "32-bit integers were scaled to 0..1, in floating point"};
    }
}

}  // namespace

ChannelSelection select_channels(const OIIO::ImageSpec& spec) {
    if (auto selection = select_by_name(spec, "")) return *selection;
    for (int c = 0; c < spec.nchannels; ++c) {
        const std::string name = spec.channel_name(c);
        const std::size_t dot = name.rfind('.');
        if (dot == std::string::npos) continue;
        if (auto selection = select_by_name(spec, name.substr(0, dot + 1))) return *selection;
    }
    if (spec.nchannels < 3) {
        const bool has_alpha = spec.nchannels == 2 && spec.alpha_channel == 1;
        return has_alpha ? ChannelSelection{{0, 1}, true} : ChannelSelection{{0}, false};
    }
    return spec.nchannels > 3 && spec.alpha_channel == 3 ? ChannelSelection{{0, 1, 2, 3}, true}
                                                         : ChannelSelection{{0, 1, 2}, false};
}

std::string names_of(const OIIO::ImageSpec& spec, const std::vector<int>& channels) {
    constexpr std::size_t most = 8;
    std::string names;
    for (std::size_t i = 0; i < std::min(channels.size(), most); ++i) {
        if (i > 0) names += ", ";
        names += spec.channel_name(channels[i]);
    }
    return channels.size() > most ? names + "..." : names;
}

SampleChoice sample_for(const OIIO::ImageSpec& spec, const ChannelSelection& selection) {
    const auto widest = std::ranges::max_element(
        selection.channels, {}, [&](int c) { return spec.channelformat(c).size(); });
    return sample_for(static_cast<OIIO::TypeDesc::BASETYPE>(spec.channelformat(*widest).basetype));
}

bool is_multiplied_by_alpha(std::string_view format, const OIIO::ImageSpec& spec) {
    if (spec.get_int_attribute("oiio:UnassociatedAlpha") != 0) return false;
    constexpr std::array never = {"png", "bmp", "gif", "ico", "dds", "iff", "sgi", "jpeg2000"};
    return std::ranges::find(never, format) == never.end();
}

}  // namespace tessera::media
