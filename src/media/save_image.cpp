#include <algorithm>
#include <array>
#include <new>
#include <optional>

#include "base/errors.hpp"
#include "media/attributes.hpp"
#include "media/codec.hpp"
#include "media/encoder.hpp"
#include "media/formats.hpp"
#include "media/icc_profile.hpp"
#include "media/output_file.hpp"
#include "media/samples.hpp"
#include "tessera/media.hpp"

namespace tessera::media {
namespace {

using Notes = std::vector<std::string>;

const char* describe(SampleType sample) {
    switch (sample) {
        case SampleType::u8:
            return "8-bit integers";
        case SampleType::u16:
            return "16-bit integers";
        case SampleType::f16:
            return "16-bit floats";
        case SampleType::f32:
            return "32-bit floats";
    }
    return "";
}

void note_conversion(PixelFormat from, PixelFormat to, const OutputFormat& format, Notes& notes) {
    if (from.sample != to.sample) {
        const bool clips = !is_integer(from.sample) && is_integer(to.sample);
        notes.push_back(fmt::format("{} were converted to {}{}", describe(from.sample),
                                    describe(to.sample),
                                    clips ? ", values outside 0..1 clipped" : ""));
    }
    if (from.has_alpha() && !to.has_alpha()) {
        notes.push_back(fmt::format("alpha was left out: {} has no room for it", format.name));
    }
    if (format.name == "gif") notes.push_back("the colours were reduced to a palette of 256");
}

/// Whether somebody who opens the file can tell how its values relate to light.
bool says_transfer(const OutputFormat& format, const Image& image) {
    if (format.keeps_icc && !image.metadata.icc_profile.empty()) return true;
    switch (image.color().transfer) {
        case Transfer::srgb:
            return !format.linear_by_custom;
        case Transfer::linear:
            return format.linear_by_custom || format.name == "png" ||
                   (format.name == "tiff" && !is_integer(image.format().sample));
        case Transfer::gamma22:
            return format.name == "png";
        case Transfer::bt709:
            return false;
    }
    return false;
}

/// Whether there is more than the resolution, which every JPEG file has.
bool has_exif(const Metadata& metadata) {
    constexpr std::array resolution = {"XResolution", "YResolution", "ResolutionUnit",
                                       "PixelAspectRatio"};
    return !std::ranges::all_of(metadata.attributes, [&](const auto& attribute) {
        return std::ranges::find(resolution, attribute.name) != resolution.end();
    });
}

void note_lost_facts(const OutputFormat& format, const Image& image, Notes& notes) {
    const Metadata& metadata = image.metadata;
    if (!says_transfer(format, image)) {
        notes.push_back(
            fmt::format("{} values were written as they are: {} readers take them for {}",
                        color_space_name(image.color().transfer), format.name,
                        format.linear_by_custom ? "linear light" : "sRGB"));
    }
    if (!format.keeps_icc && !metadata.icc_profile.empty()) {
        notes.push_back(
            fmt::format("the colour profile was left out: {} has no room for it", format.name));
    }
    if (!format.keeps_metadata && has_exif(metadata)) {
        notes.push_back(fmt::format("EXIF was left out: {} has no room for it", format.name));
    }
}

/// The picture as the format can hold it. The given one where nothing needs to change, else a copy
/// in `storage`.
const Image& prepared(const Image& image, const OutputFormat& format,
                      std::optional<Image>& storage) {
    const PixelFormat target = format.nearest(image.format());
    const bool multiplies = format.multiplied_alpha && target.has_alpha();
    const ByteView profile = view_of(image.metadata.icc_profile);
    const bool profile_misfits =
        !profile.empty() &&
        (!is_sound_profile(profile) || !profile_fits(profile, target.colour_channels()));
    if (target == image.format() && !multiplies && !profile_misfits) return image;
    storage = converted(image, target);
    if (multiplies) multiply_by_alpha(*storage);
    if (profile_misfits) storage->metadata.icc_profile.clear();
    return *storage;
}

void check_size(const Image& image, const OutputFormat& format, const std::string& name) {
    if (image.empty()) fail(ErrorCode::invalid_argument, "{}: there is no picture to write", name);
    const std::uint32_t longest = std::max(image.width(), image.height());
    if (longest > format.longest_side) {
        fail(ErrorCode::output, "{}: {} allows {} pixels a side; this picture has {} x {}", name,
             format.name, format.longest_side, image.width(), image.height());
    }
}

Notes save(const Image& image, const std::filesystem::path& path, const std::string& name) {
    prepare_codecs();
    const OutputFormat& format = output_format_for(path);
    check_size(image, format, name);
    check_target(path);

    Notes notes;
    std::optional<Image> storage;
    const Image& picture = prepared(image, format, storage);
    if (!image.metadata.icc_profile.empty() && picture.metadata.icc_profile.empty()) {
        notes.push_back("the colour profile was left out: it is not for such pixels, or damaged");
    }
    note_conversion(image.format(), picture.format(), format, notes);
    note_lost_facts(format, picture, notes);
    write_whole(encode(picture, {path, name, format}, notes), path);
    return notes;
}

}  // namespace
}  // namespace tessera::media

namespace tessera {

std::vector<std::string> save_image(const Image& image, const std::filesystem::path& path) {
    const std::string name = media::is_standard_stream(path) ? "standard output" : path.string();
    try {
        return media::save(image, path, name);
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        fail(ErrorCode::out_of_memory, "{}: there is not enough memory to encode it", name);
    } catch (const std::exception& error) {
        fail(ErrorCode::output, "{}: it cannot be written ({})", name,
             media::one_line(error.what()));
    }
}

}  // namespace tessera
