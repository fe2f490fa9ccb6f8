#include "base/memory.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Memory, IsAvailableAndLessThanAnExabyte) {
    EXPECT_GT(available_memory(), 1000u * 1000u);
    EXPECT_LT(available_memory(), std::uint64_t{1} << 60);
}

TEST(Memory, SizesAreWrittenAsPeopleReadThem) {
    EXPECT_EQ(human_bytes(0), "0 bytes");
    EXPECT_EQ(human_bytes(999), "999 bytes");
    EXPECT_EQ(human_bytes(1000), "1.0 kB");
    EXPECT_EQ(human_bytes(9949), "9.9 kB");
    EXPECT_EQ(human_bytes(9950), "10 kB");
    EXPECT_EQ(human_bytes(128000000), "128 MB");
    EXPECT_EQ(human_bytes(999600), "1.0 MB");
    EXPECT_EQ(human_bytes(1100000000), "1.1 GB");
    EXPECT_EQ(human_bytes(~std::uint64_t{0}), "18 EB");
}

}  // namespace
}  // namespace tessera
