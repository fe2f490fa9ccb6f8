#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>
#include <OpenImageIO/tiffutils.h>

#include "base/memory.hpp"
#include "media/attributes.hpp"
#include "media/codec.hpp"
#include "media/formats.hpp"
#include "media/icc_profile.hpp"
#include "media/jpeg_segments.hpp"
#include "media/orientation.hpp"
#include "media/png_chunks.hpp"
#include "media/pnm.hpp"
#include "media/samples.hpp"
#include "media/source.hpp"
#include "media/temporary_file.hpp"
#include "media/tiff_directories.hpp"
#include "media/webp_chunks.hpp"
#include "tessera/media.hpp"

namespace tessera::media {
namespace {

// --- Sizes
// ----------------------------------------------------------------------------------------

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

// --- What a file's channels mean
// ------------------------------------------------------------------

struct Selection {
    std::vector<int> channels;  ///< at most 4, in the order of our formats
    bool has_alpha = false;
};

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
std::optional<Selection> select_by_name(const OIIO::ImageSpec& spec, const std::string& layer) {
    const auto red = channel_named(spec, layer + "R");
    const auto green = channel_named(spec, layer + "G");
    const auto blue = channel_named(spec, layer + "B");
    const auto grey = channel_named(spec, layer + "Y");
    const auto alpha = channel_named(spec, layer + "A");
    Selection selection;
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

Selection select_channels(const OIIO::ImageSpec& spec) {
    if (auto selection = select_by_name(spec, "")) return *selection;
    for (int c = 0; c < spec.nchannels; ++c) {
        const std::string name = spec.channel_name(c);
        const std::size_t dot = name.rfind('.');
        if (dot == std::string::npos) continue;
        if (auto selection = select_by_name(spec, name.substr(0, dot + 1))) return *selection;
    }
    if (spec.nchannels < 3) {
        const bool has_alpha = spec.nchannels == 2 && spec.alpha_channel == 1;
        return has_alpha ? Selection{{0, 1}, true} : Selection{{0}, false};
    }
    return spec.nchannels > 3 && spec.alpha_channel == 3 ? Selection{{0, 1, 2, 3}, true}
                                                         : Selection{{0, 1, 2}, false};
}

std::string names_of(const OIIO::ImageSpec& spec, const std::vector<int>& channels) {
    std::string names;
    for (int c : channels) {
        names += (names.empty() ? "" : ", ") + std::string(spec.channel_name(c));
    }
    return names;
}

struct SampleChoice {
    SampleType type;
    const char* note;  ///< null where nothing is lost
};

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

/// The widest type among the channels that are taken.
SampleChoice sample_for(const OIIO::ImageSpec& spec, const Selection& selection) {
    const auto widest = std::ranges::max_element(
        selection.channels, {}, [&](int c) { return spec.channelformat(c).size(); });
    return sample_for(static_cast<OIIO::TypeDesc::BASETYPE>(spec.channelformat(*widest).basetype));
}

/// Whether the codec hands out colour that is multiplied by alpha. It says where it does not, but
/// not for formats in which there is no other way.
bool is_multiplied_by_alpha(std::string_view format, const OIIO::ImageSpec& spec) {
    if (spec.get_int_attribute("oiio:UnassociatedAlpha") != 0) return false;
    constexpr std::array never = {"png", "bmp", "gif", "ico", "dds", "iff", "sgi", "jpeg2000"};
    return std::ranges::find(never, format) == never.end();
}

/// libtiff turns pictures in YCbCr, Lab or LogLuv by itself, but only as far as mirroring goes.
/// This is what remains to be done.
int remaining_orientation(const OIIO::ImageSpec& spec, std::string_view format) {
    const int orientation = spec.get_int_attribute("Orientation", 1);
    if (orientation < 1 || orientation > 8) return 1;
    if (format != "tiff") return orientation;
    const std::string color = spec.get_string_attribute("tiff:ColorSpace");
    const bool mirrored_by_libtiff =
        color == "YCbCr" || color.ends_with("LAB") || color.starts_with("LOGL") ||
        (spec.get_string_attribute("compression") == "jpeg" && spec.nchannels != 3);
    constexpr std::array remaining = {1, 1, 1, 1, 5, 7, 5, 7};
    return mirrored_by_libtiff ? remaining[static_cast<std::size_t>(orientation - 1)] : orientation;
}

// --- Decoding
// -------------------------------------------------------------------------------------

/// Whether a codec's words mean that there was too little data.
bool speaks_of_missing_data(const std::string& message) {
    constexpr std::array words = {
        "end of file", "Unexpected end", "early end",   "Premature", "premature",
        "Read error",  "Failed to read", "Cannot read", "truncated", "before image complete"};
    return std::ranges::any_of(
        words, [&](const char* word) { return message.find(word) != std::string::npos; });
}

[[noreturn]] void fail_decoding(const Source& source, const std::string& message) {
    if (speaks_of_missing_data(message)) fail_truncated(source);
    fail_input(source, "the picture cannot be decoded ({})", one_line(message));
}

bool is_double_tiff(const OIIO::ImageSpec& spec) { return spec.format == OIIO::TypeDesc::DOUBLE; }

/// TIFF flavours whose pixels OpenImageIO 2.4 leaves unset, or writes past their end.
bool is_misread_tiff(const OIIO::ImageSpec& spec) {
    const bool is_tiled = spec.tile_width != 0;
    const bool is_cmyk = spec.get_string_attribute("tiff:ColorSpace") == "CMYK";
    const bool is_24_bit = spec.get_int_attribute("oiio:BitsPerSample") == 24;
    const bool has_whole_strips =
        spec.height > 1 && spec.get_int_attribute("tiff:RowsPerStrip") > 0;
    return (is_tiled && (is_cmyk || is_24_bit)) ||
           (is_double_tiff(spec) && (is_tiled || !has_whole_strips));
}

/// White is zero in some TIFF files. OpenImageIO sees to it at 8 bits only.
bool is_left_inverted(const OIIO::ImageSpec& spec, SampleType sample) {
    return spec.get_int_attribute("tiff:PhotometricInterpretation", 1) == 0 &&
           sample == SampleType::u16;
}

void invert(Image& image) {
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        for (std::uint16_t& value : image.samples<std::uint16_t>(y)) value = 65535 - value;
    }
}

/// An open picture, and the memory or temporary file that it reads from.
class Decoder {
public:
    Decoder(const Source& source, ByteView bytes, const std::string& format)
        : source_(source), format_(format), input_(OIIO::ImageInput::create(format)) {
        if (!input_) {
            (void)OIIO::geterror();
            fail(ErrorCode::unsupported, "{}: this build cannot read {} pictures", source.name(),
                 format);
        }
        // TIFF tiles that are decompressed by many threads may be read before they are there.
        input_->threads(1);
        OIIO::ImageSpec config;
        config.attribute("oiio:UnassociatedAlpha", 1);
        if (input_->supports("ioproxy")) {
            // The interface takes no pointer to const, but only reads.
            memory_.emplace(const_cast<unsigned char*>(bytes.data()), bytes.size());
            input_->set_ioproxy(&*memory_);
            open_ = input_->open(picture_in_memory, spec_, config);
        } else if (source.path().empty()) {
            copy_.emplace(std::filesystem::temp_directory_path());
            if (copy_->write(bytes) != 0) fail_input(source, "no temporary file can be written");
            open_ = input_->open(copy_->path().string(), spec_, config);
        } else {
            open_ = input_->open(source.path().string(), spec_, config);
        }
        // What was understood of the header before it failed, so that its size can be judged.
        if (!open_) spec_ = input_->spec();
    }

    [[nodiscard]] const OIIO::ImageSpec& spec() const noexcept { return spec_; }

    void require_open() const {
        if (!open_) fail_decoding(source_, input_->geterror());
    }

    /// Reads channels into the samples of an image. Returns what the codec warned of.
    std::string read(const std::vector<int>& channels, Image& image) {
        const bool in_order = std::ranges::adjacent_find(channels, [](int a, int b) {
                                  return b != a + 1;
                              }) == channels.end();
        if (in_order) {
            read(channels.front(), channels.back() + 1, image, 0);
        } else {
            // Rare enough that decoding the file once for each channel does no harm.
            for (std::size_t i = 0; i < channels.size(); ++i) {
                read(channels[i], channels[i] + 1, image, i);
            }
        }
        return input_->geterror();
    }

    [[nodiscard]] bool has_more_pictures() { return input_->seek_subimage(1, 0); }

private:
    void read(int first, int last, Image& image, std::size_t to_channel) {
        const PixelFormat format = image.format();
        const auto pixel_bytes = static_cast<OIIO::stride_t>(format.bytes_per_pixel());
        std::byte* const to = image.row(0) + to_channel * bytes_per_sample(format.sample);
        bool complete = true;
        if (format_ == "tiff" && spec_.tile_width == 0 && !is_double_tiff(spec_)) {
            // Row by row: OpenImageIO 2.4 reads whole strips without looking whether they could be
            // decompressed.
            for (int y = 0; y < spec_.height && complete; ++y) {
                complete = read_row(y, first, last, type_of(format.sample), to + y * image.pitch(),
                                    pixel_bytes);
            }
        } else {
            complete = input_->read_image(0, 0, first, last, type_of(format.sample), to,
                                          pixel_bytes, image.pitch());
        }
        if (!complete) fail_decoding(source_, input_->geterror());
    }

    bool read_row(int y, int first, int last, OIIO::TypeDesc type, std::byte* to,
                  OIIO::stride_t pixel_bytes) {
        // The function for ranges of rows and channels allocates 16 MB each time.
        const bool all_channels = last - first == spec_.nchannels;
        return all_channels ? input_->read_scanline(spec_.y + y, 0, type, to, pixel_bytes)
                            : input_->read_scanlines(0, 0, spec_.y + y, spec_.y + y + 1, 0, first,
                                                     last, type, to, pixel_bytes);
    }

    const Source& source_;
    const std::string& format_;
    std::optional<OIIO::Filesystem::IOMemReader> memory_;
    std::optional<TemporaryFile> copy_;
    std::unique_ptr<OIIO::ImageInput> input_;  // closed before what it reads from goes
    OIIO::ImageSpec spec_;
    bool open_ = false;
};

void check_shape(const Source& source, std::string_view format, const OIIO::ImageSpec& spec) {
    if (spec.deep) {
        fail(ErrorCode::unsupported, "{}: deep pictures (many samples a pixel) cannot be read",
             source.name());
    }
    if (spec.depth > 1) {
        fail(ErrorCode::unsupported, "{}: volumes ({} slices) cannot be read", source.name(),
             spec.depth);
    }
    if (format == "tiff" && is_misread_tiff(spec)) {
        fail(ErrorCode::unsupported, "{}: this flavour of TIFF cannot be read ({}, {} bits)",
             source.name(), spec.tile_width != 0 ? "tiled" : "in strips",
             spec.get_int_attribute("oiio:BitsPerSample"));
    }
    if (spec.nchannels < 1) fail_input(source, "the picture has no channels");
}

void note_conversions(const OIIO::ImageSpec& spec, const Selection& selection,
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

std::vector<std::byte> own_bytes(ByteView bytes) {
    const auto view = std::as_bytes(bytes);
    return {view.begin(), view.end()};
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
    if (spec.width == 0) decoder.require_open();
    const Selection selection = select_channels(spec);
    const SampleChoice sample = sample_for(spec, selection);
    const PixelFormat pixel_format{sample.type,
                                   static_cast<std::uint32_t>(selection.channels.size())};
    const int orientation = remaining_orientation(spec, format);
    const unsigned copies =
        1 + (exchanges_sides(orientation) ? 1 : 0) + (keeps_a_copy(format) ? 1 : 0);
    budget.check(source, spec.width, spec.height, copies * pixel_format.bytes_per_pixel());
    decoder.require_open();
    check_shape(source, format, spec);

    Decoded decoded;
    decoded.orientation = orientation;
    decoded.image = Image(pixel_format, static_cast<std::uint32_t>(spec.width),
                          static_cast<std::uint32_t>(spec.height));
    const std::string warning = decoder.read(selection.channels, decoded.image);
    judge_warning(source, format, warning, decoded.notes);
    if (is_left_inverted(spec, sample.type)) invert(decoded.image);
    if (selection.has_alpha && is_multiplied_by_alpha(format, spec)) divide_by_alpha(decoded.image);
    decoded.image.metadata = metadata_of(spec, orientation);
    if (!profile.empty()) decoded.image.metadata.icc_profile = own_bytes(profile);
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
    decoder.require_open();
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
    decoded.orientation = remaining_orientation(spec, format);
    decoded.image.metadata = metadata_of(spec, decoded.orientation);
    decoded.image.metadata.icc_profile = own_bytes(facts.header.icc_profile);
    return decoded;
}

/// Leaves a damaged profile out, and one that is for other channels than the picture now has.
void settle_profile(Decoded& decoded) {
    auto& profile = decoded.image.metadata.icc_profile;
    if (profile.empty()) return;
    const ByteView view(reinterpret_cast<const unsigned char*>(profile.data()), profile.size());
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
