#include "engine/gpu/native.hpp"

#include <wgpu.h>

namespace tessera::gpu::native {

namespace {

WGPUInstance create() {
    WGPUInstanceExtras extras{};
    extras.chain.sType = static_cast<WGPUSType>(WGPUSType_InstanceExtras);
    extras.backends = WGPUInstanceBackend_Primary;
    WGPUInstanceDescriptor descriptor = WGPU_INSTANCE_DESCRIPTOR_INIT;
    descriptor.nextInChain = &extras.chain;
    return wgpuCreateInstance(&descriptor);
}

/// The drivers go away with the last instance, and NVIDIA's can be loaded some thirty times only:
/// after that a program sees no GPU any more. So there is one instance, for as long as the program
/// runs. Every caller gets a reference of its own, which also keeps the static from being optimised
/// away, the instance then looking lost to a leak checker.
WGPUInstance the_instance() {
    static const WGPUInstance instance = create();
    return instance;
}

}  // namespace

InstanceHandle create_instance() {
    wgpuSetLogLevel(WGPULogLevel_Off);
    WGPUInstance const instance = the_instance();
    if (instance != nullptr) wgpuInstanceAddRef(instance);
    return InstanceHandle(instance);
}

std::vector<AdapterHandle> enumerate_adapters(WGPUInstance instance) {
    WGPUInstanceEnumerateAdapterOptions options{};
    options.backends = WGPUInstanceBackend_Primary;
    std::vector<WGPUAdapter> found(wgpuInstanceEnumerateAdapters(instance, &options, nullptr));
    found.resize(wgpuInstanceEnumerateAdapters(instance, &options, found.data()));
    std::vector<AdapterHandle> adapters;
    for (WGPUAdapter adapter : found) adapters.emplace_back(adapter);
    return adapters;
}

ShaderHandle create_module(WGPUDevice device, const WGPUShaderModuleDescriptor& descriptor,
                           bool checked) {
    if (checked) return ShaderHandle(wgpuDeviceCreateShaderModule(device, &descriptor));
    return ShaderHandle(
        wgpuDeviceCreateShaderModuleTrusted(device, &descriptor, WGPUShaderRuntimeChecks_None));
}

void poll(WGPUDevice device, bool wait) {
    wgpuDevicePoll(device, wait ? WGPU_TRUE : WGPU_FALSE, nullptr);
}

double timestamp_period(WGPUQueue queue) { return wgpuQueueGetTimestampPeriod(queue); }

}  // namespace tessera::gpu::native
