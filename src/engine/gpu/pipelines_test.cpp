#include "engine/gpu/pipelines.hpp"

#include <thread>

#include "engine/gpu/test_plans.hpp"

namespace tessera::gpu {
namespace {

using namespace testing;

class GpuPipelines : public OnAnAdapter {
protected:
    Thrown compiling(std::string wgsl, std::map<std::string, double> constants = {}) {
        Plan plan;
        plan.kernels["test/kernel"] = std::move(wgsl);
        step::Dispatch dispatch;
        dispatch.program = {"test/kernel", std::move(constants)};
        return thrown_by([&] { pipelines_->compute(plan, dispatch); });
    }
};

TEST(VariantName, NamesTheKernelAndItsConstants) {
    EXPECT_EQ(variant_name({"histogram/count_rgba8", {{"BINS", 256}, {"WORKGROUP", 1024}}}),
              "histogram/count_rgba8 BINS=256 WORKGROUP=1024");
    EXPECT_EQ(variant_name({"scale", {{"BY", 0.5}}}), "scale BY=0.5");
}

TEST_F(GpuPipelines, AKernelThatDoesNotCompileIsNamedWithItsLine) {
    const Thrown thrown = compiling("@compute @workgroup_size(1)\nfn main() {\n  nothing(1);\n}\n");
    EXPECT_EQ(thrown.code, ErrorCode::device);
    EXPECT_EQ(thrown.sentence,
              "kernel test/kernel: line 3: no definition in scope for identifier: `nothing`");
}

TEST_F(GpuPipelines, AWrongConstantIsNamedWithItsKernel) {
    const Thrown thrown = compiling("@compute @workgroup_size(1)\nfn main() {}\n", {{"WIDTH", 3}});
    EXPECT_EQ(thrown.code, ErrorCode::device);
    EXPECT_TRUE(thrown.sentence.starts_with("kernel test/kernel WIDTH=3: ")) << thrown.sentence;
    EXPECT_NE(thrown.sentence.find("'WIDTH' not found"), std::string::npos) << thrown.sentence;
}

TEST_F(GpuPipelines, AnErrorLeavesTheDeviceUsable) {
    (void)compiling("nonsense");
    EXPECT_EQ(compiling("@compute @workgroup_size(1)\nfn main() {}\n").sentence, "no error");
}

TEST_F(GpuPipelines, OneVariantIsCompiledOnce) {
    const Plan plan = numbers_plan(64);
    const auto& one = pipelines_->compute(plan, add_step(64, 1));
    EXPECT_EQ(&one, &pipelines_->compute(plan, add_step(64, 1)));
    EXPECT_NE(&one, &pipelines_->compute(plan, add_step(64, 2)));
    step::Dispatch read_only = add_step(64, 1);
    read_only.bindings[0].type = "uniform";
    EXPECT_EQ(thrown_by([&] { pipelines_->compute(plan, read_only); }).code, ErrorCode::device);
}

TEST_F(GpuPipelines, AKernelOfTheSameNameAndOtherTextIsAnotherOne) {
    Plan plan = numbers_plan(64);
    const auto& one = pipelines_->compute(plan, add_step(64, 1));
    plan.kernels["test/add"] += "\n// more\n";
    EXPECT_NE(&one, &pipelines_->compute(plan, add_step(64, 1)));
}

TEST_F(GpuPipelines, TwoThreadsGetTheirOwnErrors) {
    constexpr int rounds = 40;
    int wrongly_failed = 0, rightly_failed = 0;
    std::thread good([&] {
        for (int i = 0; i < rounds; ++i) {
            const Plan plan = numbers_plan(64);
            const Thrown thrown =
                thrown_by([&] { pipelines_->compute(plan, add_step(64, 1000 + i)); });
            wrongly_failed += thrown.sentence != "no error";
        }
    });
    for (int i = 0; i < rounds; ++i) {
        const Thrown thrown = compiling("fn broken_" + std::to_string(i) + "() { nothing(); }");
        rightly_failed += thrown.sentence.starts_with("kernel test/kernel: line 1: no definition");
    }
    good.join();
    EXPECT_EQ(wrongly_failed, 0);
    EXPECT_EQ(rightly_failed, rounds);
}

}  // namespace
}  // namespace tessera::gpu
