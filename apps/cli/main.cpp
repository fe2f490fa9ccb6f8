// The command line of tessera: reads what is asked, calls the library, prints.
// Exit code 0: done; 1: the work failed; 2: wrong usage.
#include <array>
#include <exception>
#include <memory>
#include <new>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "options.hpp"
#include "output.hpp"
#include "tessera/error.hpp"
#include "usage.hpp"

namespace tessera::cli {
namespace {

constexpr int done = 0, work_failed = 1, wrong_usage = 2;

int refuse(const CLI::App& app, const std::string& sentence) {
    complain(sentence + (sentence.ends_with('?') ? " " : "; ") + help_hint(app));
    return wrong_usage;
}

/// The parser's own complaints name the option first: "--bins: 1 required TEXT missing".
std::string describe(const CLI::ParseError& error) {
    const std::string text = error.what();
    const std::string name = text.substr(0, text.find_first_of(": "));
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return name + " is missing";
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
        return name + " needs a value";
    }
    return text;
}

int run(int argc, char** argv) {
    CLI::App app("Image signal processing on the GPU, or on the CPU where there is none",
                 "tessera");
    const Terminal terminal = standard_output();
    app.formatter(std::make_shared<HelpFormatter>(static_cast<std::size_t>(terminal.columns)));
    app.allow_extras();  // they are described better here than by the parser

    CommonOptions common;
    common.add_to(app);
    const std::array commands{add_histogram_command(app, common), add_devices_command(app, common)};
    for (const Command& command : commands) command.parser->group("Commands");
    app.footer(
        "'tessera COMMAND --help' tells a command's own options. - is standard input or output.");

    try {
        try {
            app.parse(argc, argv);
        } catch (const CLI::CallForHelp&) {
            write_text(app.help(), "-");
            return done;
        } catch (const CLI::CallForVersion& version) {
            write_text(std::string(version.what()) + "\n", "-");
            return done;
        } catch (const CLI::ParseError& error) {
            return refuse(app, describe_extras(app).value_or(describe(error)));
        }
        if (const auto extras = describe_extras(app)) return refuse(app, *extras);

        for (const Command& command : commands) {
            if (!command.parser->parsed()) continue;
            command.run();
            return done;
        }
        complain("name a command\n\n" + app.help());
        return wrong_usage;
    } catch (const ReaderGone&) {
        return done;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::invalid_argument) return refuse(app, error.what());
        complain(error.what());
        return work_failed;
    }
}

}  // namespace
}  // namespace tessera::cli

int main(int argc, char** argv) {
    tessera::cli::outlive_broken_pipes();
    tessera::cli::quieten_drivers();
    try {
        return tessera::cli::run(argc, argv);
    } catch (const std::bad_alloc&) {
        tessera::cli::complain("there is not enough memory");
    } catch (const std::exception& error) {
        tessera::cli::complain(std::string("this should not have happened: ") + error.what());
    }
    return 1;
}
