// Histograms of red, green, blue and luminance at once: the real operator on both engines, and the
// textbook versions that it improves on.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "engines.hpp"
#include "histogram_baselines.hpp"
#include "pictures.hpp"
#include "tessera/histogram.hpp"

namespace tessera::bench {
namespace {

struct Size {
    std::uint32_t width, height;
};
constexpr std::array sizes{Size{1920, 1080}, Size{3840, 2160}, Size{7680, 4320}};

std::string label(std::string_view what, Size size, Content content) {
    return std::string(what) + "/" + std::to_string(size.width) + "x" +
           std::to_string(size.height) + "/" + std::string(name(content));
}

Prepared prepare_histogram(Engine& engine, const Image& image) {
    Graph graph;
    const Value input = graph.input(image.info());
    graph.output(histogram(graph, input).counts, "counts");
    return engine.prepare(graph);
}

using Prepare = Prepared (*)(Engine&, const Image&);

void time_on_gpu(benchmark::State& state, Prepare prepare, Size size, Content content) {
    Engine* engine = gpu();
    if (engine == nullptr) {
        state.SkipWithError("no GPU");
        return;
    }
    const Image image = picture(content, size.width, size.height, 4);
    Prepared prepared = prepare(*engine, image);
    time_passes(state, prepared, image);
}

void time_on_cpu(benchmark::State& state, Size size, Content content, std::uint32_t channels) {
    const Image image = picture(content, size.width, size.height, channels);
    Prepared prepared = prepare_histogram(cpu(), image);
    for (auto _ : state) prepared.run(image);
    state.SetItemsProcessed(state.iterations() * std::int64_t{size.width} * size.height);
}

}  // namespace

void register_histogram() {
    for (const Size size : sizes) {
        for (const Content content : contents) {
            const auto on_gpu = [&](std::string_view what, Prepare prepare) {
                benchmark::RegisterBenchmark(
                    label(what, size, content).c_str(),
                    [=](benchmark::State& state) { time_on_gpu(state, prepare, size, content); })
                    ->UseManualTime()
                    ->Unit(benchmark::kMillisecond);
            };
            on_gpu("gpu/histogram/rgba8", prepare_histogram);
            on_gpu("gpu/histogram-chunks/rgba8", prepare_chunks);
            if (size.width == sizes[0].width) on_gpu("gpu/histogram-single/rgba8", prepare_single);
            for (const std::uint32_t channels : {3u, 4u}) {
                benchmark::RegisterBenchmark(
                    label(channels == 3 ? "cpu/histogram/rgb8" : "cpu/histogram/rgba8", size,
                          content)
                        .c_str(),
                    [=](benchmark::State& state) { time_on_cpu(state, size, content, channels); })
                    ->UseRealTime()
                    ->Unit(benchmark::kMillisecond);
            }
        }
    }
}

}  // namespace tessera::bench
