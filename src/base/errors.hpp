// Raising the library's one exception type with a formatted sentence.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "tessera/error.hpp"

namespace tessera {

/// Throws Error(code) whose sentence is formatted as by fmt::format.
template <class... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> sentence, Args&&... args) {
    throw Error(code, fmt::format(sentence, std::forward<Args>(args)...));
}

}  // namespace tessera
