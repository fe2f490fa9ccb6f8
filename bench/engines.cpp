#include "engines.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "histogram_baselines.hpp"
#include "pictures.hpp"
#include "tessera/error.hpp"

namespace tessera::bench {

Engine* gpu() {
    static std::optional<Engine> engine = []() -> std::optional<Engine> {
        try {
            return Engine::open({.kind = EngineKind::gpu});
        } catch (const Error&) {
            return std::nullopt;
        }
    }();
    return engine ? &*engine : nullptr;
}

Engine& cpu() {
    static Engine engine = Engine::open({.kind = EngineKind::cpu});
    return engine;
}

namespace {

bool is_software() { return gpu()->adapter().profile.software; }

/// A tenth of a millisecond of work between two timings. A GPU that is handed one short kernel at a
/// time counts itself idle and lowers its clock: within seconds an H200 went from 1980 to 1005 MHz,
/// and the later rows of a benchmark with it. One invocation on a small picture leaves the caches
/// to what is timed.
void keep_busy() {
    if (is_software()) return;
    static Prepared work = [] {
        const Image image = picture(Content::noise, 32, 32, 4);
        Prepared prepared = prepare_single(*gpu(), image);
        prepared.run(image);
        return prepared;
    }();
    work.run_passes();
}

}  // namespace

void time_passes(benchmark::State& state, Prepared& prepared, const Image& image) {
    prepared.run(image);
    // The clock fell while the picture was made.
    const auto warm = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    do {
        keep_busy();
        prepared.run_passes();
    } while (!is_software() && std::chrono::steady_clock::now() < warm);
    std::vector<double> times;
    for (auto _ : state) {
        keep_busy();
        times.push_back(prepared.run_passes());
        state.SetIterationTime(times.back() * 1e-3);
    }
    if (times.empty()) return;
    std::sort(times.begin(), times.end());
    state.counters["gpu_ms"] = times[times.size() / 2];
    state.counters["gpu_ms_least"] = times.front();
}

}  // namespace tessera::bench
