#include "options.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "console.hpp"
#include "usage.hpp"

namespace tessera::cli {
namespace {

/// "weights of red, green and blue in luminance [choice: bt709, bt601, bt2020; default bt709]"
std::string describe(const ParamSpec& param) {
    std::string facts = param.type;
    if (!param.choices.empty()) facts += ": " + join(param.choices);
    if (!param.range.empty()) facts += " " + param.range;
    if (!param.unit.empty()) facts += ", " + param.unit;
    return fmt::format("{} [{}; default {}]", param.help, facts, param.default_text);
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

/// Breaks text into lines at spaces, and after commas where a word is longer than a line.
std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
    std::vector<std::string> lines;
    while (text.size() > columns) {
        std::size_t end = text.rfind(' ', columns);
        if (end == std::string_view::npos || end == 0) {
            const std::size_t comma = text.rfind(',', columns - 1);
            end = comma == std::string_view::npos ? columns : comma + 1;
        }
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(text[end] == ' ' ? end + 1 : end);
    }
    lines.emplace_back(text);
    return lines;
}

}  // namespace

void CommonOptions::add_to(CLI::App& app) {
    const auto last = CLI::MultiOptionPolicy::TakeLast;
    app.add_option("--engine", engine,
                   "where the work runs; auto takes a hardware GPU if there is one, else the CPU "
                   "[choice: auto, gpu, cpu; default auto]")
        ->type_name("CHOICE")
        ->multi_option_policy(last)
        ->group("Common");
    app.add_option("--adapter", adapter,
                   "part of the name of an adapter, or its number in 'tessera devices' "
                   "[text or integer; default: any]")
        ->type_name("NAME|INDEX")
        ->multi_option_policy(last)
        ->group("Common");
    app.add_flag("-v,--verbose", verbose, "tell which path runs, why, and how long it takes")
        ->group("Common");
    app.add_flag("-q,--quiet", quiet, "say nothing but errors and the results asked for")
        ->group("Common");
    app.set_version_flag("--version", std::string("tessera ") + TESSERA_VERSION,
                         "print the version")
        ->group("Common");
    app.set_help_flag("-h,--help", "print this help")->group("Common");
}

EngineOptions CommonOptions::engine_options() const {
    EngineOptions options{.adapter = adapter, .timestamps = verbose};
    if (engine == "gpu") {
        options.kind = EngineKind::gpu;
    } else if (engine == "cpu") {
        options.kind = EngineKind::cpu;
    } else if (engine != "auto") {
        fail_usage("engine = {} is none of auto, gpu, cpu (where the work runs)", engine);
    }
    if (verbose && quiet) fail_usage("--verbose and --quiet exclude each other");
    return options;
}

void CommonOptions::note(std::string_view text) const {
    if (!quiet) complain(text);
}

void CommonOptions::detail(std::string_view text) const {
    if (verbose) complain(text);
}

void OperatorOptions::add(CLI::App& command, const Operator& op) {
    for (const ParamSpec& param : op.params) {
        if (find(param.name) != nullptr) continue;
        Given& given = options_.emplace_back(Given{param.name, {}, nullptr});
        const std::string flag = "--" + param.name;
        if (param.type == "switch") {
            given.option = command.add_flag(flag, given.text, describe(param));
        } else {
            given.option =
                command.add_option(flag, given.text, describe(param))->type_name(upper(param.type));
        }
        given.option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->group("Parameters");
    }
}

const OperatorOptions::Given* OperatorOptions::find(std::string_view name) const {
    const auto found = std::find_if(options_.begin(), options_.end(),
                                    [&](const Given& given) { return given.name == name; });
    return found == options_.end() ? nullptr : &*found;
}

bool OperatorOptions::given(std::string_view name) const {
    const Given* given = find(name);
    return given != nullptr && given->option->count() > 0;
}

std::any OperatorOptions::read(const Operator& op) const {
    std::any params = op.default_params();
    for (const ParamSpec& param : op.params) {
        if (!given(param.name)) continue;
        param.set(params, find(param.name)->text);
        param.check(params);
    }
    return params;
}

HelpFormatter::HelpFormatter(std::size_t columns)
    : columns_(std::clamp<std::size_t>(columns, 60, 100)) {
    column_width(24);
    label("SUBCOMMAND", "COMMAND");
    label("Positionals", "Input");
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
    std::string name = make_option_name(option, is_positional);
    if (!is_positional && option->get_type_size() != 0) name += " " + option->get_type_name();
    return entry(name, option->get_description());
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
    return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (auto at = text.find("\n\n\n"); at != text.npos; at = text.find("\n\n\n"))
        text.erase(at, 1);
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

std::string HelpFormatter::entry(const std::string& name, const std::string& description) const {
    const std::size_t left = get_column_width();
    std::string text, start = "  " + name;
    if (start.size() + 2 > left) text = std::exchange(start, "") + "\n";
    for (const std::string& line : wrap(description, columns_ - left)) {
        text += fmt::format("{:<{}}{}\n", std::exchange(start, ""), left, line);
    }
    return text;
}

}  // namespace tessera::cli
