#include "engine/cpu/parallel.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace tessera::cpu {
namespace {

int wanted_threads() {
    const char* const text = std::getenv("TESSERA_THREADS");
    if (text != nullptr) {
        const std::string_view digits = text;
        int count = 0;
        const auto [end, problem] =
            std::from_chars(digits.data(), digits.data() + digits.size(), count);
        if (problem == std::errc() && end == digits.data() + digits.size() && count > 0) {
            return count;
        }
    }
    return std::max(tbb::this_task_arena::max_concurrency(), 1);
}

tbb::task_arena& arena() {
    static tbb::task_arena instance(thread_count());
    return instance;
}

}  // namespace

int thread_count() {
    static const int count = wanted_threads();
    return count;
}

void parallel_for(std::uint64_t count, std::uint64_t grain,
                  const std::function<void(std::uint64_t, std::uint64_t)>& body) {
    if (count == 0) return;
    if (count <= grain || thread_count() == 1) {
        body(0, count);
        return;
    }
    using Range = tbb::blocked_range<std::uint64_t>;
    arena().execute([&] {
        tbb::parallel_for(Range(0, count, std::max<std::uint64_t>(grain, 1)),
                          [&](const Range& part) { body(part.begin(), part.end()); });
    });
}

}  // namespace tessera::cpu
