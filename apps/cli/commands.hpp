// The commands of the program. Each adds itself and its options to the parser, and gives back
// what to do when it is the one that was called.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "options.hpp"

namespace tessera::cli {

struct Command {
    CLI::App* parser = nullptr;
    std::function<void()> run;
};

[[nodiscard]] Command add_devices_command(CLI::App& app, CommonOptions& common);
[[nodiscard]] Command add_histogram_command(CLI::App& app, CommonOptions& common);

}  // namespace tessera::cli
