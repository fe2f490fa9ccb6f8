#include "media/decoder.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "media/codec.hpp"

namespace tessera::media {
namespace {

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
bool is_left_inverted(const OIIO::ImageSpec& spec, const Image& image) {
    return spec.get_int_attribute("tiff:PhotometricInterpretation", 1) == 0 &&
           image.format().sample == SampleType::u16;
}

void invert(Image& image) {
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        for (std::uint16_t& value : image.samples<std::uint16_t>(y)) value = 65535 - value;
    }
}

void check_kind(const Source& source, std::string_view format, const OIIO::ImageSpec& spec) {
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

}  // namespace

void fail_decoding(const Source& source, const std::string& message) {
    if (speaks_of_missing_data(message)) fail_truncated(source);
    fail_input(source, "the picture cannot be decoded ({})", one_line(message));
}

bool speaks_of_missing_data(const std::string& message) {
    constexpr std::array words = {
        "end of file", "Unexpected end", "early end",   "Premature", "premature",
        "Read error",  "Failed to read", "Cannot read", "truncated", "before image complete"};
    return std::ranges::any_of(
        words, [&](const char* word) { return message.find(word) != std::string::npos; });
}

Decoder::Decoder(const Source& source, ByteView bytes, const std::string& format)
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

void Decoder::require_readable() const {
    if (!open_) fail_decoding(source_, input_->geterror());
    check_kind(source_, format_, spec_);
}

int Decoder::orientation() const {
    const int orientation = spec_.get_int_attribute("Orientation", 1);
    if (orientation < 1 || orientation > 8) return 1;
    if (format_ != "tiff") return orientation;
    // libtiff turns pictures in YCbCr, Lab or LogLuv by itself, but only as far as mirroring goes.
    const std::string color = spec_.get_string_attribute("tiff:ColorSpace");
    const bool mirrored_by_libtiff =
        color == "YCbCr" || color.ends_with("LAB") || color.starts_with("LOGL") ||
        (spec_.get_string_attribute("compression") == "jpeg" && spec_.nchannels != 3);
    constexpr std::array remaining = {1, 1, 1, 1, 5, 7, 5, 7};
    return mirrored_by_libtiff ? remaining[static_cast<std::size_t>(orientation - 1)] : orientation;
}

std::string Decoder::read(const std::vector<int>& channels, Image& image) {
    const bool in_order = std::ranges::adjacent_find(
                              channels, [](int a, int b) { return b != a + 1; }) == channels.end();
    if (in_order) {
        read_channels(channels.front(), channels.back() + 1, image, 0);
    } else {
        // Rare enough that decoding the file once for each channel does no harm.
        for (std::size_t i = 0; i < channels.size(); ++i) {
            read_channels(channels[i], channels[i] + 1, image, i);
        }
    }
    if (format_ == "tiff" && is_left_inverted(spec_, image)) invert(image);
    return input_->geterror();
}

bool Decoder::has_more_pictures() { return input_->seek_subimage(1, 0); }

void Decoder::read_channels(int first, int last, Image& image, std::size_t to_channel) {
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
        complete = input_->read_image(0, 0, first, last, type_of(format.sample), to, pixel_bytes,
                                      image.pitch());
    }
    if (!complete) fail_decoding(source_, input_->geterror());
}

bool Decoder::read_row(int y, int first, int last, OIIO::TypeDesc type, std::byte* to,
                       OIIO::stride_t pixel_bytes) {
    // The function for ranges of rows and channels allocates 16 MB each time.
    const bool all_channels = last - first == spec_.nchannels;
    return all_channels ? input_->read_scanline(spec_.y + y, 0, type, to, pixel_bytes)
                        : input_->read_scanlines(0, 0, spec_.y + y, spec_.y + y + 1, 0, first, last,
                                                 type, to, pixel_bytes);
}

}  // namespace tessera::media
