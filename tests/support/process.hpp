// Runs a program as a shell would: bytes in, bytes out, and how it ended. POSIX.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace tessera::test {

struct ProcessOptions {
    std::string input{};        ///< bytes on its standard input
    std::string output_file{};  ///< opened as its standard output, if given
    /// Nobody reads its standard output, as with `program | true`.
    bool broken_output = false;
    /// "NAME=value", over the ones of this process.
    std::vector<std::string> environment{};
};

struct Finished {
    int exit_code = 0;  ///< 128 + the signal's number when a signal ended it
    std::string out, err;
};

namespace detail {

class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileDescriptor() { close(); }

    void close() {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] bool is_open() const { return number_ >= 0; }

private:
    int number_ = -1;
};

struct Pipe {
    FileDescriptor read_end, write_end;
    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
        read_end = FileDescriptor(ends[0]);
        write_end = FileDescriptor(ends[1]);
    }
};

/// Feeds and drains the three pipes at once, so that neither side waits for the other.
inline void converse(FileDescriptor& in, std::string_view input, FileDescriptor& out,
                     std::string& out_text, FileDescriptor& err, std::string& err_text) {
    const auto drain = [](FileDescriptor& from, std::string& text) {
        char buffer[65536];
        const ssize_t got = ::read(from.number(), buffer, sizeof buffer);
        if (got > 0) {
            text.append(buffer, static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            from.close();
        }
    };
    fcntl(in.number(), F_SETFL, O_NONBLOCK);
    if (input.empty()) in.close();
    while (in.is_open() || out.is_open() || err.is_open()) {
        // poll() passes over negative numbers: closed ends.
        pollfd ends[3] = {
            {in.number(), POLLOUT, 0}, {out.number(), POLLIN, 0}, {err.number(), POLLIN, 0}};
        if (poll(ends, 3, -1) < 0 && errno != EINTR) break;
        if (ends[0].revents != 0) {
            const ssize_t written = ::write(in.number(), input.data(), input.size());
            if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
            const bool refused = written < 0 && errno != EAGAIN && errno != EINTR;
            if (input.empty() || refused) in.close();
        }
        if (ends[1].revents != 0) drain(out, out_text);
        if (ends[2].revents != 0) drain(err, err_text);
    }
}

/// The environment of this process with some variables set otherwise.
inline std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
    std::vector<std::string> all = changes;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        const std::string_view name = text.substr(0, text.find('=') + 1);
        bool changed = false;
        for (const std::string& change : changes) changed = changed || change.starts_with(name);
        if (!changed) all.emplace_back(text);
    }
    return all;
}

inline std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

}  // namespace detail

/// Runs `arguments[0]` and waits until it ends.
inline Finished run_process(std::vector<std::string> arguments,
                            const ProcessOptions& options = {}) {
    detail::Pipe in, out, err;
    // A program that ends without reading its input must not end this one.
    std::signal(SIGPIPE, SIG_IGN);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read_end.number(), STDIN_FILENO);
    if (options.output_file.empty()) {
        posix_spawn_file_actions_adddup2(&actions, out.write_end.number(), STDOUT_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, options.output_file.c_str(),
                                         O_WRONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions, err.write_end.number(), STDERR_FILENO);
    if (options.broken_output) out.read_end.close();

    // A child inherits what is ignored: give it back what a shell's child would have.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

    auto environment = detail::environment_with(options.environment);
    pid_t child = 0;
    const int problem =
        posix_spawn(&child, arguments[0].c_str(), &actions, &attributes,
                    detail::pointers(arguments).data(), detail::pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) throw std::system_error(problem, std::generic_category(), arguments[0]);

    in.read_end.close();
    out.write_end.close();
    err.write_end.close();
    Finished finished;
    detail::converse(in.write_end, options.input, out.read_end, finished.out, err.read_end,
                     finished.err);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return finished;
}

}  // namespace tessera::test
