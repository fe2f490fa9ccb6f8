// The Python module `tessera._tessera`: engines, graphs and prepared graphs on NumPy arrays. What
// people use is the package around it, python/tessera.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "operators.hpp"
#include "tessera/engine.hpp"
#include "tessera/error.hpp"
#include "tessera/histogram.hpp"
#include "tessera/statistics.hpp"

namespace tessera::python {
namespace {

nb::dict adapter_entry(const AdapterInfo& info) {
    nb::dict entry;
    entry["name"] = info.name;
    entry["backend"] = info.backend;
    entry["type"] = info.type;
    entry["driver"] = info.driver;
    entry["is_cpu_engine"] = info.cpu_engine;
    entry["is_software"] = !info.cpu_engine && info.profile.software;
    entry["shader_f16"] = info.profile.shader_f16;
    entry["subgroups"] = info.profile.subgroups;
    entry["timestamp_query"] = info.profile.timestamp_query;
    entry["max_buffer_size"] = info.profile.max_buffer_size;
    entry["max_storage_buffer_binding_size"] = info.profile.max_storage_buffer_binding_size;
    entry["max_compute_workgroup_storage_size"] = info.profile.max_compute_workgroup_storage_size;
    return entry;
}

EngineKind kind_named(const std::string& name) {
    if (name == "auto") return EngineKind::automatic;
    if (name == "gpu") return EngineKind::gpu;
    if (name == "cpu") return EngineKind::cpu;
    throw Error(ErrorCode::invalid_argument, "engine = " + name + " is none of auto, gpu, cpu");
}

/// Deletes in the process that made it, and in none that was forked from that: closing a device
/// waits for its driver's threads, which a fork leaves behind.
class InItsProcess {
public:
    template <class T>
    void operator()(T* object) const {
        if (process_ == current()) delete object;
    }

private:
    static int current() {
#if defined(_WIN32)
        return _getpid();
#else
        return static_cast<int>(getpid());
#endif
    }
    int process_ = current();
};

/// Arrays given to a run, as data: the buffers stay borrowed until it is over.
class Inputs {
public:
    Inputs(const nb::list& arrays, const std::vector<bool>& are_images, Transfer transfer) {
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            const Buffer& buffer = buffers_.emplace_back(arrays[i], false);
            if (are_images[i]) {
                data_.emplace_back(to_image(buffer, transfer));
            } else {
                data_.emplace_back(to_array(buffer));
            }
        }
        for (const Data& data : data_) pointers_.push_back(&data);
    }

    [[nodiscard]] std::span<const Data* const> pointers() const { return pointers_; }
    [[nodiscard]] ValueInfo info(std::size_t i) const {
        if (const auto* image = std::get_if<Image>(&data_[i])) return image->info();
        return std::get<Array>(data_[i]).info;
    }

private:
    std::deque<Buffer> buffers_;
    std::deque<Data> data_;
    std::vector<const Data*> pointers_;
};

/// The named outputs of the last run as arrays: those of `outs` where there are any, else new ones.
nb::list results(const Prepared& prepared, std::span<const Plan::Output> outputs,
                 const nb::list& outs) {
    nb::list arrays;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto& [name, info] = outputs[i];
        nb::object array = i < outs.size() ? nb::object(outs[i]) : nb::none();
        if (array.is_none()) array = new_array(info);
        if (std::holds_alternative<ImageInfo>(info)) {
            copy_to(prepared.image(name), array);
        } else {
            copy_to(prepared.array(name), array);
        }
        arrays.append(array);
    }
    return arrays;
}

std::vector<Plan::Output> outputs_of(const Graph& graph) {
    std::vector<Plan::Output> outputs;
    for (const Graph::Output& output : graph.outputs()) {
        outputs.push_back({output.name, graph.info(output.value)});
    }
    return outputs;
}

class PyGraph {
public:
    std::uint32_t input(std::uint32_t height, std::uint32_t width, std::uint32_t channels,
                        const std::string& dtype, const std::string& transfer) {
        SampleType sample = SampleType::u8;
        if (dtype == "uint16") {
            sample = SampleType::u16;
        } else if (dtype == "float16") {
            sample = SampleType::f16;
        } else if (dtype == "float32" || dtype == "float64") {
            sample = SampleType::f32;
        } else if (dtype != "uint8") {
            throw nb::type_error(("a picture's samples are uint8, uint16, float16, float32 or "
                                  "float64, not " +
                                  dtype)
                                     .c_str());
        }
        const ImageInfo info{{sample, channels}, width, height, {transfer_named(transfer)}};
        if (width == 0 || height == 0 || channels < 1 || channels > 4) {
            throw Error(ErrorCode::invalid_argument,
                        "a picture has at least one row and one column, and 1 to 4 channels");
        }
        return graph_.input(info).id;
    }

    std::vector<std::uint32_t> add(const std::string& name, const std::vector<std::uint32_t>& ids,
                                   const nb::dict& params) {
        const Operator& op = named_operator(name);
        std::vector<Value> inputs;
        for (const std::uint32_t id : ids) inputs.push_back({id});
        std::vector<std::uint32_t> outputs;
        for (const Value value : graph_.add(op, inputs, read_params(op, params))) {
            outputs.push_back(value.id);
        }
        return outputs;
    }

    /// What a picture's samples say about light.
    [[nodiscard]] const char* transfer(std::uint32_t id) const {
        return name_of(graph_.image_info({id}).color.transfer);
    }

    /// (height, width, channels) and the name of the type of a picture; shape and type of an array.
    nb::tuple info(std::uint32_t id) const {
        const ValueInfo& info = graph_.info({id});
        nb::list shape;
        if (const auto* image = std::get_if<ImageInfo>(&info)) {
            shape.append(image->height);
            shape.append(image->width);
            shape.append(image->format.channels);
            constexpr std::array names{"uint8", "uint16", "float16", "float32"};
            return nb::make_tuple(nb::tuple(shape),
                                  names[static_cast<std::size_t>(image->format.sample)]);
        }
        const auto& array = std::get<ArrayInfo>(info);
        for (const std::uint32_t length : array.shape) shape.append(length);
        constexpr std::array names{"uint32", "uint64", "float32"};
        return nb::make_tuple(nb::tuple(shape), names[static_cast<std::size_t>(array.element)]);
    }

    [[nodiscard]] const Graph& graph() const noexcept { return graph_; }

private:
    Graph graph_;
};

class PyPrepared {
public:
    PyPrepared(Prepared prepared, const Graph& graph)
        : prepared_(new Prepared(std::move(prepared))), outputs_(outputs_of(graph)) {
        for (const Value value : graph.inputs()) {
            are_images_.push_back(std::holds_alternative<ImageInfo>(graph.info(value)));
        }
    }

    nb::list run(const nb::list& arrays, const nb::list& outs) {
        if (arrays.size() != are_images_.size()) {
            throw Error(ErrorCode::invalid_argument,
                        "this graph takes " + std::to_string(are_images_.size()) + " inputs, not " +
                            std::to_string(arrays.size()));
        }
        const Inputs inputs(arrays, are_images_, Transfer::srgb);
        // Two threads may hold this object; the one that comes second waits without the GIL.
        std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
        {
            const nb::gil_scoped_release no_gil;
            lock.lock();
            prepared_->run(inputs.pointers());
        }
        return results(*prepared_, outputs_, outs);
    }

    [[nodiscard]] std::vector<std::string> notes() const { return prepared_->notes(); }
    [[nodiscard]] nb::list timings() const {
        nb::list list;
        for (const PassTiming& pass : prepared_->timings()) {
            list.append(nb::make_tuple(pass.label, pass.milliseconds));
        }
        return list;
    }

private:
    std::mutex mutex_;
    std::unique_ptr<Prepared, InItsProcess> prepared_;
    std::vector<Plan::Output> outputs_;
    std::vector<bool> are_images_;
};

class PyEngine {
public:
    PyEngine(const std::string& kind, const std::string& adapter, bool timestamps)
        : open_(open({.kind = kind_named(kind), .adapter = adapter, .timestamps = timestamps})) {}

    nb::dict adapter() const { return adapter_entry(open_->engine.adapter()); }
    const std::string& reason() const { return open_->engine.reason(); }

    /// Prepares a graph with these outputs.
    std::unique_ptr<PyPrepared> prepare(
        const PyGraph& given, const std::vector<std::pair<std::uint32_t, std::string>>& outputs) {
        Graph graph = given.graph();
        for (const auto& [id, name] : outputs) graph.output({id}, name);
        std::optional<Prepared> prepared;
        {
            const nb::gil_scoped_release no_gil;
            prepared = open_->engine.prepare(graph);
        }
        return std::make_unique<PyPrepared>(std::move(*prepared), graph);
    }

    /// Runs one operator on arrays.
    nb::list run(const std::string& name, const nb::list& arrays, const nb::dict& texts,
                 const std::string& transfer, const nb::list& outs) {
        const Operator& op = named_operator(name);
        if (arrays.size() != op.inputs.size()) {
            throw Error(ErrorCode::invalid_argument,
                        name + " takes " + std::to_string(op.inputs.size()) + " inputs, not " +
                            std::to_string(arrays.size()));
        }
        std::vector<bool> are_images;
        for (const PortSpec& port : op.inputs) are_images.push_back(port.image);
        const Inputs inputs(arrays, are_images, transfer_named(transfer));

        Graph graph;
        std::vector<Value> values;
        std::string key = name + " " + transfer;
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            values.push_back(graph.input(inputs.info(i)));
            key += " " + key_of(inputs.info(i));
        }
        const std::any params = read_params(op, texts);
        for (const ParamSpec& param : op.params) key += " " + param.text(params);
        const std::vector<Value> made = graph.add(op, values, params);
        for (std::size_t i = 0; i < made.size(); ++i) graph.output(made[i], op.outputs[i].name);

        std::optional<Prepared> prepared;
        {
            const nb::gil_scoped_release no_gil;
            prepared = open_->cache.take(open_->engine, key, graph);
            prepared->run(inputs.pointers());
        }
        nb::list arrays_out = results(*prepared, outputs_of(graph), outs);
        open_->cache.give_back(std::move(key), std::move(*prepared));
        return arrays_out;
    }

private:
    struct Open {
        Engine engine;
        OperatorCache cache{};
    };

    static Open* open(const EngineOptions& options) {
        const nb::gil_scoped_release no_gil;
        return new Open{Engine::open(options)};
    }

    static std::string key_of(const ValueInfo& info) {
        if (const auto* image = std::get_if<ImageInfo>(&info)) {
            return to_string(image->format) + " " + std::to_string(image->width) + "x" +
                   std::to_string(image->height);
        }
        const auto& array = std::get<ArrayInfo>(info);
        std::string key = "array" + std::to_string(static_cast<int>(array.element));
        for (const std::uint32_t length : array.shape) key += "x" + std::to_string(length);
        return key;
    }

    std::unique_ptr<Open, InItsProcess> open_;
};

nb::list devices() {
    std::vector<AdapterInfo> adapters;
    {
        const nb::gil_scoped_release no_gil;
        adapters = list_adapters();
    }
    nb::list list;
    for (const AdapterInfo& adapter : adapters) list.append(adapter_entry(adapter));
    return list;
}

double histogram_quantile(nb::handle counts, nb::handle range, std::size_t channel,
                          double fraction) {
    if (channel > 3) throw nb::index_error("a histogram has 4 channels");
    return to_histogram(to_array(Buffer(counts, false)), to_array(Buffer(range, false)))
        .quantile(channel, fraction);
}

/// One dict a channel. `shape` is (height, width, channels) of the picture.
nb::list merge_statistics(nb::handle partials, std::uint32_t height, std::uint32_t width,
                          std::uint32_t channels, const std::string& dtype,
                          const std::string& transfer, const nb::dict& texts) {
    PyGraph form;
    const std::uint32_t id = form.input(height, width, channels, dtype, transfer);
    const std::any params = read_params(named_operator("statistics"), texts);
    const Statistics merged =
        to_statistics(to_array(Buffer(partials, false)), form.graph().image_info({id}),
                      std::any_cast<const StatisticsParams&>(params));
    nb::list list;
    for (const ChannelStatistics& channel : merged) {
        nb::dict entry;
        entry["count"] = channel.count;
        entry["non_finite"] = channel.non_finite;
        entry["shadows"] = channel.shadows;
        entry["highlights"] = channel.highlights;
        entry["minimum"] = channel.minimum;
        entry["maximum"] = channel.maximum;
        entry["mean"] = channel.mean;
        entry["deviation"] = channel.deviation;
        list.append(entry);
    }
    return list;
}

/// tessera::Error as Python's own exceptions where one says the same, else tessera.DeviceError.
void translate(const std::exception_ptr& problem, void* device_error) {
    try {
        std::rethrow_exception(problem);
    } catch (const Error& error) {
        PyObject* kind = PyExc_ValueError;
        switch (error.code()) {
            case ErrorCode::out_of_memory:
                kind = PyExc_MemoryError;
                break;
            case ErrorCode::device:
            case ErrorCode::device_lost:
                kind = static_cast<PyObject*>(device_error);
                break;
            case ErrorCode::input:
            case ErrorCode::output:
                kind = PyExc_OSError;
                break;
            case ErrorCode::invalid_argument:
            case ErrorCode::unsupported:
                break;
        }
        PyErr_SetString(kind, error.what());
    }
}

}  // namespace

NB_MODULE(_tessera, m) {
    m.attr("__version__") = TESSERA_VERSION;

    nb::object device_error = nb::steal(PyErr_NewExceptionWithDoc(
        "tessera.DeviceError", "No device fits, its driver refused, or it went away while working.",
        PyExc_RuntimeError, nullptr));
    m.attr("DeviceError") = device_error;
    // The module keeps it for as long as the program runs.
    nb::register_exception_translator(translate, device_error.inc_ref().ptr());

    m.def("operators", operator_table);
    m.def("devices", devices);
    m.def("histogram_quantile", histogram_quantile);
    m.def("merge_statistics", merge_statistics);

    nb::class_<PyGraph>(m, "Graph")
        .def(nb::init<>())
        .def("input", &PyGraph::input)
        .def("add", &PyGraph::add)
        .def("transfer", &PyGraph::transfer)
        .def("info", &PyGraph::info);
    nb::class_<PyPrepared>(m, "Prepared")
        .def("run", &PyPrepared::run)
        .def_prop_ro("notes", &PyPrepared::notes)
        .def_prop_ro("timings", &PyPrepared::timings);
    nb::class_<PyEngine>(m, "Engine")
        .def(nb::init<const std::string&, const std::string&, bool>())
        .def_prop_ro("adapter", &PyEngine::adapter)
        .def_prop_ro("reason", &PyEngine::reason)
        .def("prepare", &PyEngine::prepare)
        .def("run", &PyEngine::run);
}

}  // namespace tessera::python
