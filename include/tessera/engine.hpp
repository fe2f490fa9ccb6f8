// Where graphs run: a GPU through WebGPU, or the CPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/graph.hpp"
#include "tessera/plan.hpp"

namespace tessera {

/// One place where work can run, as `tessera devices` lists it.
struct AdapterInfo {
    std::string name;     ///< "NVIDIA H200", "llvmpipe (LLVM 15.0.6, 256 bits)", or the CPU's name
    std::string backend;  ///< "Vulkan", "Metal", "D3D12", or "CPU"
    std::string type;     ///< "discrete", "integrated", "software", "virtual", "cpu engine"
    std::string driver;   ///< driver or instruction set, and version
    DeviceProfile profile;  ///< limits and features; meaningless for the CPU engine
    bool cpu_engine = false;
};

/// Every GPU adapter, in a stable order, then the CPU engine. Never throws for a missing driver:
/// the list is then just the CPU engine.
[[nodiscard]] std::vector<AdapterInfo> list_adapters();

enum class EngineKind { automatic, gpu, cpu };

struct EngineOptions {
    EngineKind kind = EngineKind::automatic;
    /// Part of an adapter's name (any case), or its index in `list_adapters()`. Empty: any.
    std::string adapter{};
    /// Bounds-checked kernels, slower: for tests. Also on with TESSERA_GPU_CHECKS=1.
    bool checked_kernels = false;
    /// Time each pass; `Prepared::timings()` then tells.
    bool timestamps = false;
};

/// Which of the listed adapters an engine opened with these options takes, and why, in words.
struct AdapterChoice {
    std::size_t index = 0;
    std::string reason;
};
[[nodiscard]] AdapterChoice choose_adapter(std::span<const AdapterInfo> adapters,
                                           const EngineOptions& options);

struct PassTiming {
    std::string label;
    double milliseconds = 0;
};

namespace detail {
class EngineImpl;
class PreparedImpl;
}  // namespace detail

/// A graph ready to run many times: everything is allocated, compiled and bound.
/// One thread at a time; different Prepared of one Engine may run on different threads.
class Prepared {
public:
    Prepared(Prepared&&) noexcept;
    Prepared& operator=(Prepared&&) noexcept;
    ~Prepared();

    /// Runs on these inputs (in the order of Graph::inputs()), which must have the sizes and
    /// formats that the graph was built for. Allocates nothing after the first call.
    /// Throws Error(device_lost) when the device went away.
    void run(std::span<const Image* const> inputs);
    void run(const Image& input);
    /// The same for graphs that take arrays. `run_passes` reads the data again: keep it.
    void run(std::span<const Data* const> inputs);

    /// An output of the last run, by name; valid until the next run. Throws for a wrong name.
    [[nodiscard]] const Image& image(std::string_view name) const;
    [[nodiscard]] const Array& array(std::string_view name) const;
    /// Takes an output away instead of copying it; the next run allocates a new one.
    [[nodiscard]] Image take_image(std::string_view name);

    /// GPU time of each pass of the last run (EngineOptions::timestamps), else empty. Wall time
    /// where the GPU has no clock to trust (one entry for all passes), and on the CPU engine (of
    /// each operator).
    [[nodiscard]] std::vector<PassTiming> timings() const;
    /// The variants chosen, and why.
    [[nodiscard]] const std::vector<std::string>& notes() const;

    /// For benchmarks: uploads nothing and reads nothing back, just runs the passes on what
    /// earlier runs left on the device, and returns the GPU milliseconds from the first pass's
    /// begin to the last one's end (wall time on the CPU engine, which reads the images of the
    /// last run again: keep them). Throws Error(invalid_argument) before the first run.
    double run_passes();

private:
    friend class Engine;
    explicit Prepared(std::unique_ptr<detail::PreparedImpl> impl);
    std::unique_ptr<detail::PreparedImpl> impl_;
};

/// An open device. Cheap to move; thread-safe: `prepare` may be called from several threads.
/// An Engine must outlive what it prepared.
class Engine {
public:
    /// `automatic` takes a hardware GPU if there is one, else the CPU engine; a software adapter
    /// only when `adapter` or `EngineKind::gpu` asks for it. Throws Error(device) when nothing
    /// fits.
    [[nodiscard]] static Engine open(const EngineOptions& options = {});

    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;
    ~Engine();

    [[nodiscard]] const AdapterInfo& adapter() const;
    [[nodiscard]] const std::string& reason() const;  ///< why this adapter
    [[nodiscard]] Prepared prepare(const Graph& graph);
    /// Runs a Plan that was made elsewhere (GPU engines only).
    [[nodiscard]] Prepared prepare(const Plan& plan);

private:
    explicit Engine(std::unique_ptr<detail::EngineImpl> impl);
    std::unique_ptr<detail::EngineImpl> impl_;
};

}  // namespace tessera
