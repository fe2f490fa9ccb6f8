// tessera devices: the adapters and the CPU engine, and which of them `auto` takes.
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "output.hpp"
#include "tessera/engine.hpp"

namespace tessera::cli {
namespace {

/// "48 KiB", "2 GiB", "1.5 GiB"
std::string human_bytes(std::uint64_t bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
    // Drivers like to report one less than a power of two.
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1023.95 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    if (value >= 1023.95) return "unlimited";
    std::string text = fmt::format("{:.1f}", value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return fmt::format("{} {}", text, units[unit]);
}

std::string features(const DeviceProfile& profile) {
    std::string text;
    const auto add = [&text](bool has, std::string_view name) {
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", has ? "" : "no ", name);
    };
    add(profile.shader_f16, "f16");
    add(profile.subgroups, "subgroups");
    add(profile.timestamp_query, "timestamps");
    return text;
}

std::string describe(const AdapterInfo& adapter, std::size_t index,
                     const std::optional<AdapterChoice>& choice, std::string_view chooser) {
    const bool chosen = choice && choice->index == index;
    std::string text = fmt::format("{} {:>2}  {}\n", chosen ? '*' : ' ', index, adapter.name);
    const auto line = [&text](std::string_view name, std::string_view value) {
        text += fmt::format("      {:<11}  {}\n", name, value);
    };
    if (chosen) line("taken by", fmt::format("{}: {}", chooser, choice->reason));
    if (adapter.cpu_engine) {
        line("runs on", "the CPU, without WebGPU");
        if (!adapter.driver.empty()) line("with", adapter.driver);
        return text;
    }
    const DeviceProfile& p = adapter.profile;
    line("runs on", fmt::format("{}, {}", adapter.backend, adapter.type));
    if (!adapter.driver.empty()) line("driver", adapter.driver);
    line("buffers", fmt::format("{}; {} in one binding", human_bytes(p.max_buffer_size),
                                human_bytes(p.max_storage_buffer_binding_size)));
    line("workgroups",
         fmt::format("{} invocations; {} of storage", p.max_compute_invocations_per_workgroup,
                     human_bytes(p.max_compute_workgroup_storage_size)));
    line("textures", fmt::format("{0}x{0}", p.max_texture_dimension_2d));
    line("features", features(p));
    return text;
}

nlohmann::ordered_json to_json(const AdapterInfo& adapter, std::size_t index) {
    nlohmann::ordered_json json{
        {"index", index},       {"name", adapter.name},     {"backend", adapter.backend},
        {"type", adapter.type}, {"driver", adapter.driver}, {"cpu_engine", adapter.cpu_engine}};
    if (adapter.cpu_engine) return json;
    const DeviceProfile& p = adapter.profile;
    // The limits' names are WebGPU's own.
    json["limits"] = {
        {"maxBufferSize", p.max_buffer_size},
        {"maxStorageBufferBindingSize", p.max_storage_buffer_binding_size},
        {"maxComputeWorkgroupStorageSize", p.max_compute_workgroup_storage_size},
        {"maxComputeInvocationsPerWorkgroup", p.max_compute_invocations_per_workgroup},
        {"maxComputeWorkgroupSizeX", p.max_compute_workgroup_size_x},
        {"maxComputeWorkgroupsPerDimension", p.max_compute_workgroups_per_dimension},
        {"maxTextureDimension2D", p.max_texture_dimension_2d},
        {"minStorageBufferOffsetAlignment", p.min_storage_buffer_offset_alignment}};
    json["features"] = {{"shader-f16", p.shader_f16},
                        {"subgroups", p.subgroups},
                        {"timestamp-query", p.timestamp_query}};
    return json;
}

void list_devices(const CommonOptions& common, const std::string& json_path) {
    const EngineOptions options = common.engine_options();
    const auto adapters = list_adapters();
    // Where nothing fits what was asked for, the list is what the user needs to ask again.
    std::optional<AdapterChoice> choice;
    std::optional<Error> failure;
    try {
        choice = choose_adapter(adapters, options);
    } catch (const Error& error) {
        failure = error;
    }

    if (!json_path.empty()) {
        nlohmann::ordered_json json{{"adapters", nlohmann::ordered_json::array()},
                                    {"chosen", nullptr}};
        for (std::size_t i = 0; i < adapters.size(); ++i) {
            json["adapters"].push_back(to_json(adapters[i], i));
        }
        if (choice) json["chosen"] = {{"index", choice->index}, {"reason", choice->reason}};
        // What is no UTF-8 in a driver's name must not cost the list.
        write_text(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n",
                   json_path);
    }
    if (json_path != "-") {
        const std::string chooser = common.adapter.empty() ? common.engine : "--adapter";
        std::string text;
        for (std::size_t i = 0; i < adapters.size(); ++i) {
            if (i > 0) text += '\n';
            text += describe(adapters[i], i, choice, chooser);
        }
        write_text(text, "-");
    }
    if (failure) throw Error(*failure);
}

}  // namespace

Command add_devices_command(CLI::App& app, CommonOptions& common) {
    CLI::App* parser = app.add_subcommand("devices", "List the GPU adapters and the CPU engine");
    parser->allow_extras();
    const auto json = std::make_shared<std::string>();
    parser->add_option("--json", *json, "write the list as JSON; - is standard output")
        ->type_name("FILE")
        ->group("Output");
    common.add_to(*parser);
    return {parser, [json, &common] { list_devices(common, *json); }};
}

}  // namespace tessera::cli
