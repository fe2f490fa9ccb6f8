// Owners of WebGPU objects: released when they go out of scope.
#pragma once

#include <string_view>
#include <utility>

#include <webgpu.h>

namespace tessera::gpu {

template <class Object, void (*Release)(Object)>
class Handle {
public:
    Handle() = default;
    explicit Handle(Object object) noexcept : object_(object) {}
    Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (object_ != nullptr) Release(object_);
    }

    [[nodiscard]] Object get() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    Object object_ = nullptr;
};

using InstanceHandle = Handle<WGPUInstance, wgpuInstanceRelease>;
using AdapterHandle = Handle<WGPUAdapter, wgpuAdapterRelease>;
using DeviceHandle = Handle<WGPUDevice, wgpuDeviceRelease>;
using QueueHandle = Handle<WGPUQueue, wgpuQueueRelease>;
using BufferHandle = Handle<WGPUBuffer, wgpuBufferRelease>;
using TextureHandle = Handle<WGPUTexture, wgpuTextureRelease>;
using TextureViewHandle = Handle<WGPUTextureView, wgpuTextureViewRelease>;
using ShaderHandle = Handle<WGPUShaderModule, wgpuShaderModuleRelease>;
using BindGroupLayoutHandle = Handle<WGPUBindGroupLayout, wgpuBindGroupLayoutRelease>;
using PipelineLayoutHandle = Handle<WGPUPipelineLayout, wgpuPipelineLayoutRelease>;
using BindGroupHandle = Handle<WGPUBindGroup, wgpuBindGroupRelease>;
using ComputePipelineHandle = Handle<WGPUComputePipeline, wgpuComputePipelineRelease>;
using RenderPipelineHandle = Handle<WGPURenderPipeline, wgpuRenderPipelineRelease>;
using QuerySetHandle = Handle<WGPUQuerySet, wgpuQuerySetRelease>;
using EncoderHandle = Handle<WGPUCommandEncoder, wgpuCommandEncoderRelease>;
using ComputePassHandle = Handle<WGPUComputePassEncoder, wgpuComputePassEncoderRelease>;
using RenderPassHandle = Handle<WGPURenderPassEncoder, wgpuRenderPassEncoderRelease>;
using CommandsHandle = Handle<WGPUCommandBuffer, wgpuCommandBufferRelease>;

[[nodiscard]] inline WGPUStringView view(std::string_view text) noexcept {
    return {text.data(), text.size()};
}
[[nodiscard]] inline std::string_view text(WGPUStringView view) noexcept {
    if (view.data == nullptr) return {};
    if (view.length == WGPU_STRLEN) return view.data;
    return {view.data, view.length};
}

}  // namespace tessera::gpu
