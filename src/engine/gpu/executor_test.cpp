#include "engine/gpu/executor.hpp"

#include <array>
#include <cstring>
#include <thread>

#include "engine/gpu/test_plans.hpp"

namespace tessera::gpu {
namespace {

using namespace testing;

class GpuExecutor : public OnAnAdapter {};

/// A picture whose bytes are all different from their neighbours, and from run to run.
void fill(Image& image, std::uint32_t seed) {
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        for (std::size_t x = 0; x < image.row_bytes(); ++x) {
            image.row(y)[x] = static_cast<std::byte>(seed + x * 7 + y * 131);
        }
    }
}

void expect_same(const Image& one, const Image& other) {
    for (std::uint32_t y = 0; y < one.height(); ++y) {
        ASSERT_EQ(std::memcmp(one.row(y), other.row(y), one.row_bytes()), 0) << "row " << y;
    }
}

TEST_F(GpuExecutor, DispatchesRunInTheirOrder) {
    constexpr std::uint32_t count = 1000;
    Plan plan = numbers_plan(count);
    plan.kernels["test/double"] = R"(
        @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            if (id.x < arrayLength(&numbers)) { numbers[id.x] *= 2; }
        })";
    step::Dispatch twice = add_step(count, 0);
    twice.program = {"test/double", {}};
    plan.steps = {step::Clear{0, 0, count * 4}, add_step(count, 5), twice, add_step(count, 3),
                  read_numbers(count)};
    Runner runner = prepare(plan);
    runner.run();
    for (const std::uint32_t number : runner.numbers()) ASSERT_EQ(number, 13u);
}

TEST_F(GpuExecutor, ClearsOnlyWhatItIsTold) {
    Plan plan = numbers_plan(64);
    plan.steps = {add_step(64, 1), step::Clear{0, 128, 64}, read_numbers(64)};
    Runner runner = prepare(plan);
    runner.run();
    runner.run();
    EXPECT_EQ(runner.numbers()[31], 2u);
    EXPECT_EQ(runner.numbers()[32], 0u);
    EXPECT_EQ(runner.numbers()[47], 0u);
    EXPECT_EQ(runner.numbers()[48], 2u);
}

TEST_F(GpuExecutor, ConstantsAreWrittenOnceAndUniformsReachTheKernel) {
    constexpr std::uint32_t count = 64;
    Plan plan = numbers_plan(count);
    plan.buffers.push_back({"block", 16, usage::uniform | usage::copy_dst});
    const std::array<std::uint32_t, 4> block{7, 0, 100, 0};
    const auto bytes = std::as_bytes(std::span(block));
    plan.constants = {{1, 0, {bytes.begin(), bytes.end()}}};
    plan.kernels["test/uniform"] = R"(
        struct Block { a: u32, b: u32, c: u32 }
        @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
        @group(0) @binding(1) var<uniform> block: Block;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) { numbers[i] += block.a * i + block.c; })";
    step::Dispatch dispatch = add_step(count, 0);
    dispatch.program = {"test/uniform", {}};
    dispatch.bindings.push_back({"block", "uniform", 1, 0, 16});
    plan.steps = {dispatch, read_numbers(count)};
    Runner runner = prepare(plan);
    runner.run();
    runner.run();
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(runner.numbers()[i], 2 * (7 * i + 100));
}

TEST_F(GpuExecutor, DrawsPremultipliedColoursOverEachOther) {
    constexpr std::uint32_t width = 64, height = 4, pitch = 256;
    Plan plan;
    plan.outputs = {{"image", ImageInfo{{SampleType::u8, 4}, width, height, {}}}};
    plan.textures = {{"canvas", width, height, "rgba8unorm",
                      usage::render_attachment | usage::texture_copy_src}};
    plan.buffers = {{"pixels", pitch * height, everything},
                    {"colour", 16, usage::uniform | usage::copy_dst}};
    const std::array<float, 4> half_red{0.5f, 0, 0, 0.5f};
    const auto bytes = std::as_bytes(std::span(half_red));
    plan.constants = {{1, 0, {bytes.begin(), bytes.end()}}};
    plan.kernels["test/draw"] = R"(
        @group(0) @binding(0) var<uniform> colour: vec4f;
        override RIGHT: f32 = 3;
        @vertex fn vertex_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            let corner = vec2f(f32(i & 1u), f32(i >> 1u));
            return vec4f(mix(vec2f(-1, -1), vec2f(RIGHT, 3), corner), 0, 1);
        }
        @fragment fn fragment_main() -> @location(0) vec4f { return colour; })";
    const step::Draw draw{"red", {"test/draw", {}}, {{"colour", "uniform", 1, 0, 16}}, 3};
    plan.steps = {step::Render{"drawing", 0, {0, 0, 1, 1}, {draw, draw}},
                  step::CopyTexture{0, 0, pitch}, step::Readback{0, 0, pitch * height, pitch}};
    Runner runner = prepare(plan);
    for (int run = 0; run < 2; ++run) {
        runner.run();
        for (std::uint32_t y = 0; y < height; ++y) {
            const auto row = runner.image(0).samples<std::uint8_t>(y);
            // Blue 1 under half red twice: red 3/4, blue 1/4, opaque.
            ASSERT_NEAR(row[0], 191, 1);
            ASSERT_EQ(row[1], 0);
            ASSERT_NEAR(row[4 * width - 2], 64, 1);
            ASSERT_EQ(row[4 * width - 1], 255);
        }
    }
}

TEST_F(GpuExecutor, ImagesOfAnyPitchArriveWhole) {
    const ImageInfo info{{SampleType::u8, 3}, 7, 5, {}};
    constexpr std::uint32_t pitch = 32;
    Runner runner = prepare(image_plan(info, pitch));
    // Rows without padding, with more, with the device's, from the bottom up, and one for all.
    // Memory is exactly as long as the pixels: a sanitizer sees what reaches beyond.
    for (const std::ptrdiff_t host_pitch : {21, 50, 32, -21, -32, 0}) {
        const std::size_t step = static_cast<std::size_t>(std::abs(host_pitch));
        std::vector<std::byte> memory(step * (info.height - 1) + 21);
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i + 1);
        std::byte* top = memory.data() + (host_pitch < 0 ? step * (info.height - 1) : 0);
        runner.input(0) = Image::wrap(top, info, host_pitch);
        runner.run();
        SCOPED_TRACE(host_pitch);
        expect_same(std::get<Image>(runner.input(0)), runner.image(0));
        const auto bytes = std::as_bytes(runner.numbers(1));
        const std::uint32_t repacked_from = host_pitch == pitch ? info.height - 1 : 0;
        for (std::uint32_t y = repacked_from; y < info.height; ++y) {
            for (std::uint32_t x = 21; x < pitch; ++x) {
                ASSERT_EQ(bytes[y * pitch + x], std::byte{0}) << x << ", " << y;
            }
        }
    }
}

TEST_F(GpuExecutor, PaddingIsZeroAlsoAfterAWiderPicture) {
    const ImageInfo wide{{SampleType::u8, 4}, 7, 2, {}}, narrow{{SampleType::u8, 1}, 5, 3, {}};
    Plan plan;
    plan.inputs = {wide, narrow};
    plan.outputs = {{"bytes", ArrayInfo{ElementType::u32, {24}}}};
    plan.buffers = {{"wide", 64, everything}, {"narrow", 96, everything}};
    plan.steps = {step::Upload{0, 0, 32}, step::Upload{1, 1, 32}, step::Readback{0, 1, 96, 0}};
    Runner runner = prepare(plan);
    for (int i = 0; i < 2; ++i) {
        auto& image = std::get<Image>(runner.input(static_cast<std::size_t>(i)));
        for (std::uint32_t y = 0; y < image.height(); ++y) {
            std::memset(image.row(y), 0xff, image.row_bytes());
        }
    }
    runner.run();
    const auto bytes = std::as_bytes(runner.numbers());
    for (std::uint32_t i = 0; i < bytes.size(); ++i) {
        ASSERT_EQ(bytes[i], i % 32 < 5 ? std::byte{0xff} : std::byte{0}) << i;
    }
}

TEST_F(GpuExecutor, PicturesLargerThanOneChunkArriveWhole) {
    // 75 MB: more than the queue is given at once, of rows that are no divisor of a chunk.
    const ImageInfo info{{SampleType::u8, 4}, 3001, 6250, {}};
    constexpr std::uint32_t pitch = 3001 * 4 + 12;
    Plan plan = image_plan(info, pitch);
    plan.outputs.pop_back();
    plan.steps.pop_back();
    Runner runner = prepare(plan);
    auto& image = std::get<Image>(runner.input(0));
    fill(image, 3);
    runner.run();
    expect_same(image, runner.image(0));
    // The other way: a pitch that must be repacked.
    Image loose = Image::wrap(image.row(0), info, image.pitch());
    std::vector<std::byte> memory(std::size_t{info.height} * 12004);
    for (std::uint32_t y = 0; y < info.height; ++y) {
        std::memcpy(&memory[std::size_t{y} * 12004], loose.row(y), 12004);
    }
    runner.input(0) = Image::wrap(memory.data(), info, 12004);
    runner.run();
    expect_same(std::get<Image>(runner.input(0)), runner.image(0));
}

TEST_F(GpuExecutor, RunsManyTimesOnChangingPictures) {
    const ImageInfo info{{SampleType::u8, 4}, 33, 17, {}};
    constexpr std::uint32_t pitch = 144;
    Plan plan = image_plan(info, pitch);
    plan.kernels["test/add"] = add_kernel;
    step::Dispatch add = add_step(pitch * 17 / 4, 1);
    plan.steps.insert(plan.steps.begin() + 1, add);
    Runner runner = prepare(plan);
    for (std::uint32_t i = 0; i < 50; ++i) {
        auto& image = std::get<Image>(runner.input(0));
        fill(image, i);
        runner.run();
        for (std::uint32_t y = 0; y < 17; ++y) {
            for (std::uint32_t x = 0; x < 33; ++x) {
                std::uint32_t before = 0, after = 0;
                std::memcpy(&before, image.row(y) + 4 * x, 4);
                std::memcpy(&after, runner.image(0).row(y) + 4 * x, 4);
                ASSERT_EQ(after, before + 1);
            }
        }
    }
}

TEST_F(GpuExecutor, TimesEachPassOnlyWhenAsked) {
    Plan plan = numbers_plan(64);
    step::Dispatch second = add_step(64, 2);
    second.label = "adding more";
    plan.steps = {add_step(64, 1), second, read_numbers(64)};

    Runner silent = prepare(plan);
    silent.run();
    EXPECT_TRUE(silent.prepared().timings().empty());

    Runner timed = prepare(plan, true);
    for (int i = 0; i < 3; ++i) {
        timed.run();
        const auto& timings = timed.prepared().timings();
        // One entry where the GPU's clock cannot be trusted.
        if (timings.size() != 1) {
            ASSERT_EQ(timings.size(), 2u);
            EXPECT_EQ(timings[0].label, "adding");
            EXPECT_EQ(timings[1].label, "adding more");
        }
        for (const PassTiming& timing : timings) EXPECT_GE(timing.milliseconds, 0);
    }
    EXPECT_EQ(timed.numbers()[0], 9u);
}

TEST_F(GpuExecutor, RunningThePassesAloneTakesTimeAndChangesTheDeviceOnly) {
    Plan plan = numbers_plan(64);
    // A clear in the middle splits the passes.
    plan.steps = {add_step(64, 1), add_step(64, 1), step::Clear{0, 0, 128}, add_step(64, 1),
                  read_numbers(64)};
    for (const bool timed : {false, true}) {
        Runner runner = prepare(plan, timed);
        runner.run();
        EXPECT_EQ(runner.numbers()[63], 3u);
        for (int i = 0; i < 5; ++i) EXPECT_GT(runner.prepared().run_passes(), 0);
        EXPECT_EQ(runner.numbers()[63], 3u);
        runner.run();
        EXPECT_EQ(runner.numbers()[0], 1u);
        EXPECT_EQ(runner.numbers()[63], 21u);
    }
}

TEST_F(GpuExecutor, APlanWithoutPassesRuns) {
    Runner runner = prepare(image_plan({{SampleType::u8, 4}, 4, 4, {}}, 16), true);
    runner.run();
    EXPECT_EQ(runner.prepared().timings().size(), 1u);
    EXPECT_GE(runner.prepared().run_passes(), 0);
}

TEST_F(GpuExecutor, AWrongBindingIsAnErrorNotAnAbort) {
    Plan plan = numbers_plan(64);
    step::Dispatch dispatch = add_step(64, 1);
    dispatch.bindings[0].offset = 4;  // no device aligns to this
    dispatch.bindings[0].size = 64;
    plan.steps = {dispatch};
    const Thrown thrown = thrown_by([&] { (void)prepare(plan); });
    EXPECT_EQ(thrown.code, ErrorCode::device);
    EXPECT_NE(thrown.sentence.find("adding"), std::string::npos) << thrown.sentence;
}

TEST_F(GpuExecutor, ABufferBeyondTheLimitIsRefusedWithTheFigure) {
    Plan plan = numbers_plan(64);
    plan.buffers[0].size = device_->info().profile.max_buffer_size + 4;
    const Thrown thrown = thrown_by([&] { (void)prepare(plan); });
    EXPECT_EQ(thrown.code, ErrorCode::out_of_memory);
    EXPECT_NE(thrown.sentence.find("this picture needs a "), std::string::npos) << thrown.sentence;
}

TEST_F(GpuExecutor, CheckedKernelsKeepStoresInsideTheirArray) {
    open(true);
    constexpr std::uint32_t count = 128;
    Plan plan = numbers_plan(count);
    // In workgroup memory, which drivers leave alone: they bound storage buffers by themselves. Of
    // the two arrays one lies behind the other, so an unchecked store into it would hit the other.
    plan.kernels["test/beyond"] = R"(
        @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
        @group(0) @binding(1) var<storage, read> where_to: array<u32>;
        var<workgroup> one: array<u32, 64>;
        var<workgroup> other: array<u32, 64>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) i: u32) {
            one[i] = 5;
            other[i] = 5;
            workgroupBarrier();
            if (i == 0) {
                one[where_to[0]] = 77;
                other[where_to[0]] = 77;
            }
            workgroupBarrier();
            numbers[i] = one[i];
            numbers[64 + i] = other[i];
        })";
    plan.buffers.push_back({"where", 16, everything});
    constexpr std::uint32_t beyond = 100, in_the_other = beyond - 64;
    const std::array<std::uint32_t, 4> where_to{beyond, 0, 0, 0};
    const auto bytes = std::as_bytes(std::span(where_to));
    plan.constants = {{1, 0, {bytes.begin(), bytes.end()}}};
    plan.steps = {step::Dispatch{"storing beyond",
                                 {"test/beyond", {}},
                                 {{"numbers", "storage", 0, 0, count * 4},
                                  {"where_to", "read-only-storage", 1, 0, 16}}},
                  read_numbers(count)};
    Runner runner = prepare(plan);
    runner.run();
    EXPECT_EQ(runner.numbers()[in_the_other], 5u);
    EXPECT_EQ(runner.numbers()[64 + in_the_other], 5u);
}

TEST_F(GpuExecutor, TwoThreadsPrepareAndRunAtOnce) {
    const auto work = [&](std::uint32_t amount, int& wrong) {
        constexpr std::uint32_t count = 4096;
        for (int round = 0; round < 5; ++round) {
            Plan plan = numbers_plan(count);
            plan.steps = {step::Clear{0, 0, count * 4}, add_step(count, amount + round),
                          read_numbers(count)};
            Runner runner = prepare(plan, round % 2 == 1);
            for (int i = 0; i < 10; ++i) {
                runner.run();
                if (i % 3 == 0) runner.prepared().run_passes();
                for (const std::uint32_t n : runner.numbers()) wrong += n != amount + round;
            }
        }
    };
    int wrong_here = 0, wrong_there = 0;
    std::thread there([&] { work(1000, wrong_there); });
    work(1, wrong_here);
    there.join();
    EXPECT_EQ(wrong_here, 0);
    EXPECT_EQ(wrong_there, 0);
}

}  // namespace
}  // namespace tessera::gpu
