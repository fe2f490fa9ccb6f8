#include "histogram_baselines.hpp"

#include <array>
#include <span>
#include <string>

#include "bench_kernels.hpp"
#include "tessera/plan.hpp"

namespace tessera::bench {
namespace {

/// A plan that reads one picture into a buffer of pixels, to which a baseline adds its passes.
Plan picture_plan(const Image& image) {
    Plan plan;
    plan.inputs = {image.info()};
    const auto pitch = static_cast<std::uint32_t>(image.row_bytes());
    plan.buffers.push_back(
        {"pixels", std::uint64_t{pitch} * image.height(), usage::storage | usage::copy_dst});
    plan.steps.push_back(step::Upload{0, 0, pitch});
    return plan;
}

void use_kernel(Plan& plan, const std::string& kernel) {
    for (const KernelSource& source : kernel_sources()) {
        if (source.name == kernel) plan.kernels.emplace(kernel, source.text);
    }
}

PlanBinding bind(const Plan& plan, std::string type, std::uint32_t buffer) {
    return {plan.buffers[buffer].label, std::move(type), buffer, 0, plan.buffers[buffer].size};
}

/// Folds more than 65535 workgroups into two dimensions.
std::array<std::uint32_t, 3> fold(std::uint32_t workgroups) {
    const std::uint32_t rows = (workgroups + 65534) / 65535;
    return {(workgroups + rows - 1) / rows, rows, 1};
}

}  // namespace

Prepared prepare_single(Engine& engine, const Image& image) {
    Plan plan = picture_plan(image);
    use_kernel(plan, "histogram_single");
    plan.buffers.push_back({"counts", 4096, usage::storage | usage::copy_dst});
    plan.steps.push_back(step::Clear{1, 0, 4096});
    plan.steps.push_back(
        step::Dispatch{.label = "count",
                       .program = {"histogram_single", {}},
                       .bindings = {bind(plan, "read-only-storage", 0), bind(plan, "storage", 1)}});
    return engine.prepare(plan);
}

Prepared prepare_chunks(Engine& engine, const Image& image) {
    Plan plan = picture_plan(image);
    use_kernel(plan, "histogram_chunks");
    use_kernel(plan, "histogram_reduce");
    const std::uint32_t chunks = (image.width() * image.height() + 255) / 256;
    plan.buffers.push_back({"chunks", std::uint64_t{chunks} * 4096, usage::storage});
    plan.steps.push_back(
        step::Dispatch{.label = "count chunks",
                       .program = {"histogram_chunks", {}},
                       .bindings = {bind(plan, "read-only-storage", 0), bind(plan, "storage", 1)},
                       .workgroups = fold(chunks)});
    for (std::uint32_t stride = 1; stride < chunks; stride *= 2) {
        const auto params = static_cast<std::uint32_t>(plan.buffers.size());
        const std::array<std::uint32_t, 4> block{stride, chunks, 0, 0};
        const auto bytes = std::as_bytes(std::span(block));
        plan.buffers.push_back({"params", 16, usage::uniform | usage::copy_dst});
        plan.constants.push_back({params, 0, {bytes.begin(), bytes.end()}});
        plan.steps.push_back(
            step::Dispatch{.label = "reduce",
                           .program = {"histogram_reduce", {}},
                           .bindings = {bind(plan, "uniform", params), bind(plan, "storage", 1)},
                           .workgroups = fold((chunks + 2 * stride - 1) / (2 * stride))});
    }
    return engine.prepare(plan);
}

}  // namespace tessera::bench
