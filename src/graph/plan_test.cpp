#include "tessera/plan.hpp"

#include <gtest/gtest.h>

#include "graph/lowering.hpp"
#include "tessera/error.hpp"
#include "tessera/histogram.hpp"
#include "tessera/statistics.hpp"

namespace tessera {
namespace {

constexpr ImageInfo rgba8_4k{{SampleType::u8, 4}, 3840, 2160, {}};

Graph histogram_graph(const ImageInfo& info, const HistogramParams& params = {}) {
    Graph graph;
    const Value image = graph.input(info);
    const HistogramValues values = histogram(graph, image, params);
    graph.output(values.counts, "counts");
    graph.output(values.range, "range");
    return graph;
}

Plan histogram_plan(const ImageInfo& info, const HistogramParams& params = {},
                    const DeviceProfile& device = {}) {
    return lower(histogram_graph(info, params), device);
}

template <class Step>
std::vector<Step> steps_of(const Plan& plan) {
    std::vector<Step> steps;
    for (const PlanStep& step : plan.steps) {
        if (const auto* match = std::get_if<Step>(&step)) steps.push_back(*match);
    }
    return steps;
}

std::string sentence(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(HistogramPlan, ClearsCountsAndReadsBackAndNothingElse) {
    const Plan plan = histogram_plan(rgba8_4k);
    ASSERT_EQ(plan.steps.size(), 5u);
    EXPECT_TRUE(std::holds_alternative<step::Upload>(plan.steps[0]));
    EXPECT_TRUE(std::holds_alternative<step::Clear>(plan.steps[1]));
    EXPECT_TRUE(std::holds_alternative<step::Dispatch>(plan.steps[2]));
    EXPECT_TRUE(std::holds_alternative<step::Readback>(plan.steps[3]));
    EXPECT_TRUE(std::holds_alternative<step::Readback>(plan.steps[4]));
}

TEST(HistogramPlan, TakesTheFastKernelForWholeRowsOfRgba8) {
    const auto dispatch = steps_of<step::Dispatch>(histogram_plan(rgba8_4k)).at(0);
    EXPECT_EQ(dispatch.program.kernel, "histogram/count_rgba8");
    EXPECT_EQ(dispatch.bytes_read, 3840u * 2160 * 4);
}

TEST(HistogramPlan, TakesTheGeneralKernelForOtherLayouts) {
    for (const ImageInfo& info : {ImageInfo{{SampleType::u16, 4}, 3841, 16, {}},
                                  ImageInfo{{SampleType::u8, 3}, 3840, 16, {}},
                                  ImageInfo{{SampleType::u16, 1}, 3840, 16, {}}}) {
        EXPECT_EQ(steps_of<step::Dispatch>(histogram_plan(info)).at(0).program.kernel,
                  "histogram/count_codes");
    }
    EXPECT_EQ(steps_of<step::Dispatch>(histogram_plan(rgba8_4k, {.opaque_only = true}))
                  .at(0)
                  .program.kernel,
              "histogram/count_codes");
}

TEST(HistogramPlan, BoundsItsWorkgroupsWhateverTheSize) {
    for (const std::uint32_t size : {1u, 100u, 4000u, 5000u}) {
        const Plan plan = histogram_plan({{SampleType::u8, 4}, size, size, {}});
        for (const auto& dispatch : steps_of<step::Dispatch>(plan)) {
            EXPECT_GE(dispatch.workgroups[0], 1u);
            EXPECT_LE(dispatch.workgroups[0], 1056u);
        }
    }
}

TEST(HistogramPlan, CountsFewerChannelsAtOnceWhereWorkgroupMemoryIsSmall) {
    const auto channels = [](int bins, const ImageInfo& info) {
        const auto dispatch = steps_of<step::Dispatch>(histogram_plan(info, {.bins = bins})).at(0);
        EXPECT_EQ(dispatch.workgroups[1] * dispatch.program.constants.at("CHANNELS_AT_ONCE"), 4);
        return dispatch.program.constants.at("CHANNELS_AT_ONCE");
    };
    const ImageInfo floats{{SampleType::f32, 3}, 64, 64, {Transfer::linear}};
    EXPECT_EQ(channels(1024, rgba8_4k), 4);
    EXPECT_EQ(channels(1025, rgba8_4k), 2);
    EXPECT_EQ(channels(4096, rgba8_4k), 1);
    EXPECT_EQ(channels(1024, floats), 2);  // one row more, for what is not finite
}

TEST(HistogramPlan, CutsPicturesLargerThanABindingIntoBands) {
    const Plan plan = histogram_plan({{SampleType::u8, 4}, 8192, 8000, {}});  // 262 MB
    const auto dispatches = steps_of<step::Dispatch>(plan);
    ASSERT_EQ(dispatches.size(), 2u);
    const DeviceProfile limits;
    std::uint64_t read = 0;
    for (const auto& dispatch : dispatches) {
        for (const PlanBinding& binding : dispatch.bindings) {
            EXPECT_LE(binding.size, limits.max_storage_buffer_binding_size);
            EXPECT_EQ(binding.offset % limits.min_storage_buffer_offset_alignment, 0u);
        }
        read += dispatch.bytes_read;
    }
    EXPECT_EQ(read, 8192ull * 8000 * 4);
}

TEST(HistogramPlan, RefusesPicturesLargerThanTheDeviceWithTheFigures) {
    const std::string text = sentence([] {
        (void)histogram_plan({{SampleType::u8, 4}, 16384, 16384, {}});
    });
    EXPECT_NE(text.find("1.1 GB"), std::string::npos) << text;
    EXPECT_NE(text.find("--engine cpu"), std::string::npos) << text;
}

TEST(HistogramPlan, FindsAnAutomaticRangeOnTheDevice) {
    const ImageInfo floats{{SampleType::f32, 3}, 640, 480, {Transfer::linear}};
    const auto dispatches =
        steps_of<step::Dispatch>(histogram_plan(floats, {.range = {.automatic = true}}));
    ASSERT_EQ(dispatches.size(), 3u);
    EXPECT_EQ(dispatches[0].label, "find range");
    EXPECT_EQ(dispatches[1].label, "finish range");
    EXPECT_EQ(dispatches[2].label, "count");
}

TEST(HistogramPlan, CountsWideWherePixelsMayPass32Bits) {
    DeviceProfile device;
    device.max_buffer_size = 1ull << 40;
    device.max_storage_buffer_binding_size = 1ull << 31;
    const auto wide = [&](std::uint32_t height) {
        const Plan plan = histogram_plan({{SampleType::u8, 1}, 65536, height, {}}, {}, device);
        return steps_of<step::Dispatch>(plan).at(0).program.constants.at("WIDE");
    };
    EXPECT_EQ(wide(65535), 0);
    EXPECT_EQ(wide(65536), 1);
}

TEST(OverlayPlan, ReadsNothingBackBetweenCountingAndDrawing) {
    Graph graph;
    const Value image = graph.input(rgba8_4k);
    graph.output(histogram_overlay(graph, image, histogram(graph, image)), "overlay");
    const Plan plan = lower(graph, {});
    for (std::size_t i = 0; i + 1 < plan.steps.size(); ++i) {
        EXPECT_FALSE(std::holds_alternative<step::Readback>(plan.steps[i]));
    }
    const auto renders = steps_of<step::Render>(plan);
    ASSERT_EQ(renders.size(), 1u);
    EXPECT_EQ(renders[0].draws.size(), 2u);  // colours on the left, luminance on the right
    EXPECT_EQ(renders[0].draws[0].vertices, 6u);
}

TEST(PlotPlan, RefusesADrawingLargerThanTheDeviceDraws) {
    Graph graph;
    const Value image = graph.input(rgba8_4k);
    graph.output(histogram_plot(graph, histogram(graph, image), {.size = {9000, 100}}), "plot");
    EXPECT_NE(sentence([&] { (void)lower(graph, {}); }).find("9000x100"), std::string::npos);
}

TEST(Plan, ComesBackFromJsonUnchanged) {
    Graph graph;
    const Value image = graph.input(rgba8_4k);
    const HistogramValues values = histogram(graph, image, {.range = {.automatic = true}});
    graph.output(values.counts, "counts");
    graph.output(statistics(graph, image), "statistics");
    graph.output(histogram_plot(graph, values), "plot");
    const Plan plan = lower(graph, {});
    const std::string json = to_json(plan);
    const Plan again = plan_from_json(json);
    EXPECT_EQ(to_json(again), json);
    EXPECT_EQ(print(again), print(plan));
    EXPECT_EQ(cost(again).bytes_read, cost(plan).bytes_read);
}

TEST(Plan, RefusesJsonThatIsNoPlan) {
    for (const char* text : {"", "{", "[]", "{}", R"({"buffers": 3})"}) {
        EXPECT_NE(sentence([&] { (void)plan_from_json(text); }).find("this is no plan"),
                  std::string::npos);
    }
}

TEST(Graph, NamesTheParameterThatIsWrong) {
    Graph graph;
    const Value image = graph.input(rgba8_4k);
    EXPECT_EQ(sentence([&] { (void)histogram(graph, image, {.bins = 1}); }),
              "bins = 1 is below 2 (number of bins)");
    EXPECT_EQ(sentence([&] {
                  (void)histogram(graph, image, {.roi = {3839, 0, 2, 1}});
              }),
              "roi = 3839,0,2,1 does not lie inside the picture of 3840x2160 pixels");
    EXPECT_EQ(sentence([&] { (void)histogram(graph, image, {.range = {.low = 1, .high = 1}}); }),
              "range = 1:1: the low end must be below the high end");
}

TEST(Graph, RefusesAnArrayWhereAnImageBelongs) {
    Graph graph;
    const Value array = graph.input(ArrayInfo{ElementType::f32, {3}});
    EXPECT_EQ(sentence([&] { (void)histogram(graph, array); }),
              "histogram: input 'image' must be an image");
}

TEST(Graph, RefusesTwoOutputsOfOneName) {
    Graph graph;
    const Value image = graph.input(rgba8_4k);
    graph.output(image, "same");
    EXPECT_NE(sentence([&] { graph.output(image, "same"); }).find("'same'"), std::string::npos);
}

TEST(RowBands, CoverEveryRowOnceOnAlignedOffsets) {
    const DeviceProfile device{.max_storage_buffer_binding_size = 100'000};
    for (const std::uint32_t pitch : {16u, 1008u, 2000u, 3008u}) {
        for (const std::uint32_t top : {0u, 1u, 17u, 500u}) {
            std::uint32_t next = top;
            for (const RowBand& band : row_bands(device, pitch, top, 1000)) {
                EXPECT_EQ(band.first, next);
                EXPECT_EQ(band.offset(pitch) % 256, 0u);
                EXPECT_LE(band.size(pitch), device.max_storage_buffer_binding_size);
                next += band.count;
            }
            EXPECT_EQ(next, top + 1000);
        }
    }
}

}  // namespace
}  // namespace tessera
