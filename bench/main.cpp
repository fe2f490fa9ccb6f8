#include <cstdio>

#include <benchmark/benchmark.h>

#include "engines.hpp"

namespace tessera::bench {
void register_histogram();
}

int main(int argc, char** argv) {
    using namespace tessera::bench;
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    if (const tessera::Engine* engine = gpu()) {
        benchmark::AddCustomContext("adapter", engine->adapter().name);
        benchmark::AddCustomContext("driver", engine->adapter().driver);
    }
    benchmark::AddCustomContext("cpu", cpu().adapter().name);
    register_histogram();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
