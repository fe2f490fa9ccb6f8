#include "engine/cpu/executor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include <fmt/format.h>
#include <hwy/highway.h>

#include "engine/cpu/parallel.hpp"
#include "tessera/operator.hpp"

namespace tessera::cpu {
namespace {

#if defined(__APPLE__)

std::string processor_name() {
    std::array<char, 256> name{};
    std::size_t size = name.size() - 1;
    return sysctlbyname("machdep.cpu.brand_string", name.data(), &size, nullptr, 0) == 0
               ? name.data()
               : "CPU";
}

#else

std::string processor_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (!line.starts_with("model name")) continue;
        const auto colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "CPU";
}

#endif

void copy(const Data& from, Data& to) {
    if (const auto* image = std::get_if<Image>(&from)) {
        auto& target = std::get<Image>(to);
        for (std::uint32_t y = 0; y < image->height(); ++y) {
            std::memcpy(target.row(y), image->row(y), image->row_bytes());
        }
    } else {
        std::get<Array>(to).bytes = std::get<Array>(from).bytes;
    }
}

}  // namespace

AdapterInfo describe() {
    AdapterInfo info;
    info.name = processor_name();
    info.backend = "CPU";
    info.type = "cpu engine";
    // The best set that this build knows and this processor has: the lowest bit.
    const auto targets = static_cast<std::uint64_t>(hwy::SupportedTargets() & HWY_TARGETS);
    info.driver = fmt::format("{}, {} threads",
                              hwy::TargetName(static_cast<std::int64_t>(targets & (~targets + 1))),
                              thread_count());
    info.cpu_engine = true;
    return info;
}

PreparedGraph::PreparedGraph(Graph graph)
    : graph_(std::move(graph)),
      scratch_(graph_.value_count()),
      sources_(graph_.value_count()),
      targets_(graph_.value_count()) {
    std::vector<bool> outside(graph_.value_count(), false);
    for (const Value value : graph_.inputs()) outside[value.id] = true;
    for (const Graph::Output& output : graph_.outputs()) outside[output.value.id] = true;
    for (const Node& node : graph_.nodes()) {
        for (const Value value : node.outputs) {
            if (!outside[value.id]) scratch_[value.id] = make_data(graph_.info(value));
        }
        timings_.push_back({node.op->name, 0});
        in_.resize(std::max(in_.size(), node.inputs.size()));
        out_.resize(std::max(out_.size(), node.outputs.size()));
    }
}

void PreparedGraph::place(std::span<const Data* const> inputs, std::span<Data* const> outputs) {
    for (std::size_t i = 0; i < scratch_.size(); ++i) targets_[i] = &scratch_[i];
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        targets_[graph_.outputs()[i].value.id] = outputs[i];
    }
    for (std::size_t i = 0; i < scratch_.size(); ++i) sources_[i] = targets_[i];
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        sources_[graph_.inputs()[i].id] = inputs[i];
    }
}

void PreparedGraph::run(std::span<const Data* const> inputs, std::span<Data* const> outputs) {
    using Clock = std::chrono::steady_clock;
    place(inputs, outputs);
    for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
        const Node& node = graph_.nodes()[n];
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            in_[i] = sources_[node.inputs[i].id];
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            out_[i] = targets_[node.outputs[i].id];
        }
        const auto begin = Clock::now();
        node.op->run(node, std::span(in_).first(node.inputs.size()),
                     std::span(out_).first(node.outputs.size()));
        timings_[n].milliseconds =
            std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    }
    // An output may be an input as it came, or a value given back under two names.
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Data* source = sources_[graph_.outputs()[i].value.id];
        if (source != outputs[i]) copy(*source, *outputs[i]);
    }
}

}  // namespace tessera::cpu
