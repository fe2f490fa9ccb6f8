#include "console.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#ifndef _WIN32
#include <csignal>

#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace tessera::cli {
namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// The variable that decides is the first that is not empty (POSIX, "Environment Variables").
bool locale_is_utf8() {
    std::string locale;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        locale = variable(name);
        if (!locale.empty()) break;
    }
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace

void complain(std::string_view text) noexcept {
    std::fputs("tessera: ", stderr);
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fputc('\n', stderr);
}

void StageTimer::done(std::string_view stage) {
    const auto now = Clock::now();
    if (tells_) {
        const std::chrono::duration<double, std::milli> elapsed = now - begin_;
        complain(fmt::format("time of {}: {:.2f} ms", stage, elapsed.count()));
    }
    begin_ = now;
}

#ifdef _WIN32

Terminal standard_output() { return {.unicode = locale_is_utf8()}; }
void outlive_broken_pipes() noexcept {}
void quieten_drivers() noexcept {}

#else

Terminal standard_output() {
    Terminal terminal;
    const bool is_terminal = isatty(STDOUT_FILENO) == 1;
    terminal.color = is_terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
    terminal.unicode = locale_is_utf8();
    winsize size{};
    if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        terminal.columns = size.ws_col;
    }
    return terminal;
}

void outlive_broken_pipes() noexcept { std::signal(SIGPIPE, SIG_IGN); }

void quieten_drivers() noexcept {
    if (variable("XDG_RUNTIME_DIR").empty()) setenv("NODEVICE_SELECT", "1", 0);
}

#endif

}  // namespace tessera::cli
