// The Plan as JSON. Field names are those of plan.hpp; a step carries its kind in "step".
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/errors.hpp"
#include "tessera/plan.hpp"

namespace tessera {

using Json = nlohmann::json;

NLOHMANN_JSON_SERIALIZE_ENUM(SampleType, {{SampleType::u8, "u8"},
                                          {SampleType::u16, "u16"},
                                          {SampleType::f16, "f16"},
                                          {SampleType::f32, "f32"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Transfer, {{Transfer::srgb, "srgb"},
                                        {Transfer::linear, "linear"},
                                        {Transfer::bt709, "bt709"},
                                        {Transfer::gamma22, "gamma22"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Primaries, {{Primaries::bt709, "bt709"},
                                         {Primaries::bt2020, "bt2020"},
                                         {Primaries::display_p3, "display_p3"}})
NLOHMANN_JSON_SERIALIZE_ENUM(ElementType, {{ElementType::u32, "u32"},
                                           {ElementType::u64, "u64"},
                                           {ElementType::f32, "f32"}})

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PixelFormat, sample, channels)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ColorFacts, transfer, primaries)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ImageInfo, format, width, height, color)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ArrayInfo, element, shape)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlanBuffer, label, size, usage)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlanTexture, label, width, height, format, usage)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlanBinding, name, type, buffer, offset, size)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlanProgram, kernel, constants)

namespace step {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Upload, input, buffer, pitch)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Clear, buffer, offset, size)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Dispatch, label, program, bindings, workgroups, bytes_read,
                                   bytes_written)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Draw, label, program, bindings, vertices)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Render, label, texture, clear, draws)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CopyTexture, texture, buffer, pitch)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Readback, output, buffer, size, pitch)
}  // namespace step

namespace {

Json value_to_json(const ValueInfo& info) {
    return std::visit(
        [](const auto& value) -> Json {
            const bool image = std::same_as<std::decay_t<decltype(value)>, ImageInfo>;
            return {{image ? "image" : "array", value}};
        },
        info);
}

ValueInfo value_from_json(const Json& json) {
    if (json.contains("image")) return json.at("image").get<ImageInfo>();
    return json.at("array").get<ArrayInfo>();
}

template <class Step>
constexpr const char* step_name = nullptr;
template <>
constexpr const char* step_name<step::Upload> = "upload";
template <>
constexpr const char* step_name<step::Clear> = "clear";
template <>
constexpr const char* step_name<step::Dispatch> = "dispatch";
template <>
constexpr const char* step_name<step::Render> = "render";
template <>
constexpr const char* step_name<step::CopyTexture> = "copy-texture";
template <>
constexpr const char* step_name<step::Readback> = "readback";

Json step_to_json(const PlanStep& step) {
    return std::visit(
        [](const auto& value) {
            Json json = value;
            json["step"] = step_name<std::decay_t<decltype(value)>>;
            return json;
        },
        step);
}

template <std::size_t I = 0>
PlanStep step_from_json(const Json& json) {
    if constexpr (I == std::variant_size_v<PlanStep>) {
        fail(ErrorCode::invalid_argument, "a plan has no step named {}", json.at("step").dump());
    } else {
        using Step = std::variant_alternative_t<I, PlanStep>;
        if (json.at("step") == step_name<Step>) return json.get<Step>();
        return step_from_json<I + 1>(json);
    }
}

}  // namespace

std::string to_json(const Plan& plan) {
    Json json{{"buffers", plan.buffers},    {"textures", plan.textures}, {"kernels", plan.kernels},
              {"notes", plan.notes},        {"inputs", Json::array()},   {"outputs", Json::array()},
              {"constants", Json::array()}, {"steps", Json::array()}};
    for (const ValueInfo& input : plan.inputs) json["inputs"].push_back(value_to_json(input));
    for (const Plan::Output& output : plan.outputs) {
        Json entry = value_to_json(output.info);
        entry["name"] = output.name;
        json["outputs"].push_back(std::move(entry));
    }
    for (const PlanConstant& constant : plan.constants) {
        json["constants"].push_back({{"buffer", constant.buffer},
                                     {"offset", constant.offset},
                                     {"bytes", to_base64(constant.bytes)}});
    }
    for (const PlanStep& step : plan.steps) json["steps"].push_back(step_to_json(step));
    return json.dump(2);
}

Plan plan_from_json(const std::string& text) {
    try {
        const Json json = Json::parse(text);
        Plan plan;
        json.at("buffers").get_to(plan.buffers);
        json.at("textures").get_to(plan.textures);
        json.at("kernels").get_to(plan.kernels);
        json.at("notes").get_to(plan.notes);
        for (const Json& input : json.at("inputs")) plan.inputs.push_back(value_from_json(input));
        for (const Json& output : json.at("outputs")) {
            plan.outputs.push_back({output.at("name"), value_from_json(output)});
        }
        for (const Json& constant : json.at("constants")) {
            plan.constants.push_back({constant.at("buffer"), constant.at("offset"),
                                      from_base64(constant.at("bytes").get<std::string>())});
        }
        for (const Json& step : json.at("steps")) plan.steps.push_back(step_from_json(step));
        return plan;
    } catch (const Json::exception& error) {
        fail(ErrorCode::invalid_argument, "this is no plan: {}", error.what());
    }
}

}  // namespace tessera
