#include "base/log.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace tessera::log {
namespace {

class Log : public testing::Test {
protected:
    ~Log() override { set_level(Level::normal); }

    static std::string printed_at(Level level) {
        set_level(level);
        testing::internal::CaptureStderr();
        warn("a {}", "warning");
        note("{} note", 1);
        verbose("which path: {{}}");
        return testing::internal::GetCapturedStderr();
    }
};

TEST_F(Log, SaysWhatItsLevelAllows) {
    EXPECT_EQ(printed_at(Level::quiet), "");
    EXPECT_EQ(printed_at(Level::normal), "tessera: a warning\ntessera: 1 note\n");
    EXPECT_EQ(printed_at(Level::verbose),
              "tessera: a warning\ntessera: 1 note\ntessera: which path: {}\n");
}

TEST_F(Log, KeepsLinesOfManyThreadsApart) {
    set_level(Level::normal);
    testing::internal::CaptureStderr();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([] {
            for (int repeat = 0; repeat < 100; ++repeat) note("one line");
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::istringstream lines(testing::internal::GetCapturedStderr());
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        ASSERT_EQ(line, "tessera: one line");
    }
    EXPECT_EQ(count, 400);
}

}  // namespace
}  // namespace tessera::log
