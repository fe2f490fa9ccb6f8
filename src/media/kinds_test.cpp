// Files as other programs write them: every bit depth, palette, ink and order of channels.
#include <gtest/gtest.h>

#include <array>

#include <OpenImageIO/imageio.h>

#include "media/test_files.hpp"

namespace tessera::media {
namespace {

class FileKinds : public MediaTest {
protected:
    LoadedImage load_bytes(std::string_view name, ByteView bytes) {
        write_bytes(file(name), bytes);
        return load_image(file(name));
    }

    /// Lets OpenImageIO write a picture of floats, 0, 1, 2... over 8.
    void write_with_oiio(const char* name, OIIO::ImageSpec spec) {
        std::vector<float> samples(spec.image_pixels() * static_cast<std::size_t>(spec.nchannels));
        for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<float>(i) / 8;
        const auto output = OIIO::ImageOutput::create(file(name).string());
        ASSERT_TRUE(output && output->open(file(name).string(), spec) &&
                    output->write_image(OIIO::TypeDesc::FLOAT, samples.data()) && output->close())
            << output->geterror();
    }
};

// --- Bit depths ---------------------------------------------------------------------------------

/// Values packed into bytes, highest bits first.
Bytes packed(const std::vector<std::uint32_t>& values, std::uint32_t bits) {
    Bytes bytes;
    std::uint32_t buffer = 0, filled = 0;
    for (std::uint32_t value : values) {
        for (std::uint32_t bit = bits; bit-- > 0;) {
            buffer = buffer << 1 | (value >> bit & 1);
            if (++filled == 8) {
                bytes.push_back(static_cast<unsigned char>(buffer));
                filled = 0;
            }
        }
    }
    if (filled > 0) bytes.push_back(static_cast<unsigned char>(buffer << (8 - filled)));
    return bytes;
}

TEST_F(FileKinds, LowBitDepthsOfTiffAreScaledToTheWholeRange) {
    for (std::uint32_t bits : {1u, 2u, 4u}) {
        const std::uint32_t full = (1u << bits) - 1;
        std::vector<std::uint32_t> values;
        for (std::uint32_t i = 0; i <= full; ++i) values.push_back(i);
        TiffFile tiff{.width = full + 1, .bits = bits, .pixels = packed(values, bits)};
        const Image image = load_bytes("a.tif", tiff.bytes()).image;
        ASSERT_EQ(image.format(), grey8);
        for (std::uint32_t i = 0; i <= full; ++i) {
            EXPECT_EQ(image.samples<std::uint8_t>(0)[i], i * 255 / full) << bits << " bits";
        }
        // White is zero: the same values, the other way round.
        tiff.photometric = 0;
        const Image inverted = load_bytes("a.tif", tiff.bytes()).image;
        EXPECT_EQ(inverted.samples<std::uint8_t>(0)[0], 255) << bits << " bits";
        EXPECT_EQ(inverted.samples<std::uint8_t>(0)[full], 0) << bits << " bits";
    }
}

TEST_F(FileKinds, TenAndTwelveBitsOfTiffAreScaledTo16) {
    for (std::uint32_t bits : {10u, 12u}) {
        const std::uint32_t full = (1u << bits) - 1;
        std::vector<std::uint32_t> values;
        for (std::uint32_t i = 0; i <= full; ++i) values.push_back(i);
        const TiffFile tiff{.width = full + 1, .bits = bits, .pixels = packed(values, bits)};
        const Image image = load_bytes("a.tif", tiff.bytes()).image;
        ASSERT_EQ(image.format(), (PixelFormat{SampleType::u16, 1}));
        for (std::uint32_t i = 0; i <= full; ++i) {
            ASSERT_NEAR(image.samples<std::uint16_t>(0)[i], i * 65535.0 / full, 1) << bits;
        }
    }
}

TEST_F(FileKinds, WhiteIsZeroIsInvertedAt8And16Bits) {
    const TiffFile bytes{.width = 3, .photometric = 0, .pixels = {0, 100, 255}};
    EXPECT_EQ(samples_of<std::uint8_t>(load_bytes("a.tif", bytes.bytes()).image),
              (std::vector<std::uint8_t>{255, 155, 0}));
    const TiffFile words{
        .width = 3, .bits = 16, .photometric = 0, .pixels = {0, 0, 0x10, 0x27, 0xff, 0xff}};
    EXPECT_EQ(samples_of<std::uint16_t>(load_bytes("a.tif", words.bytes()).image),
              (std::vector<std::uint16_t>{65535, 55535, 0}));
}

TEST_F(FileKinds, LowBitDepthsOfPngAreScaledToTheWholeRange) {
    for (int bits : {1, 2, 4}) {
        const std::uint32_t full = (1u << bits) - 1;
        std::vector<std::uint32_t> values;
        for (std::uint32_t i = 0; i <= full; ++i) values.push_back(i);
        Bytes row = {0};
        const Bytes pixels = packed(values, static_cast<std::uint32_t>(bits));
        row.insert(row.end(), pixels.begin(), pixels.end());
        const Image image = load_bytes("a.png", png_file(full + 1, 1, bits, 0, row)).image;
        ASSERT_EQ(image.format(), grey8);
        for (std::uint32_t i = 0; i <= full; ++i) {
            EXPECT_EQ(image.samples<std::uint8_t>(0)[i], i * 255 / full) << bits << " bits";
        }
    }
}

TEST_F(FileKinds, LargestValuesOfPnmMeanWhite) {
    const auto load_text = [&](std::string_view text) {
        Bytes bytes;
        append(bytes, text);
        return load_bytes("a.pnm", bytes).image;
    };
    EXPECT_EQ(samples_of<std::uint8_t>(load_text("P2 # plain\n3 1\n# depth\n100\n0 50 100\n")),
              (std::vector<std::uint8_t>{0, 128, 255}));
    EXPECT_EQ(samples_of<std::uint16_t>(load_text("P2 3 1 1023 0 512 1023")),
              (std::vector<std::uint16_t>{0, 32800, 65535}));
    EXPECT_EQ(samples_of<std::uint8_t>(load_text("P1 5 1 01101")),
              (std::vector<std::uint8_t>{255, 0, 0, 255, 0}));
    EXPECT_EQ(samples_of<std::uint8_t>(load_text("P4 5 2\n\x68\x98")),
              (std::vector<std::uint8_t>{255, 0, 0, 255, 0, 0, 255, 255, 0, 0}));
    EXPECT_EQ(samples_of<std::uint8_t>(load_text("P3 1 1 255 1 2 300")),
              (std::vector<std::uint8_t>{1, 2, 255}));
}

TEST_F(FileKinds, Every16BitValueOfPgmIsKept) {
    Bytes bytes;
    append(bytes, "P5 65536 1 65535\n");
    for (std::uint32_t i = 0; i < 65536; ++i) append_big(bytes, i, 2);
    const Image image = load_bytes("a.pgm", bytes).image;
    for (std::uint32_t i = 0; i < 65536; ++i) ASSERT_EQ(image.samples<std::uint16_t>(0)[i], i);
}

TEST_F(FileKinds, BothByteOrdersOfPfmAreRead) {
    Bytes bytes;
    append(bytes, "Pf\n1 2\n1.0\n");
    append_big(bytes, 0x3f800000, 4);  // 1, the lower row
    append_big(bytes, 0x40000000, 4);  // 2
    const Image image = load_bytes("a.pfm", bytes).image;
    EXPECT_EQ(samples_of<float>(image), (std::vector<float>{2, 1}));
    EXPECT_EQ(image.color().transfer, Transfer::linear);
}

TEST_F(FileKinds, SignedSamplesLoseWhatIsNegativeWithANote) {
    const TiffFile bytes{
        .width = 3, .pixels = {0x80, 0, 127}, .more_tags = {{339, 3, {2}}}};  // -128, 0, 127
    const LoadedImage small = load_bytes("a.tif", bytes.bytes());
    EXPECT_EQ(samples_of<std::uint8_t>(small.image), (std::vector<std::uint8_t>{0, 0, 255}));
    EXPECT_TRUE(any_contains(small.notes, "negative"));
    const TiffFile words{
        .width = 2, .bits = 16, .pixels = {0, 0x80, 0xff, 0x7f}, .more_tags = {{339, 3, {2}}}};
    EXPECT_EQ(samples_of<std::uint16_t>(load_bytes("a.tif", words.bytes()).image),
              (std::vector<std::uint16_t>{0, 65535}));
}

TEST_F(FileKinds, WideSamplesBecomeFloatsWithANote) {
    const TiffFile integers{
        .width = 3, .bits = 32, .pixels = {0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0xff}};
    const LoadedImage from_integers = load_bytes("a.tif", integers.bytes());
    EXPECT_EQ(samples_of<float>(from_integers.image), (std::vector<float>{0, 0.5f, 1}));
    EXPECT_TRUE(any_contains(from_integers.notes, "32-bit integers"));

    write_with_oiio("b.tif", OIIO::ImageSpec(3, 2, 1, OIIO::TypeDesc::DOUBLE));
    const LoadedImage from_doubles = load_image(file("b.tif"));
    EXPECT_EQ(samples_of<float>(from_doubles.image),
              (std::vector<float>{0, 0.125f, 0.25f, 0.375f, 0.5f, 0.625f}));
    EXPECT_TRUE(any_contains(from_doubles.notes, "64-bit"));
}

TEST_F(FileKinds, TiffFlavoursThatWouldBeMisreadAreRefused) {
    write_with_oiio("a.tif", OIIO::ImageSpec(3, 1, 1, OIIO::TypeDesc::DOUBLE));
    OIIO::ImageSpec tiled(32, 32, 1, OIIO::TypeDesc::DOUBLE);
    tiled.tile_width = tiled.tile_height = 16;
    write_with_oiio("b.tif", tiled);
    for (const char* name : {"a.tif", "b.tif"}) {
        const auto sentence =
            sentence_of(ErrorCode::unsupported, [&] { (void)load_image(file(name)); });
        EXPECT_TRUE(contains(sentence, "flavour of TIFF")) << sentence;
    }
}

TEST_F(FileKinds, HalfPrecisionTiffStaysHalf) {
    OIIO::ImageSpec spec(3, 1, 1, OIIO::TypeDesc::HALF);
    spec.attribute("tiff:half", 1);
    write_with_oiio("a.tif", spec);
    const Image image = load_image(file("a.tif")).image;
    EXPECT_EQ(image.format().sample, SampleType::f16);
    EXPECT_EQ(half_to_float(image.samples<std::uint16_t>(0)[2]), 0.25f);
}

// --- Palettes and inks --------------------------------------------------------------------------

TEST_F(FileKinds, PalettesBecomeRgb) {
    Bytes palette = {255, 0, 0, 0, 255, 0, 1, 2, 3};
    const Bytes row = {0, 0b00011000};  // 0, 1, 2, 0
    const Image plain =
        load_bytes("a.png", png_file(3, 1, 2, 3, row, {png_chunk("PLTE", palette)})).image;
    EXPECT_EQ(samples_of<std::uint8_t>(plain),
              (std::vector<std::uint8_t>{255, 0, 0, 0, 255, 0, 1, 2, 3}));
    const Image translucent =
        load_bytes("a.png", png_file(3, 1, 2, 3, row,
                                     {png_chunk("PLTE", palette), png_chunk("tRNS", Bytes{0, 77})}))
            .image;
    EXPECT_EQ(samples_of<std::uint8_t>(translucent),
              (std::vector<std::uint8_t>{255, 0, 0, 0, 0, 255, 0, 77, 1, 2, 3, 255}));

    TiffFile tiff{.width = 2, .bits = 8, .photometric = 3, .pixels = {1, 255}};
    std::vector<std::uint32_t> colours(3 * 256);
    colours[1] = 65535;
    colours[256 + 1] = 0x8080;
    colours[2 * 256 + 255] = 0x4040;
    tiff.more_tags = {{320, 3, colours}};
    EXPECT_EQ(samples_of<std::uint8_t>(load_bytes("a.tif", tiff.bytes()).image),
              (std::vector<std::uint8_t>{255, 128, 0, 0, 0, 64}));
}

TEST_F(FileKinds, AdobesCmykJpegsAreNotInverted) {
    const LoadedImage loaded = load_bytes("a.jpg", flat_cmyk_jpeg({200, 100, 50, 255}));
    EXPECT_TRUE(any_contains(loaded.notes, "CMYK"));
    ASSERT_EQ(loaded.image.format(), rgb8);
    EXPECT_EQ(loaded.image.samples<std::uint8_t>(0)[0], 200);
    EXPECT_EQ(loaded.image.samples<std::uint8_t>(0)[1], 100);
    EXPECT_EQ(loaded.image.samples<std::uint8_t>(0)[2], 50);
    const Image dark = load_bytes("a.jpg", flat_cmyk_jpeg({200, 100, 50, 128})).image;
    EXPECT_NEAR(dark.samples<std::uint8_t>(0)[0], 100, 1);
}

TEST_F(FileKinds, CmykTiffsBecomeRgb) {
    const TiffFile tiff{.channels = 4, .photometric = 5, .pixels = {0, 255, 128, 0}};
    const LoadedImage loaded = load_bytes("a.tif", tiff.bytes());
    EXPECT_TRUE(any_contains(loaded.notes, "CMYK"));
    EXPECT_EQ(samples_of<std::uint8_t>(loaded.image), (std::vector<std::uint8_t>{255, 0, 127}));
}

TEST_F(FileKinds, JpegInsideTiffIsTurnedAsMuchAsLibtiffLeaves) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
        OIIO::ImageSpec spec(48, 32, 3, OIIO::TypeDesc::UINT8);
        spec.attribute("compression", "jpeg:100");
        spec.attribute("Orientation", orientation);
        // A white corner where the file begins.
        std::vector<std::uint8_t> samples(48 * 32 * 3);
        for (std::size_t y = 0; y < 16; ++y) std::fill_n(&samples[y * 144], 48, std::uint8_t{255});
        const auto output = OIIO::ImageOutput::create(file("a.tif").string());
        ASSERT_TRUE(output->open(file("a.tif").string(), spec) &&
                    output->write_image(OIIO::TypeDesc::UINT8, samples.data()) && output->close());
        const Image image = load_image(file("a.tif")).image;
        ASSERT_EQ(image.width(), orientation < 5 ? 48u : 32u) << orientation;
        const bool right =
            orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
        const bool bottom =
            orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
        const std::uint32_t x = right ? image.width() - 4 : 3, y = bottom ? image.height() - 4 : 3;
        EXPECT_GT(image.samples<std::uint8_t>(y)[3 * x], 200) << orientation;
        const std::uint32_t other_x = image.width() - 1 - x;
        EXPECT_LT(image.samples<std::uint8_t>(y)[3 * other_x], 60) << orientation;
    }
}

// --- Channels -----------------------------------------------------------------------------------

TEST_F(FileKinds, ChannelsAreFoundByTheirNames) {
    OIIO::ImageSpec spec(2, 1, 6, OIIO::TypeDesc::FLOAT);
    spec.channelnames = {"depth", "B", "A", "velocity", "R", "G"};
    spec.alpha_channel = 2;
    write_with_oiio("a.tif", OIIO::ImageSpec(2, 1, 5, OIIO::TypeDesc::FLOAT));
    const LoadedImage tiff = load_image(file("a.tif"));
    EXPECT_TRUE(any_contains(tiff.notes, "of its 5 channels"));

    write_with_oiio("a.exr", spec);
    const LoadedImage exr = load_image(file("a.exr"));
    ASSERT_EQ(exr.image.format(), (PixelFormat{SampleType::f32, 4}));
    EXPECT_TRUE(any_contains(exr.notes, "only R, G, B, A were read"));
    // Written premultiplied: R 4/8, G 5/8, B 1/8, A 2/8, then six more.
    const auto pixels = exr.image.samples<float>(0);
    EXPECT_FLOAT_EQ(pixels[0], 4.0f / 2);
    EXPECT_FLOAT_EQ(pixels[1], 5.0f / 2);
    EXPECT_FLOAT_EQ(pixels[2], 1.0f / 2);
    EXPECT_FLOAT_EQ(pixels[3], 2.0f / 8);
    EXPECT_FLOAT_EQ(pixels[4], 10.0f / 8);
    EXPECT_FLOAT_EQ(pixels[7], 1.0f);
}

TEST_F(FileKinds, ALayerServesWhereThereIsNoPlainPicture) {
    OIIO::ImageSpec spec(1, 1, 4, OIIO::TypeDesc::HALF);
    spec.channelnames = {"Z", "diffuse.B", "diffuse.G", "diffuse.R"};
    write_with_oiio("a.exr", spec);
    const LoadedImage loaded = load_image(file("a.exr"));
    ASSERT_EQ(loaded.image.format(), (PixelFormat{SampleType::f16, 3}));
    EXPECT_TRUE(any_contains(loaded.notes, "diffuse.R, diffuse.G, diffuse.B"));
}

TEST_F(FileKinds, GreyWithAlphaStaysTwoChannels) {
    const Bytes rows = {0, 10, 255, 20, 0};
    const Image png = load_bytes("a.png", png_file(2, 1, 8, 4, rows)).image;
    EXPECT_EQ(png.format(), (PixelFormat{SampleType::u8, 2}));
    EXPECT_EQ(samples_of<std::uint8_t>(png), (std::vector<std::uint8_t>{10, 255, 20, 0}));
}

TEST_F(FileKinds, TiffsThirdKindsOfExtraSamplesAreToldApart) {
    TiffFile tiff{.channels = 4, .photometric = 2, .pixels = {50, 100, 20, 128}};
    tiff.more_tags = {{338, 3, {2}}};  // not multiplied
    EXPECT_EQ(samples_of<std::uint8_t>(load_bytes("a.tif", tiff.bytes()).image),
              (std::vector<std::uint8_t>{50, 100, 20, 128}));
    tiff.more_tags = {{338, 3, {1}}};  // multiplied
    EXPECT_EQ(samples_of<std::uint8_t>(load_bytes("a.tif", tiff.bytes()).image),
              (std::vector<std::uint8_t>{100, 199, 40, 128}));
    tiff.more_tags = {{338, 3, {0}}};  // anything but alpha
    const LoadedImage loaded = load_bytes("a.tif", tiff.bytes());
    EXPECT_EQ(samples_of<std::uint8_t>(loaded.image), (std::vector<std::uint8_t>{50, 100, 20}));
    EXPECT_TRUE(any_contains(loaded.notes, "of its 4 channels"));
}

TEST_F(FileKinds, AlphaOfJpeg2000IsNotMultiplied) {
    OIIO::ImageSpec spec(64, 64, 4, OIIO::TypeDesc::UINT8);
    spec.attribute("oiio:UnassociatedAlpha", 1);
    const Image image = ramp(rgba8, 64, 64);
    const auto output = OIIO::ImageOutput::create("jpeg2000");
    if (!output) GTEST_SKIP() << "this OpenImageIO writes no JPEG 2000";
    ASSERT_TRUE(output->open(file("a.jp2").string(), spec) &&
                output->write_image(OIIO::TypeDesc::UINT8, image.row(0), 4, image.pitch()) &&
                output->close());
    EXPECT_LE(largest_difference(load_image(file("a.jp2")).image, image), 2);
}

// --- Formats ------------------------------------------------------------------------------------

TEST_F(FileKinds, TheContentDecidesAndNotTheName) {
    (void)save_image(ramp(rgb8, 20, 10), file("a.jpg"));
    for (const char* name : {"a.png", "a.tif", "a", "a.unknown", "a.cr2", "a.mp4"}) {
        std::filesystem::copy_file(file("a.jpg"), file(name));
        EXPECT_EQ(load_image(file(name)).image.width(), 20u) << name;
    }
}

TEST_F(FileKinds, TheFirstOfManyPicturesIsReadWithANote) {
    const auto output = OIIO::ImageOutput::create("tiff");
    const OIIO::ImageSpec first(4, 3, 1, OIIO::TypeDesc::UINT8),
        second(9, 9, 1, OIIO::TypeDesc::UINT8);
    const std::array specs = {first, second};
    const std::vector<std::uint8_t> samples(81, 200);
    ASSERT_TRUE(output->open(file("a.tif").string(), 2, specs.data()) &&
                output->write_image(OIIO::TypeDesc::UINT8, samples.data()) &&
                output->open(file("a.tif").string(), second, OIIO::ImageOutput::AppendSubimage) &&
                output->write_image(OIIO::TypeDesc::UINT8, samples.data()) && output->close());
    const LoadedImage loaded = load_image(file("a.tif"));
    EXPECT_EQ(loaded.image.width(), 4u);
    EXPECT_TRUE(any_contains(loaded.notes, "more than one picture"));
}

TEST_F(FileKinds, AnUntaggedFloatFileIsLinearAndAnUntaggedIntegerFileSrgb) {
    write_with_oiio("a.tif", OIIO::ImageSpec(2, 2, 3, OIIO::TypeDesc::FLOAT));
    EXPECT_EQ(load_image(file("a.tif")).image.color().transfer, Transfer::linear);
    const TiffFile tiff{.pixels = {7}};
    EXPECT_EQ(load_bytes("b.tif", tiff.bytes()).image.color().transfer, Transfer::srgb);
}

TEST_F(FileKinds, AJpegWithoutItsEndMarkerIsReadWithANote) {
    (void)save_image(ramp(rgb8, 20, 10), file("a.jpg"));
    Bytes bytes = read_bytes(file("a.jpg"));
    const Image whole = load_image(file("a.jpg")).image;
    bytes.resize(bytes.size() - 2);
    const LoadedImage loaded = load_bytes("a.jpg", bytes);
    EXPECT_EQ(first_difference(loaded.image, whole), "");
    EXPECT_TRUE(any_contains(loaded.notes, "end marker"));
}

}  // namespace
}  // namespace tessera::media
