// What standard output can show, and lines on standard error.
#pragma once

#include <chrono>
#include <string_view>

namespace tessera::cli {

/// What may be written to standard output so that it looks right there.
struct Terminal {
    int columns = 80;
    bool color = false;    ///< a terminal, and NO_COLOR is unset
    bool unicode = false;  ///< the locale's encoding is UTF-8
};
[[nodiscard]] Terminal standard_output();

/// One line on standard error, "tessera: text". Never fails: there is nowhere left to say so.
void complain(std::string_view text) noexcept;

/// After this, writing to a pipe that nobody reads is an error to handle, not the end of the
/// process with a half-written file left behind.
void outlive_broken_pipes() noexcept;

/// Keeps a layer of Mesa's Vulkan drivers from complaining on standard error, once for each look
/// at the adapters, where no desktop session runs. It applies the desktop's choice of GPU, which
/// there is none of then. Call before anything looks for adapters.
void quieten_drivers() noexcept;

/// Tells how long each stage of a command took, when asked to.
class StageTimer {
public:
    explicit StageTimer(bool tells) : tells_(tells) {}
    /// The stage that began at the last call (or at the start) is done.
    void done(std::string_view stage);

private:
    using Clock = std::chrono::steady_clock;
    bool tells_;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace tessera::cli
