#include "media/formats.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include <OpenImageIO/imageio.h>

namespace tessera::media {
namespace {

std::string lower_extension(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    if (!extension.empty()) extension.erase(0, 1);
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
}

struct Signature {
    std::size_t at;
    std::string_view text;
    std::string_view format;
};

using namespace std::string_view_literals;

constexpr std::array signatures = {
    Signature{0, "\x89PNG\r\n\x1a\n"sv, "png"},
    Signature{0, "\xff\xd8\xff"sv, "jpeg"},
    Signature{0, "II*\0"sv, "tiff"},
    Signature{0, "MM\0*"sv, "tiff"},
    Signature{0, "II+\0"sv, "tiff"},
    Signature{0, "MM\0+"sv, "tiff"},
    Signature{0, "\x76\x2f\x31\x01"sv, "openexr"},
    Signature{8, "WEBP"sv, "webp"},
    Signature{0, "GIF87a"sv, "gif"},
    Signature{0, "GIF89a"sv, "gif"},
    Signature{0, "#?RADIANCE"sv, "hdr"},
    Signature{0, "#?RGBE"sv, "hdr"},
    Signature{0, "8BPS"sv, "psd"},
    Signature{4, "jP  \r\n\x87\n"sv, "jpeg2000"},
    Signature{0, "\xff\x4f\xff\x51"sv, "jpeg2000"},
    Signature{4, "ftypheic"sv, "heif"},
    Signature{4, "ftypheix"sv, "heif"},
    Signature{4, "ftypheim"sv, "heif"},
    Signature{4, "ftypmif1"sv, "heif"},
    Signature{4, "ftypavif"sv, "heif"},
    Signature{0, "DDS "sv, "dds"},
    Signature{0, "SDPX"sv, "dpx"},
    Signature{0, "XPDS"sv, "dpx"},
    Signature{0, "\x80\x2a\x5f\xd7"sv, "cineon"},
    Signature{0, "SIMPLE"sv, "fits"},
    Signature{128, "DICM"sv, "dicom"},
    Signature{0, "\x01\xda"sv, "sgi"},
    Signature{0, "BM"sv, "bmp"},
};

bool is_pnm(ByteView bytes) {
    return bytes.size() > 2 && bytes[0] == 'P' &&
           "123456fF"sv.find(static_cast<char>(bytes[1])) != std::string_view::npos &&
           (std::isspace(bytes[2]) != 0 || bytes[2] == '#');
}

std::string_view format_by_content(ByteView bytes) {
    for (const Signature& signature : signatures) {
        if (has_text_at(bytes, signature.at, signature.text)) return signature.format;
    }
    return is_pnm(bytes) ? "pnm" : "";
}

bool has_signature(std::string_view format) {
    return format == "pnm" ||
           std::ranges::any_of(signatures, [&](const auto& s) { return s.format == format; });
}

/// OpenImageIO's own list, "bmp:bmp,dib;cineon:cin;...", turned around.
std::map<std::string, std::string> formats_by_extension() {
    std::map<std::string, std::string> formats;
    std::string list = OIIO::get_string_attribute("extension_list");
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(';', at), list.size());
        const std::string entry = list.substr(at, end - at);
        const std::size_t colon = entry.find(':');
        std::string extension;
        for (std::size_t i = colon + 1; colon != std::string::npos && i <= entry.size(); ++i) {
            if (i < entry.size() && entry[i] != ',') {
                extension += entry[i];
            } else {
                formats.emplace(std::exchange(extension, {}), entry.substr(0, colon));
            }
        }
        at = end + 1;
    }
    return formats;
}

std::string format_by_extension(const std::filesystem::path& path) {
    static const auto formats = formats_by_extension();
    const auto found = formats.find(lower_extension(path));
    return found == formats.end() ? "" : found->second;
}

constexpr std::array output_formats = {
    OutputFormat{.name = "png",
                 .extensions = " png ",
                 .samples = u8 | u16,
                 .channels = grey | grey_alpha | rgb | rgb_alpha,
                 .longest_side = 1000000,  // libpng's own limit
                 .keeps_metadata = true,
                 .keeps_icc = true},
    // libjpeg ends the whole program at a longer side: OpenImageIO leaves its error handler in
    // place.
    OutputFormat{.name = "jpeg",
                 .extensions = " jpg jpeg jpe jfif ",
                 .samples = u8,
                 .channels = grey | rgb,
                 .longest_side = 65500,
                 .keeps_metadata = true,
                 .keeps_icc = true},
    // Half-precision TIFF exists, but few programs read it.
    OutputFormat{.name = "tiff",
                 .extensions = " tif tiff ",
                 .samples = u8 | u16 | f32,
                 .channels = grey | grey_alpha | rgb | rgb_alpha,
                 .keeps_metadata = true,
                 .keeps_icc = true},
    OutputFormat{.name = "openexr",
                 .extensions = " exr ",
                 .samples = f16 | f32,
                 .channels = grey | grey_alpha | rgb | rgb_alpha,
                 .keeps_metadata = true,
                 .multiplied_alpha = true,
                 .linear_by_custom = true},
    OutputFormat{.name = "webp",
                 .extensions = " webp ",
                 .samples = u8,
                 .channels = rgb | rgb_alpha,
                 .longest_side = 16383,
                 .keeps_metadata = true,
                 .keeps_icc = true},
    OutputFormat{
        .name = "pnm", .extensions = " ppm pgm pnm ", .samples = u8 | u16, .channels = grey | rgb},
    OutputFormat{.name = "pfm",
                 .extensions = " pfm ",
                 .samples = f32,
                 .channels = grey | rgb,
                 .linear_by_custom = true},
    OutputFormat{.name = "hdr",
                 .extensions = " hdr ",
                 .samples = f32,
                 .channels = rgb,
                 .linear_by_custom = true},
    OutputFormat{.name = "bmp",
                 .extensions = " bmp dib ",
                 .samples = u8,
                 .channels = grey | rgb | rgb_alpha},
    OutputFormat{.name = "targa",
                 .extensions = " tga ",
                 .samples = u8,
                 .channels = grey | rgb | rgb_alpha,
                 .longest_side = 65535},
    OutputFormat{.name = "gif",
                 .extensions = " gif ",
                 .samples = u8,
                 .channels = rgb | rgb_alpha,
                 .longest_side = 65535},
};

SampleType nearest_sample(SampleType sample, unsigned available) {
    using enum SampleType;
    // In the order of what is lost: nothing, nothing but space, then ever more.
    static constexpr SampleType orders[4][4] = {
        {u8, u16, f16, f32}, {u16, f32, f16, u8}, {f16, f32, u16, u8}, {f32, f16, u16, u8}};
    for (SampleType candidate : orders[static_cast<std::size_t>(sample)]) {
        if ((available & 1u << static_cast<unsigned>(candidate)) != 0) return candidate;
    }
    return u8;
}

}  // namespace

std::string identify(const Source& source) {
    const std::string by_extension = format_by_extension(source.path());
    const std::string_view by_content = format_by_content(source.bytes());
    // Most cameras' raw files call themselves TIFF, and hold a small preview where a TIFF has its
    // picture.
    if (by_content == "tiff" && by_extension == "raw") return by_extension;
    if (!by_content.empty()) return std::string(by_content);
    // "null" makes pictures up, and "ffmpeg" is for video files.
    if (by_extension.empty() || by_extension == "null" || by_extension == "ffmpeg" ||
        has_signature(by_extension)) {
        fail_input(source, "this is not a picture in any format that can be read here");
    }
    return by_extension;
}

PixelFormat OutputFormat::nearest(PixelFormat format) const {
    const SampleType sample = nearest_sample(format.sample, samples);
    if (format.channels == 2 && (channels & grey_alpha) != 0) return {sample, 2};
    if (format.has_alpha() && (channels & rgb_alpha) != 0) return {sample, 4};
    if (format.channels <= 2 && (channels & grey) != 0) return {sample, 1};
    return {sample, 3};
}

const OutputFormat& output_format_for(const std::filesystem::path& path) {
    if (is_standard_stream(path)) return output_formats.front();
    const std::string extension = lower_extension(path);
    for (const OutputFormat& format : output_formats) {
        if (!extension.empty() &&
            format.extensions.find(" " + extension + " ") != std::string_view::npos) {
            return format;
        }
    }
    fail(ErrorCode::output,
         "{}: {} names no format that can be written: use png, jpg, tif, exr, webp, ppm, pgm, pfm, "
         "hdr, bmp, tga or gif",
         path.string(),
         extension.empty() ? "a name without an extension" : "the extension ." + extension);
}

}  // namespace tessera::media
