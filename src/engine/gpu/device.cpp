#include "engine/gpu/device.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include "base/errors.hpp"
#include "base/log.hpp"
#include "engine/gpu/native.hpp"

namespace tessera::gpu {
namespace {

std::string backend_name(WGPUBackendType type) {
    switch (type) {
        case WGPUBackendType_Vulkan:
            return "Vulkan";
        case WGPUBackendType_Metal:
            return "Metal";
        case WGPUBackendType_D3D12:
            return "D3D12";
        case WGPUBackendType_OpenGL:
        case WGPUBackendType_OpenGLES:
            return "OpenGL";
        default:
            return "other";
    }
}

std::string type_name(WGPUAdapterType type) {
    switch (type) {
        case WGPUAdapterType_DiscreteGPU:
            return "discrete";
        case WGPUAdapterType_IntegratedGPU:
            return "integrated";
        case WGPUAdapterType_CPU:
            return "software";
        default:
            return "virtual";
    }
}

bool has(WGPUAdapter adapter, WGPUFeatureName feature) {
    return wgpuAdapterHasFeature(adapter, feature) != WGPU_FALSE;
}

DeviceProfile profile(WGPUAdapter adapter, const WGPULimits& limits, bool software) {
    DeviceProfile p;
    p.max_buffer_size = limits.maxBufferSize;
    p.max_storage_buffer_binding_size = limits.maxStorageBufferBindingSize;
    p.max_compute_workgroup_storage_size = limits.maxComputeWorkgroupStorageSize;
    p.max_compute_invocations_per_workgroup = limits.maxComputeInvocationsPerWorkgroup;
    p.max_compute_workgroup_size_x = limits.maxComputeWorkgroupSizeX;
    p.max_compute_workgroups_per_dimension = limits.maxComputeWorkgroupsPerDimension;
    p.max_texture_dimension_2d = limits.maxTextureDimension2D;
    p.min_storage_buffer_offset_alignment = limits.minStorageBufferOffsetAlignment;
    p.shader_f16 = has(adapter, WGPUFeatureName_ShaderF16);
    p.subgroups = has(adapter, WGPUFeatureName_Subgroups);
    p.timestamp_query = has(adapter, WGPUFeatureName_TimestampQuery);
    p.software = software;
    return p;
}

WGPULimits limits_of(WGPUAdapter adapter) {
    WGPULimits limits = WGPU_LIMITS_INIT;
    wgpuAdapterGetLimits(adapter, &limits);
    return limits;
}

AdapterInfo describe(WGPUAdapter adapter) {
    WGPUAdapterInfo raw = WGPU_ADAPTER_INFO_INIT;
    wgpuAdapterGetInfo(adapter, &raw);
    AdapterInfo info;
    info.name = text(raw.device);
    info.backend = backend_name(raw.backendType);
    info.type = type_name(raw.adapterType);
    info.driver = text(raw.description);
    info.profile = profile(adapter, limits_of(adapter), raw.adapterType == WGPUAdapterType_CPU);
    wgpuAdapterInfoFreeMembers(raw);
    return info;
}

/// WebGPU's messages have many lines and draw into the source. What is left here: where in the
/// kernel, where it is about one, and what was said.
std::string in_one_line(std::string_view message) {
    constexpr std::string_view drawn = "\u2502", place_mark = "wgsl:", prefix = "parsing error: ";
    constexpr std::size_t long_enough = 400;
    std::string place, call, line;
    for (std::size_t start = 0; start < message.size() && line.size() < long_enough;) {
        const auto end = std::min(message.find('\n', start), message.size());
        std::string_view part = message.substr(start, end - start);
        start = end + 1;
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        if (part.empty() || part == "Validation Error" || part == "Caused by:") continue;
        if (part.starts_with("In wgpu")) {
            call = std::string(part) + ": ";
        } else if (const auto mark = part.find(place_mark); mark != std::string_view::npos) {
            const auto digits = mark + place_mark.size();
            const auto colon = std::min(part.find(':', digits), part.size());
            if (place.empty()) {
                place = "line " + std::string(part.substr(digits, colon - digits)) + ": ";
            }
        } else if (part.find(drawn) == std::string_view::npos) {
            if (const auto at = part.find(prefix); at != std::string_view::npos) {
                part.remove_prefix(at + prefix.size());
            }
            line += (line.empty() ? "" : ": ") + std::string(part);
        }
    }
    return (place.empty() ? call : place) + line;
}

}  // namespace

Adapters::Adapters() : instance_(native::create_instance()) {
    if (!instance_) return;
    handles_ = native::enumerate_adapters(instance_.get());
    for (const AdapterHandle& adapter : handles_) infos_.push_back(describe(adapter.get()));
}

Device::Device(Adapters adapters, std::size_t index, bool checked_kernels)
    : adapters_(std::move(adapters)),
      info_(adapters_.infos().at(index)),
      loss_(std::make_unique<Loss>()),
      checked_kernels_(checked_kernels) {
    WGPUAdapter adapter = adapters_[index];
    std::vector<WGPUFeatureName> features;
    for (const WGPUFeatureName feature :
         {WGPUFeatureName_ShaderF16, WGPUFeatureName_Subgroups, WGPUFeatureName_TimestampQuery}) {
        if (has(adapter, feature)) features.push_back(feature);
    }
    const WGPULimits limits = limits_of(adapter);

    WGPUDeviceDescriptor descriptor = WGPU_DEVICE_DESCRIPTOR_INIT;
    descriptor.label = view("tessera");
    descriptor.requiredFeatures = features.data();
    descriptor.requiredFeatureCount = features.size();
    descriptor.requiredLimits = &limits;
    descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
    descriptor.deviceLostCallbackInfo.userdata1 = loss_.get();
    descriptor.deviceLostCallbackInfo.callback = [](WGPUDevice const*, WGPUDeviceLostReason,
                                                    WGPUStringView message, void* user, void*) {
        auto& loss = *static_cast<Loss*>(user);
        const std::lock_guard lock(loss.mutex);
        loss.reason = in_one_line(text(message));
        loss.lost = true;
    };
    // Errors outside every scope: nothing that a caller could act on, but never an abort.
    descriptor.uncapturedErrorCallbackInfo.callback = [](WGPUDevice const*, WGPUErrorType,
                                                         WGPUStringView message, void*, void*) {
        log::verbose("WebGPU says: {}", in_one_line(text(message)));
    };

    struct Request {
        bool done = false;
        WGPUDevice device = nullptr;
        std::string message;
    } request;
    WGPURequestDeviceCallbackInfo callback = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
    callback.mode = WGPUCallbackMode_AllowProcessEvents;
    callback.userdata1 = &request;
    callback.callback = [](WGPURequestDeviceStatus, WGPUDevice device, WGPUStringView message,
                           void* user, void*) {
        auto& r = *static_cast<Request*>(user);
        r.device = device;
        r.message = in_one_line(text(message));
        r.done = true;
    };
    wgpuAdapterRequestDevice(adapter, &descriptor, callback);
    while (!request.done) wgpuInstanceProcessEvents(adapters_.instance());
    if (request.device == nullptr) {
        fail(ErrorCode::device, "{} could not be opened: {}", info_.name, request.message);
    }
    device_ = DeviceHandle(request.device);
    queue_ = QueueHandle(wgpuDeviceGetQueue(request.device));
    timestamp_period_ = native::timestamp_period(queue_.get());
}

Device::~Device() {
    // The loss callback may run while the device goes: its data goes last.
    queue_ = {};
    device_ = {};
}

Device::ErrorScopes::ErrorScopes(const Device& device, std::string_view what)
    : device_(device), what_(what), lock_(device.scopes_mutex_) {
    device_.require_alive();
    // wgpu-native panics at a scope for internal errors.
    for (const WGPUErrorFilter filter : {WGPUErrorFilter_Validation, WGPUErrorFilter_OutOfMemory}) {
        wgpuDevicePushErrorScope(device_.get(), filter);
    }
}

void Device::ErrorScopes::pop() noexcept {
    if (!open_) return;
    open_ = false;
    for (Caught& error : caught_) {
        WGPUPopErrorScopeCallbackInfo callback = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
        callback.mode = WGPUCallbackMode_AllowProcessEvents;
        callback.userdata1 = &error;
        callback.callback = [](WGPUPopErrorScopeStatus, WGPUErrorType type, WGPUStringView message,
                               void* user, void*) {
            auto& caught = *static_cast<Caught*>(user);
            caught.type = type;
            caught.message = in_one_line(text(message));
            caught.done = true;
        };
        wgpuDevicePopErrorScope(device_.get(), callback);
        while (!error.done) wgpuInstanceProcessEvents(device_.adapters_.instance());
    }
}

void Device::ErrorScopes::close() {
    pop();
    device_.require_alive();
    for (const Caught& error : caught_) {
        // wgpu-native says 0 where there was no error.
        if (error.type == WGPUErrorType_NoError || error.type == 0) continue;
        if (error.type == WGPUErrorType_OutOfMemory) {
            fail(ErrorCode::out_of_memory,
                 "{}: {} has not enough memory for it: use --engine cpu, or a smaller picture",
                 what_, device_.info_.name);
        }
        fail(ErrorCode::device, "{}: {}", what_, error.message);
    }
}

void Device::wait_until(const std::function<bool()>& done) const {
    for (int turn = 0; !done(); ++turn) {
        wgpuInstanceProcessEvents(adapters_.instance());
        if (done()) return;
        if (loss_->lost && turn > 1000) require_alive();
        native::poll(get(), true);
    }
}

void Device::wait_for_queue() const {
    native::poll(get(), true);
    require_alive();
}

void Device::submit(WGPUCommandBuffer commands) const {
    // wgpu-native aborts the program when it is given work for a device that is gone.
    native::poll(get(), false);
    require_alive();
    wgpuQueueSubmit(queue(), 1, &commands);
}

void Device::flush_writes() const {
    native::poll(get(), false);
    require_alive();
    wgpuQueueSubmit(queue(), 0, nullptr);
    wait_for_queue();
}

void Device::require_alive() const {
    if (!loss_->lost) return;
    const std::lock_guard lock(loss_->mutex);
    fail(ErrorCode::device_lost, "{} went away while working ({}): try again, or use --engine cpu",
         info_.name, loss_->reason.empty() ? "no reason given" : loss_->reason);
}

void Device::lose() const {
    wgpuDeviceDestroy(get());
    for (int turn = 0; turn < 100 && !loss_->lost; ++turn) {
        wgpuInstanceProcessEvents(adapters_.instance());
        native::poll(get(), false);
    }
    loss_->lost = true;
}

}  // namespace tessera::gpu
