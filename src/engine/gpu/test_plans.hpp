// Small plans, and what the engine's tests need to run them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "engine/gpu/device.hpp"
#include "engine/gpu/executor.hpp"
#include "engine/gpu/pipelines.hpp"
#include "tessera/error.hpp"
#include "tessera/plan.hpp"

namespace tessera::gpu::testing {

inline constexpr std::uint32_t everything = usage::storage | usage::copy_src | usage::copy_dst;

/// Adds ADD to COUNT numbers, one an invocation.
inline constexpr std::string_view add_kernel = R"(
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
override ADD: u32 = 1;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&numbers)) { numbers[id.x] += ADD; }
}
)";

struct Thrown {
    ErrorCode code{};
    std::string sentence = "no error";
};

inline Thrown thrown_by(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
    return {};
}

/// A plan whose only buffer is given back as `count` numbers.
inline Plan numbers_plan(std::uint32_t count) {
    Plan plan;
    const ArrayInfo info{ElementType::u32, {count}};
    plan.outputs = {{"numbers", info}};
    plan.buffers = {{"numbers", std::uint64_t{count} * 4, everything}};
    plan.kernels["test/add"] = add_kernel;
    return plan;
}

inline step::Dispatch add_step(std::uint32_t count, double amount) {
    return {"adding",
            {"test/add", {{"ADD", amount}}},
            {{"numbers", "storage", 0, 0, std::uint64_t{count} * 4}},
            {(count + 63) / 64, 1, 1}};
}

inline step::Readback read_numbers(std::uint32_t count) {
    return {0, 0, std::uint64_t{count} * 4, 0};
}

/// A plan that gives an image back as it came, and the bytes of its buffer.
inline Plan image_plan(const ImageInfo& info, std::uint32_t pitch) {
    Plan plan;
    const auto bytes = pitch * info.height;
    plan.inputs = {info};
    plan.outputs = {{"image", info}, {"bytes", ArrayInfo{ElementType::u32, {bytes / 4}}}};
    plan.buffers = {{"image", bytes, everything}};
    plan.steps = {step::Upload{0, 0, pitch}, step::Readback{0, 0, bytes, pitch},
                  step::Readback{1, 0, bytes, 0}};
    return plan;
}

/// Runs a plan on data of its own.
class Runner {
public:
    Runner(std::shared_ptr<const Device> device, PipelineCache& pipelines, const Plan& plan,
           bool time_passes = false)
        : prepared_(std::move(device), pipelines, plan, time_passes) {
        for (const ValueInfo& info : plan.inputs) inputs_.push_back(make_data(info));
        for (const Plan::Output& output : plan.outputs) outputs_.push_back(make_data(output.info));
    }

    Data& input(std::size_t i) { return inputs_[i]; }
    Image& image(std::size_t output) { return std::get<Image>(outputs_[output]); }
    std::span<const std::uint32_t> numbers(std::size_t output = 0) {
        return std::get<Array>(outputs_[output]).as<std::uint32_t>();
    }
    PreparedPlan& prepared() { return prepared_; }

    void run() {
        std::vector<const Data*> inputs;
        std::vector<Data*> outputs;
        for (Data& data : inputs_) inputs.push_back(&data);
        for (Data& data : outputs_) outputs.push_back(&data);
        prepared_.run(inputs, outputs);
    }

private:
    PreparedPlan prepared_;
    std::vector<Data> inputs_, outputs_;
};

/// Opens the first adapter, whatever it is.
class OnAnAdapter : public ::testing::Test {
protected:
    void SetUp() override {
        Adapters adapters;
        if (adapters.infos().empty()) {
            GTEST_SKIP() << "there is no WebGPU adapter here: install a Vulkan driver";
        }
        const char* checks = std::getenv("TESSERA_GPU_CHECKS");
        open(checks != nullptr && std::string_view(checks) == "1");
    }

    void open(bool checked_kernels) {
        device_ = std::make_shared<const Device>(Adapters(), 0, checked_kernels);
        pipelines_ = std::make_unique<PipelineCache>(*device_);
    }

    [[nodiscard]] Runner prepare(const Plan& plan, bool time_passes = false) {
        return {device_, *pipelines_, plan, time_passes};
    }

    std::shared_ptr<const Device> device_;
    std::unique_ptr<PipelineCache> pipelines_;
};

}  // namespace tessera::gpu::testing
