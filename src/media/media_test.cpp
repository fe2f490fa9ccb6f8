// What goes into a file comes out of it: pixels, colour facts, metadata.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include "media/orientation.hpp"
#include "media/samples.hpp"
#include "media/test_files.hpp"

namespace tessera::media {
namespace {

// --- Pixels -------------------------------------------------------------------------------------

class FileRoundTrip : public MediaTest {
protected:
    /// Saves and loads; no conversion may be needed.
    Image through(std::string_view name, const Image& image) {
        EXPECT_EQ(save_image(image, file(name)), std::vector<std::string>{});
        LoadedImage loaded = load_image(file(name));
        EXPECT_EQ(loaded.notes, std::vector<std::string>{});
        EXPECT_EQ(names_in_folder(), std::vector<std::string>{std::string(name)});
        std::filesystem::remove(file(name));
        return std::move(loaded.image);
    }

    void expect_exact(std::string_view name, const Image& image) {
        EXPECT_EQ(first_difference(image, through(name, image)), "")
            << name << " " << to_string(image.format());
    }
};

constexpr std::array<std::array<std::uint32_t, 2>, 4> odd_sizes = {
    {{1, 1}, {1, 37}, {53, 1}, {67, 41}}};

TEST_F(FileRoundTrip, KeepsIntegersInPngAndTiffExactly) {
    for (const char* name : {"a.png", "a.tif"}) {
        for (SampleType sample : {SampleType::u8, SampleType::u16}) {
            for (std::uint32_t channels = 1; channels <= 4; ++channels) {
                for (auto [width, height] : odd_sizes) {
                    expect_exact(name, pattern({sample, channels}, width, height));
                }
            }
        }
    }
}

TEST_F(FileRoundTrip, KeepsFloatsInTiffExactly) {
    for (std::uint32_t channels = 1; channels <= 4; ++channels) {
        expect_exact("a.tif", pattern({SampleType::f32, channels}, 67, 41, {Transfer::linear}));
    }
}

TEST_F(FileRoundTrip, KeepsFloatsInExrExactlyWithAllThatIsNotANumber) {
    for (SampleType sample : {SampleType::f16, SampleType::f32}) {
        for (std::uint32_t channels : {1u, 3u}) {
            Image image = pattern({sample, channels}, 67, 41, {Transfer::linear});
            if (sample == SampleType::f32) {
                image.samples<float>(3)[0] = std::numeric_limits<float>::infinity();
                image.samples<float>(4)[0] = -std::numeric_limits<float>::infinity();
                image.samples<float>(5)[0] = std::numeric_limits<float>::quiet_NaN();
                image.samples<float>(6)[0] = std::numeric_limits<float>::denorm_min();
            } else {
                for (std::uint16_t i = 0; i < 64; ++i) {
                    image.samples<std::uint16_t>(3)[i] = static_cast<std::uint16_t>(0x7be0 + i);
                    image.samples<std::uint16_t>(4)[i] = i;  // subnormal
                }
            }
            expect_exact("a.exr", image);
        }
    }
}

TEST_F(FileRoundTrip, KeepsExrsColourBesideAlphaButForRounding) {
    Image image({SampleType::f32, 4}, 64, 8, {Transfer::linear});
    for (std::uint32_t y = 0; y < 8; ++y) {
        for (std::uint32_t x = 0; x < 64; ++x) {
            const auto pixel = image.samples<float>(y).subspan(4 * x, 4);
            pixel[0] = static_cast<float>(x) / 7;
            pixel[1] = static_cast<float>(y) / 3;
            pixel[2] = 0.1f;
            pixel[3] = static_cast<float>(x + 1) / 64;
        }
    }
    const Image back = through("a.exr", image);
    for (std::uint32_t y = 0; y < 8; ++y) {
        for (std::size_t i = 0; i < 256; ++i) {
            ASSERT_FLOAT_EQ(back.samples<float>(y)[i], image.samples<float>(y)[i]) << i << " " << y;
        }
    }
}

TEST_F(FileRoundTrip, KeepsPnmAndPfmExactly) {
    for (std::uint32_t channels : {1u, 3u}) {
        for (auto [width, height] : odd_sizes) {
            expect_exact("a.pnm", pattern({SampleType::u8, channels}, width, height));
            expect_exact("a.ppm", pattern({SampleType::u16, channels}, width, height));
            expect_exact("a.pfm",
                         pattern({SampleType::f32, channels}, width, height, {Transfer::linear}));
        }
    }
}

TEST_F(FileRoundTrip, KeepsBytesInBmpAndTgaExactly) {
    for (const char* name : {"a.bmp", "a.tga"}) {
        for (std::uint32_t channels : {3u, 4u}) {
            expect_exact(name, pattern({SampleType::u8, channels}, 67, 41));
        }
    }
}

TEST_F(FileRoundTrip, KeepsHdrWithinItsSharedExponent) {
    Image image({SampleType::f32, 3}, 16, 4, {Transfer::linear});
    for (std::uint32_t y = 0; y < 4; ++y) {
        for (std::size_t i = 0; i < 48; ++i) {
            image.samples<float>(y)[i] =
                static_cast<float>(i + 1) * std::ldexp(1.0f, 4 * int(y) - 8);
        }
    }
    const Image back = through("a.hdr", image);
    for (std::uint32_t y = 0; y < 4; ++y) {
        for (std::size_t i = 0; i < 48; ++i) {
            const float value = image.samples<float>(y)[i];
            const float largest = image.samples<float>(y)[i / 3 * 3 + 2];
            EXPECT_NEAR(back.samples<float>(y)[i], value, largest / 128);
        }
    }
}

TEST_F(FileRoundTrip, StaysWithinAFewLevelsInJpegAndWebp) {
    for (const char* name : {"a.jpg", "a.webp"}) {
        const Image image = ramp(rgb8, 160, 120);
        EXPECT_LE(largest_difference(image, through(name, image)), 8) << name;
    }
    const Image grey = ramp(grey8, 160, 120);
    EXPECT_LE(largest_difference(grey, through("a.jpg", grey)), 3);
}

TEST_F(FileRoundTrip, KeepsTheColourOfSinglePixelsInJpeg) {
    // Stripes of one pixel would turn grey if chroma were subsampled.
    Image image(rgb8, 64, 64);
    for (std::uint32_t y = 0; y < 64; ++y) {
        for (std::uint32_t x = 0; x < 64; ++x) {
            image.samples<std::uint8_t>(y)[3 * x + (x % 2 == 0 ? 0 : 2)] = 220;
        }
    }
    EXPECT_LE(largest_difference(image, through("a.jpg", image)), 24);
}

TEST_F(FileRoundTrip, KeepsWebpsAlphaExactlyAndItsColourUnderIt) {
    for (const bool is_cut_out : {false, true}) {
        Image image = ramp(rgba8, 96, 64);
        for (std::uint32_t y = 0; y < 64; ++y) {
            for (std::uint32_t x = 0; x < 96; ++x) {
                const std::uint32_t level = (x * 5 + y * 3) % 256;
                image.samples<std::uint8_t>(y)[4 * x + 3] =
                    static_cast<std::uint8_t>(is_cut_out ? level / 128 * 255 : level);
            }
        }
        const Image back = through("a.webp", image);
        for (std::uint32_t y = 0; y < 64; ++y) {
            for (std::uint32_t i = 3; i < 384; i += 4) {
                ASSERT_EQ(back.samples<std::uint8_t>(y)[i], image.samples<std::uint8_t>(y)[i]);
            }
        }
        EXPECT_LE(largest_difference(image, back), 10);
    }
}

TEST_F(FileRoundTrip, ReadsRowsFromTheBottomUpAndRepeatedRows) {
    const Image image = pattern(rgb8, 31, 17);
    Image flipped =
        Image::wrap(const_cast<std::byte*>(image.row(16)), image.info(), -image.pitch());
    const Image repeated = Image::wrap(const_cast<std::byte*>(image.row(5)), image.info(), 0);
    for (const char* name : {"a.png", "a.tif", "a.bmp", "a.ppm"}) {
        expect_exact(name, flipped);
        expect_exact(name, repeated);
    }
}

// --- Conversions --------------------------------------------------------------------------------

class SampleConversion : public MediaTest {};

TEST_F(SampleConversion, RoundsEvery16BitValueToTheNearestOf8Bits) {
    Image image({SampleType::u16, 1}, 65536, 1);
    for (std::uint32_t i = 0; i < 65536; ++i)
        image.samples<std::uint16_t>(0)[i] = static_cast<std::uint16_t>(i);
    const Image bytes = converted(image, grey8);
    const Image back = converted(bytes, {SampleType::u16, 1});
    for (std::uint32_t i = 0; i < 65536; ++i) {
        const long nearest = std::lround(i * 255.0 / 65535.0);
        ASSERT_EQ(bytes.samples<std::uint8_t>(0)[i], nearest) << i;
        ASSERT_EQ(back.samples<std::uint16_t>(0)[i], nearest * 257) << i;
    }
}

TEST_F(SampleConversion, KeepsEvery16BitValueThroughFloats) {
    Image image({SampleType::u16, 1}, 65536, 1);
    for (std::uint32_t i = 0; i < 65536; ++i)
        image.samples<std::uint16_t>(0)[i] = static_cast<std::uint16_t>(i);
    const Image floats = converted(image, {SampleType::f32, 1});
    EXPECT_EQ(first_difference(converted(floats, {SampleType::u16, 1}), image), "");
}

TEST_F(SampleConversion, ClipsFloatsAndTellsSo) {
    Image image({SampleType::f32, 1}, 6, 1);
    const std::array values = {-1.0f, 0.0f, 0.5f, 1.0f, 7.0f, std::nanf("")};
    std::ranges::copy(values, image.samples<float>(0).begin());
    EXPECT_TRUE(any_contains(save_image(image, file("a.png")), "clipped"));
    const Image back = load_image(file("a.png")).image;
    EXPECT_EQ(back.format().sample, SampleType::u16);
    EXPECT_EQ(samples_of<std::uint16_t>(back),
              (std::vector<std::uint16_t>{0, 0, 32768, 65535, 65535, 0}));
}

TEST_F(SampleConversion, TellsOfEachLoss) {
    const auto notes_for = [&](PixelFormat format, const char* name) {
        return save_image(pattern(format, 9, 9), file(name));
    };
    EXPECT_TRUE(any_contains(notes_for({SampleType::u16, 3}, "a.jpg"), "8-bit"));
    EXPECT_TRUE(any_contains(notes_for(rgba8, "a.jpg"), "alpha was left out"));
    EXPECT_TRUE(any_contains(notes_for({SampleType::f16, 3}, "a.tif"), "32-bit floats"));
    EXPECT_TRUE(any_contains(notes_for(rgb8, "a.exr"), "16-bit floats"));
    EXPECT_TRUE(any_contains(notes_for(rgb8, "a.exr"), "linear light"));
    EXPECT_TRUE(any_contains(notes_for(rgb8, "a.gif"), "palette"));
    EXPECT_EQ(load_image(file("a.exr")).image.format(), (PixelFormat{SampleType::f16, 3}));
}

TEST_F(SampleConversion, RepeatsGreyWhereAFormatKnowsOnlyRgb) {
    const Image grey = pattern(grey8, 40, 30);
    for (const char* name : {"a.webp", "a.gif"}) {
        (void)save_image(grey, file(name));
        const Image back = load_image(file(name)).image;
        EXPECT_GE(back.format().channels, 3u) << name;
    }
    Image translucent = pattern({SampleType::u8, 2}, 40, 30);
    EXPECT_TRUE(any_contains(save_image(translucent, file("a.jpg")), "alpha"));
    EXPECT_EQ(load_image(file("a.jpg")).image.format(), grey8);
    (void)save_image(translucent, file("a.bmp"));
    EXPECT_EQ(load_image(file("a.bmp")).image.format(), rgba8);
}

TEST_F(SampleConversion, DividesByAlphaWhatMultiplicationLeft) {
    Image image = pattern({SampleType::u16, 4}, 64, 64);
    for (std::uint32_t y = 0; y < 64; ++y) {
        for (std::size_t i = 3; i < 256; i += 4) image.samples<std::uint16_t>(y)[i] |= 0x8000;
    }
    Image changed = image.clone();
    multiply_by_alpha(changed);
    divide_by_alpha(changed);
    for (std::uint32_t y = 0; y < 64; ++y) {
        for (std::size_t i = 0; i < 256; ++i) {
            ASSERT_NEAR(changed.samples<std::uint16_t>(y)[i], image.samples<std::uint16_t>(y)[i],
                        1);
        }
    }
}

// --- Orientation --------------------------------------------------------------------------------

/// Where each visual pixel lies in the file, by the words of the EXIF standard: what the stored
/// first row and first column are.
std::array<std::uint32_t, 2> stored_place(int orientation, std::uint32_t x, std::uint32_t y,
                                          std::uint32_t width, std::uint32_t height) {
    switch (orientation) {
        case 2:
            return {width - 1 - x, y};  // top, right
        case 3:
            return {width - 1 - x, height - 1 - y};  // bottom, right
        case 4:
            return {x, height - 1 - y};  // bottom, left
        case 5:
            return {y, x};  // left, top
        case 6:
            return {y, height - 1 - x};  // right, top
        case 7:
            return {width - 1 - y, height - 1 - x};  // right, bottom
        case 8:
            return {width - 1 - y, x};  // left, bottom
        default:
            return {x, y};
    }
}

/// The picture as it should be seen, taken pixel by pixel.
Image turned_by_the_standard(const Image& stored, int orientation) {
    const bool exchanged = orientation >= 5;
    Image upright_image(stored.format(), exchanged ? stored.height() : stored.width(),
                        exchanged ? stored.width() : stored.height());
    const std::size_t size = stored.format().bytes_per_pixel();
    for (std::uint32_t y = 0; y < upright_image.height(); ++y) {
        for (std::uint32_t x = 0; x < upright_image.width(); ++x) {
            const auto [from_x, from_y] =
                stored_place(orientation, x, y, stored.width(), stored.height());
            std::copy_n(stored.row(from_y) + from_x * size, size, upright_image.row(y) + x * size);
        }
    }
    return upright_image;
}

class FileOrientation : public MediaTest {};

TEST_F(FileOrientation, TurnsEveryFormatByTheStandard) {
    for (SampleType sample : {SampleType::u8, SampleType::u16, SampleType::f32}) {
        for (std::uint32_t channels = 1; channels <= 4; ++channels) {
            for (auto [width, height] : odd_sizes) {
                const Image stored = pattern({sample, channels}, width, height);
                for (int orientation = 1; orientation <= 8; ++orientation) {
                    ASSERT_EQ(first_difference(upright(stored.clone(), orientation),
                                               turned_by_the_standard(stored, orientation)),
                              "")
                        << orientation;
                }
            }
        }
    }
}

TEST_F(FileOrientation, OfAJpegIsAppliedAndNotCarriedOn) {
    (void)save_image(ramp(rgb8, 40, 24), file("stored.jpg"));
    const Image stored = load_image(file("stored.jpg")).image;
    for (std::uint32_t orientation = 1; orientation <= 8; ++orientation) {
        write_bytes(file("a.jpg"),
                    jpeg_with_orientation(read_bytes(file("stored.jpg")), orientation));
        const Image image = load_image(file("a.jpg")).image;
        EXPECT_EQ(first_difference(image, turned_by_the_standard(stored, int(orientation))), "")
            << orientation;
        // Written and read again, it must not be turned a second time.
        (void)save_image(image, file("again.png"));
        EXPECT_EQ(first_difference(load_image(file("again.png")).image, image), "") << orientation;
    }
}

TEST_F(FileOrientation, OfTiffPngAndWebpIsApplied) {
    const Image stored = pattern(rgb8, 6, 4);
    TiffFile tiff{.width = 6, .height = 4, .channels = 3, .photometric = 2};
    Bytes png_rows;
    for (std::uint32_t y = 0; y < 4; ++y) {
        const auto row = stored.samples<std::uint8_t>(y);
        tiff.pixels.insert(tiff.pixels.end(), row.begin(), row.end());
        png_rows.push_back(0);
        png_rows.insert(png_rows.end(), row.begin(), row.end());
    }
    for (std::uint32_t orientation = 1; orientation <= 8; ++orientation) {
        const Image expected = turned_by_the_standard(stored, int(orientation));
        tiff.more_tags = {{274, 3, {orientation}}};
        write_bytes(file("a.tif"), tiff.bytes());
        EXPECT_EQ(first_difference(load_image(file("a.tif")).image, expected), "") << orientation;

        const Bytes exif = png_chunk("eXIf", exif_with_orientation(orientation));
        write_bytes(file("a.png"), png_file(6, 4, 8, 2, png_rows, {exif}));
        EXPECT_EQ(first_difference(load_image(file("a.png")).image, expected), "") << orientation;
    }
}

TEST_F(FileOrientation, ExchangesTheResolutionsWithTheSides) {
    TiffFile tiff{.width = 2, .height = 1, .pixels = {1, 2}};
    // Resolutions are fractions, 8 bytes behind the pixels; here as bytes of a private tag would
    // be.
    tiff.more_tags = {{274, 3, {6}}};
    write_bytes(file("a.tif"), tiff.bytes());
    EXPECT_EQ(load_image(file("a.tif")).image.height(), 2u);

    Image image = ramp(rgb8, 8, 8);
    image.metadata.attributes = {{"XResolution", std::vector<float>{300}},
                                 {"YResolution", std::vector<float>{150}},
                                 {"ResolutionUnit", std::string("in")}};
    (void)save_image(image, file("b.jpg"));
    write_bytes(file("b.jpg"), jpeg_with_orientation(read_bytes(file("b.jpg")), 6));
    for (const auto& attribute : load_image(file("b.jpg")).image.metadata.attributes) {
        if (attribute.name == "XResolution") {
            EXPECT_EQ(std::get<std::vector<float>>(attribute.value), std::vector<float>{150});
        }
        if (attribute.name == "YResolution") {
            EXPECT_EQ(std::get<std::vector<float>>(attribute.value), std::vector<float>{300});
        }
    }
}

// --- Metadata and colour ------------------------------------------------------------------------

class CarriedMetadata : public MediaTest {
protected:
    static Image with_metadata(PixelFormat format = rgb8) {
        Image image = ramp(format, 40, 30);
        image.metadata.icc_profile = profile(format.channels < 3 ? "GRAY" : "RGB ");
        image.metadata.attributes = {{"Make", std::string("Maker")},
                                     {"Model", std::string("Model 3")},
                                     {"DateTime", std::string("2021:03:04 05:06:07")},
                                     {"ExposureTime", std::vector<float>{0.005f}},
                                     {"FNumber", std::vector<float>{2.8f}},
                                     {"Exif:FocalLength", std::vector<float>{35}},
                                     {"Exif:MeteringMode", std::vector<std::uint32_t>{5}}};
        return image;
    }

    static void expect_metadata(const Metadata& metadata, const std::string& where) {
        EXPECT_EQ(metadata.icc_profile, with_metadata().metadata.icc_profile) << where;
        const auto find = [&](std::string_view name) -> const Metadata::Attribute* {
            const auto found =
                std::ranges::find(metadata.attributes, name, &Metadata::Attribute::name);
            return found == metadata.attributes.end() ? nullptr : &*found;
        };
        const auto expect_text = [&](const char* name, const char* text) {
            ASSERT_NE(find(name), nullptr) << where << " " << name;
            EXPECT_EQ(std::get<std::string>(find(name)->value), text) << where << " " << name;
        };
        const auto expect_float = [&](const char* name, float value) {
            ASSERT_NE(find(name), nullptr) << where << " " << name;
            // OpenImageIO finds a fraction for it that is near, not nearest.
            EXPECT_NEAR(std::get<std::vector<float>>(find(name)->value).at(0), value, value / 1000)
                << where << " " << name;
        };
        expect_text("Make", "Maker");
        expect_text("Model", "Model 3");
        expect_text("DateTime", "2021:03:04 05:06:07");
        expect_float("ExposureTime", 0.005f);
        expect_float("FNumber", 2.8f);
        expect_float("Exif:FocalLength", 35);
        ASSERT_NE(find("Exif:MeteringMode"), nullptr) << where;
    }
};

TEST_F(CarriedMetadata, ProfileAndExifGoFromAnyFileToAnyOther) {
    for (const char* first : {"a.jpg", "a.png", "a.tif", "a.webp"}) {
        EXPECT_EQ(save_image(with_metadata(), file(first)), std::vector<std::string>{});
        const Image image = load_image(file(first)).image;
        expect_metadata(image.metadata, first);
        for (const char* second : {"b.jpg", "b.png", "b.tif", "b.webp"}) {
            (void)save_image(image, file(second));
            expect_metadata(load_image(file(second)).image.metadata,
                            std::string(first) + " to " + second);
        }
    }
}

TEST_F(CarriedMetadata, ProfileOfAWebpWithAlphaToo) {
    (void)save_image(with_metadata(rgba8), file("a.webp"));
    expect_metadata(load_image(file("a.webp")).image.metadata, "a.webp");
}

TEST_F(CarriedMetadata, ProfilesThatNeedManyJpegSegmentsArriveWhole) {
    for (std::size_t size : {65519u, 65520u, 200001u}) {
        Image image = ramp(rgb8, 8, 8);
        image.metadata.icc_profile = profile("RGB ", size);
        for (const char* name : {"a.jpg", "a.png", "a.webp"}) {
            (void)save_image(image, file(name));
            EXPECT_EQ(load_image(file(name)).image.metadata.icc_profile, image.metadata.icc_profile)
                << name;
        }
    }
}

TEST_F(CarriedMetadata, ProfileForOtherChannelsStaysBehind) {
    (void)save_image(with_metadata(grey8), file("a.png"));
    const Image grey = load_image(file("a.png")).image;
    EXPECT_FALSE(grey.metadata.icc_profile.empty());
    (void)save_image(grey, file("b.webp"));  // becomes RGB
    EXPECT_TRUE(load_image(file("b.webp")).image.metadata.icc_profile.empty());
}

TEST_F(CarriedMetadata, DamagedProfileIsLeftOutWithANote) {
    Image image = ramp(rgb8, 8, 8);
    image.metadata.icc_profile = profile("RGB ");
    for (const char* name : {"a.jpg", "a.tif", "a.webp"}) {
        (void)save_image(image, file(name));
        Bytes bytes = read_bytes(file(name));
        const std::string_view magic = "acsp";
        int count = 0;  // libtiff leaves an older copy behind
        for (auto at = bytes.begin(); true; ++at, ++count) {
            at = std::search(at, bytes.end(), magic.begin(), magic.end());
            if (at == bytes.end()) break;
            at[143 - 36] = 3;  // the length of the only tag: too short for its type
        }
        ASSERT_GT(count, 0) << name;
        write_bytes(file(name), bytes);
        const LoadedImage loaded = load_image(file(name));
        EXPECT_TRUE(loaded.image.metadata.icc_profile.empty()) << name;
        EXPECT_TRUE(any_contains(loaded.notes, "damaged")) << name;
    }

    auto damaged = profile("RGB ");
    damaged[143] = std::byte{3};
    const Bytes rows = {0, 1, 2, 3};
    Bytes data;
    append(data, std::string_view("name\0\0", 6));
    const Bytes stored =
        zlib_stored({reinterpret_cast<unsigned char*>(damaged.data()), damaged.size()});
    data.insert(data.end(), stored.begin(), stored.end());
    write_bytes(file("a.png"), png_file(1, 1, 8, 2, rows, {png_chunk("iCCP", data)}));
    EXPECT_TRUE(any_contains(load_image(file("a.png")).notes, "damaged"));

    image.metadata.icc_profile = damaged;
    for (const char* name : {"b.jpg", "b.png", "b.tif", "b.webp"}) {
        EXPECT_TRUE(any_contains(save_image(image, file(name)), "profile was left out")) << name;
        EXPECT_EQ(load_image(file(name)).image.width(), 8u);
    }
}

TEST_F(CarriedMetadata, TextTooLongForAJpegIsLeftOutWithANote) {
    for (const char* name : {"ImageDescription", "Artist", "IPTC:Caption"}) {
        Image image = ramp(rgb8, 8, 8);
        image.metadata.attributes = {{name, std::string(100000, 'x')}};
        EXPECT_TRUE(any_contains(save_image(image, file("a.jpg")), "too long")) << name;
        EXPECT_EQ(load_image(file("a.jpg")).image.width(), 8u);
    }
}

TEST_F(CarriedMetadata, TextUnderAnyNameGoesIntoAPng) {
    Image image = ramp(rgb8, 8, 8);
    image.metadata.attributes = {{std::string(200, 'k'), std::string("long")},
                                 {" space ", std::string("space")},
                                 {"caf\xc3\xa9", std::string("accent")},
                                 {"Comment", std::string("kept")}};
    (void)save_image(image, file("a.png"));
    const auto attributes = load_image(file("a.png")).image.metadata.attributes;
    EXPECT_NE(std::ranges::find(attributes, "Comment", &Metadata::Attribute::name),
              attributes.end());
}

TEST_F(CarriedMetadata, WhatAFormatCannotHoldIsTold) {
    const auto notes = save_image(with_metadata(), file("a.bmp"));
    EXPECT_TRUE(any_contains(notes, "colour profile was left out"));
    EXPECT_TRUE(any_contains(notes, "EXIF was left out"));
}

TEST_F(CarriedMetadata, TransferSurvivesWhereTheFormatHasAWordForIt) {
    const auto transfer_through = [&](const char* name, PixelFormat format, Transfer transfer) {
        (void)save_image(pattern(format, 8, 8, {transfer}), file(name));
        return load_image(file(name)).image.color().transfer;
    };
    constexpr PixelFormat rgb32f{SampleType::f32, 3};
    for (Transfer transfer : {Transfer::srgb, Transfer::linear, Transfer::gamma22}) {
        EXPECT_EQ(transfer_through("a.png", rgb8, transfer), transfer);
    }
    for (Transfer transfer :
         {Transfer::srgb, Transfer::linear, Transfer::gamma22, Transfer::bt709}) {
        EXPECT_EQ(transfer_through("a.exr", rgb32f, transfer), transfer);
    }
    for (Transfer transfer : {Transfer::srgb, Transfer::linear}) {
        EXPECT_EQ(transfer_through("a.tif", rgb32f, transfer), transfer);
    }
    EXPECT_EQ(transfer_through("a.hdr", rgb32f, Transfer::linear), Transfer::linear);
    EXPECT_EQ(transfer_through("a.jpg", rgb8, Transfer::srgb), Transfer::srgb);
}

TEST_F(CarriedMetadata, PrimariesComeFromTheProfilesName) {
    Image image = ramp(rgb8, 8, 8);
    for (auto [name, primaries] : {std::pair{"Display P3", Primaries::display_p3},
                                   {"Rec. ITU-R BT.2020-1", Primaries::bt2020},
                                   {"sRGB IEC61966-2.1", Primaries::bt709}}) {
        image.metadata.icc_profile = profile("RGB ", 400, name);
        for (const char* target : {"a.jpg", "a.png", "a.tif", "a.webp"}) {
            (void)save_image(image, file(target));
            EXPECT_EQ(load_image(file(target)).image.color().primaries, primaries)
                << name << target;
        }
    }
}

// --- Threads ------------------------------------------------------------------------------------

TEST_F(FileRoundTrip, WorksFromManyThreadsAtOnce) {
    const std::array names = {"a.png", "a.tif", "a.exr", "a.ppm"};
    std::vector<std::thread> threads;
    std::atomic<int> failures{0};
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            for (int repeat = 0; repeat < 5; ++repeat) {
                const std::string name =
                    fmt::format("{}{}", i, names[static_cast<std::size_t>(i % 4)]);
                const PixelFormat format{i % 4 == 2 ? SampleType::f32 : SampleType::u16, 3};
                const Image image = pattern(format, 60 + static_cast<std::uint32_t>(i), 50);
                (void)save_image(image, file(name));
                if (!first_difference(load_image(file(name)).image, image).empty()) ++failures;
                try {
                    (void)load_image(file("missing.png"));
                    ++failures;
                } catch (const Error&) {
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace tessera::media
