// Adapters, and an open device whose errors become tessera::Error.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/gpu/handles.hpp"
#include "tessera/engine.hpp"

namespace tessera::gpu {

/// The adapters of this machine, in the order in which the driver gives them.
class Adapters {
public:
    Adapters();

    [[nodiscard]] const std::vector<AdapterInfo>& infos() const noexcept { return infos_; }
    [[nodiscard]] WGPUInstance instance() const noexcept { return instance_.get(); }
    [[nodiscard]] WGPUAdapter operator[](std::size_t index) const { return handles_[index].get(); }

private:
    InstanceHandle instance_;
    std::vector<AdapterHandle> handles_;
    std::vector<AdapterInfo> infos_;
};

/// Thread-safe, as WebGPU objects are.
class Device {
public:
    Device(Adapters adapters, std::size_t index, bool checked_kernels);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    [[nodiscard]] const AdapterInfo& info() const noexcept { return info_; }
    [[nodiscard]] WGPUDevice get() const noexcept { return device_.get(); }
    [[nodiscard]] WGPUQueue queue() const noexcept { return queue_.get(); }
    [[nodiscard]] bool checked_kernels() const noexcept { return checked_kernels_; }
    [[nodiscard]] bool has_timestamps() const noexcept { return info_.profile.timestamp_query; }
    /// Nanoseconds a tick.
    [[nodiscard]] double timestamp_period() const noexcept { return timestamp_period_; }

    /// Runs `action` and turns what WebGPU complains about into an Error whose sentence begins
    /// with `what`. One thread at a time; may be nested.
    template <class Action>
    void guarded(std::string_view what, Action&& action) const {
        ErrorScopes scopes(*this, what);
        std::forward<Action>(action)();
        scopes.close();
    }

    /// Runs callbacks until `done`. Throws Error(device_lost) when the device goes away.
    void wait_until(const std::function<bool()>& done) const;

    /// Waits until all submitted work is done.
    void wait_for_queue() const;

    /// Throws Error(device_lost) when the device is gone.
    void require_alive() const;

    /// Submits one command buffer.
    void submit(WGPUCommandBuffer commands) const;

    /// Has what was written to buffers so far done, so that the queue's copies of it are freed.
    void flush_writes() const;

    /// Makes the device go away, as a driver's reset does. For tests.
    void lose() const;

private:
    /// Catches complaints from here to close(). The native library keeps one stack of scopes a
    /// device, not one a thread, so the scopes hold a lock: each thread gets its own errors.
    class ErrorScopes {
    public:
        ErrorScopes(const Device& device, std::string_view what);
        ~ErrorScopes() { pop(); }
        ErrorScopes(const ErrorScopes&) = delete;
        ErrorScopes& operator=(const ErrorScopes&) = delete;

        /// Throws what was caught.
        void close();

    private:
        struct Caught {
            std::atomic<bool> done = false;
            WGPUErrorType type = WGPUErrorType_NoError;
            std::string message;
        };
        void pop() noexcept;

        const Device& device_;
        std::string_view what_;
        std::unique_lock<std::recursive_mutex> lock_;
        std::array<Caught, 2> caught_;
        bool open_ = true;
    };

    /// Outlives the device in its callbacks.
    struct Loss {
        std::atomic<bool> lost = false;
        std::mutex mutex;
        std::string reason;
    };

    Adapters adapters_;
    AdapterInfo info_;
    std::unique_ptr<Loss> loss_;
    DeviceHandle device_;
    QueueHandle queue_;
    bool checked_kernels_ = false;
    double timestamp_period_ = 1;
    mutable std::recursive_mutex scopes_mutex_;
};

}  // namespace tessera::gpu
