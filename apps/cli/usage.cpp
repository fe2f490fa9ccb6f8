#include "usage.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace tessera::cli {
namespace {

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other
/// (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

/// The sentence, and what was probably meant, or else what there is.
std::string suggest(const std::string& sentence, std::string_view name,
                    const std::vector<std::string>& known, const std::string& otherwise = {}) {
    const auto meant = nearest(name, known);
    return meant ? fmt::format("{}: did you mean {}?", sentence, *meant) : sentence + otherwise;
}

}  // namespace

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known) {
    std::optional<std::string> best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

const CLI::App& current_command(const CLI::App& app) {
    const auto entered = app.get_subcommands();
    return entered.empty() ? app : *entered.back();
}

std::optional<std::string> describe_extras(const CLI::App& app) {
    const CLI::App& command = current_command(app);
    const std::vector<std::string> extras = command.remaining();
    // The parser also counts the mark after which all is a file name.
    const auto first = std::find_if(extras.begin(), extras.end(),
                                    [](const std::string& extra) { return extra != "--"; });
    if (first == extras.end()) return {};
    if (first == extras.begin() && first->size() > 1 && first->front() == '-') {
        const std::string name = first->substr(0, first->find('='));
        return suggest("unknown option " + name, name, option_names(command));
    }
    if (&command == &app) {
        const auto names = command_names(app);
        return suggest(fmt::format("unknown command '{}'", *first), *first, names,
                       fmt::format(" (there are {})", join(names)));
    }
    return fmt::format("'{}' is one argument too many", *first);
}

std::string help_hint(const CLI::App& app) {
    const CLI::App& command = current_command(app);
    return &command == &app ? "see tessera --help"
                            : fmt::format("see tessera {} --help", command.get_name());
}

}  // namespace tessera::cli
