#include "tessera/engine.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "tessera/error.hpp"
#include "tessera/histogram.hpp"

namespace tessera {
namespace {

AdapterInfo adapter(std::string name, std::string type) {
    AdapterInfo info;
    info.name = std::move(name);
    info.type = std::move(type);
    info.profile.software = info.type == "software";
    info.cpu_engine = info.type == "cpu engine";
    return info;
}

const AdapterInfo llvmpipe = adapter("llvmpipe (LLVM 15)", "software");
const AdapterInfo laptop = adapter("Intel UHD 630", "integrated");
const AdapterInfo big = adapter("NVIDIA H200", "discrete");
const AdapterInfo processor = adapter("AMD EPYC", "cpu engine");

std::string sentence(const std::function<void()>& action,
                     std::optional<ErrorCode> code = std::nullopt) {
    try {
        action();
    } catch (const Error& error) {
        if (code) {
            EXPECT_EQ(error.code(), *code) << error.what();
        }
        return error.what();
    }
    return "no error";
}

TEST(ChooseAdapter, TakesAHardwareGpuBeforeTheCpuEngine) {
    const std::vector list{llvmpipe, laptop, processor};
    const AdapterChoice choice = choose_adapter(list, {});
    EXPECT_EQ(choice.index, 1u);
    EXPECT_EQ(choice.reason, "the only hardware GPU");
}

TEST(ChooseAdapter, TakesADiscreteGpuBeforeAnIntegratedOne) {
    EXPECT_EQ(choose_adapter(std::vector{laptop, big, processor}, {}).index, 1u);
}

TEST(ChooseAdapter, TakesASoftwareAdapterOnlyWhenAskedFor) {
    const std::vector list{llvmpipe, processor};
    EXPECT_EQ(choose_adapter(list, {}).index, 1u);
    EXPECT_EQ(choose_adapter(list, {.kind = EngineKind::gpu}).index, 0u);
    EXPECT_EQ(choose_adapter(list, {.adapter = "LLVMPIPE"}).index, 0u);
    EXPECT_EQ(choose_adapter(list, {.adapter = "0"}).index, 0u);
}

TEST(ChooseAdapter, SaysWhatThereIsWhenNothingFits) {
    const std::vector list{llvmpipe, processor};
    for (const EngineOptions& options :
         {EngineOptions{.adapter = "radeon"}, EngineOptions{.adapter = "7"},
          EngineOptions{.kind = EngineKind::cpu, .adapter = "llvm"},
          EngineOptions{.kind = EngineKind::gpu, .adapter = "1"}}) {
        const std::string text =
            sentence([&] { (void)choose_adapter(list, options); }, ErrorCode::device);
        EXPECT_NE(text.find("0: llvmpipe"), std::string::npos) << text;
    }
    EXPECT_NE(sentence([] {
                  (void)choose_adapter(std::vector{processor}, {.kind = EngineKind::gpu});
              }).find("install a Vulkan driver"),
              std::string::npos);
}

TEST(ListAdapters, EndsWithTheCpuEngine) {
    const auto list = list_adapters();
    ASSERT_FALSE(list.empty());
    EXPECT_TRUE(list.back().cpu_engine);
    EXPECT_EQ(std::count_if(list.begin(), list.end(), [](const auto& a) { return a.cpu_engine; }),
              1);
}

Graph counting_graph(const ImageInfo& info) {
    Graph graph;
    const Value image = graph.input(info);
    graph.output(histogram(graph, image).counts, "counts");
    graph.output(image, "image");
    return graph;
}

/// A tiny plan whose kernel adds `ADDED` to every number of an array-like RGBA picture.
Plan adding_plan(std::string wgsl, double added = 1) {
    Plan plan;
    const ImageInfo info{{SampleType::u8, 4}, 4, 2, {}};
    plan.inputs = {info};
    plan.outputs = {{"sum", info}};
    plan.buffers = {{"numbers", 32, usage::storage | usage::copy_dst | usage::copy_src}};
    plan.kernels = {{"add", std::move(wgsl)}};
    plan.steps = {step::Upload{0, 0, 16},
                  step::Dispatch{.label = "add",
                                 .program = {"add", {{"ADDED", added}}},
                                 .bindings = {{"numbers", "storage", 0, 0, 32}}},
                  step::Readback{0, 0, 32, 16}};
    return plan;
}

constexpr const char* adding_kernel = R"(
override ADDED: u32 = 1;
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) { numbers[lane] += ADDED; }
)";

class OnGpu : public testing::Test {
protected:
    void SetUp() override {
        try {
            engine_.emplace(Engine::open({.kind = EngineKind::gpu}));
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }
    Engine& engine() { return *engine_; }

private:
    std::optional<Engine> engine_;
};

class GpuEngineTest : public OnGpu {};

TEST_F(GpuEngineTest, RunsAPlanManyTimesOnChangingInputs) {
    Prepared prepared = engine().prepare(adding_plan(adding_kernel, 5));
    Image image({SampleType::u8, 4}, 4, 2);
    for (std::uint32_t turn = 0; turn < 50; ++turn) {
        for (std::uint32_t y = 0; y < 2; ++y) {
            for (std::uint32_t x = 0; x < 4; ++x) {
                reinterpret_cast<std::uint32_t*>(image.row(y))[x] = turn * 100 + y * 4 + x;
            }
        }
        prepared.run(image);
        const Image& sum = prepared.image("sum");
        for (std::uint32_t y = 0; y < 2; ++y) {
            for (std::uint32_t x = 0; x < 4; ++x) {
                ASSERT_EQ(reinterpret_cast<const std::uint32_t*>(sum.row(y))[x],
                          turn * 100 + y * 4 + x + 5);
            }
        }
    }
}

TEST_F(GpuEngineTest, GivesAResultAwayAndMakesAnother) {
    const Graph graph = counting_graph({{SampleType::u8, 3}, 5, 4, {}});
    Prepared prepared = engine().prepare(graph);
    Image image({SampleType::u8, 3}, 5, 4);
    image.row(3)[14] = std::byte{77};
    prepared.run(image);
    const Image first = prepared.take_image("image");
    image.row(3)[14] = std::byte{78};
    prepared.run(image);
    EXPECT_EQ(first.row(3)[14], std::byte{77});
    EXPECT_EQ(prepared.image("image").row(3)[14], std::byte{78});
}

TEST_F(GpuEngineTest, NamesKernelAndReasonWhenAKernelDoesNotCompile) {
    const std::string text = sentence(
        [&] {
            (void)engine().prepare(adding_plan("@compute @workgroup_size(1) fn main() { let a = nonsense; }"));
        },
        ErrorCode::device);
    EXPECT_NE(text.find("kernel add"), std::string::npos) << text;
    EXPECT_NE(text.find("nonsense"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST_F(GpuEngineTest, RefusesABufferLargerThanTheDeviceAllows) {
    Plan plan = adding_plan(adding_kernel);
    plan.buffers[0].size = engine().adapter().profile.max_buffer_size + 4096;
    const std::string text =
        sentence([&] { (void)engine().prepare(plan); }, ErrorCode::out_of_memory);
    EXPECT_NE(text.find("GB"), std::string::npos) << text;
}

TEST_F(GpuEngineTest, RefusesMoreWorkgroupsThanTheDeviceAllows) {
    Plan plan = adding_plan(adding_kernel);
    std::get<step::Dispatch>(plan.steps[1]).workgroups[0] = 100'000;
    EXPECT_NE(sentence([&] { (void)engine().prepare(plan); }, ErrorCode::unsupported)
                  .find("100000 workgroups"),
              std::string::npos);
}

TEST_F(GpuEngineTest, RefusesInputsThatTheGraphWasNotPreparedFor) {
    Prepared prepared = engine().prepare(counting_graph({{SampleType::u8, 3}, 5, 4, {}}));
    EXPECT_EQ(sentence([&] { prepared.run(Image({SampleType::u8, 4}, 5, 4)); }),
              "input 0 is rgba8 5x4, but the graph was prepared for rgb8 5x4");
    EXPECT_EQ(sentence([&] { prepared.run(std::span<const Image* const>{}); }),
              "this graph takes 1 inputs, not 0");
    EXPECT_EQ(sentence([&] { (void)prepared.array("sum"); }),
              "this graph has no output named 'sum'");
    EXPECT_EQ(sentence([&] { (void)prepared.array("image"); }), "output 'image' is no array");
}

TEST_F(GpuEngineTest, RunsPlansOnSeveralThreads) {
    std::vector<std::thread> threads;
    std::vector<int> right(4, 0);
    for (std::size_t t = 0; t < right.size(); ++t) {
        threads.emplace_back([&, t] {
            Prepared prepared =
                engine().prepare(counting_graph({{SampleType::u8, 4}, 64, 16, {}}));
            Image image({SampleType::u8, 4}, 64, 16);
            std::memset(image.row(0), static_cast<int>(t) + 1, 64);  // 16 pixels
            for (int turn = 0; turn < 20; ++turn) {
                prepared.run(image);
                const auto counts = prepared.array("counts").as<std::uint64_t>();
                right[t] += counts[4 * (t + 1)] == 16 && counts[0] == 64 * 16 - 16;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, std::vector<int>(4, 20));
}

TEST(GpuTimestamps, NameEveryPass) {
    std::optional<Engine> engine;
    try {
        engine.emplace(Engine::open({.kind = EngineKind::gpu, .timestamps = true}));
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    if (!engine->adapter().profile.timestamp_query) GTEST_SKIP() << "no timestamps here";
    Prepared prepared = engine->prepare(adding_plan(adding_kernel));
    prepared.run(Image({SampleType::u8, 4}, 4, 2));
    ASSERT_EQ(prepared.timings().size(), 1u);
    EXPECT_EQ(prepared.timings()[0].label, "add");
    EXPECT_GE(prepared.timings()[0].milliseconds, 0.0);
    EXPECT_GT(prepared.run_passes(), 0.0);
}

TEST(GpuChecks, KeepAStoreOutsideTheBufferFromHarm) {
    std::optional<Engine> engine;
    try {
        engine.emplace(Engine::open({.kind = EngineKind::gpu, .checked_kernels = true}));
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    // Sixteen bytes are bound of thirty-two: stores past them must not reach the rest.
    Plan plan = adding_plan(R"(
override ADDED: u32 = 1;
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) { numbers[lane + 4u] = ADDED; }
)",
                            99);
    std::get<step::Dispatch>(plan.steps[1]).bindings[0].size = 16;
    Prepared prepared = engine->prepare(plan);
    prepared.run(Image({SampleType::u8, 4}, 4, 2));
    for (const std::uint8_t byte : prepared.image("sum").samples<std::uint8_t>(1)) {
        EXPECT_EQ(byte, 0);
    }
}

TEST(CpuEngine, GivesBackAnInputUnderTwoNames) {
    Engine engine = Engine::open({.kind = EngineKind::cpu});
    Graph graph;
    const Value image = graph.input(ImageInfo{{SampleType::u8, 1}, 3, 1, {}});
    graph.output(image, "one");
    graph.output(image, "two");
    Prepared prepared = engine.prepare(graph);
    Image source({SampleType::u8, 1}, 3, 1);
    source.row(0)[2] = std::byte{9};
    prepared.run(source);
    EXPECT_EQ(prepared.image("one").row(0)[2], std::byte{9});
    EXPECT_EQ(prepared.image("two").row(0)[2], std::byte{9});
}

TEST(CpuEngine, RefusesAPlan) {
    Engine engine = Engine::open({.kind = EngineKind::cpu});
    EXPECT_EQ(sentence([&] { (void)engine.prepare(Plan{}); }, ErrorCode::unsupported),
              "a Plan runs on a GPU; the CPU engine runs graphs");
}

}  // namespace
}  // namespace tessera
