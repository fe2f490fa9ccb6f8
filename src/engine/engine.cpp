#include "tessera/engine.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "engine/cpu/executor.hpp"
#include "engine/gpu/device.hpp"
#include "engine/gpu/executor.hpp"
#include "engine/gpu/pipelines.hpp"

namespace tessera {

namespace detail {

/// Inputs and outputs of a prepared graph, whichever engine runs it.
class PreparedImpl {
public:
    PreparedImpl(std::vector<ValueInfo> inputs, std::vector<Plan::Output> outputs)
        : input_infos_(std::move(inputs)), output_infos_(std::move(outputs)) {
        for (const Plan::Output& output : output_infos_) results_.push_back(make_data(output.info));
        targets_.resize(results_.size());
    }
    virtual ~PreparedImpl() = default;

    void run(std::span<const Image* const> inputs) {
        images_.resize(inputs.size());
        given_.resize(inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            images_[i] = view(*inputs[i], inputs[i]->info());
            given_[i] = &images_[i];
        }
        run(given_);
    }

    void run(std::span<const Data* const> inputs) {
        check(inputs);
        sources_.assign(inputs.begin(), inputs.end());
        views_.resize(inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const auto* image = std::get_if<Image>(inputs[i]);
            if (image == nullptr) continue;
            views_[i] = view(*image, std::get<ImageInfo>(input_infos_[i]));
            sources_[i] = &views_[i];
        }
        place_results();
        run_on(sources_, targets_);
        has_run_ = true;
    }

    double run_passes() {
        if (!has_run_) {
            fail(ErrorCode::invalid_argument,
                 "passes run on what a run before them left: there was none");
        }
        place_results();
        return run_passes_on(sources_, targets_);
    }

    Data& result(std::string_view name) {
        for (std::size_t i = 0; i < output_infos_.size(); ++i) {
            if (output_infos_[i].name == name) return results_[i];
        }
        fail(ErrorCode::invalid_argument, "this graph has no output named '{}'", name);
    }

    [[nodiscard]] virtual std::vector<PassTiming> timings() const = 0;
    [[nodiscard]] virtual const std::vector<std::string>& notes() const = 0;

private:
    virtual void run_on(std::span<const Data* const> inputs, std::span<Data* const> outputs) = 0;
    /// The inputs are those of the last run.
    virtual double run_passes_on(std::span<const Data* const> inputs,
                                 std::span<Data* const> outputs) = 0;

    /// The same pixels, by other facts; nothing writes to an input.
    static Image view(const Image& image, const ImageInfo& info) {
        return Image::wrap(const_cast<std::byte*>(image.row(0)), info, image.pitch());
    }

    /// Makes anew what was taken away.
    void place_results() {
        for (std::size_t i = 0; i < results_.size(); ++i) {
            if (is_taken(results_[i])) results_[i] = make_data(output_infos_[i].info);
            targets_[i] = &results_[i];
        }
    }

    static bool is_taken(const Data& data) {
        const auto* image = std::get_if<Image>(&data);
        return image != nullptr && image->empty();
    }

    void check(std::span<const Data* const> inputs) const {
        if (inputs.size() != input_infos_.size()) {
            fail(ErrorCode::invalid_argument, "this graph takes {} inputs, not {}",
                 input_infos_.size(), inputs.size());
        }
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const ValueInfo given = info_of(*inputs[i]);
            if (!fits(given, input_infos_[i])) {
                fail(ErrorCode::invalid_argument,
                     "input {} is {}, but the graph was prepared for {}", i, describe(given),
                     describe(input_infos_[i]));
            }
        }
    }

    static ValueInfo info_of(const Data& data) {
        if (const auto* image = std::get_if<Image>(&data)) return image->info();
        return std::get<Array>(data).info;
    }

    /// Whether a value may stand where another was announced. The colour facts were settled when
    /// the graph was built.
    static bool fits(ValueInfo given, const ValueInfo& announced) {
        auto* image = std::get_if<ImageInfo>(&given);
        const auto* expected = std::get_if<ImageInfo>(&announced);
        if (image != nullptr && expected != nullptr) image->color = expected->color;
        return given == announced;
    }

    static std::string describe(const ValueInfo& info) {
        if (const auto* image = std::get_if<ImageInfo>(&info)) {
            return fmt::format("{} {}x{}", to_string(image->format), image->width, image->height);
        }
        std::string shape;
        for (const std::uint32_t size : std::get<ArrayInfo>(info).shape) {
            shape += (shape.empty() ? "" : "x") + std::to_string(size);
        }
        return "an array of " + shape;
    }

    std::vector<ValueInfo> input_infos_;
    std::vector<Plan::Output> output_infos_;
    std::vector<Data> results_;
    std::vector<Data> images_;        // views of what was given as images
    std::vector<const Data*> given_;  // the same
    std::vector<Data> views_;         // of all images, with the graph's colour facts
    std::vector<const Data*> sources_;
    std::vector<Data*> targets_;
    bool has_run_ = false;
};

class EngineImpl {
public:
    EngineImpl(AdapterInfo adapter, std::string reason)
        : adapter_(std::move(adapter)), reason_(std::move(reason)) {}
    virtual ~EngineImpl() = default;

    [[nodiscard]] const AdapterInfo& adapter() const noexcept { return adapter_; }
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
    virtual std::unique_ptr<PreparedImpl> prepare(const Graph& graph) = 0;
    virtual std::unique_ptr<PreparedImpl> prepare(const Plan& plan) = 0;

private:
    AdapterInfo adapter_;
    std::string reason_;
};

}  // namespace detail

namespace {

using detail::EngineImpl;
using detail::PreparedImpl;

std::vector<ValueInfo> input_infos(const Graph& graph) {
    std::vector<ValueInfo> infos;
    for (const Value value : graph.inputs()) infos.push_back(graph.info(value));
    return infos;
}

std::vector<Plan::Output> output_infos(const Graph& graph) {
    std::vector<Plan::Output> infos;
    for (const Graph::Output& output : graph.outputs()) {
        infos.push_back({output.name, graph.info(output.value)});
    }
    return infos;
}

class CpuPrepared final : public PreparedImpl {
public:
    CpuPrepared(const Graph& graph, bool timestamps)
        : PreparedImpl(input_infos(graph), output_infos(graph)),
          prepared_(graph),
          timestamps_(timestamps),
          notes_{"instruction set and threads: " + cpu::describe().driver +
                 "; whole codes are counted exactly, all else is single precision"} {}

    [[nodiscard]] std::vector<PassTiming> timings() const override {
        return timestamps_ ? prepared_.timings() : std::vector<PassTiming>{};
    }
    [[nodiscard]] const std::vector<std::string>& notes() const override { return notes_; }

private:
    void run_on(std::span<const Data* const> inputs, std::span<Data* const> outputs) override {
        prepared_.run(inputs, outputs);
    }
    double run_passes_on(std::span<const Data* const> inputs,
                         std::span<Data* const> outputs) override {
        const auto begin = std::chrono::steady_clock::now();
        prepared_.run(inputs, outputs);
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count();
    }

    cpu::PreparedGraph prepared_;
    bool timestamps_;
    std::vector<std::string> notes_;
};

class CpuEngine final : public EngineImpl {
public:
    CpuEngine(AdapterInfo adapter, std::string reason, bool timestamps)
        : EngineImpl(std::move(adapter), std::move(reason)), timestamps_(timestamps) {}

    std::unique_ptr<PreparedImpl> prepare(const Graph& graph) override {
        return std::make_unique<CpuPrepared>(graph, timestamps_);
    }
    std::unique_ptr<PreparedImpl> prepare(const Plan&) override {
        fail(ErrorCode::unsupported, "a Plan runs on a GPU; the CPU engine runs graphs");
    }

private:
    bool timestamps_;
};

/// What prepared plans keep alive: they may outlast the Engine.
struct GpuContext {
    std::shared_ptr<const gpu::Device> device;
    gpu::PipelineCache pipelines;

    explicit GpuContext(std::shared_ptr<const gpu::Device> open)
        : device(std::move(open)), pipelines(*device) {}
};

class GpuPrepared final : public PreparedImpl {
public:
    GpuPrepared(std::shared_ptr<GpuContext> context, const Plan& plan, bool timestamps)
        : PreparedImpl(plan.inputs, plan.outputs),
          context_(std::move(context)),
          prepared_(context_->device, context_->pipelines, plan, timestamps) {}

    [[nodiscard]] std::vector<PassTiming> timings() const override { return prepared_.timings(); }
    [[nodiscard]] const std::vector<std::string>& notes() const override {
        return prepared_.plan().notes;
    }

private:
    double run_passes_on(std::span<const Data* const>, std::span<Data* const>) override {
        return prepared_.run_passes();
    }
    void run_on(std::span<const Data* const> inputs, std::span<Data* const> outputs) override {
        prepared_.run(inputs, outputs);
    }

    std::shared_ptr<GpuContext> context_;
    gpu::PreparedPlan prepared_;
};

class GpuEngine final : public EngineImpl {
public:
    GpuEngine(AdapterInfo adapter, std::string reason, std::shared_ptr<const gpu::Device> device,
              bool timestamps)
        : EngineImpl(std::move(adapter), std::move(reason)),
          context_(std::make_shared<GpuContext>(std::move(device))),
          timestamps_(timestamps) {}

    std::unique_ptr<PreparedImpl> prepare(const Graph& graph) override {
        return prepare(lower(graph, adapter().profile));
    }
    std::unique_ptr<PreparedImpl> prepare(const Plan& plan) override {
        return std::make_unique<GpuPrepared>(context_, plan, timestamps_);
    }

private:
    std::shared_ptr<GpuContext> context_;
    bool timestamps_;
};

bool checks_asked_for(const EngineOptions& options) {
    const char* variable = std::getenv("TESSERA_GPU_CHECKS");
    return options.checked_kernels || (variable != nullptr && std::string_view(variable) == "1");
}

std::vector<AdapterInfo> with_cpu_engine(std::vector<AdapterInfo> gpus) {
    gpus.push_back(cpu::describe());
    return gpus;
}

std::string lower_case(std::string_view text) {
    std::string lowered(text);
    for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lowered;
}

bool is_hardware(const AdapterInfo& adapter) {
    return !adapter.cpu_engine && !adapter.profile.software;
}

std::string listing(std::span<const AdapterInfo> adapters) {
    std::string text;
    for (std::size_t i = 0; i < adapters.size(); ++i) {
        text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", i, adapters[i].name);
    }
    return text;
}

AdapterChoice choose_by_name(std::span<const AdapterInfo> adapters, const EngineOptions& options) {
    const auto fits = [&](const AdapterInfo& adapter) {
        return options.kind == EngineKind::automatic ||
               (options.kind == EngineKind::cpu) == adapter.cpu_engine;
    };
    const std::string& wanted = options.adapter;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
    const bool is_number = error == std::errc{} && end == wanted.data() + wanted.size();
    if (is_number && index < adapters.size() && fits(adapters[index])) {
        return {index, "asked for by number"};
    }
    // "4090" is no index anywhere, but a name. A small number that does not fit is never one.
    const std::string part = lower_case(wanted);
    for (std::size_t i = 0; i < adapters.size(); ++i) {
        if (is_number && index < adapters.size()) break;
        const bool named = lower_case(adapters[i].name).find(part) != std::string::npos;
        if (named && fits(adapters[i])) return {i, "asked for by name"};
    }
    fail(ErrorCode::device, "no adapter fits '{}'; there are {}", wanted, listing(adapters));
}

/// Discrete before integrated before virtual; the first of equals.
std::optional<std::size_t> best_hardware(std::span<const AdapterInfo> adapters) {
    for (const std::string_view type : {"discrete", "integrated", "virtual"}) {
        for (std::size_t i = 0; i < adapters.size(); ++i) {
            if (is_hardware(adapters[i]) && adapters[i].type == type) return i;
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<AdapterInfo> list_adapters() { return with_cpu_engine(gpu::Adapters().infos()); }

AdapterChoice choose_adapter(std::span<const AdapterInfo> adapters, const EngineOptions& options) {
    if (!options.adapter.empty()) return choose_by_name(adapters, options);

    const auto first = [&](auto&& predicate) -> std::optional<std::size_t> {
        const auto found = std::find_if(adapters.begin(), adapters.end(), predicate);
        if (found == adapters.end()) return std::nullopt;
        return static_cast<std::size_t>(found - adapters.begin());
    };
    const auto cpu_engine = first([](const AdapterInfo& a) { return a.cpu_engine; });
    const auto hardware = best_hardware(adapters);
    const auto software = first([](const AdapterInfo& a) { return a.profile.software; });

    if (options.kind == EngineKind::cpu && cpu_engine) return {*cpu_engine, "asked for"};
    if (options.kind != EngineKind::cpu && hardware) {
        const auto gpus = std::count_if(adapters.begin(), adapters.end(), is_hardware);
        return {*hardware,
                gpus == 1 ? "the only hardware GPU" : "the strongest kind of hardware GPU here"};
    }
    if (options.kind == EngineKind::gpu && software) {
        return {*software, "no hardware GPU was found, and a GPU was asked for"};
    }
    if (options.kind == EngineKind::automatic && cpu_engine) {
        return {*cpu_engine, software ? "no hardware GPU was found; software adapters are taken "
                                        "only when asked for"
                                      : "no GPU was found"};
    }
    fail(ErrorCode::device,
         "no GPU was found: install a Vulkan driver (mesa-vulkan-drivers), or use --engine cpu");
}

Prepared::Prepared(std::unique_ptr<PreparedImpl> impl) : impl_(std::move(impl)) {}
Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;
Prepared::~Prepared() = default;

void Prepared::run(std::span<const Image* const> inputs) { impl_->run(inputs); }
void Prepared::run(std::span<const Data* const> inputs) { impl_->run(inputs); }

void Prepared::run(const Image& input) {
    const Image* const inputs[] = {&input};
    impl_->run(std::span<const Image* const>(inputs));
}

namespace {

template <class T>
T& result_as(PreparedImpl& impl, std::string_view name, std::string_view kind) {
    auto* result = std::get_if<T>(&impl.result(name));
    if (result == nullptr) {
        fail(ErrorCode::invalid_argument, "output '{}' is no {}", name, kind);
    }
    return *result;
}

}  // namespace

const Image& Prepared::image(std::string_view name) const {
    return result_as<Image>(*impl_, name, "image");
}
const Array& Prepared::array(std::string_view name) const {
    return result_as<Array>(*impl_, name, "array");
}
Image Prepared::take_image(std::string_view name) {
    return std::move(result_as<Image>(*impl_, name, "image"));
}

std::vector<PassTiming> Prepared::timings() const { return impl_->timings(); }
const std::vector<std::string>& Prepared::notes() const { return impl_->notes(); }
double Prepared::run_passes() { return impl_->run_passes(); }

Engine::Engine(std::unique_ptr<EngineImpl> impl) : impl_(std::move(impl)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Engine Engine::open(const EngineOptions& options) {
    // Looking for GPUs takes time that the CPU engine need not spend.
    if (options.kind == EngineKind::cpu && options.adapter.empty()) {
        return Engine(
            std::make_unique<CpuEngine>(cpu::describe(), "asked for", options.timestamps));
    }
    gpu::Adapters gpus;
    const std::vector<AdapterInfo> adapters = with_cpu_engine(gpus.infos());
    AdapterChoice choice = choose_adapter(adapters, options);
    const AdapterInfo& adapter = adapters[choice.index];
    if (adapter.cpu_engine) {
        return Engine(
            std::make_unique<CpuEngine>(adapter, std::move(choice.reason), options.timestamps));
    }
    auto device = std::make_shared<const gpu::Device>(std::move(gpus), choice.index,
                                                      checks_asked_for(options));
    return Engine(std::make_unique<GpuEngine>(adapter, std::move(choice.reason), std::move(device),
                                              options.timestamps));
}

const AdapterInfo& Engine::adapter() const { return impl_->adapter(); }
const std::string& Engine::reason() const { return impl_->reason(); }
Prepared Engine::prepare(const Graph& graph) { return Prepared(impl_->prepare(graph)); }
Prepared Engine::prepare(const Plan& plan) { return Prepared(impl_->prepare(plan)); }

}  // namespace tessera
