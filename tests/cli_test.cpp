// The command line from outside: what a user types, and what comes back.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/process.hpp"
#include "tessera/engine.hpp"
#include "tessera/media.hpp"

#ifdef TESSERA_CLI

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Finished tessera(std::vector<std::string> arguments, const ProcessOptions& options = {}) {
    arguments.insert(arguments.begin(), TESSERA_CLI);
    return run_process(std::move(arguments), options);
}

std::string sample(const std::string& name) {
    return (fs::path(TESSERA_SAMPLES_DIR) / name).string();
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// A folder of one test's own.
class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "tessera_cli_XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (path_ / name).string();
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(path_)) {
            names.push_back(entry.path().filename().string());
        }
        return names;
    }

private:
    fs::path path_;
};

/// "tessera: sentence", one line of it.
MATCHER(IsOneSentence, "is one line that starts with 'tessera: '") {
    return arg.starts_with("tessera: ") && std::count(arg.begin(), arg.end(), '\n') == 1 &&
           arg.ends_with('\n');
}

void expect_failure(const Finished& run, int exit_code) {
    EXPECT_EQ(run.exit_code, exit_code);
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, IsOneSentence());
}

constexpr std::array channel_names{"r", "g", "b", "l"};

std::uint64_t total(const json& counts) {
    return std::accumulate(
        counts.begin(), counts.end(), std::uint64_t{0},
        [](std::uint64_t sum, const json& count) { return sum + count.get<std::uint64_t>(); });
}

// --- What both engines must do
// --------------------------------------------------------------------

class HistogramCommand : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (GetParam() == "gpu" && list_adapters().size() < 2) GTEST_SKIP() << "no WebGPU adapter";
    }
    [[nodiscard]] Finished histogram(std::vector<std::string> arguments,
                                     const ProcessOptions& options = {}) const {
        arguments.insert(arguments.begin(), {"histogram", "--engine", GetParam()});
        return tessera(std::move(arguments), options);
    }
    [[nodiscard]] json histogram_json(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--json", "-"});
        const Finished run = histogram(std::move(arguments));
        EXPECT_EQ(run.exit_code, 0) << run.err;
        EXPECT_THAT(run.err, IsEmpty());
        return json::parse(run.out);
    }

    Folder folder;
};
INSTANTIATE_TEST_SUITE_P(Cpu, HistogramCommand, ::testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(Gpu, HistogramCommand, ::testing::Values("gpu"));

TEST_P(HistogramCommand, WritesCountsAndStatisticsAsJson) {
    const json result = histogram_json({sample("coffee.png")});
    const LoadedImage photo = load_image(sample("coffee.png"));
    const std::uint64_t pixels = std::uint64_t{photo.image.width()} * photo.image.height();

    EXPECT_EQ(result["width"], photo.image.width());
    EXPECT_EQ(result["height"], photo.image.height());
    EXPECT_EQ(result["bins"], 256);
    EXPECT_EQ(result["range"], json({0.0, 1.0}));
    for (const char* channel : channel_names) {
        SCOPED_TRACE(channel);
        ASSERT_EQ(result["channels"][channel].size(), 256u);
        EXPECT_EQ(total(result["channels"][channel]), pixels);
        const json& statistics = result["statistics"][channel];
        EXPECT_EQ(statistics["count"], pixels);
        EXPECT_EQ(statistics["non_finite"], 0);
        EXPECT_EQ(statistics["shadows"], result["channels"][channel][0]);
        EXPECT_EQ(statistics["highlights"], result["channels"][channel][255]);
        for (const char* name : {"min", "max", "mean", "median", "deviation"}) {
            EXPECT_TRUE(statistics[name].is_number_float()) << name;
        }
    }
    EXPECT_EQ(result.size(), 6u) << "a key that nobody knows";
}

TEST_P(HistogramCommand, CountsWhatThePhotoHolds) {
    const json result = histogram_json({sample("chelsea.png")});
    const LoadedImage photo = load_image(sample("chelsea.png"));
    const std::uint32_t channels = photo.image.format().channels;
    ASSERT_EQ(photo.image.format().sample, SampleType::u8);
    ASSERT_GE(channels, 3u);
    for (std::size_t c = 0; c < 3; ++c) {
        std::vector<std::uint64_t> expected(256);
        for (std::uint32_t y = 0; y < photo.image.height(); ++y) {
            const auto row = photo.image.samples<std::uint8_t>(y);
            for (std::size_t i = c; i < row.size(); i += channels) ++expected[row[i]];
        }
        EXPECT_EQ(result["channels"][channel_names[c]], json(expected));
    }
}

TEST_P(HistogramCommand, TellsTheNumbersOfAPictureThatIsKnown) {
    // Ten pixels a row: eight of code 51 (0.2), one 0, one 255.
    Image image({SampleType::u8, 3}, 10, 6);
    for (std::uint32_t y = 0; y < 6; ++y) {
        const auto row = image.samples<std::uint8_t>(y);
        std::fill(row.begin(), row.end(), std::uint8_t{51});
        std::fill(row.begin(), row.begin() + 3, std::uint8_t{0});
        std::fill(row.end() - 3, row.end(), std::uint8_t{255});
    }
    save_image(image, folder.file("known.png"));
    const json result = histogram_json({folder.file("known.png"), "--bins", "10"});
    const double mean = (8 * 0.2 + 1.0) / 10;
    const double deviation = std::sqrt((8 * 0.04 + 1.0) / 10 - mean * mean);
    for (const char* channel : channel_names) {
        const json& statistics = result["statistics"][channel];
        EXPECT_EQ(statistics["min"], 0.0);
        EXPECT_EQ(statistics["max"], 1.0);
        EXPECT_NEAR(statistics["mean"].get<double>(), mean, 1e-6);
        EXPECT_NEAR(statistics["deviation"].get<double>(), deviation, 1e-6);
        // To the code, however few bins the user asks for.
        EXPECT_NEAR(statistics["median"].get<double>(), 0.2, 0.5 / 255);
        EXPECT_EQ(statistics["shadows"], 6);
        EXPECT_EQ(statistics["highlights"], 6);
    }
    const Finished run = histogram({folder.file("known.png")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, ContainsRegex("red +0 +255 +66.30 +51 +[0-9.]+ +10.00 % +10.00 %"));
}

TEST_P(HistogramCommand, FindsTheMedianOfFloatsInsideAndOutsideOfZeroToOne) {
    // One very bright pixel must not make the median coarse; NaN is counted apart.
    Image image({SampleType::f32, 3}, 5, 1, {Transfer::linear, Primaries::bt709});
    const std::array values{0.1f, 0.18f, 0.18f, 20000.0f, std::numeric_limits<float>::quiet_NaN()};
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t c = 0; c < 3; ++c) image.samples<float>(0)[3 * i + c] = values[i];
    }
    save_image(image, folder.file("bright.exr"));
    const json result = histogram_json({folder.file("bright.exr")});
    EXPECT_EQ(result["statistics"]["g"]["count"], 4);
    EXPECT_EQ(result["statistics"]["g"]["non_finite"], 1);
    EXPECT_NEAR(result["statistics"]["g"]["median"].get<double>(), 0.18, 2.0 / 4096);
    EXPECT_EQ(result["statistics"]["g"]["max"], 20000.0);
    EXPECT_EQ(total(result["channels"]["g"]), 4u);

    for (float& value : image.samples<float>(0)) value = 5.0f;
    save_image(image, folder.file("outside.exr"));
    const json outside = histogram_json({folder.file("outside.exr")});
    EXPECT_NEAR(outside["statistics"]["g"]["median"].get<double>(), 5.0, 1e-3);

    EXPECT_THAT(histogram({folder.file("bright.exr")}).out,
                AllOf(HasSubstr("float RGB, linear light"), HasSubstr("not finite")));
}

TEST_P(HistogramCommand, WritesNullForWhatDoesNotExist) {
    Image image({SampleType::f32, 3}, 2, 2, {Transfer::linear, Primaries::bt709});
    for (std::uint32_t y = 0; y < 2; ++y) {
        for (float& value : image.samples<float>(y))
            value = std::numeric_limits<float>::quiet_NaN();
    }
    save_image(image, folder.file("nan.exr"));
    const json result = histogram_json({folder.file("nan.exr")});
    EXPECT_EQ(result["statistics"]["r"]["count"], 0);
    EXPECT_TRUE(result["statistics"]["r"]["mean"].is_null());
    EXPECT_TRUE(result["statistics"]["r"]["median"].is_null());
    EXPECT_EQ(histogram({folder.file("nan.exr")}).exit_code, 0);
}

TEST_P(HistogramCommand, WritesACsvRowForEachBin) {
    const Finished run =
        histogram({sample("chelsea.png"), "--bins", "100", "--range", "0:0.5", "--csv", "-"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    std::istringstream lines(run.out);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "bin,low,high,r,g,b,l");
    int rows = 0;
    double end = 0;
    std::array<std::uint64_t, 4> totals{};
    for (; std::getline(lines, line); ++rows) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream cells(line);
        int bin = -1;
        double low = -1, high = -1;
        cells >> bin >> low >> high;
        EXPECT_EQ(bin, rows);
        EXPECT_EQ(low, end);
        EXPECT_NEAR(high, 0.005 * (rows + 1), 1e-9);
        end = high;
        for (std::uint64_t& sum : totals) {
            std::uint64_t count = 0;
            cells >> count;
            sum += count;
        }
        EXPECT_TRUE(cells && cells.eof()) << line;
    }
    EXPECT_EQ(rows, 100);
    const LoadedImage photo = load_image(sample("chelsea.png"));
    for (const std::uint64_t sum : totals) {
        EXPECT_EQ(sum, std::uint64_t{photo.image.width()} * photo.image.height());
    }
}

TEST_P(HistogramCommand, ReadsStandardInput) {
    const Finished from_file = histogram({sample("rocket.jpg"), "--json", "-"});
    const Finished from_input =
        histogram({"-", "--json", "-"}, {.input = read_file(sample("rocket.jpg"))});
    EXPECT_EQ(from_input.exit_code, 0) << from_input.err;
    EXPECT_EQ(from_input.out, from_file.out);
}

TEST_P(HistogramCommand, WritesSeveralFilesAtOnce) {
    const Finished run = histogram({sample("coffee.png"), "--json", folder.file("c.json"), "--csv",
                                    folder.file("c.csv"), "-o", folder.file("c.png")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("luminance")) << "files do not replace the summary";
    EXPECT_THAT(folder.names(), ::testing::UnorderedElementsAre("c.json", "c.csv", "c.png"));
    EXPECT_EQ(json::parse(read_file(folder.file("c.json")))["bins"], 256);
    const LoadedImage plot = load_image(folder.file("c.png"));
    EXPECT_EQ(plot.image.width(), 1024u);
    EXPECT_EQ(plot.image.height(), 512u);
}

TEST_P(HistogramCommand, DrawsAPngToStandardOutput) {
    const Finished run =
        histogram({sample("coffee.png"), "-o", "-", "--size", "300x200", "--channels", "rgb",
                   "--log", "--colors", "#f00,#0f0,#00f,#fff,#102030"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, StartsWith("\x89PNG\r\n\x1a\n"));
    write_file(folder.file("plot.png"), run.out);
    const LoadedImage plot = load_image(folder.file("plot.png"));
    EXPECT_EQ(plot.image.width(), 300u);
    EXPECT_EQ(plot.image.height(), 200u);
}

TEST_P(HistogramCommand, DrawsOverThePhotoAndKeepsWhatIsAboveTheDrawing) {
    const Finished run =
        histogram({sample("rocket.jpg"), "--overlay", "-o", folder.file("over.png"), "-q"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const LoadedImage photo = load_image(sample("rocket.jpg"));
    const LoadedImage over = load_image(folder.file("over.png"));
    ASSERT_EQ(over.image.width(), photo.image.width());
    ASSERT_EQ(over.image.height(), photo.image.height());
    ASSERT_EQ(over.image.format(), photo.image.format());
    const std::uint32_t height = photo.image.height();
    const auto same_row = [&](std::uint32_t y) {
        const auto a = photo.image.samples<std::uint8_t>(y),
                   b = over.image.samples<std::uint8_t>(y);
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    for (std::uint32_t y = 0; y < height - height / 4; ++y) ASSERT_TRUE(same_row(y)) << "row " << y;
    EXPECT_FALSE(same_row(height - 1));
    EXPECT_EQ(over.image.metadata.icc_profile, photo.image.metadata.icc_profile);
}

TEST_P(HistogramCommand, ChangesNothingWhenTheFileOfAPlotCannotBeWritten) {
    write_file(folder.file("folder"), "in the way");
    expect_failure(histogram({sample("coffee.png"), "-q", "-o", folder.file("folder/plot.png")}),
                   1);
    expect_failure(histogram({sample("coffee.png"), "-q", "-o", folder.file("no/plot.png")}), 1);
    EXPECT_THAT(folder.names(), ::testing::ElementsAre("folder"));
}

TEST_P(HistogramCommand, TellsWhichPathRanWhenVerbose) {
    const Finished run = histogram({sample("coffee.png"), "--verbose", "--json", folder.file("j")});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.err,
                AllOf(HasSubstr("tessera: runs on "), HasSubstr("tessera: time of loading")));
    if (GetParam() == "cpu") {
        EXPECT_THAT(run.err, AllOf(HasSubstr("the CPU engine"), HasSubstr("threads"),
                                   HasSubstr("single precision")));
    } else {
        EXPECT_THAT(run.err, AllOf(HasSubstr("workgroups"), HasSubstr("whole codes, exact")));
    }
}

TEST_P(HistogramCommand, ExplainsInsteadOfRunning) {
    const Finished run =
        histogram({sample("coffee.png"), "--explain", "-o", folder.file("plot.png")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(folder.names(), IsEmpty());
    if (GetParam() == "cpu") {
        EXPECT_THAT(run.out, AllOf(HasSubstr("The CPU engine has no Plan"),
                                   HasSubstr("1. histogram (bins 256;"),
                                   HasSubstr("histogram-plot (channels rgb+l;")));
    } else {
        EXPECT_THAT(run.out, AllOf(HasSubstr("dispatch"), HasSubstr("render"),
                                   HasSubstr("device memory: ")));
    }
}

TEST_P(HistogramCommand, WritesThePlanAsJson) {
    const Finished run = histogram({sample("coffee.png"), "-q", "--plan", "-"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NO_THROW((void)plan_from_json(run.out));
    EXPECT_THAT(run.out, HasSubstr("histogram/count")) << "--quiet must not empty the plan";
}

// --- The summary
// ----------------------------------------------------------------------------------

TEST(CommandLine, SumsUpAPhotoForPeople) {
    const Finished run = tessera({"histogram", sample("coffee.png"), "--engine", "cpu"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, StartsWith(sample("coffee.png") + ": 600x400, 8-bit RGB, encoded sRGB"));
    EXPECT_THAT(run.out, HasSubstr("by the CPU engine"));
    for (const char* row : {"red", "green", "blue", "luminance"}) {
        EXPECT_THAT(run.out,
                    ContainsRegex(std::string(row) + " +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9]+ "));
    }
    EXPECT_THAT(run.out, Not(HasSubstr("\x1b"))) << "colours are for terminals";
}

TEST(CommandLine, DrawsBarsInWhatTheLocaleCanShow) {
    const std::vector<std::string> command{"histogram", sample("coffee.png"), "--engine", "cpu"};
    const Finished unicode = tessera(command, {.environment = {"LC_ALL=C.UTF-8"}});
    EXPECT_THAT(unicode.out, HasSubstr("█"));
    const Finished ascii = tessera(command, {.environment = {"LC_ALL=C"}});
    EXPECT_TRUE(std::all_of(ascii.out.begin(), ascii.out.end(),
                            [](char c) { return static_cast<unsigned char>(c) < 128; }));
    EXPECT_THAT(ascii.out, ContainsRegex("\\|\\|"));
}

TEST(CommandLine, SaysWhenItMeasuresLinearLight) {
    const Finished run = tessera({"histogram", sample("coffee.png"), "--engine", "cpu", "--linear",
                                  "--roi", "10,20,30,40", "--luma", "bt601"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("linear light"), HasSubstr("30x40 pixels from 10,20"),
                               HasSubstr("luminance by BT.601")));
}

TEST(CommandLine, IsQuietWhenToldTo) {
    Folder folder;
    for (const std::string& photo : {sample("coffee.png"), sample("rocket.jpg")}) {
        const Finished run = tessera({"histogram", photo, "--engine", "cpu", "--quiet", "-o",
                                      folder.file("plot.jpg"), "--csv", folder.file("bins.csv")});
        EXPECT_EQ(run.exit_code, 0);
        EXPECT_THAT(run.out, IsEmpty());
        EXPECT_THAT(run.err, IsEmpty());
    }
}

TEST(CommandLine, TakesCommonOptionsBeforeAndAfterTheCommand) {
    const Finished before = tessera({"--engine", "cpu", "-q", "histogram", sample("coffee.png")});
    const Finished after = tessera({"histogram", sample("coffee.png"), "-q", "--engine", "cpu"});
    EXPECT_EQ(before.exit_code, 0);
    EXPECT_EQ(after.exit_code, 0);
    EXPECT_THAT(before.out + before.err + after.out + after.err, IsEmpty());
}

// --- Help, version, devices
// -----------------------------------------------------------------------

TEST(CommandLine, HelpTellsTypeDefaultRangeAndUnit) {
    const Finished run = tessera({"histogram", "--help"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.err, IsEmpty());
    std::string text;  // as one line, however it is wrapped
    std::istringstream words(run.out);
    for (std::string word; words >> word;) text += word + " ";
    EXPECT_THAT(text, HasSubstr("--bins INTEGER number of bins [integer 2..4096; default 256]"));
    EXPECT_THAT(text, HasSubstr("[choice: bt709, bt601, bt2020; default bt709]"));
    EXPECT_THAT(text, HasSubstr("[size, px; default 1024x512]"));
    EXPECT_THAT(text, HasSubstr("[switch; default off]"));
    EXPECT_THAT(text, HasSubstr("[choice: auto, gpu, cpu; default auto]"));
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(CommandLine, TellsItsVersion) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"--version"}, {"histogram", "--version"}}) {
        const Finished run = tessera(command);
        EXPECT_EQ(run.exit_code, 0);
        EXPECT_THAT(run.out, ::testing::MatchesRegex("tessera [0-9]+\\.[0-9]+\\.[0-9]+\n"));
    }
}

TEST(CommandLine, ListsTheCpuEngineAmongTheDevices) {
    const Finished run = tessera({"devices"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("the CPU, without WebGPU"), HasSubstr("taken by")));

    const Finished as_json = tessera({"devices", "--json", "-"});
    EXPECT_EQ(as_json.exit_code, 0) << as_json.err;
    const json devices = json::parse(as_json.out);
    const json& adapters = devices["adapters"];
    ASSERT_GE(adapters.size(), 1u);
    EXPECT_EQ(adapters.back()["cpu_engine"], true);
    ASSERT_LT(devices["chosen"]["index"].get<std::size_t>(), adapters.size());
    EXPECT_FALSE(devices["chosen"]["reason"].get<std::string>().empty());
    for (std::size_t i = 0; i < adapters.size(); ++i) {
        EXPECT_EQ(adapters[i]["index"], i);
        if (adapters[i]["cpu_engine"] == true) continue;
        EXPECT_GE(adapters[i]["limits"]["maxComputeInvocationsPerWorkgroup"], 256);
        EXPECT_TRUE(adapters[i]["features"]["shader-f16"].is_boolean());
    }
}

TEST(CommandLine, TakesTheCpuEngineByItsNumber) {
    const json devices = json::parse(tessera({"devices", "--json", "-"}).out);
    const std::string index = devices["adapters"].back()["index"].dump();
    const Finished run = tessera({"histogram", sample("coffee.png"), "--adapter", index});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("by the CPU engine"));
}

TEST(CommandLine, ListsTheDevicesEvenWhenNoneIsWhatWasAskedFor) {
    const Finished run = tessera({"devices", "--adapter", "no such adapter"});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.out, HasSubstr("the CPU, without WebGPU"));
    EXPECT_THAT(run.err, IsOneSentence());
}

// --- Wrong usage
// ----------------------------------------------------------------------------------

TEST(CommandLine, AloneShowsHelpAndFails) {
    const Finished run = tessera({});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, AllOf(HasSubstr("Usage: tessera"), HasSubstr("histogram")));
}

struct WrongUsage {
    std::vector<std::string> arguments;
    std::string sentence;
};

TEST(CommandLine, AnswersWrongUsageWithOneSentence) {
    const std::string photo = sample("coffee.png");
    const std::vector<WrongUsage> cases{
        {{"histgram", photo}, "unknown command 'histgram': did you mean histogram?"},
        {{photo}, "unknown command"},
        {{"--colour"}, "unknown option --colour"},
        {{"histogram"}, "PHOTO is missing"},
        {{"histogram", photo, photo}, "is one argument too many"},
        {{"histogram", photo, "--bnis", "8"}, "unknown option --bnis: did you mean --bins?"},
        {{"histogram", photo, "--bins"}, "--bins needs a value"},
        {{"histogram", photo, "--bins", "1"}, "bins = 1 is below 2 (number of bins)"},
        {{"histogram", photo, "--bins", "4097"}, "bins = 4097 is above 4096"},
        {{"histogram", photo, "--bins", "many"}, "bins = 'many'"},
        {{"histogram", photo, "--bins", "99999999999999999999"}, "bins = "},
        {{"histogram", photo, "--luma", "bt70"}, "luma = bt70"},
        {{"histogram", photo, "--range", "1:0"}, "range = 1:0"},
        {{"histogram", photo, "--range", "nan:1"}, "range = "},
        {{"histogram", photo, "--roi", "1,2,3"}, "roi = "},
        {{"histogram", photo, "--roi", "599,0,2,1", "--engine", "cpu"}, "roi"},
        {{"histogram", photo, "--linear=maybe"}, "linear = 'maybe'"},
        {{"histogram", photo, "--channels", "cmyk", "-o", "never.png"}, "channels = cmyk"},
        {{"histogram", photo, "--size", "0x10", "-o", "never.png"}, "size = 0x10"},
        {{"histogram", photo, "--colors", "red", "-o", "never.png"}, "colors = "},
        {{"histogram", photo, "--size", "10x10"}, "--size needs -o"},
        {{"histogram", photo, "--overlay"}, "--overlay needs -o"},
        {{"histogram", photo, "--overlay", "-o", "never.png", "--size", "9x9"},
         "--size does not go with --overlay"},
        {{"histogram", photo, "--json", "-", "--csv", "-"},
         "--json and --csv cannot both write to standard output"},
        {{"histogram", photo, "--json", "-", "-o", "-"}, "cannot both"},
        {{"histogram", photo, "--engine", "tpu"}, "engine = tpu is none of auto, gpu, cpu"},
        {{"histogram", photo, "--verbose", "--quiet"}, "exclude each other"},
        {{"devices", "--jason", "-"}, "unknown option --jason: did you mean --json?"},
    };
    for (const auto& [arguments, sentence] : cases) {
        SCOPED_TRACE(::testing::PrintToString(arguments));
        const Finished run = tessera(arguments);
        expect_failure(run, 2);
        EXPECT_THAT(run.err, AllOf(HasSubstr(sentence), HasSubstr("see tessera ")));
    }
    EXPECT_FALSE(fs::exists("never.png"));
}

// --- Files that are not what they should be
// -------------------------------------------------------

class CommandLineOnABrokenFile : public ::testing::Test {
protected:
    /// All kinds of output are asked for; none may be there afterwards.
    void expect_refused(const std::string& photo, const ProcessOptions& options = {}) const {
        expect_failure(tessera({"histogram", photo, "--engine", "cpu", "-q", "-o",
                                outputs.file("plot.png"), "--json", outputs.file("counts.json")},
                               options),
                       1);
        expect_failure(tessera({"histogram", photo, "--engine", "cpu", "--csv", "-"}, options), 1);
        EXPECT_THAT(outputs.names(), IsEmpty());
    }

    Folder inputs, outputs;
};

TEST_F(CommandLineOnABrokenFile, IsMissing) { expect_refused(inputs.file("missing.png")); }

TEST_F(CommandLineOnABrokenFile, IsAFolder) { expect_refused(inputs.file("")); }

TEST_F(CommandLineOnABrokenFile, EndsInTheMiddle) {
    for (const std::string name : {"coffee.png", "rocket.jpg"}) {
        SCOPED_TRACE(name);
        const std::string whole = read_file(sample(name));
        ASSERT_FALSE(whole.empty());
        for (const std::size_t size : {whole.size() / 2, whole.size() / 50, std::size_t{10}}) {
            SCOPED_TRACE(size);
            write_file(inputs.file(name), whole.substr(0, size));
            expect_refused(inputs.file(name));
            expect_refused("-", {.input = whole.substr(0, size)});
        }
    }
}

TEST_F(CommandLineOnABrokenFile, IsText) {
    write_file(inputs.file("text.png"), "This is not a picture.\n");
    expect_refused(inputs.file("text.png"));
}

TEST_F(CommandLineOnABrokenFile, IsEmpty) {
    write_file(inputs.file("empty.png"), "");
    expect_refused(inputs.file("empty.png"));
    expect_refused("-");
}

TEST_F(CommandLineOnABrokenFile, ClaimsMorePixelsThanMemoryHolds) {
    write_file(inputs.file("huge.ppm"), "P6\n2000000 2000000\n255\nshort");
    expect_refused(inputs.file("huge.ppm"));
}

// --- Standard output that takes nothing
// -----------------------------------------------------------

TEST(CommandLine, SaysWhenStandardOutputIsFull) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"histogram", sample("coffee.png"), "--engine", "cpu"},
             {"histogram", sample("coffee.png"), "--engine", "cpu", "--json", "-"},
             {"histogram", sample("coffee.png"), "--engine", "cpu", "-o", "-"},
             {"devices"},
             {"--help"},
             {"--version"}}) {
        SCOPED_TRACE(::testing::PrintToString(command));
        expect_failure(tessera(command, {.output_file = "/dev/full"}), 1);
    }
}

TEST(CommandLine, EndsSilentlyWhenNobodyReads) {
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"histogram", sample("coffee.png"), "--engine", "cpu"},
             {"histogram", sample("coffee.png"), "--engine", "cpu", "--csv", "-"},
             {"histogram", sample("coffee.png"), "--engine", "cpu", "-o", "-"},
             {"--help"}}) {
        SCOPED_TRACE(::testing::PrintToString(command));
        const Finished run = tessera(command, {.broken_output = true});
        EXPECT_EQ(run.exit_code, 0);
        EXPECT_THAT(run.err, IsEmpty());
    }
}

}  // namespace
}  // namespace tessera::test

#endif  // TESSERA_CLI
