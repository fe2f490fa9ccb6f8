#include "engine/gpu/pipelines.hpp"

#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "engine/gpu/native.hpp"

namespace tessera::gpu {
namespace {

WGPUBufferBindingType binding_type(const std::string& type) {
    if (type == "uniform") return WGPUBufferBindingType_Uniform;
    if (type == "storage") return WGPUBufferBindingType_Storage;
    if (type == "read-only-storage") return WGPUBufferBindingType_ReadOnlyStorage;
    fail(ErrorCode::invalid_argument, "a plan has no binding type {}", type);
}

BindGroupLayoutHandle make_layout(WGPUDevice device, std::span<const PlanBinding> bindings,
                                  WGPUShaderStage visibility) {
    std::vector<WGPUBindGroupLayoutEntry> entries;
    for (std::uint32_t i = 0; i < bindings.size(); ++i) {
        WGPUBindGroupLayoutEntry entry = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
        entry.binding = i;
        entry.visibility = visibility;
        entry.buffer.type = binding_type(bindings[i].type);
        entries.push_back(entry);
    }
    WGPUBindGroupLayoutDescriptor descriptor = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
    descriptor.entries = entries.data();
    descriptor.entryCount = entries.size();
    return BindGroupLayoutHandle(wgpuDeviceCreateBindGroupLayout(device, &descriptor));
}

PipelineLayoutHandle make_pipeline_layout(WGPUDevice device, WGPUBindGroupLayout layout) {
    WGPUPipelineLayoutDescriptor descriptor = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
    descriptor.bindGroupLayouts = &layout;
    descriptor.bindGroupLayoutCount = 1;
    return PipelineLayoutHandle(wgpuDeviceCreatePipelineLayout(device, &descriptor));
}

std::vector<WGPUConstantEntry> constant_entries(const PlanProgram& program) {
    std::vector<WGPUConstantEntry> entries;
    for (const auto& [name, value] : program.constants) {
        entries.push_back({nullptr, view(name), value});
    }
    return entries;
}

std::string cache_key(const std::string& wgsl, const PlanProgram& program,
                      std::span<const PlanBinding> bindings, const std::string& format) {
    std::string key = variant_name(program);
    for (const PlanBinding& binding : bindings) key += " " + binding.type;
    return key + " " + format + "\n" + wgsl;
}

}  // namespace

std::string variant_name(const PlanProgram& program) {
    std::string name = program.kernel;
    for (const auto& [constant, value] : program.constants) {
        name += fmt::format(" {}={}", constant, value);
    }
    return name;
}

WGPUTextureFormat texture_format(const std::string& name) {
    if (name == "rgba8unorm") return WGPUTextureFormat_RGBA8Unorm;
    if (name == "rgba16float") return WGPUTextureFormat_RGBA16Float;
    fail(ErrorCode::unsupported, "no plan draws to textures of format {}", name);
}

WGPUShaderModule PipelineCache::module(const std::string& name, const std::string& wgsl) {
    if (const auto known = modules_.find(wgsl); known != modules_.end()) {
        return known->second.get();
    }
    WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
    source.code = view(wgsl);
    WGPUShaderModuleDescriptor descriptor = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
    descriptor.nextInChain = &source.chain;
    descriptor.label = view(name);
    ShaderHandle shader;
    device_.guarded("kernel " + name, [&] {
        shader = native::create_module(device_.get(), descriptor, device_.checked_kernels());
    });
    return modules_.emplace(wgsl, std::move(shader)).first->second.get();
}

const ComputeVariant& PipelineCache::compute(const Plan& plan, const step::Dispatch& dispatch) {
    const PlanProgram& program = dispatch.program;
    const std::string& wgsl = plan.kernels.at(program.kernel);
    const std::lock_guard lock(mutex_);
    const std::string key = cache_key(wgsl, program, dispatch.bindings, "");
    if (const auto known = compute_.find(key); known != compute_.end()) return known->second;

    ComputeVariant variant;
    WGPUShaderModule shader = module(program.kernel, wgsl);
    const std::string name = variant_name(program);
    device_.guarded("kernel " + name, [&] {
        variant.layout = make_layout(device_.get(), dispatch.bindings, WGPUShaderStage_Compute);
        const auto layout = make_pipeline_layout(device_.get(), variant.layout.get());
        const auto constants = constant_entries(program);
        WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
        descriptor.label = view(name);
        descriptor.layout = layout.get();
        descriptor.compute.module = shader;
        descriptor.compute.entryPoint = view("main");
        descriptor.compute.constants = constants.data();
        descriptor.compute.constantCount = constants.size();
        variant.pipeline =
            ComputePipelineHandle(wgpuDeviceCreateComputePipeline(device_.get(), &descriptor));
    });
    return compute_.emplace(key, std::move(variant)).first->second;
}

const RenderVariant& PipelineCache::render(const Plan& plan, const step::Draw& draw,
                                           const std::string& format) {
    const PlanProgram& program = draw.program;
    const std::string& wgsl = plan.kernels.at(program.kernel);
    const std::lock_guard lock(mutex_);
    const std::string key = cache_key(wgsl, program, draw.bindings, format);
    if (const auto known = render_.find(key); known != render_.end()) return known->second;

    RenderVariant variant;
    WGPUShaderModule shader = module(program.kernel, wgsl);
    const std::string name = variant_name(program);
    device_.guarded("kernel " + name, [&] {
        variant.layout = make_layout(device_.get(), draw.bindings,
                                     WGPUShaderStage_Vertex | WGPUShaderStage_Fragment);
        const auto layout = make_pipeline_layout(device_.get(), variant.layout.get());
        const auto constants = constant_entries(program);

        const WGPUBlendComponent over{WGPUBlendOperation_Add, WGPUBlendFactor_One,
                                      WGPUBlendFactor_OneMinusSrcAlpha};
        const WGPUBlendState blend{over, over};
        WGPUColorTargetState target = WGPU_COLOR_TARGET_STATE_INIT;
        target.format = texture_format(format);
        target.blend = &blend;
        WGPUFragmentState fragment = WGPU_FRAGMENT_STATE_INIT;
        fragment.module = shader;
        fragment.entryPoint = view("fragment_main");
        fragment.constants = constants.data();
        fragment.constantCount = constants.size();
        fragment.targets = &target;
        fragment.targetCount = 1;

        WGPURenderPipelineDescriptor descriptor = WGPU_RENDER_PIPELINE_DESCRIPTOR_INIT;
        descriptor.label = view(name);
        descriptor.layout = layout.get();
        descriptor.vertex.module = shader;
        descriptor.vertex.entryPoint = view("vertex_main");
        descriptor.vertex.constants = constants.data();
        descriptor.vertex.constantCount = constants.size();
        descriptor.primitive.topology = WGPUPrimitiveTopology_TriangleList;
        descriptor.fragment = &fragment;
        variant.pipeline =
            RenderPipelineHandle(wgpuDeviceCreateRenderPipeline(device_.get(), &descriptor));
    });
    return render_.emplace(key, std::move(variant)).first->second;
}

}  // namespace tessera::gpu
