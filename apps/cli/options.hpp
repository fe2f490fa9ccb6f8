// Options of the command line: those that all commands share, and those made from the operator
// table.
#pragma once

#include <any>
#include <list>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tessera/engine.hpp"
#include "tessera/error.hpp"
#include "tessera/operator.hpp"

namespace tessera::cli {

/// Wrong usage is an invalid argument, as it is in the library.
template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> sentence, Args&&... args) {
    throw Error(ErrorCode::invalid_argument, fmt::format(sentence, std::forward<Args>(args)...));
}

/// What every command accepts.
struct CommonOptions {
    std::string engine = "auto";
    std::string adapter;
    bool verbose = false;
    bool quiet = false;

    void add_to(CLI::App& app);
    /// Checks them, too.
    [[nodiscard]] EngineOptions engine_options() const;

    /// A line on standard error unless --quiet.
    void note(std::string_view text) const;
    /// A line on standard error with --verbose.
    void detail(std::string_view text) const;
};

/// The parameters of a command's operators as its options. Stays where it is once options are
/// added: the parser keeps pointers into it.
class OperatorOptions {
public:
    OperatorOptions() = default;
    OperatorOptions(const OperatorOptions&) = delete;
    OperatorOptions& operator=(const OperatorOptions&) = delete;

    /// Adds an option for each parameter of an operator. A name that an earlier operator has
    /// brought is that same option: it sets the parameter of both.
    void add(CLI::App& command, const Operator& op);

    [[nodiscard]] bool given(std::string_view name) const;

    /// An operator's parameters as the user asked for them, checked one by one. Throws
    /// Error(invalid_argument) with the parameter's sentence.
    template <class Params>
    [[nodiscard]] Params params(const Operator& op) const {
        return std::any_cast<Params>(read(op));
    }

private:
    struct Given {
        std::string name;
        std::string text;
        CLI::Option* option = nullptr;
    };

    [[nodiscard]] const Given* find(std::string_view name) const;
    [[nodiscard]] std::any read(const Operator& op) const;

    std::list<Given> options_;  // a list: elements do not move
};

/// Help whose descriptions are wrapped to the terminal's width.
class HelpFormatter : public CLI::Formatter {
public:
    explicit HelpFormatter(std::size_t columns);
    std::string make_option(const CLI::Option* option, bool is_positional) const override;
    std::string make_subcommand(const CLI::App* command) const override;
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;

private:
    [[nodiscard]] std::string entry(const std::string& name, const std::string& description) const;

    std::size_t columns_;
};

}  // namespace tessera::cli
