#include "engine/gpu/device.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "engine/gpu/executor.hpp"
#include "tessera/histogram.hpp"

namespace tessera::gpu {
namespace {

TEST(GpuDevice, LostWhileWorkingIsAnErrorThatSaysSo) {
    Adapters adapters;
    if (adapters.infos().empty()) GTEST_SKIP() << "no adapter";
    const auto device = std::make_shared<const Device>(std::move(adapters), 0, false);
    PipelineCache pipelines(*device);
    Graph graph;
    const ImageInfo info{{SampleType::u8, 4}, 8, 8, {}};
    const Value image = graph.input(info);
    graph.output(histogram(graph, image).counts, "counts");
    PreparedPlan prepared(device, pipelines, lower(graph, device->info().profile), false);
    const Data input = Image(info);
    Data output = make_data(graph.info(graph.outputs()[0].value));
    const Data* const inputs[] = {&input};
    Data* const outputs[] = {&output};
    prepared.run(inputs, outputs);

    device->lose();
    try {
        prepared.run(inputs, outputs);
        FAIL() << "the device was lost";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::device_lost);
        EXPECT_NE(std::string(error.what()).find("went away"), std::string::npos);
    }
}

}  // namespace
}  // namespace tessera::gpu
