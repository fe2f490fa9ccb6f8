// tessera histogram: counts a photo's values, tells about them, and draws them.
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "output.hpp"
#include "report.hpp"
#include "tessera/engine.hpp"
#include "tessera/histogram.hpp"
#include "tessera/media.hpp"
#include "tessera/plan.hpp"
#include "tessera/statistics.hpp"

namespace tessera::cli {
namespace {

const Operator& table_entry(std::string_view name) {
    if (const Operator* op = find_operator(name)) return *op;
    throw Error(ErrorCode::unsupported, fmt::format("this build has no operator '{}'", name));
}

/// What the user asked for.
struct Request {
    OperatorOptions parameters;
    std::string photo, json, csv, picture, plan;
    bool overlay = false, explain = false;
};

void check(const Request& request) {
    if (request.overlay && request.picture.empty()) {
        fail_usage("--overlay needs -o FILE, the picture to write");
    }
    if (request.overlay && request.parameters.given("size")) {
        fail_usage("--size does not go with --overlay: the drawing takes its size from the photo");
    }
    for (const char* name : {"size", "colors"}) {
        if (request.parameters.given(name) && request.picture.empty()) {
            fail_usage("--{} needs -o FILE, the picture to write", name);
        }
    }
    std::string taken;
    const std::array<std::pair<const char*, bool>, 5> outputs{{{"--json", request.json == "-"},
                                                               {"--csv", request.csv == "-"},
                                                               {"-o", request.picture == "-"},
                                                               {"--plan", request.plan == "-"},
                                                               {"--explain", request.explain}}};
    for (const auto& [name, to_output] : outputs) {
        if (!to_output) continue;
        if (!taken.empty()) {
            fail_usage("{} and {} cannot both write to standard output", taken, name);
        }
        taken = name;
    }
}

/// What each operator is told.
struct Parameters {
    HistogramParams histogram;
    StatisticsParams statistics;
    HistogramPlotParams plot;
    HistogramOverlayParams overlay;

    explicit Parameters(const OperatorOptions& options)
        : histogram(options.params<HistogramParams>(table_entry("histogram"))),
          statistics(options.params<StatisticsParams>(table_entry("statistics"))),
          plot(options.params<HistogramPlotParams>(table_entry("histogram-plot"))),
          overlay(options.params<HistogramOverlayParams>(table_entry("histogram-overlay"))) {}
};

/// What must be computed, given what is asked for.
struct Needs {
    bool plan, summary, counts, statistics;

    Needs(const Request& request, const CommonOptions& common)
        : plan(request.explain || !request.plan.empty()),
          summary((!common.quiet || plan) && request.json != "-" && request.csv != "-" &&
                  request.picture != "-"),
          counts(summary || !request.json.empty() || !request.csv.empty()),
          statistics(summary || !request.json.empty()) {}
};

/// The graph of one command, and what its outputs mean.
class Measurement {
public:
    Measurement(const ImageInfo& info, const Request& request, const Parameters& params,
                const Needs& needs)
        : info_(info), params_(params), needs_(needs) {
        const Value photo = graph_.input(info);
        const bool draws = !request.picture.empty();
        if (needs.counts || draws) {
            const HistogramValues counted = histogram(graph_, photo, params.histogram);
            if (needs.counts) mark(counted, "");
            if (draws) {
                graph_.output(request.overlay
                                  ? histogram_overlay(graph_, photo, counted, params.overlay)
                                  : histogram_plot(graph_, counted, params.plot),
                              "picture");
            }
        }
        if (needs.statistics) {
            graph_.output(statistics(graph_, photo, params.statistics), "statistics");
            for (const HistogramParams& median_params : median_histograms()) {
                mark(histogram(graph_, photo, median_params),
                     fmt::format("median {} ", median_counts_++));
            }
        }
    }

    [[nodiscard]] const Graph& graph() const noexcept { return graph_; }

    [[nodiscard]] Report report(const Prepared& done) const {
        Report report;
        report.image = info_;
        report.params = params_.histogram;
        if (needs_.counts) report.histogram = take(done, "");
        if (needs_.statistics) {
            report.statistics = to_statistics(done.array("statistics"), info_, params_.statistics);
            report.median = medians(report.histogram, done);
        }
        return report;
    }

private:
    void mark(const HistogramValues& values, const std::string& prefix) {
        graph_.output(values.counts, prefix + "counts");
        graph_.output(values.range, prefix + "range");
    }

    static Histogram take(const Prepared& done, const std::string& prefix) {
        return to_histogram(done.array(prefix + "counts"), done.array(prefix + "range"));
    }

    /// The histograms that a median is read from, where the user's own is too coarse. 256 bins
    /// tell 8-bit codes exactly; 4096 over 0:1 are enough for other integers. Floats may lie
    /// anywhere, most often mostly in 0:1: what falls outside is found over the whole range.
    [[nodiscard]] std::vector<HistogramParams> median_histograms() const {
        const HistogramParams& own = params_.histogram;
        const bool codes = info_.format.sample == SampleType::u8 && !own.linear;
        HistogramParams fine = own;
        fine.bins = codes ? 256 : 4096;
        fine.range = {};
        if (is_integer(info_.format.sample)) {
            if (own.bins == fine.bins && own.range == fine.range) return {};
            return {fine};
        }
        HistogramParams whole = fine;
        whole.range.automatic = true;
        return {fine, whole};
    }

    [[nodiscard]] std::array<double, 4> medians(const Histogram& own, const Prepared& done) const {
        std::vector<Histogram> histograms;
        for (int i = 0; i < median_counts_; ++i) {
            histograms.push_back(take(done, fmt::format("median {} ", i)));
        }
        if (histograms.empty()) histograms.push_back(own);
        std::array<double, 4> medians{};
        for (std::size_t c = 0; c < 4; ++c) {
            const Histogram& first = histograms.front();
            medians[c] = first.quantile(c, 0.5);
            // The end bins hold all that lies beyond them.
            const double width = (first.high - first.low) / first.bins;
            const bool inside = medians[c] > first.low + width && medians[c] < first.high - width;
            if (!inside) medians[c] = histograms.back().quantile(c, 0.5);
        }
        return medians;
    }

    ImageInfo info_;
    Parameters params_;
    Needs needs_;
    Graph graph_;
    int median_counts_ = 0;
};

std::string describe(const AdapterInfo& adapter) {
    return adapter.cpu_engine
               ? fmt::format("the CPU engine ({})", adapter.name)
               : fmt::format("{} ({}, {})", adapter.name, adapter.backend, adapter.type);
}

/// What the CPU engine will do, there being no Plan: "2. statistics (luma bt709, linear off)".
std::string describe_nodes(const Graph& graph) {
    std::string text;
    int number = 0;
    for (const Node& node : graph.nodes()) {
        std::string params;
        for (const ParamSpec& param : node.op->params) {
            params += fmt::format("{}{} {}", params.empty() ? "" : "; ", param.name,
                                  param.text(node.params));
        }
        text += fmt::format("{:>3}. {} ({})\n", ++number, node.op->name, params);
    }
    return text;
}

std::string describe_cost(const Plan& plan) {
    const PlanCost total = cost(plan);
    constexpr double megabyte = 1e6;
    return fmt::format(
        "dispatches: {}, draws: {}; device memory: {:.3f} MB read, {:.3f} MB written, {:.3f} MB "
        "allocated\n",
        total.dispatches, total.draws, static_cast<double>(total.bytes_read) / megabyte,
        static_cast<double>(total.bytes_written) / megabyte,
        static_cast<double>(total.bytes_allocated) / megabyte);
}

/// --explain and --plan: what would run, instead of running it.
void show_plan(const Request& request, const CommonOptions& common, const Graph& graph,
               const std::string& picture) {
    const auto adapters = list_adapters();
    const AdapterChoice choice = choose_adapter(adapters, common.engine_options());
    const AdapterInfo& adapter = adapters.at(choice.index);
    if (!request.plan.empty()) {
        if (adapter.cpu_engine) {
            common.note(
                "the CPU engine runs no Plan: this is the one for the limits that every "
                "WebGPU device has");
        }
        const DeviceProfile every_device;
        write_text(
            to_json(lower(graph, adapter.cpu_engine ? every_device : adapter.profile)) + "\n",
            request.plan);
    }
    if (!request.explain) return;
    std::string text = fmt::format("{}\n{}: {}\n\n", picture, describe(adapter), choice.reason);
    if (adapter.cpu_engine) {
        text += "The CPU engine has no Plan; it runs these operators one after the other:\n" +
                describe_nodes(graph);
    } else {
        const Plan plan = lower(graph, adapter.profile);
        text += print(plan) + "\n" + describe_cost(plan);
    }
    write_text(text, "-");
}

void run_histogram(const Request& request, const CommonOptions& common) {
    check(request);
    const Parameters params(request.parameters);
    const EngineOptions engine_options = common.engine_options();
    const Needs needs(request, common);
    const std::string file = request.photo == "-" ? "standard input" : request.photo;
    StageTimer timer(common.verbose);

    LoadedImage loaded = load_image(request.photo);
    for (const std::string& note : loaded.notes) common.note(fmt::format("{}: {}", file, note));
    timer.done("loading");

    const Measurement measurement(loaded.image.info(), request, params, needs);
    if (needs.plan) {
        show_plan(request, common, measurement.graph(),
                  describe_picture(file, loaded.image.info(), params.histogram.linear));
        return;
    }
    if (measurement.graph().outputs().empty()) return;  // --quiet, and nothing to write

    Engine engine = Engine::open(engine_options);
    common.detail(fmt::format("runs on {}: {}", describe(engine.adapter()), engine.reason()));
    timer.done("opening the engine");
    Prepared prepared = engine.prepare(measurement.graph());
    for (const std::string& note : prepared.notes()) common.detail(note);
    timer.done("preparing");
    prepared.run(loaded.image);
    for (const PassTiming& pass : prepared.timings()) {
        common.detail(fmt::format("time of pass {}: {:.3f} ms", pass.label, pass.milliseconds));
    }
    timer.done("running");

    if (!request.picture.empty()) {
        Image picture = prepared.take_image("picture");
        if (request.overlay) picture.metadata = std::move(loaded.image.metadata);
        for (const std::string& note : write_image(picture, request.picture)) {
            common.note(fmt::format(
                "{}: {}", request.picture == "-" ? "standard output" : request.picture, note));
        }
    }
    Report report = measurement.report(prepared);
    report.file = file;
    report.engine = describe(engine.adapter());
    if (!request.json.empty()) write_text(to_json(report), request.json);
    if (!request.csv.empty()) write_text(to_csv(report.histogram), request.csv);
    if (needs.summary) {
        const BarStyle bars{params.plot.channels, params.plot.log};
        write_text(summary(report, bars, standard_output()), "-");
    }
    timer.done("writing");
}

}  // namespace

Command add_histogram_command(CLI::App& app, CommonOptions& common) {
    CLI::App* parser = app.add_subcommand(
        "histogram", "Count a photo's values by red, green, blue and luminance, and draw them");
    parser->allow_extras();
    const auto request = std::make_shared<Request>();
    parser->add_option("PHOTO", request->photo, "the picture to look at; - is standard input")
        ->required();

    const auto file = [&](const char* flags, std::string& path, const char* help) {
        parser->add_option(flags, path, help)
            ->type_name("FILE")
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
            ->group("Output");
    };
    file("--json", request->json, "write counts and statistics as JSON; - is standard output");
    file("--csv", request->csv, "write a row for each bin; - is standard output");
    file("-o,--output", request->picture,
         "draw the histograms into this picture; - is PNG on standard output");
    parser->add_flag("--overlay", request->overlay, "draw them over the photo")->group("Output");
    parser
        ->add_flag(
            "--explain", request->explain,
            "print what would run on the chosen adapter, and its cost, instead of running it")
        ->group("Output");
    file("--plan", request->plan,
         "write what would run as JSON that any WebGPU device can run, instead of running it");

    for (const char* name : {"histogram", "statistics", "histogram-plot", "histogram-overlay"}) {
        request->parameters.add(*parser, table_entry(name));
    }
    common.add_to(*parser);
    return {parser, [request, &common] { run_histogram(*request, common); }};
}

}  // namespace tessera::cli
