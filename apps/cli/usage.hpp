// Wrong usage, put into one sentence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace tessera::cli {

/// "red, green, blue"
[[nodiscard]] std::string join(const std::vector<std::string>& words);

/// The name that was probably meant: the nearest by edit distance, if it is near at all.
[[nodiscard]] std::optional<std::string> nearest(std::string_view name,
                                                 const std::vector<std::string>& known);

/// What was typed that nothing takes: an unknown command or option, one file too many. `app` and
/// its commands must allow extras. Nothing when everything was taken.
[[nodiscard]] std::optional<std::string> describe_extras(const CLI::App& app);

/// The command that the parser has entered, else the program itself.
[[nodiscard]] const CLI::App& current_command(const CLI::App& app);

/// How to get help on it: "tessera histogram --help".
[[nodiscard]] std::string help_hint(const CLI::App& app);

}  // namespace tessera::cli
