// Compiled kernels, kept by what names them: the kernel's text, its constants, its bindings.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>

#include "engine/gpu/device.hpp"
#include "tessera/plan.hpp"

namespace tessera::gpu {

struct ComputeVariant {
    BindGroupLayoutHandle layout;
    ComputePipelineHandle pipeline;
};
struct RenderVariant {
    BindGroupLayoutHandle layout;
    RenderPipelineHandle pipeline;
};

/// Thread-safe; what it gives lives as long as it does.
class PipelineCache {
public:
    explicit PipelineCache(const Device& device) : device_(device) {}

    /// Throws Error(device) naming kernel, line and message when a kernel does not compile.
    const ComputeVariant& compute(const Plan& plan, const step::Dispatch& dispatch);
    const RenderVariant& render(const Plan& plan, const step::Draw& draw,
                                const std::string& format);

private:
    WGPUShaderModule module(const std::string& name, const std::string& wgsl);

    const Device& device_;
    std::mutex mutex_;
    std::map<std::string, ShaderHandle> modules_;  // by text
    std::map<std::string, ComputeVariant> compute_;
    std::map<std::string, RenderVariant> render_;
};

/// "histogram/count_rgba8 BINS=256 WORKGROUP_SIZE=1024": what logs and profilers show.
[[nodiscard]] std::string variant_name(const PlanProgram& program);

[[nodiscard]] WGPUTextureFormat texture_format(const std::string& name);

}  // namespace tessera::gpu
