#include "engine/cpu/parallel.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#ifdef TESSERA_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace tessera::cpu {
namespace {

/// Tells ThreadSanitizer, which cannot look into oneTBB, what a parallel loop orders: all that came
/// before it is seen in its parts, and all that its parts did is seen after it. Else nothing.
class Handover {
public:
    void give() noexcept {
#ifdef TESSERA_THREAD_SANITIZER
        __tsan_release(this);
#endif
    }
    void take() noexcept {
#ifdef TESSERA_THREAD_SANITIZER
        __tsan_acquire(this);
#endif
    }
};

using Range = tbb::blocked_range<std::uint64_t>;

/// The body of a loop as oneTBB copies it from task to task.
struct LoopBody {
    const std::function<void(std::uint64_t, std::uint64_t)>* body;
    Handover* start;
    Handover* end;

    void operator()(const Range& part) const {
        start->take();
        (*body)(part.begin(), part.end());
        end->give();
    }
};

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
    Handover start, end;
    start.give();
    arena().execute([&] {
        tbb::parallel_for(Range(0, count, std::max<std::uint64_t>(grain, 1)),
                          LoopBody{&body, &start, &end});
    });
    end.take();
}

}  // namespace tessera::cpu
