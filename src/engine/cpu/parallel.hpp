// Threads of the CPU engine: loops over rows or pieces of a picture, with or without a result that
// each thread gathers for itself.
#pragma once

#include <cstdint>
#include <functional>

#include <tbb/enumerable_thread_specific.h>

namespace tessera::cpu {

/// How many threads work at once: the environment variable TESSERA_THREADS where it is a positive
/// number, else as many as the machine runs. Read once.
[[nodiscard]] int thread_count();

/// Calls `body(begin, end)` for parts of [0, count) that cover it, on several threads. A part is
/// not split below `grain`; a loop no longer than that runs on the calling thread.
/// What `body` throws comes out of here.
void parallel_for(std::uint64_t count, std::uint64_t grain,
                  const std::function<void(std::uint64_t, std::uint64_t)>& body);

/// As parallel_for, but `body(state, begin, end)` gets a state of its thread, which starts as
/// `make()`. At the end `merge(state)` is called for each, one after the other, in no fixed order.
template <class Make, class Body, class Merge>
void parallel_gather(std::uint64_t count, std::uint64_t grain, Make make, Body body, Merge merge) {
    tbb::enumerable_thread_specific<decltype(make())> states(make);
    parallel_for(count, grain,
                 [&](std::uint64_t begin, std::uint64_t end) { body(states.local(), begin, end); });
    for (auto& state : states) merge(state);
}

}  // namespace tessera::cpu
