// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// What kind of thing went wrong. Callers branch on this; people read `what()`.
enum class ErrorCode {
    invalid_argument,  ///< a parameter, shape or option that cannot be right
    unsupported,       ///< a right request that this build or this device cannot serve
    input,             ///< a file that is missing, unreadable or broken
    output,            ///< a file that cannot be written
    out_of_memory,     ///< host or device memory, or a device limit on sizes
    device,            ///< no adapter, or the driver refused
    device_lost,       ///< the device went away while working; opening the engine again may help
};

/// Carries a code and one sentence that names the thing, what is wrong, and what to do.
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string& sentence)
        : std::runtime_error(sentence), code_(code) {}

    [[nodiscard]] ErrorCode code() const noexcept { return code_; }

private:
    ErrorCode code_;
};

}  // namespace tessera
