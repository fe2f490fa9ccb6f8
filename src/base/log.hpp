// What the library tells the person at the terminal: lines on standard error, `tessera: text`.
#pragma once

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace tessera::log {

/// How much is said. Errors are thrown, never logged.
enum class Level {
    quiet,    ///< nothing
    normal,   ///< warnings and notes
    verbose,  ///< also which path ran, and why
};

/// Takes effect at once for all threads. `normal` until called.
void set_level(Level level) noexcept;
[[nodiscard]] Level level() noexcept;

void write_warning(std::string_view text);
void write_note(std::string_view text);
void write_verbose(std::string_view text);

/// Something is probably not as the user wants it.
template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
    if (level() >= Level::normal) write_warning(fmt::format(text, std::forward<Args>(args)...));
}

/// Something the user should know.
template <class... Args>
void note(fmt::format_string<Args...> text, Args&&... args) {
    if (level() >= Level::normal) write_note(fmt::format(text, std::forward<Args>(args)...));
}

/// Which path ran, and why; formatted only when somebody listens.
template <class... Args>
void verbose(fmt::format_string<Args...> text, Args&&... args) {
    if (level() >= Level::verbose) write_verbose(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace tessera::log
