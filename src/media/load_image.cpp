#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

#include <OpenImageIO/imageio.h>
#include <OpenImageIO/tiffutils.h>

#include "base/memory.hpp"
#include "media/attributes.hpp"
#include "media/channels.hpp"
#include "media/codec.hpp"
#include "media/decoder.hpp"
#include "media/formats.hpp"
#include "media/icc_profile.hpp"
#include "media/jpeg_segments.hpp"
#include "media/orientation.hpp"
#include "media/png_chunks.hpp"
#include "media/pnm.hpp"
#include "media/samples.hpp"
#include "media/source.hpp"
#include "media/tiff_directories.hpp"
#include "media/webp_chunks.hpp"
#include "tessera/media.hpp"

namespace tessera::media {
namespace {

/// Memory that may be used, and what it is spent on.
class Budget {
public:
    explicit Budget(std::optional<std::uint64_t> limit) : limit_(limit.value_or(free_share())) {}

    [[nodiscard]] std::uint64_t limit() const noexcept { return limit_; }

    /// Throws unless the encoded file and a picture of so many bytes a pixel fit together.
    void check(const Source& source, std::int64_t width, std::int64_t height,
               std::uint64_t bytes_per_pixel) const {
        constexpr std::int64_t longest = 0x7fffffff;
        if (width <= 0 || height <= 0 || width > longest || height > longest) {
            fail_input(source, "its header gives a size of {} x {} pixels, which cannot be", width,
                       height);
        }
        // 31 + 31 bits for the pixels; the bytes of a pixel may overflow the rest.
        const std::uint64_t pixels = static_cast<std::uint64_t>(width * height);
        const std::uint64_t most = ~std::uint64_t{0} - source.bytes().size();
        const std::uint64_t needed = pixels > most / bytes_per_pixel
                                         ? most
                                         : pixels * bytes_per_pixel + source.bytes().size();
        if (needed > limit_) {
            fail(ErrorCode::out_of_memory,
                 "{}: a picture of {} x {} pixels needs {} of memory to be read; {} may be used",
                 source.name(), width, height, human_bytes(needed), human_bytes(limit_));
        }
    }

private:
    static std::uint64_t free_share() {
        const std::uint64_t available = available_memory();
        return available == 0 ? ~std::uint64_t{0} : available / 4 * 3;
    }

    std::uint64_t limit_;
};

/// GIF's canvas is allocated as soon as the file is opened.
HeaderFacts check_gif(const Source& source) {
    constexpr std::size_t header = 13;
    if (source.bytes().size() < header) fail_truncated(source);
    HeaderFacts facts;
    facts.width = little16(source.bytes(), 6);
    facts.height = little16(source.bytes(), 8);
    facts.bytes_per_pixel = facts.codec_bytes_per_pixel = 4;
    return facts;
}

/// Codecs that decode the whole picture into memory of their own.
bool keeps_a_copy(std::string_view format) {
    constexpr std::array formats = {"gif", "webp", "heif",  "jpeg2000",
                                    "psd", "raw",  "targa", "ico"};
    return std::ranges::find(formats, format) != formats.end();
}

void note_conversions(const OIIO::ImageSpec& spec, const ChannelSelection& selection,
                      std::vector<std::string>& notes) {
    const std::string jpeg = spec.get_string_attribute("jpeg:ColorSpace");
    const std::string tiff = spec.get_string_attribute("tiff:ColorSpace");
    if (jpeg == "CMYK" || jpeg == "YCbCrK" || tiff == "CMYK") {
        notes.push_back("CMYK was converted to RGB, without a colour profile");
    }
    if (selection.channels.size() < static_cast<std::size_t>(spec.nchannels)) {
        std::vector<int> all(static_cast<std::size_t>(spec.nchannels));
        std::iota(all.begin(), all.end(), 0);
        notes.push_back(fmt::format("of its {} channels ({}) only {} were read", spec.nchannels,
                                    names_of(spec, all), names_of(spec, selection.channels)));
    }
    if (spec.width != spec.full_width || spec.height != spec.full_height) {
        notes.push_back(fmt::format("the file holds {} x {} pixels of a larger frame of {} x {}",
                                    spec.width, spec.height, spec.full_width, spec.full_height));
    }
}

/// The codec warned, but decoded. JPEG alone does so for damage that leaves most of a picture
/// whole.
void judge_warning(const Source& source, const std::string& format, const std::string& warning,
                   std::vector<std::string>& notes) {
    if (warning.empty()) return;
    if (format != "jpeg" || speaks_of_missing_data(warning)) fail_decoding(source, warning);
    notes.push_back("the picture is damaged: " + one_line(warning));
}

/// A picture as it lies in its file, not yet turned.
struct Decoded {
    Image image;
    int orientation = 1;
    std::vector<std::string> notes;
};

Decoded decode(const Source& source, ByteView bytes, const std::string& format, ByteView profile,
               const Budget& budget) {
    Decoder decoder(source, bytes, format);
    const OIIO::ImageSpec& spec = decoder.spec();
    // A header may have been understood although the file was not opened, and its size be the
    // reason.
    if (spec.width == 0) decoder.require_readable();
    const ChannelSelection selection = select_channels(spec);
    const SampleChoice sample = sample_for(spec, selection);
    const PixelFormat pixel_format{sample.type,
                                   static_cast<std::uint32_t>(selection.channels.size())};
    const int orientation = decoder.orientation();
    const unsigned copies =
        1 + (exchanges_sides(orientation) ? 1 : 0) + (keeps_a_copy(format) ? 1 : 0);
    budget.check(source, spec.width, spec.height, copies * pixel_format.bytes_per_pixel());
    decoder.require_readable();

    Decoded decoded;
    decoded.orientation = orientation;
    decoded.image = Image(pixel_format, static_cast<std::uint32_t>(spec.width),
                          static_cast<std::uint32_t>(spec.height));
    const std::string warning = decoder.read(selection.channels, decoded.image);
    judge_warning(source, format, warning, decoded.notes);
    if (selection.has_alpha && is_multiplied_by_alpha(format, spec)) divide_by_alpha(decoded.image);
    decoded.image.metadata = metadata_of(spec, orientation);
    if (!profile.empty()) decoded.image.metadata.icc_profile = copy_of(profile);
    const bool has_profile = !decoded.image.metadata.icc_profile.empty();
    decoded.image.set_color({transfer_of(spec, sample.type, has_profile)});
    note_conversions(spec, selection, decoded.notes);
    if (sample.note != nullptr) decoded.notes.push_back(sample.note);
    if (decoder.has_more_pictures()) {
        decoded.notes.push_back("the file holds more than one picture: the first one was read");
    }
    return decoded;
}

/// Colour that was decoded without its alpha, and the alpha.
Image with_webp_alpha(const Source& source, const std::string& format, const Image& color) {
    Decoder decoder(source, source.bytes(), format);
    decoder.require_readable();
    if (decoder.spec().nchannels != 4) fail_input(source, "the WebP file lacks its alpha");
    Image image({SampleType::u8, 4}, color.width(), color.height(), color.color());
    const std::string warning = decoder.read({0, 1, 2, 3}, image);
    if (!warning.empty()) fail_decoding(source, warning);
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        const auto from = color.samples<std::uint8_t>(y);
        const auto to = image.samples<std::uint8_t>(y);
        for (std::size_t x = 0; x < image.width(); ++x) std::copy_n(&from[3 * x], 3, &to[4 * x]);
    }
    return image;
}

Decoded decode_webp(const Source& source, const std::string& format, const WebpFacts& facts,
                    const Budget& budget) {
    Decoded decoded =
        decode(source, webp_colour_only(source), format, facts.header.icc_profile, budget);
    if (facts.has_alpha) decoded.image = with_webp_alpha(source, format, decoded.image);
    OIIO::ImageSpec spec;
    constexpr std::size_t empty_exif = 14;
    if (facts.exif.size() >= empty_exif) {
        OIIO::decode_exif(OIIO::cspan<std::uint8_t>(facts.exif.data(), facts.exif.size()), spec);
    }
    decoded.orientation = spec.get_int_attribute("Orientation", 1);
    decoded.image.metadata = metadata_of(spec, decoded.orientation);
    decoded.image.metadata.icc_profile = copy_of(facts.header.icc_profile);
    return decoded;
}

/// Leaves a damaged profile out, and one that is for other channels than the picture now has.
void settle_profile(Decoded& decoded) {
    auto& profile = decoded.image.metadata.icc_profile;
    if (profile.empty()) return;
    const ByteView view = view_of(profile);
    if (!is_sound_profile(view)) {
        decoded.notes.push_back("the colour profile is damaged, and was left out");
        profile.clear();
    } else if (!profile_fits(view, decoded.image.format().colour_channels())) {
        profile.clear();
    } else {
        decoded.image.set_color({decoded.image.color().transfer, primaries_of(view)});
    }
}

/// What can be known before the codec opens the file: some allocate at once.
HeaderFacts check_header(Source& source, std::string_view format) {
    if (format == "png") return check_and_mend_png(source);
    if (format == "jpeg") return check_and_mend_jpeg(source);
    if (format == "gif") return check_gif(source);
    return check_pnm(source);
}

Decoded decode_checked(Source& source, const std::string& format, const Budget& budget) {
    const auto check_size = [&](const HeaderFacts& facts) {
        budget.check(source, facts.width, facts.height,
                     facts.bytes_per_pixel + facts.codec_bytes_per_pixel);
    };
    if (format == "webp") {
        const WebpFacts facts = check_webp(source);
        check_size(facts.header);
        return decode_webp(source, format, facts, budget);
    }
    if (format == "tiff") check_and_mend_tiff(source);
    if (format != "png" && format != "jpeg" && format != "gif" && format != "pnm") {
        return decode(source, source.bytes(), format, {}, budget);
    }
    const HeaderFacts facts = check_header(source, format);
    check_size(facts);
    Decoded decoded = format == "pnm"
                          ? Decoded{read_pnm(source), 1, {}}
                          : decode(source, source.bytes(), format, facts.icc_profile, budget);
    decoded.notes.insert(decoded.notes.end(), facts.notes.begin(), facts.notes.end());
    return decoded;
}

LoadedImage load(const std::filesystem::path& path, std::optional<std::uint64_t> memory_limit) {
    prepare_codecs();
    const Budget budget(memory_limit);
    Source source(path);
    const std::string format = identify(source);
    source.read_rest(budget.limit());
    Decoded decoded = decode_checked(source, format, budget);
    settle_profile(decoded);
    return {upright(std::move(decoded.image), decoded.orientation), std::move(decoded.notes)};
}

}  // namespace
}  // namespace tessera::media

namespace tessera {

LoadedImage load_image(const std::filesystem::path& path,
                       std::optional<std::uint64_t> memory_limit) {
    const std::string name = media::is_standard_stream(path) ? "standard input" : path.string();
    try {
        return media::load(path, memory_limit);
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        fail(ErrorCode::out_of_memory, "{}: there is not enough memory to read it", name);
    } catch (const std::exception& error) {
        fail(ErrorCode::input, "{}: the picture cannot be decoded ({})", name,
             media::one_line(error.what()));
    }
}

}  // namespace tessera
