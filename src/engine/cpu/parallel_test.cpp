#include "engine/cpu/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace tessera::cpu {
namespace {

TEST(Parallel, VisitsEveryIndexOnce) {
    for (const std::uint64_t count : {0u, 1u, 2u, 7u, 1000u, 4099u}) {
        for (const std::uint64_t grain : {0u, 1u, 3u, 5000u}) {
            std::vector<std::atomic<int>> visits(count);
            parallel_for(count, grain, [&](std::uint64_t begin, std::uint64_t end) {
                for (std::uint64_t i = begin; i < end; ++i) ++visits[i];
            });
            for (const auto& visit : visits) EXPECT_EQ(visit, 1);
        }
    }
}

TEST(Parallel, GathersTheStatesOfAllThreads) {
    std::uint64_t total = 0;
    parallel_gather(
        100000, 10, [] { return std::uint64_t{0}; },
        [](std::uint64_t& sum, std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) sum += i;
        },
        [&](std::uint64_t sum) { total += sum; });
    EXPECT_EQ(total, 100000ull * 99999 / 2);
}

TEST(Parallel, LetsExceptionsOut) {
    EXPECT_THROW(parallel_for(1000, 1,
                              [](std::uint64_t, std::uint64_t end) {
                                  if (end > 10) throw std::runtime_error("enough");
                              }),
                 std::runtime_error);
}

}  // namespace
}  // namespace tessera::cpu
