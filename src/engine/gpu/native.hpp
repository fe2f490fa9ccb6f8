// What the native library offers beyond webgpu.h. The only door to wgpu.h, so that another
// implementation of webgpu.h can stand behind it.
#pragma once

#include <vector>

#include "engine/gpu/handles.hpp"

namespace tessera::gpu::native {

/// An instance that looks for the platform's own backend alone: listing OpenGL too costs half a
/// second.
[[nodiscard]] InstanceHandle create_instance();
[[nodiscard]] std::vector<AdapterHandle> enumerate_adapters(WGPUInstance instance);

/// A shader module; unchecked ones leave out bounds checks and loop bounds, which costs a kernel
/// up to half its time.
[[nodiscard]] ShaderHandle create_module(WGPUDevice device,
                                         const WGPUShaderModuleDescriptor& descriptor,
                                         bool checked);

/// Lets callbacks run; waits for all submitted work when `wait`.
void poll(WGPUDevice device, bool wait);

/// Nanoseconds of one timestamp tick.
[[nodiscard]] double timestamp_period(WGPUQueue queue);

}  // namespace tessera::gpu::native
