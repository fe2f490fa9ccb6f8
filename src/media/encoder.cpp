#include "media/encoder.hpp"

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>
#include <OpenImageIO/tiffutils.h>

#include "base/errors.hpp"
#include "media/attributes.hpp"
#include "media/codec.hpp"
#include "media/jpeg_segments.hpp"
#include "media/output_file.hpp"
#include "media/png_chunks.hpp"
#include "media/pnm.hpp"
#include "media/samples.hpp"
#include "media/temporary_file.hpp"
#include "media/webp_chunks.hpp"

namespace tessera::media {
namespace {

// JPEG at 95 without chroma subsampling: what a picture that was worked on deserves. WebP's lossy
// mode has no other subsampling than 4:2:0.
constexpr const char* jpeg_compression = "jpeg:95";
constexpr const char* jpeg_subsampling = "4:4:4";
constexpr const char* webp_compression = "webp:95";

OIIO::ImageSpec spec_for(const Image& image) {
    const PixelFormat format = image.format();
    OIIO::ImageSpec spec(static_cast<int>(image.width()), static_cast<int>(image.height()),
                         static_cast<int>(format.channels), type_of(format.sample));
    static const std::vector<std::string> names[] = {
        {"Y"}, {"Y", "A"}, {"R", "G", "B"}, {"R", "G", "B", "A"}};
    spec.channelnames = names[format.channels - 1];
    spec.alpha_channel = format.has_alpha() ? static_cast<int>(format.channels) - 1 : -1;
    spec.attribute("oiio:UnassociatedAlpha", 1);
    // A profile says more, and a PNG reader would have to choose between it and a gAMA chunk.
    if (image.metadata.icc_profile.empty()) {
        spec.attribute("oiio:ColorSpace", color_space_name(image.color().transfer));
    }
    return spec;
}

[[noreturn]] void fail_unfinished(const Target& target) {
    fail(ErrorCode::output, "{}: it cannot be written whole; the disk may be full", target.name);
}

/// Writes a picture to where `open` opens an output.
template <class Open>
void write_picture(const Image& image, const OIIO::ImageSpec& spec, const Target& target,
                   Open&& open) {
    std::unique_ptr<OIIO::ImageOutput> output =
        OIIO::ImageOutput::create(std::string(target.format.name));
    if (!output) {
        (void)OIIO::geterror();
        fail(ErrorCode::unsupported, "{}: this build cannot write {} pictures", target.name,
             target.format.name);
    }
    const bool complete =
        open(*output) &&
        output->write_image(spec.format, image.row(0),
                            static_cast<OIIO::stride_t>(image.format().bytes_per_pixel()),
                            image.pitch()) &&
        output->close();
    const std::string message = output->geterror();
    // Libtiff's words, for lack of the system's.
    if (message.find("Write error") != std::string::npos) fail_unfinished(target);
    if (!complete || !message.empty()) {
        fail(ErrorCode::output, "{}: it cannot be encoded ({})", target.name, one_line(message));
    }
}

/// Into memory: libjpeg ends the program where a disk is full, and a whole file is wanted anyway
/// before the target is touched.
Bytes encode_in_memory(const Image& image, const OIIO::ImageSpec& spec, const Target& target) {
    Bytes bytes;
    OIIO::Filesystem::IOVecOutput memory(bytes);
    write_picture(image, spec, target, [&](OIIO::ImageOutput& output) {
        output.set_ioproxy(&memory);
        // Some writers look at the extension.
        return output.open(fmt::format("picture.{}", target.format.first_extension()), spec);
    });
    return bytes;
}

/// TIFF needs a file: libtiff reads back what it wrote when there is EXIF, which OpenImageIO 2.4
/// forbids in memory.
Bytes encode_through_file(const Image& image, const OIIO::ImageSpec& spec, const Target& target) {
    TemporaryFile file(scratch_folder(target.path));
    if (const int reason = file.write({}); reason != 0) {
        fail(ErrorCode::output, "{}: it cannot be written ({})", target.name,
             std::generic_category().message(reason));
    }
    write_picture(image, spec, target, [&](OIIO::ImageOutput& output) {
        return output.open(file.path().string(), spec);
    });
    // Closing tells nothing of a failure, but a file whose directory and last row can be read,
    // which are written last, is whole.
    std::vector<std::byte> row(image.row_bytes());
    const auto input = OIIO::ImageInput::create(std::string(target.format.name));
    OIIO::ImageSpec written;
    const bool whole = input && input->open(file.path().string(), written) &&
                       input->read_scanlines(0, 0, spec.height - 1, spec.height, 0, 0,
                                             spec.nchannels, spec.format, row.data()) &&
                       input->geterror().empty();
    if (!whole) fail_unfinished(target);
    Source source(file.path());
    source.read_rest(~std::uint64_t{0});
    return std::move(source.editable_bytes());
}

void add_profile(const Metadata& metadata, OIIO::ImageSpec& spec) {
    if (metadata.icc_profile.empty()) return;
    const int size = static_cast<int>(metadata.icc_profile.size());
    spec.attribute("ICCProfile", OIIO::TypeDesc(OIIO::TypeDesc::UINT8, size),
                   metadata.icc_profile.data());
}

Bytes encode_png(const Image& image, const Target& target) {
    OIIO::ImageSpec spec = spec_for(image);
    add_attributes(image.metadata, spec);
    // What EXIF holds goes into its own chunk, which OpenImageIO does not write. The rest becomes
    // text, under keys that libpng takes: it fails at others.
    constexpr std::size_t longest_key = 79;
    std::vector<std::string> unwanted;
    for (const auto& parameter : spec.extra_attribs) {
        const std::string name = parameter.name().string();
        const bool is_key =
            name.size() <= longest_key && name.front() != ' ' && name.back() != ' ' &&
            std::ranges::all_of(name, [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
        const bool is_in_exif = name.starts_with("Exif:") || name.starts_with("GPS:");
        if (!is_key || is_in_exif) unwanted.push_back(name);
    }
    for (const std::string& name : unwanted) spec.erase_attribute(name);
    add_profile(image.metadata, spec);
    Bytes bytes = encode_in_memory(image, spec, target);
    if (const Bytes exif = exif_of(image.metadata); !exif.empty()) add_exif_to_png(bytes, exif);
    return bytes;
}

/// Whether every block of metadata fits into its segment. libjpeg ends the program where one does
/// not.
bool fits_jpeg_segments(const OIIO::ImageSpec& spec) {
    constexpr std::size_t room_for_names = 64;
    constexpr std::size_t most = jpeg_segment_capacity - room_for_names;
    std::vector<char> exif, iptc;
    OIIO::encode_exif(spec, exif);
    OIIO::encode_iptc_iim(spec, iptc);
    return exif.size() <= most && iptc.size() <= most &&
           OIIO::encode_xmp(spec, true).size() <= most &&
           spec.get_string_attribute("ImageDescription").size() <= most;
}

Bytes encode_jpeg(const Image& image, const Target& target, std::vector<std::string>& notes) {
    OIIO::ImageSpec spec = spec_for(image);
    add_attributes(image.metadata, spec);
    if (!fits_jpeg_segments(spec)) {
        spec = spec_for(image);
        notes.push_back("EXIF was left out: it is too long for a JPEG file");
    }
    spec.attribute("compression", jpeg_compression);
    spec.attribute("jpeg:subsampling", jpeg_subsampling);
    Bytes bytes = encode_in_memory(image, spec, target);
    // OpenImageIO 2.4 garbles profiles that need more than one segment.
    if (!add_icc_to_jpeg(bytes, view_of(image.metadata.icc_profile))) {
        notes.push_back("the colour profile was left out: it is too long for a JPEG file");
    }
    return bytes;
}

Bytes encode_webp_colour(const Image& image, ByteView alpha, const Target& target) {
    OIIO::ImageSpec spec = spec_for(image);
    spec.attribute("compression", webp_compression);
    Bytes webp = encode_in_memory(image, spec, target);
    const Bytes exif = exif_of(image.metadata);
    const WebpExtras extras{alpha, view_of(image.metadata.icc_profile), exif};
    const bool has_extras = !alpha.empty() || !extras.icc_profile.empty() || !exif.empty();
    return has_extras ? webp_with_extras(webp, extras, image.width(), image.height()) : webp;
}

/// Whether a picture is nowhere half transparent.
bool is_cut_out(const Image& image) {
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        const auto row = image.samples<std::uint8_t>(y);
        for (std::size_t i = 3; i < row.size(); i += 4) {
            if (row[i] != 0 && row[i] != 255) return false;
        }
    }
    return true;
}

/// The alpha of a picture as grey RGB, for a codec that knows nothing else.
Image alpha_as_rgb(const Image& image) {
    Image alpha({SampleType::u8, 3}, image.width(), image.height());
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        const auto from = image.samples<std::uint8_t>(y);
        const auto to = alpha.samples<std::uint8_t>(y);
        for (std::size_t x = 0; x < image.width(); ++x) std::fill_n(&to[3 * x], 3, from[4 * x + 3]);
    }
    return alpha;
}

/// OpenImageIO 2.4 converts to YCbCr even on the way to a lossless file, and most levels come back
/// changed by one. Black and white do not; other alpha is left uncompressed.
Bytes encode_webp_alpha(const Image& image, const Target& target) {
    if (!is_cut_out(image)) return plain_webp_alpha(image);
    const Image alpha = alpha_as_rgb(image);
    OIIO::ImageSpec spec = spec_for(alpha);
    spec.attribute("compression", "lossless");
    return webp_alpha_from(encode_in_memory(alpha, spec, target));
}

Bytes encode_webp(const Image& image, const Target& target) {
    if (image.format().has_alpha()) {
        const Bytes alpha = encode_webp_alpha(image, target);
        return encode_webp_colour(converted(image, {SampleType::u8, 3}), alpha, target);
    }
    return encode_webp_colour(image, {}, target);
}

/// EXIF knows sRGB and "something else". The TIFF writer also fails at EXIF without any such tag.
void add_exif_color_space(const Image& image, OIIO::ImageSpec& spec) {
    constexpr const char* name = "Exif:ColorSpace";
    constexpr int srgb = 1, uncalibrated = 0xffff;
    if (image.color().transfer != Transfer::srgb) {
        spec.attribute(name, uncalibrated);
    } else if (spec.find_attribute(name) == nullptr) {
        spec.attribute(name, image.metadata.icc_profile.empty() ? srgb : uncalibrated);
    }
}

}  // namespace

Bytes encode(const Image& image, const Target& target, std::vector<std::string>& notes) {
    const OutputFormat& format = target.format;
    if (format.name == "png") return encode_png(image, target);
    if (format.name == "jpeg") return encode_jpeg(image, target, notes);
    if (format.name == "webp") return encode_webp(image, target);
    if (format.name == "pnm" || format.name == "pfm") return write_pnm(image);
    OIIO::ImageSpec spec = spec_for(image);
    if (format.keeps_metadata) add_attributes(image.metadata, spec);
    if (format.keeps_icc) add_profile(image.metadata, spec);
    if (format.name == "tiff") add_exif_color_space(image, spec);
    if (format.name == "openexr") {
        spec.attribute(transfer_attribute, color_space_name(image.color().transfer));
    }
    return format.name == "tiff" ? encode_through_file(image, spec, target)
                                 : encode_in_memory(image, spec, target);
}

}  // namespace tessera::media
