#include "engine/gpu/device.hpp"

#include <chrono>
#include <thread>

#include "engine/gpu/test_plans.hpp"

namespace tessera::gpu {
namespace {

using namespace testing;

class GpuDevice : public OnAnAdapter {
protected:
    /// Asks for a buffer of usages that do not go together.
    void make_a_mistake() const {
        WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
        descriptor.size = 64;
        descriptor.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_MapWrite;
        const BufferHandle buffer(wgpuDeviceCreateBuffer(device_->get(), &descriptor));
    }

    static Plan adding_plan() {
        Plan plan = numbers_plan(64);
        plan.steps = {add_step(64, 1), read_numbers(64)};
        return plan;
    }
};

TEST_F(GpuDevice, TellsWhatItIs) {
    const AdapterInfo& info = device_->info();
    EXPECT_FALSE(info.name.empty());
    EXPECT_FALSE(info.backend.empty());
    EXPECT_FALSE(info.driver.empty());
    EXPECT_GE(info.profile.max_buffer_size, DeviceProfile{}.max_buffer_size);
    EXPECT_GE(info.profile.max_compute_invocations_per_workgroup, 256u);
}

TEST_F(GpuDevice, AMistakeBecomesOneSentence) {
    const Thrown thrown = thrown_by([&] { device_->guarded("a test", [&] { make_a_mistake(); }); });
    EXPECT_EQ(thrown.code, ErrorCode::device);
    EXPECT_TRUE(thrown.sentence.starts_with("a test: ")) << thrown.sentence;
    EXPECT_EQ(thrown.sentence.find('\n'), std::string::npos) << thrown.sentence;
}

TEST_F(GpuDevice, AnInnerMistakeIsNotToldTwice) {
    const Thrown thrown = thrown_by([&] {
        device_->guarded("outer", [&] {
            const Thrown inner =
                thrown_by([&] { device_->guarded("inner", [&] { make_a_mistake(); }); });
            EXPECT_TRUE(inner.sentence.starts_with("inner: "));
        });
    });
    EXPECT_EQ(thrown.sentence, "no error");
}

TEST_F(GpuDevice, WhatTheActionThrowsComesThroughAndTheNextCallWorks) {
    const Thrown thrown = thrown_by(
        [&] { device_->guarded("a test", [] { throw Error(ErrorCode::input, "of its own"); }); });
    EXPECT_EQ(thrown.sentence, "of its own");
    EXPECT_EQ(thrown_by([&] { device_->guarded("a test", [] {}); }).sentence, "no error");
}

TEST_F(GpuDevice, EachThreadGetsItsOwnMistakes) {
    // Scopes stay open for a moment, so that those of the two threads would overlap.
    constexpr int rounds = 50;
    const auto moment = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
    int wrong = 0, right = 0;
    std::thread careful([&] {
        for (int i = 0; i < rounds; ++i) {
            wrong += thrown_by([&] { device_->guarded("careful", moment); }).sentence != "no error";
            std::this_thread::yield();
        }
    });
    for (int i = 0; i < rounds; ++i) {
        const auto careless = [&] {
            make_a_mistake();
            moment();
        };
        right += thrown_by([&] {
                     device_->guarded("careless", careless);
                 }).sentence.starts_with("careless: ");
        std::this_thread::yield();
    }
    careful.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(right, rounds);
}

TEST_F(GpuDevice, LosingItIsAnErrorOfItsOwnInEveryCall) {
    Runner runner = prepare(adding_plan());
    runner.run();
    device_->lose();
    EXPECT_EQ(thrown_by([&] { runner.run(); }).code, ErrorCode::device_lost);
    EXPECT_EQ(thrown_by([&] { runner.prepared().run_passes(); }).code, ErrorCode::device_lost);
    EXPECT_EQ(thrown_by([&] { (void)prepare(adding_plan()); }).code, ErrorCode::device_lost);
    EXPECT_EQ(thrown_by([&] { device_->wait_for_queue(); }).code, ErrorCode::device_lost);
}

TEST_F(GpuDevice, ALossThatNobodyHasNoticedYetIsNoAbort) {
    for (const bool passes_only : {false, true}) {
        open(false);
        Runner runner = prepare(adding_plan());
        runner.run();
        wgpuDeviceDestroy(device_->get());
        const Thrown thrown = thrown_by([&] {
            if (passes_only) {
                runner.prepared().run_passes();
            } else {
                runner.run();
            }
        });
        EXPECT_EQ(thrown.code, ErrorCode::device_lost) << thrown.sentence;
        EXPECT_NE(thrown.sentence.find(device_->info().name), std::string::npos);
    }
}

TEST_F(GpuDevice, ANewDeviceOpensAfterALoss) {
    device_->lose();
    open(false);
    Runner runner = prepare(adding_plan());
    runner.run();
    EXPECT_EQ(runner.numbers()[63], 1u);
}

}  // namespace
}  // namespace tessera::gpu
