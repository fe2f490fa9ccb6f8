#include "engine/gpu/plan_check.hpp"

#include "engine/gpu/test_plans.hpp"

namespace tessera::gpu {
namespace {

using namespace testing;

Thrown checking(const Plan& plan) {
    return thrown_by([&] { check_plan(plan, DeviceProfile{}); });
}

TEST(PlanCheck, AcceptsAPlanThatFits) {
    Plan plan = numbers_plan(64);
    plan.steps = {step::Clear{0, 0, 256}, add_step(64, 1), read_numbers(64)};
    EXPECT_EQ(checking(plan).sentence, "no error");
    EXPECT_EQ(checking(image_plan({{SampleType::u8, 3}, 5, 3, {}}, 16)).sentence, "no error");
}

TEST(PlanCheck, SaysHowLargeABufferWouldBe) {
    Plan plan = numbers_plan(64);
    plan.buffers[0].size = 1'100'000'000;
    const Thrown thrown = checking(plan);
    EXPECT_EQ(thrown.code, ErrorCode::out_of_memory);
    EXPECT_EQ(thrown.sentence,
              "this picture needs a 1.1 GB buffer; the adapter allows 268 MB: use --engine cpu, or "
              "an adapter with a larger limit");
}

TEST(PlanCheck, SaysHowLargeABindingWouldBe) {
    constexpr std::uint32_t count = 50 << 20;
    Plan plan = numbers_plan(count);
    plan.steps = {add_step(count, 1)};
    const Thrown thrown = checking(plan);
    EXPECT_EQ(thrown.code, ErrorCode::out_of_memory);
    EXPECT_NE(thrown.sentence.find("210 MB binding"), std::string::npos) << thrown.sentence;
}

TEST(PlanCheck, CountsAllThatIsReadBack) {
    constexpr std::uint32_t count = 40 << 20;
    Plan plan = numbers_plan(count);
    plan.steps = {read_numbers(count), read_numbers(count)};
    EXPECT_EQ(checking(plan).code, ErrorCode::out_of_memory);
}

TEST(PlanCheck, RefusesTooManyWorkgroups) {
    Plan plan = numbers_plan(64);
    step::Dispatch dispatch = add_step(64, 1);
    dispatch.workgroups[1] = 65536;
    plan.steps = {dispatch};
    const Thrown thrown = checking(plan);
    EXPECT_EQ(thrown.code, ErrorCode::unsupported);
    EXPECT_EQ(thrown.sentence, "adding asks for 65536 workgroups; the adapter allows 65535");
}

TEST(PlanCheck, RefusesWhatWouldReachBeyondMemory) {
    const ImageInfo info{{SampleType::u8, 4}, 8, 8, {}};
    const auto with = [&](auto&& change) {
        Plan plan = image_plan(info, 32);
        plan.kernels["test/add"] = add_kernel;
        change(plan);
        return checking(plan);
    };
    const std::vector<Thrown> all{
        with([](Plan& p) {
            p.steps[0] = step::Upload{1, 0, 32};
        }),
        with([](Plan& p) {
            p.steps[0] = step::Upload{0, 1, 32};
        }),
        with([](Plan& p) {
            p.steps[0] = step::Upload{0, 0, 16};
        }),
        with([](Plan& p) {
            p.steps[0] = step::Upload{0, 0, 64};
        }),
        with([](Plan& p) {
            p.steps[0] = step::Upload{0, 0, 33};
        }),
        with([](Plan& p) {
            p.steps[1] = step::Readback{2, 0, 256, 32};
        }),
        with([](Plan& p) {
            p.steps[1] = step::Readback{0, 0, 252, 32};
        }),
        with([](Plan& p) {
            p.steps[1] = step::Readback{0, 0, 512, 32};
        }),
        with([](Plan& p) {
            p.steps[1] = step::Clear{0, 128, 256};
        }),
        with([](Plan& p) { p.steps[1] = add_step(128, 1); }),
        with([](Plan& p) {
            p.steps[1] = step::Render{"", 0};
        }),
        with([](Plan& p) {
            p.steps[1] = step::CopyTexture{0, 0, 256};
        }),
        with([](Plan& p) {
            p.constants = {{0, 0, std::vector<std::byte>(300)}};
        }),
        with([](Plan& p) {
            p.kernels.clear();
            p.steps[1] = add_step(64, 1);
        }),
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].code, ErrorCode::invalid_argument) << i << ": " << all[i].sentence;
        EXPECT_TRUE(all[i].sentence.starts_with("this plan ")) << i << ": " << all[i].sentence;
    }
}

}  // namespace
}  // namespace tessera::gpu
