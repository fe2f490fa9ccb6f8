#include "engines.hpp"

#include <algorithm>
#include <optional>
#include <vector>

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

void time_passes(benchmark::State& state, Prepared& prepared, const Image& image) {
    prepared.run(image);
    // Clocks rise with work: the first runs are not counted.
    constexpr int warm_up = 20;
    for (int i = 0; i < warm_up; ++i) prepared.run_passes();
    std::vector<double> times;
    for (auto _ : state) {
        times.push_back(prepared.run_passes());
        state.SetIterationTime(times.back() * 1e-3);
    }
    if (times.empty()) return;
    std::sort(times.begin(), times.end());
    state.counters["gpu_ms"] = times[times.size() / 2];
    state.counters["gpu_ms_least"] = times.front();
}

}  // namespace tessera::bench
