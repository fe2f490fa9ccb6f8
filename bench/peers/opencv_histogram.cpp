// OpenCV's nearest to our histogram, beside ours on the CPU engine in the same run: three calcHist,
// a conversion to grey, and a fourth calcHist.
#include <string>

#include <benchmark/benchmark.h>
#include <opencv2/imgproc.hpp>

#include "../pictures.hpp"
#include "tessera/engine.hpp"
#include "tessera/histogram.hpp"

namespace {

using namespace tessera;

struct Size {
    std::uint32_t width, height;
};
constexpr std::array sizes{Size{1920, 1080}, Size{3840, 2160}};

cv::Mat calc_hist(const cv::Mat& image, int channel) {
    constexpr int bins = 256;
    const float range[] = {0, 256};
    const float* ranges[] = {range};
    cv::Mat counts;
    cv::calcHist(&image, 1, &channel, cv::Mat(), counts, 1, &bins, ranges);
    return counts;
}

void time_opencv(benchmark::State& state, Size size, bench::Content content) {
    const Image image = bench::picture(content, size.width, size.height, 3);
    const cv::Mat mat(static_cast<int>(size.height), static_cast<int>(size.width), CV_8UC3,
                      const_cast<std::byte*>(image.row(0)),
                      static_cast<std::size_t>(image.pitch()));
    cv::Mat grey;
    for (auto _ : state) {
        for (int channel = 0; channel < 3; ++channel) {
            benchmark::DoNotOptimize(calc_hist(mat, channel));
        }
        cv::cvtColor(mat, grey, cv::COLOR_RGB2GRAY);
        benchmark::DoNotOptimize(calc_hist(grey, 0));
    }
}

void time_tessera(benchmark::State& state, Size size, bench::Content content) {
    const Image image = bench::picture(content, size.width, size.height, 3);
    Engine engine = Engine::open({.kind = EngineKind::cpu});
    Graph graph;
    const Value input = graph.input(image.info());
    graph.output(histogram(graph, input).counts, "counts");
    Prepared prepared = engine.prepare(graph);
    for (auto _ : state) prepared.run(image);
}

void add(const char* who, Size size, bench::Content content,
         void (*time)(benchmark::State&, Size, bench::Content)) {
    const std::string label = std::string(who) + "/histogram/rgb8/" + std::to_string(size.width) +
                              "x" + std::to_string(size.height) + "/" +
                              std::string(bench::name(content));
    benchmark::RegisterBenchmark(label.c_str(),
                                 [=](benchmark::State& state) { time(state, size, content); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::AddCustomContext("opencv", CV_VERSION);
    for (const Size size : sizes) {
        for (const bench::Content content : bench::contents) {
            add("opencv", size, content, time_opencv);
            add("tessera-cpu", size, content, time_tessera);
        }
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
