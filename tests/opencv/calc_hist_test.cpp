// Our counts against OpenCV's calcHist on the sample photos.
#include <filesystem>

#include <gtest/gtest.h>
#include <opencv2/imgproc.hpp>

#include "tessera/engine.hpp"
#include "tessera/error.hpp"
#include "tessera/histogram.hpp"
#include "tessera/media.hpp"

namespace tessera {
namespace {

std::vector<std::filesystem::path> photos() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(TESSERA_SAMPLES_DIR)) {
        const auto extension = entry.path().extension();
        if (extension == ".png" || extension == ".jpg") paths.push_back(entry.path());
    }
    return paths;
}

/// A view of our pixels.
cv::Mat as_mat(const Image& image) {
    const int depth = image.format().sample == SampleType::u8    ? CV_8U
                      : image.format().sample == SampleType::u16 ? CV_16U
                                                                 : CV_32F;
    return {static_cast<int>(image.height()), static_cast<int>(image.width()),
            CV_MAKETYPE(depth, static_cast<int>(image.format().channels)),
            const_cast<std::byte*>(image.row(0)), static_cast<std::size_t>(image.pitch())};
}

std::vector<std::uint64_t> calc_hist(const cv::Mat& image, int channel, int bins, float low,
                                     float high) {
    const float range[] = {low, high};
    const float* ranges[] = {range};
    cv::Mat counts;
    cv::calcHist(&image, 1, &channel, cv::Mat(), counts, 1, &bins, ranges);
    std::vector<std::uint64_t> result;
    for (int bin = 0; bin < bins; ++bin) {
        result.push_back(static_cast<std::uint64_t>(counts.at<float>(bin)));
    }
    return result;
}

Histogram count(const Image& image, EngineKind kind, const HistogramParams& params) {
    Engine engine = Engine::open({.kind = kind});
    Graph graph;
    const Value input = graph.input(image.info());
    const HistogramValues values = histogram(graph, input, params);
    graph.output(values.counts, "counts");
    graph.output(values.range, "range");
    Prepared prepared = engine.prepare(graph);
    prepared.run(image);
    return to_histogram(prepared.array("counts"), prepared.array("range"));
}

class CountsAsOpenCv : public testing::TestWithParam<EngineKind> {
protected:
    void SetUp() override {
        if (GetParam() != EngineKind::gpu) return;
        try {
            (void)Engine::open({.kind = EngineKind::gpu});
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Engines, CountsAsOpenCv, testing::Values(EngineKind::cpu, EngineKind::gpu),
                         [](const auto& engine) {
                             return engine.param == EngineKind::cpu ? "Cpu" : "Gpu";
                         });

TEST_P(CountsAsOpenCv, EveryChannelOfEightBitPhotos) {
    ASSERT_FALSE(photos().empty());
    for (const auto& path : photos()) {
        const Image photo = load_image(path).image;
        ASSERT_EQ(photo.format().sample, SampleType::u8);
        for (const int bins : {256, 64, 2}) {
            const Histogram ours = count(photo, GetParam(), {.bins = bins});
            for (int channel = 0; channel < 3; ++channel) {
                EXPECT_EQ(ours.counts[static_cast<std::size_t>(channel)],
                          calc_hist(as_mat(photo), channel, bins, 0, 256))
                    << path << " channel " << channel << " bins " << bins;
            }
        }
    }
}

/// OpenCV's grey of 8 bits is BT.601 in fixed point of its own: at most one code from ours, so the
/// grey picture itself is compared pixel by pixel and its histogram bin by bin through our
/// operator.
TEST_P(CountsAsOpenCv, LuminanceOfTheGreyPictureThatOpenCvMakes) {
    for (const auto& path : photos()) {
        const Image photo = load_image(path).image;
        cv::Mat grey;
        cv::cvtColor(as_mat(photo), grey, cv::COLOR_RGB2GRAY);
        const Image wrapped = Image::wrap(
            grey.data, {{SampleType::u8, 1}, photo.width(), photo.height(), photo.color()},
            static_cast<std::ptrdiff_t>(grey.step));
        const Histogram of_grey = count(wrapped, GetParam(), {});
        EXPECT_EQ(of_grey.counts[3], calc_hist(grey, 0, 256, 0, 256)) << path;

        // The two definitions' means differ by less than their rounding.
        const Histogram ours = count(photo, GetParam(), {.luma = Luma::bt601});
        double difference = 0;
        for (std::size_t code = 0; code < 256; ++code) {
            difference +=
                static_cast<double>(code) * (static_cast<double>(ours.counts[3][code]) -
                                             static_cast<double>(of_grey.counts[3][code]));
        }
        EXPECT_LT(std::abs(difference) / static_cast<double>(ours.entries(3)), 0.01) << path;
    }
}

TEST_P(CountsAsOpenCv, SixteenBitPhotosInPowersOfTwo) {
    for (const auto& path : photos()) {
        const Image photo = load_image(path).image;
        cv::Mat wide;
        as_mat(photo).convertTo(wide, CV_16U, 257.0);
        // Every code of 8 bits times 257, and a pattern in the lower bits.
        for (int y = 0; y < wide.rows; ++y) {
            auto* row = wide.ptr<std::uint16_t>(y);
            for (int i = 0; i < wide.cols * 3; ++i) {
                row[i] = static_cast<std::uint16_t>(row[i] ^ ((i * 31 + y * 17) & 0xff));
            }
        }
        const Image image =
            Image::wrap(wide.data, {{SampleType::u16, 3}, photo.width(), photo.height(), {}},
                        static_cast<std::ptrdiff_t>(wide.step));
        const Histogram ours = count(image, GetParam(), {.bins = 256});
        for (int channel = 0; channel < 3; ++channel) {
            // Full scale is 65535 here and 65536 there: codes at a bin's very start may differ.
            const auto theirs = calc_hist(wide, channel, 256, 0, 65536);
            std::uint64_t moved = 0, total = 0;
            for (std::size_t bin = 0; bin < 256; ++bin) {
                const auto a = ours.counts[static_cast<std::size_t>(channel)][bin];
                moved += a > theirs[bin] ? a - theirs[bin] : theirs[bin] - a;
                total += a;
            }
            EXPECT_EQ(total, std::uint64_t{photo.width()} * photo.height());
            EXPECT_LE(moved, total / 64) << path << " channel " << channel;
        }
    }
}

TEST_P(CountsAsOpenCv, FloatPhotos) {
    for (const auto& path : photos()) {
        const Image photo = load_image(path).image;
        cv::Mat floats;
        as_mat(photo).convertTo(floats, CV_32F, 1.0 / 256);  // exact: no value lies on an edge
        const Image image = Image::wrap(
            floats.data, {{SampleType::f32, 3}, photo.width(), photo.height(), {Transfer::linear}},
            static_cast<std::ptrdiff_t>(floats.step));
        const Histogram ours = count(image, GetParam(), {.bins = 128});
        for (int channel = 0; channel < 3; ++channel) {
            EXPECT_EQ(ours.counts[static_cast<std::size_t>(channel)],
                      calc_hist(floats, channel, 128, 0, 1))
                << path << " channel " << channel;
        }
    }
}

}  // namespace
}  // namespace tessera
