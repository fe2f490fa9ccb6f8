// Files that are missing, cut off, lying or random; targets that cannot be written.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "media/test_files.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define TESSERA_POSIX 1
#endif

namespace tessera::media {
namespace {

constexpr std::array all_names = {"a.png", "a.jpg", "a.tif", "a.exr", "a.webp", "a.ppm",
                                  "a.pfm", "a.hdr", "a.bmp", "a.tga", "a.gif"};

class BrokenFile : public MediaTest {
protected:
    std::string loading_fails(const std::filesystem::path& path,
                              ErrorCode code = ErrorCode::input) {
        std::string sentence = sentence_of(code, [&] { (void)load_image(path); });
        EXPECT_TRUE(sentence.starts_with(path.string() + ": ")) << sentence;
        return sentence.substr(std::min(sentence.size(), path.string().size() + 2));
    }
    std::string loading_bytes_fails(std::string_view name, ByteView bytes,
                                    ErrorCode code = ErrorCode::input) {
        write_bytes(file(name), bytes);
        return loading_fails(file(name), code);
    }

    Bytes sample_file(const char* name) {
        (void)save_image(ramp(rgb8, 90, 70), file(name));
        return read_bytes(file(name));
    }
};

TEST_F(BrokenFile, ThatIsMissingOrAFolderOrEmptyIsCalledSo) {
    EXPECT_EQ(loading_fails(file("holiday.png")), "there is no such file");
    EXPECT_EQ(loading_fails(file("no/holiday.png")), "there is no such file");
    EXPECT_EQ(loading_fails(folder()), "this is a folder, not a picture");
    EXPECT_EQ(loading_bytes_fails("a.png", {}), "there is nothing in it (0 bytes)");
    (void)sentence_of(ErrorCode::input, [] { (void)load_image(""); });
}

TEST_F(BrokenFile, ThatIsNoPictureIsCalledSo) {
    Bytes text;
    append(text, "Dear diary,\ntoday I learned nothing.\n");
    for (const char* name : {"a.png", "a.jpg", "a.txt", "a", "a.mp4", "a.null"}) {
        EXPECT_TRUE(contains(loading_bytes_fails(name, text), "not a picture")) << name;
    }
}

TEST_F(BrokenFile, ThatIsCutOffAnywhereIsNeverHalfAPicture) {
    for (const char* name : all_names) {
        const Bytes whole = sample_file(name);
        const Image picture = load_image(file(name)).image;
        for (std::size_t size = 1; size < whole.size(); size += 1 + whole.size() / 60) {
            write_bytes(file(name), ByteView(whole).first(size));
            try {
                // What is cut off may be no more than what follows the pixels.
                const LoadedImage loaded = load_image(file(name));
                EXPECT_EQ(first_difference(loaded.image, picture), "")
                    << name << ", " << size << " of " << whole.size();
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::input) << error.what();
            }
        }
    }
}

TEST_F(BrokenFile, ThatIsCutOffInTheMiddleIsCalledSo) {
    for (const char* name : {"a.png", "a.jpg", "a.tif", "a.exr", "a.webp", "a.ppm", "a.hdr",
                             "a.tga", "a.gif", "a.bmp"}) {
        const Bytes whole = sample_file(name);
        const std::string sentence =
            loading_bytes_fails(name, ByteView(whole).first(whole.size() / 2));
        EXPECT_TRUE(contains(sentence, "ends in the middle of the picture"))
            << name << ": " << sentence;
        EXPECT_TRUE(contains(sentence, std::to_string(whole.size() / 2))) << sentence;
    }
}

TEST_F(BrokenFile, ThatIsCutOffPrintsNothingItself) {
    for (const char* name : all_names) {
        const Bytes whole = sample_file(name);
        write_bytes(file(name), ByteView(whole).first(whole.size() / 2));
        testing::internal::CaptureStderr();
        testing::internal::CaptureStdout();
        try {
            (void)load_image(file(name));
        } catch (const Error&) {
        }
        EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << name;
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << name;
    }
}

TEST_F(BrokenFile, ProgressiveJpegsLackingScansAreRefused) {
    // The scans of a baseline file, called progressive: enough for the walk over the segments.
    Bytes bytes = sample_file("a.jpg");
    for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
        if (bytes[i] == 0xff && bytes[i + 1] == 0xc0) bytes[i + 1] = 0xc2;
    }
    bytes.resize(bytes.size() - 2);
    EXPECT_TRUE(contains(loading_bytes_fails("a.jpg", bytes), "ends in the middle"));
}

TEST_F(BrokenFile, DamageInsideAZippedTiffIsFound) {
    // Noise, so that nearly all of the file is pixels, in many strips.
    const Image image = pattern(rgb8, 90, 200);
    (void)save_image(image, file("a.tif"));
    const Bytes whole = read_bytes(file("a.tif"));
    for (std::size_t at = whole.size() / 10; at < whole.size() / 10 * 9; at += whole.size() / 50) {
        Bytes damaged = whole;
        damaged[at] ^= 0x55;
        EXPECT_FALSE(loading_bytes_fails("a.tif", damaged).empty()) << at;
    }
}

// --- Sizes that cannot be -----------------------------------------------------------------------

TEST_F(BrokenFile, HugeSizesAreRefusedBeforeAnythingIsAllocated) {
    constexpr std::uint32_t side = 100000;
    const auto expect_refusal = [&](std::string_view name, const Bytes& bytes) {
        write_bytes(file(name), bytes);
        const std::string sentence = sentence_of(ErrorCode::out_of_memory, [&] {
            (void)load_image(file(name), std::uint64_t{1000} << 20);
        });
        EXPECT_TRUE(contains(sentence, "1.0 GB may be used")) << sentence;
        EXPECT_TRUE(contains(sentence, " GB of memory")) << sentence;
    };
    expect_refusal("a.png", png_file(side, side, 8, 2, Bytes{0}));
    expect_refusal("a.tif", TiffFile{.width = side, .height = side, .pixels = {0}}.bytes());
    expect_refusal("b.tif", TiffFile{.width = side,
                                     .height = side,
                                     .bits = 16,
                                     .channels = 4,
                                     .photometric = 2,
                                     .pixels = {0}}
                                .bytes());

    Bytes pnm;
    append(pnm, "P6 100000 100000 255\n");
    expect_refusal("a.ppm", pnm);

    Bytes gif;
    append(gif, "GIF89a");
    append_little(gif, 65535, 2);
    append_little(gif, 65535, 2);
    gif.resize(13);
    expect_refusal("a.gif", gif);

    Bytes jpeg = sample_file("a.jpg");
    for (std::size_t i = 0; i + 8 < jpeg.size(); ++i) {
        if (jpeg[i] == 0xff && jpeg[i + 1] == 0xc0) std::fill_n(&jpeg[i + 5], 4, 0xff);
    }
    expect_refusal("a.jpg", jpeg);

    Bytes webp;
    append(webp, std::string_view("RIFF\x28\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0", 24));
    append_little(webp, 65535, 3);
    append_little(webp, 65535, 3);
    append(webp, std::string_view("VP8 \x0a\0\0\0\0\0\0\0\0\0\0\0\0\0", 18));
    expect_refusal("a.webp", webp);
}

TEST_F(BrokenFile, TheLimitIsTheCallersToSet) {
    (void)save_image(pattern(rgb8, 200, 100), file("a.png"));
    EXPECT_NO_THROW((void)load_image(file("a.png"), 200 * 100 * 8 * 2));
    const auto sentence =
        sentence_of(ErrorCode::out_of_memory, [&] { (void)load_image(file("a.png"), 70000); });
    EXPECT_TRUE(contains(sentence, "200 x 100")) << sentence;
    const auto file_alone =
        sentence_of(ErrorCode::out_of_memory, [&] { (void)load_image(file("a.png"), 2000); });
    EXPECT_TRUE(contains(file_alone, "file alone")) << file_alone;
}

TEST_F(BrokenFile, SizesOf0AreRefused) {
    EXPECT_TRUE(contains(loading_bytes_fails("a.png", png_file(0, 5, 8, 2, Bytes{0})), "0 x 5"));
    Bytes pnm;
    append(pnm, "P5 5 0 255\n");
    EXPECT_TRUE(contains(loading_bytes_fails("a.pgm", pnm), "5 x 0"));
}

// --- Random bytes -------------------------------------------------------------------------------

TEST_F(BrokenFile, WithRandomBytesGivesAnErrorOrAPicture) {
    for (const char* name : all_names) {
        Image image = ramp(rgba8, 40, 30);
        image.metadata.icc_profile = profile("RGB ");
        image.metadata.attributes = {{"Make", std::string("Maker")},
                                     {"ExposureTime", std::vector<float>{0.01f}}};
        (void)save_image(image, file(name));
        const Bytes whole = read_bytes(file(name));
        for (unsigned seed = 0; seed < 40; ++seed) {
            std::mt19937 random(seed);
            Bytes bytes = whole;
            // Headers are where lies do most harm.
            const std::size_t range =
                seed % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 400);
            for (unsigned flips = 1 + random() % 8; flips > 0; --flips) {
                bytes[random() % range] = static_cast<unsigned char>(random());
            }
            write_bytes(file(name), bytes);
            try {
                EXPECT_FALSE(load_image(file(name), std::uint64_t{50} << 20).image.empty());
            } catch (const Error& error) {
                EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos)
                    << error.what();
            }
        }
    }
}

TEST_F(BrokenFile, WithShortMetadataSegmentsIsStillRead) {
    const Bytes jpeg = sample_file("a.jpg");
    const auto expect_read = [&](unsigned char marker, std::string_view text) {
        Bytes payload;
        append(payload, text);
        write_bytes(file("a.jpg"), jpeg_with_segment(jpeg, marker, payload));
        EXPECT_EQ(load_image(file("a.jpg")).image.width(), 90u) << text;
    };
    expect_read(0xe1, "Exif");
    expect_read(0xe1, std::string_view("Exif\0", 5));
    expect_read(0xe2, "ICC_PROFILE");
    expect_read(0xe2, std::string_view("ICC_PROFILE\0\1", 13));
    expect_read(0xed, std::string_view("Photoshop 3.0\0", 14));
    expect_read(0xed, std::string_view("Photoshop 3.0\08BIM\4\4\0\0\0\0\xff\xff", 26));
}

// --- Targets ------------------------------------------------------------------------------------

class OutputFile : public MediaTest {
protected:
    std::string saving_fails(const std::filesystem::path& path) {
        std::string sentence =
            sentence_of(ErrorCode::output, [&] { (void)save_image(ramp(rgb8, 64, 48), path); });
        EXPECT_TRUE(sentence.starts_with(path.string() + ": ")) << sentence;
        return sentence.substr(std::min(sentence.size(), path.string().size() + 2));
    }
};

TEST_F(OutputFile, WithoutAKnownExtensionIsRefused) {
    EXPECT_TRUE(contains(saving_fails(file("a.xyz")), "use png, jpg"));
    EXPECT_TRUE(contains(saving_fails(file("a")), "without an extension"));
    EXPECT_EQ(names_in_folder(), std::vector<std::string>{});
}

TEST_F(OutputFile, ThatIsAFolderOrInNoFolderIsCalledSo) {
    std::filesystem::create_directory(file("a.png"));
    EXPECT_EQ(saving_fails(file("a.png")), "this is a folder, not a file");
    EXPECT_TRUE(contains(saving_fails(file("no/a.png")), "there is no folder"));
    write_bytes(file("plain"), Bytes{1});
    EXPECT_TRUE(contains(saving_fails(file("plain/a.png")), "no folder"));
}

TEST_F(OutputFile, IsReplacedWhole) {
    write_bytes(file("a.png"), Bytes(100000, 7));
    (void)save_image(ramp(rgb8, 8, 8), file("a.png"));
    EXPECT_EQ(load_image(file("a.png")).image.width(), 8u);
    EXPECT_EQ(names_in_folder(), std::vector<std::string>{"a.png"});
}

TEST_F(OutputFile, MayHaveTheLongestOfNames) {
    const std::string name = std::string(251, 'n') + ".png";
    (void)save_image(ramp(rgb8, 8, 8), file(name));
    EXPECT_EQ(names_in_folder(), std::vector<std::string>{name});
}

TEST_F(OutputFile, KeepsWhatItHeldWhenThePictureCannotBeEncoded) {
    const Bytes before = {1, 2, 3};
    write_bytes(file("a.webp"), before);
    const auto sentence = sentence_of(
        ErrorCode::output, [&] { (void)save_image(Image(rgb8, 20000, 1), file("a.webp")); });
    EXPECT_TRUE(contains(sentence, "16383")) << sentence;
    EXPECT_EQ(read_bytes(file("a.webp")), before);
    EXPECT_EQ(names_in_folder(), std::vector<std::string>{"a.webp"});
    EXPECT_EQ(sentence_of(
                  ErrorCode::output,
                  [&] {
                      (void)save_image(Image(rgb8, 65501, 1), file("a.jpg"));
                  }).find("65500") != std::string::npos,
              true);
}

TEST_F(OutputFile, NeedsAPicture) {
    (void)sentence_of(ErrorCode::invalid_argument,
                      [&] { (void)save_image(Image(), file("a.png")); });
}

TEST_F(OutputFile, TakesTextToo) {
    save_text("{}\n", file("a.json"));
    EXPECT_EQ(read_bytes(file("a.json")), (Bytes{'{', '}', '\n'}));
    EXPECT_EQ(names_in_folder(), std::vector<std::string>{"a.json"});
    const auto sentence =
        sentence_of(ErrorCode::output, [&] { save_text("x", file("no/a.json")); });
    EXPECT_TRUE(contains(sentence, "there is no folder")) << sentence;
}

#if defined(TESSERA_POSIX)

TEST_F(OutputFile, OnAFullDiskIsAnErrorForEveryFormat) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
    for (const char* name : all_names) {
        std::filesystem::create_symlink("/dev/full", file(name));
        EXPECT_TRUE(contains(saving_fails(file(name)), "No space left")) << name;
        EXPECT_EQ(names_in_folder(), std::vector<std::string>{name});
        std::filesystem::remove(file(name));
    }
    const auto sentence = sentence_of(ErrorCode::output, [&] { save_text("x", "/dev/full"); });
    EXPECT_TRUE(contains(sentence, "No space left")) << sentence;
}

TEST_F(OutputFile, ThroughALinkReplacesWhatTheLinkPointsTo) {
    std::filesystem::create_directory(file("real"));
    write_bytes(file("real/b.png"), Bytes{1});
    std::filesystem::create_symlink("real/b.png", file("a.png"));
    std::filesystem::create_symlink("real/c.png", file("dangling.png"));
    (void)save_image(ramp(rgb8, 8, 8), file("a.png"));
    (void)save_image(ramp(rgb8, 8, 8), file("dangling.png"));
    EXPECT_TRUE(std::filesystem::is_symlink(file("a.png")));
    EXPECT_EQ(load_image(file("real/b.png")).image.width(), 8u);
    EXPECT_EQ(load_image(file("real/c.png")).image.width(), 8u);
}

TEST_F(OutputFile, KeepsItsPermissionsAndANewOneHasThoseOfTheUmask) {
    using std::filesystem::perms;
    write_bytes(file("a.png"), Bytes{1});
    std::filesystem::permissions(file("a.png"), perms{0640});
    (void)save_image(ramp(rgb8, 8, 8), file("a.png"));
    EXPECT_EQ(std::filesystem::status(file("a.png")).permissions(), perms{0640});
    const mode_t before = umask(027);
    (void)save_image(ramp(rgb8, 8, 8), file("b.tif"));
    umask(before);
    EXPECT_EQ(std::filesystem::status(file("b.tif")).permissions(), perms{0640});
}

TEST_F(OutputFile, WithoutPermissionIsLeftAlone) {
    if (geteuid() == 0) GTEST_SKIP() << "root may do everything";
    using std::filesystem::perms;
    std::filesystem::create_directory(file("locked"));
    std::filesystem::permissions(file("locked"), perms{0555});
    EXPECT_TRUE(contains(saving_fails(file("locked/a.png")), "no permission"));
    write_bytes(file("a.png"), Bytes{1});
    std::filesystem::permissions(file("a.png"), perms{0444});
    EXPECT_TRUE(contains(saving_fails(file("a.png")), "no permission"));
    std::filesystem::permissions(file("a.png"), perms{0});
    EXPECT_TRUE(contains(sentence_of(ErrorCode::input, [&] { (void)load_image(file("a.png")); }),
                         "no permission"));
}

// --- Standard streams ---------------------------------------------------------------------------

/// Standard input or output, led to a file for a while.
class Redirected {
public:
    Redirected(int stream, const std::filesystem::path& path, int flags)
        : stream_(stream), saved_(dup(stream)) {
        const int file = open(path.c_str(), flags, 0600);
        dup2(file, stream);
        close(file);
        std::clearerr(stdin);
    }
    Redirected(const Redirected&) = delete;
    Redirected& operator=(const Redirected&) = delete;
    ~Redirected() {
        std::fflush(nullptr);
        dup2(saved_, stream_);
        close(saved_);
    }

private:
    int stream_, saved_;
};

class StandardStreams : public MediaTest {};

TEST_F(StandardStreams, ReadEveryFormatByItsContent) {
    const Image image = ramp(rgb8, 60, 40);
    for (const char* name : all_names) {
        if (std::string_view(name) == "a.tga") continue;  // has no signature
        (void)save_image(image, file(name));
        const Image expected = load_image(file(name)).image;
        const Redirected input(STDIN_FILENO, file(name), O_RDONLY);
        EXPECT_EQ(first_difference(load_image("-").image, expected), "") << name;
    }
}

TEST_F(StandardStreams, WritePng) {
    const Image image = pattern({SampleType::u16, 4}, 60, 40);
    {
        const Redirected output(STDOUT_FILENO, file("out"), O_WRONLY | O_CREAT);
        EXPECT_EQ(save_image(image, "-"), std::vector<std::string>{});
    }
    EXPECT_EQ(first_difference(load_image(file("out")).image, image), "");
    {
        const Redirected output(STDOUT_FILENO, file("text"), O_WRONLY | O_CREAT);
        save_text("words\n", "-");
    }
    EXPECT_EQ(read_bytes(file("text")).size(), 6u);
}

TEST_F(StandardStreams, AreNamedInErrors) {
    {
        write_bytes(file("empty"), {});
        const Redirected input(STDIN_FILENO, file("empty"), O_RDONLY);
        EXPECT_EQ(sentence_of(ErrorCode::input, [] { (void)load_image("-"); }),
                  "standard input: there is nothing in it (0 bytes)");
    }
    if (!std::filesystem::exists("/dev/full")) return;
    std::string sentence;
    {
        const Redirected output(STDOUT_FILENO, "/dev/full", O_WRONLY);
        sentence = sentence_of(ErrorCode::output, [] { (void)save_image(ramp(rgb8, 8, 8), "-"); });
    }
    EXPECT_TRUE(contains(sentence, "standard output: ") && contains(sentence, "No space left"))
        << sentence;
}

#endif

}  // namespace
}  // namespace tessera::media
