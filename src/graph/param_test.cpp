#include <gtest/gtest.h>

#include "tessera/error.hpp"
#include "tessera/histogram.hpp"
#include "tessera/operator.hpp"

namespace tessera {
namespace {

const ParamSpec& spec(std::string_view op, std::string_view name) {
    for (const ParamSpec& candidate : find_operator(op)->params) {
        if (candidate.name == name) return candidate;
    }
    throw std::out_of_range(std::string(name));
}

std::string sentence(std::string_view op, std::string_view name, std::string_view text) {
    std::any params = find_operator(op)->default_params();
    try {
        spec(op, name).set(params, text);
        spec(op, name).check(params);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
    }
    return "";
}

TEST(Parameters, ReadWhatTheyWrite) {
    for (const Operator* op : operators()) {
        for (const ParamSpec& param : op->params) {
            std::any params = op->default_params();
            EXPECT_EQ(param.text(params), param.default_text) << op->name << " " << param.name;
            param.set(params, param.default_text);
            EXPECT_EQ(param.text(params), param.default_text) << op->name << " " << param.name;
            EXPECT_NO_THROW(param.check(params));
            EXPECT_FALSE(param.help.empty());
        }
    }
}

TEST(Parameters, RefuseWhatDoesNotReadInOneSentence) {
    EXPECT_EQ(sentence("histogram", "bins", "many"), "bins = 'many' does not read: a whole number");
    EXPECT_EQ(sentence("histogram", "bins", "4097"), "bins = 4097 is above 4096 (number of bins)");
    EXPECT_EQ(sentence("histogram", "bins", "99999999999"),
              "bins = 99999999999 is above 4096 (number of bins)");
    EXPECT_EQ(sentence("histogram", "luma", "bt470"),
              "luma = bt470 is none of bt709, bt601, bt2020 (weights of red, green and blue in "
              "luminance)");
    for (const char* text : {"", "0", "0:", ":1", "0:1:2", "nan:1", "0:inf", "a:b"}) {
        EXPECT_NE(sentence("histogram", "range", text), "") << text;
    }
    for (const char* text : {"1,2,3", "1,2,3,4,5", "-1,0,2,2", "0,0,0,5", "a,b,c,d"}) {
        EXPECT_NE(sentence("histogram", "roi", text), "") << text;
    }
    for (const char* text : {"0x5", "5", "5x", "x5", "20000x4", "-3x4", "4x4x4"}) {
        EXPECT_NE(sentence("histogram-plot", "size", text), "") << text;
    }
    for (const char* text : {"red", "#ff0000", "#1,#2,#3,#4", "#gg0000,#00ff00,#0000ff,#ffffff"}) {
        EXPECT_NE(sentence("histogram-plot", "colors", text), "") << text;
    }
}

TEST(Parameters, AddUpTheColoursOfMixtures) {
    std::any params = HistogramPlotParams{};
    spec("histogram-plot", "colors").set(params, "#800000,#008000,#000080,#404040,#010203");
    const auto& colors = std::any_cast<const HistogramPlotParams&>(params).colors.colors;
    EXPECT_EQ(colors[0], (Color{1, 2, 3, 255}));
    EXPECT_EQ(colors[1], (Color{128, 0, 0, 255}));
    EXPECT_EQ(colors[5], (Color{128, 0, 128, 255}));
    EXPECT_EQ(colors[7], (Color{128, 128, 128, 255}));
    EXPECT_EQ(colors[15], (Color{192, 192, 192, 255}));
}

}  // namespace
}  // namespace tessera
