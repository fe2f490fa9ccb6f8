#include "tessera/engine.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <optional>

#include <gtest/gtest.h>

#include "tessera/error.hpp"
#include "tessera/operator.hpp"

namespace tessera {
namespace {

struct Thrown {
    ErrorCode code{};
    std::string sentence = "no error";
};

Thrown thrown_by(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
    return {};
}

AdapterInfo gpu(std::string name, std::string type) {
    AdapterInfo info;
    info.name = std::move(name);
    info.backend = "Vulkan";
    info.type = std::move(type);
    info.profile.software = info.type == "software";
    return info;
}

AdapterInfo cpu_engine() {
    AdapterInfo info;
    info.name = "Some CPU";
    info.backend = "CPU";
    info.type = "cpu engine";
    info.cpu_engine = true;
    return info;
}

AdapterChoice choose(const std::vector<AdapterInfo>& adapters, EngineKind kind,
                     const std::string& adapter = "") {
    return choose_adapter(adapters, {.kind = kind, .adapter = adapter});
}

const AdapterInfo discrete = gpu("NVIDIA GeForce RTX 4090", "discrete");
const AdapterInfo integrated = gpu("Intel UHD 770", "integrated");
const AdapterInfo software = gpu("llvmpipe", "software");

TEST(AdapterChoice, TakesTheOnlyHardwareGpu) {
    const AdapterChoice choice =
        choose({software, integrated, cpu_engine()}, EngineKind::automatic);
    EXPECT_EQ(choice.index, 1u);
    EXPECT_EQ(choice.reason, "the only hardware GPU");
}

TEST(AdapterChoice, TakesADiscreteBeforeAnIntegratedGpu) {
    EXPECT_EQ(choose({integrated, discrete, cpu_engine()}, EngineKind::automatic).index, 1u);
    EXPECT_EQ(choose({integrated, discrete, cpu_engine()}, EngineKind::gpu).index, 1u);
}

TEST(AdapterChoice, TakesTheCpuEngineWhereOnlySoftwareAdaptersAre) {
    const AdapterChoice choice = choose({software, cpu_engine()}, EngineKind::automatic);
    EXPECT_EQ(choice.index, 1u);
    EXPECT_EQ(choice.reason,
              "no hardware GPU was found; software adapters are taken only when asked for");
}

TEST(AdapterChoice, TakesTheCpuEngineWhereThereIsNothingElse) {
    const AdapterChoice choice = choose({cpu_engine()}, EngineKind::automatic);
    EXPECT_EQ(choice.index, 0u);
    EXPECT_EQ(choice.reason, "no GPU was found");
}

TEST(AdapterChoice, TakesASoftwareAdapterWhenAGpuIsAskedForAndSaysSo) {
    const AdapterChoice choice = choose({software, cpu_engine()}, EngineKind::gpu);
    EXPECT_EQ(choice.index, 0u);
    EXPECT_NE(choice.reason.find("no hardware GPU"), std::string::npos);
}

TEST(AdapterChoice, SaysWhatToDoWhereNoGpuIs) {
    const Thrown thrown = thrown_by([] { (void)choose({cpu_engine()}, EngineKind::gpu); });
    EXPECT_EQ(thrown.code, ErrorCode::device);
    EXPECT_NE(thrown.sentence.find("install a Vulkan driver"), std::string::npos);
    EXPECT_NE(thrown.sentence.find("--engine cpu"), std::string::npos);
}

TEST(AdapterChoice, TakesTheCpuEngineWhenAskedFor) {
    EXPECT_EQ(choose({discrete, software, cpu_engine()}, EngineKind::cpu).index, 2u);
}

TEST(AdapterChoice, FindsAnAdapterByPartOfItsNameInAnyCase) {
    const std::vector<AdapterInfo> all{discrete, software, cpu_engine()};
    EXPECT_EQ(choose(all, EngineKind::automatic, "LLVM").index, 1u);
    EXPECT_EQ(choose(all, EngineKind::automatic, "LLVM").reason, "asked for by name");
    EXPECT_EQ(choose(all, EngineKind::automatic, "some cpu").index, 2u);
}

TEST(AdapterChoice, FindsAnAdapterByItsNumber) {
    const std::vector<AdapterInfo> all{discrete, software, cpu_engine()};
    EXPECT_EQ(choose(all, EngineKind::automatic, "1").index, 1u);
    EXPECT_EQ(choose(all, EngineKind::automatic, "1").reason, "asked for by number");
}

TEST(AdapterChoice, ANumberTooLargeForAnIndexIsPartOfAName) {
    EXPECT_EQ(choose({software, discrete, cpu_engine()}, EngineKind::automatic, "4090").index, 1u);
}

TEST(AdapterChoice, ListsWhatThereIsWhereNothingFits) {
    const std::vector<AdapterInfo> all{discrete, software, cpu_engine()};
    for (const std::string adapter : {"voodoo", "7"}) {
        const Thrown thrown = thrown_by([&] { (void)choose(all, EngineKind::automatic, adapter); });
        EXPECT_EQ(thrown.code, ErrorCode::device);
        EXPECT_NE(thrown.sentence.find(adapter), std::string::npos) << thrown.sentence;
        EXPECT_NE(thrown.sentence.find("1: llvmpipe"), std::string::npos) << thrown.sentence;
    }
}

TEST(AdapterChoice, AnAdapterOfTheOtherKindDoesNotFit) {
    const std::vector<AdapterInfo> all{discrete, cpu_engine()};
    EXPECT_EQ(thrown_by([&] { (void)choose(all, EngineKind::cpu, "nvidia"); }).code,
              ErrorCode::device);
    EXPECT_EQ(thrown_by([&] { (void)choose(all, EngineKind::gpu, "1"); }).code, ErrorCode::device);
}

TEST(ListAdapters, EndsWithTheCpuEngine) {
    const std::vector<AdapterInfo> adapters = list_adapters();
    ASSERT_FALSE(adapters.empty());
    EXPECT_TRUE(adapters.back().cpu_engine);
    EXPECT_EQ(adapters.back().type, "cpu engine");
    EXPECT_FALSE(adapters.back().name.empty());
    EXPECT_NE(adapters.back().driver.find(" threads"), std::string::npos);
}

/// Adds 1 to every byte.
const Operator increment{
    .name = "increment",
    .summary = "Add one",
    .inputs = {{.name = "src"}},
    .outputs = {{.name = "dst"}},
    .infer = [](std::span<const ValueInfo> in,
                const std::any&) { return std::vector<ValueInfo>{in[0]}; },
    .run =
        [](const Node&, std::span<const Data* const> in, std::span<Data* const> out) {
            const auto& src = std::get<Image>(*in[0]);
            auto& dst = std::get<Image>(*out[0]);
            for (std::uint32_t y = 0; y < src.height(); ++y) {
                for (std::size_t x = 0; x < src.row_bytes(); ++x) {
                    dst.row(y)[x] = static_cast<std::byte>(std::to_integer<int>(src.row(y)[x]) + 1);
                }
            }
        }};

constexpr ImageInfo small{{SampleType::u8, 4}, 6, 3, {}};

Image filled(std::uint8_t value, const ImageInfo& info = small) {
    Image image(info);
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        std::memset(image.row(y), value, image.row_bytes());
    }
    return image;
}

std::uint8_t corner(const Image& image) { return std::to_integer<std::uint8_t>(*image.row(0)); }

/// A graph that gives its input back, as it is and by a second name.
Graph identity() {
    Graph graph;
    const Value src = graph.input(small);
    graph.output(src, "same");
    graph.output(src, "again");
    return graph;
}

/// What both engines must do alike; the graph needs no kernel.
void give_inputs_back(const EngineOptions& options) {
    Engine engine = Engine::open(options);
    Prepared prepared = engine.prepare(identity());
    for (const std::uint8_t value : {1, 2, 3}) {
        prepared.run(filled(value));
        EXPECT_EQ(corner(prepared.image("same")), value);
        EXPECT_EQ(corner(prepared.image("again")), value);
    }
}

void keep_taken_images(const EngineOptions& options) {
    Engine engine = Engine::open(options);
    Prepared prepared = engine.prepare(identity());
    const Image first = filled(1), second = filled(2);
    prepared.run(first);
    const Image taken = prepared.take_image("same");
    EXPECT_TRUE(prepared.image("same").empty());
    prepared.run(second);
    EXPECT_EQ(corner(taken), 1);
    EXPECT_EQ(corner(prepared.image("same")), 2);
    (void)prepared.take_image("same");
    EXPECT_GE(prepared.run_passes(), 0);
}

void outlast_the_engine(const EngineOptions& options) {
    std::optional<Engine> engine = Engine::open(options);
    Prepared prepared = engine->prepare(identity());
    engine.reset();
    prepared.run(filled(9));
    EXPECT_EQ(corner(prepared.image("same")), 9);
}

void refuse_wrong_inputs(const EngineOptions& options) {
    Engine engine = Engine::open(options);
    Prepared prepared = engine.prepare(identity());
    Thrown thrown = thrown_by([&] { prepared.run(Image({SampleType::u8, 3}, 640, 480)); });
    EXPECT_EQ(thrown.code, ErrorCode::invalid_argument);
    EXPECT_EQ(thrown.sentence, "input 0 is rgb8 640x480, but the graph was prepared for rgba8 6x3");
    const Image image = filled(1);
    const Image* const two[] = {&image, &image};
    thrown = thrown_by([&] { prepared.run(two); });
    EXPECT_EQ(thrown.sentence, "this graph takes 1 inputs, not 2");
    EXPECT_EQ(thrown_by([&] { prepared.run(std::span<const Image* const>{}); }).code,
              ErrorCode::invalid_argument);
    EXPECT_EQ(thrown_by([&] { prepared.run_passes(); }).code, ErrorCode::invalid_argument);
    thrown = thrown_by([&] { (void)prepared.image("other"); });
    EXPECT_EQ(thrown.sentence, "this graph has no output named 'other'");
    EXPECT_EQ(thrown_by([&] { (void)prepared.array("same"); }).sentence,
              "output 'same' is no array");
    // Nothing of this harms the next run.
    prepared.run(image);
    EXPECT_EQ(corner(prepared.image("same")), 1);
}

const EngineOptions on_cpu{.kind = EngineKind::cpu};

TEST(CpuEngine, GivesInputsBackAsTheyCame) { give_inputs_back(on_cpu); }
TEST(CpuEngine, LeavesTakenImagesAlone) { keep_taken_images(on_cpu); }
TEST(CpuEngine, PreparedOutlastsItsEngine) { outlast_the_engine(on_cpu); }
TEST(CpuEngine, RefusesWrongInputsWithASentence) { refuse_wrong_inputs(on_cpu); }

TEST(CpuEngine, RunsAGraphNodeByNode) {
    Graph graph;
    const Value src = graph.input(small);
    const Value once = graph.add(increment, std::span(&src, 1), {}).at(0);
    const Value twice = graph.add(increment, std::span(&once, 1), {}).at(0);
    graph.output(twice, "twice");
    graph.output(src, "src");
    graph.output(twice, "twice again");
    Engine engine = Engine::open(on_cpu);
    EXPECT_EQ(engine.reason(), "asked for");
    Prepared prepared = engine.prepare(graph);
    for (const std::uint8_t value : {10, 20}) {
        const Image image = filled(value);
        prepared.run(image);
        EXPECT_EQ(corner(prepared.image("twice")), value + 2);
        EXPECT_EQ(corner(prepared.image("twice again")), value + 2);
        EXPECT_EQ(corner(prepared.image("src")), value);
        EXPECT_GT(prepared.run_passes(), 0);
        EXPECT_EQ(corner(image), value);
    }
    EXPECT_TRUE(prepared.timings().empty());
}

TEST(CpuEngine, TakesTheFactsOfColourFromTheGraph) {
    Operator tell_transfer = increment;
    tell_transfer.run = [](const Node&, std::span<const Data* const> in,
                           std::span<Data* const> out) {
        const Transfer transfer = std::get<Image>(*in[0]).color().transfer;
        *std::get<Image>(*out[0]).row(0) = static_cast<std::byte>(transfer);
    };
    ImageInfo linear = small;
    linear.color.transfer = Transfer::linear;
    Graph graph;
    graph.output(graph.add(tell_transfer, std::array{graph.input(linear)}, {})[0], "transfer");
    Engine engine = Engine::open(on_cpu);
    Prepared prepared = engine.prepare(graph);
    prepared.run(filled(0));  // which says sRGB
    EXPECT_EQ(corner(prepared.image("transfer")), static_cast<int>(Transfer::linear));
}

TEST(CpuEngine, TimesEachOperatorWhenAsked) {
    Graph graph;
    const Value src = graph.input(small);
    graph.output(graph.add(increment, std::span(&src, 1), {}).at(0), "dst");
    Engine engine = Engine::open({.kind = EngineKind::cpu, .timestamps = true});
    Prepared prepared = engine.prepare(graph);
    prepared.run(filled(1));
    ASSERT_EQ(prepared.timings().size(), 1u);
    EXPECT_EQ(prepared.timings()[0].label, "increment");
}

TEST(CpuEngine, ReadsPicturesFromTheBottomUp) {
    Graph graph;
    const Value src = graph.input(small);
    graph.output(graph.add(increment, std::span(&src, 1), {}).at(0), "dst");
    Engine engine = Engine::open(on_cpu);
    Prepared prepared = engine.prepare(graph);
    Image image = filled(1);
    *image.row(2) = std::byte{50};
    prepared.run(Image::wrap(image.row(2), small, -image.pitch()));
    EXPECT_EQ(corner(prepared.image("dst")), 51);
}

TEST(CpuEngine, TakesNoPlans) {
    Engine engine = Engine::open(on_cpu);
    EXPECT_EQ(thrown_by([&] { (void)engine.prepare(Plan{}); }).code, ErrorCode::unsupported);
}

class GpuEngine : public ::testing::Test {
protected:
    void SetUp() override {
        if (list_adapters().size() < 2) {
            GTEST_SKIP() << "there is no WebGPU adapter here: install a Vulkan driver";
        }
    }
    EngineOptions options_{.kind = EngineKind::gpu};
};

TEST_F(GpuEngine, GivesInputsBackAsTheyCame) { give_inputs_back(options_); }
TEST_F(GpuEngine, LeavesTakenImagesAlone) { keep_taken_images(options_); }
TEST_F(GpuEngine, PreparedOutlastsItsEngine) { outlast_the_engine(options_); }
TEST_F(GpuEngine, RefusesWrongInputsWithASentence) { refuse_wrong_inputs(options_); }

// NVIDIA's driver can be loaded some thirty times in a process.
TEST_F(GpuEngine, OpensManyTimesOneAfterTheOther) {
    for (int i = 0; i < 40; ++i) ASSERT_NO_THROW(Engine::open(options_)) << i;
}

TEST_F(GpuEngine, OpensTheAdapterThatIsNamedOrNumbered) {
    const std::vector<AdapterInfo> adapters = list_adapters();
    Engine numbered = Engine::open({.adapter = "0"});
    EXPECT_EQ(numbered.adapter().name, adapters[0].name);
    EXPECT_EQ(numbered.reason(), "asked for by number");
    Engine named = Engine::open({.adapter = adapters[0].name.substr(1, 5)});
    EXPECT_EQ(named.adapter().name, adapters[0].name);
    EXPECT_EQ(named.reason(), "asked for by name");
    const Thrown thrown = thrown_by([] { (void)Engine::open({.adapter = "voodoo"}); });
    EXPECT_EQ(thrown.code, ErrorCode::device);
    EXPECT_NE(thrown.sentence.find(adapters[0].name), std::string::npos) << thrown.sentence;
}

}  // namespace
}  // namespace tessera
