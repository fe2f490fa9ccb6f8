#include "tessera/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera {
namespace {

std::string describe(const ValueInfo& info) {
    if (const auto* image = std::get_if<ImageInfo>(&info)) {
        return fmt::format("{} {}x{}", to_string(image->format), image->width, image->height);
    }
    const auto& array = std::get<ArrayInfo>(info);
    constexpr std::array names{"u32", "u64", "f32"};
    return fmt::format("{} [{}]", names[static_cast<std::size_t>(array.element)],
                       fmt::join(array.shape, ", "));
}

std::string describe(const PlanProgram& program) {
    std::string text = program.kernel;
    for (const auto& [name, value] : program.constants) {
        text += fmt::format(" {}={}", name, value);
    }
    return text;
}

/// One line for each kind of step.
class StepPrinter {
public:
    explicit StepPrinter(const Plan& plan) : plan_(plan) {}

    std::string operator()(const step::Upload& s) const {
        return fmt::format("upload    input {} ({}) -> {}", s.input,
                           describe(plan_.inputs[s.input]), buffer(s.buffer));
    }
    std::string operator()(const step::Clear& s) const {
        return fmt::format("clear     {} [{}, +{}]", buffer(s.buffer), s.offset, s.size);
    }
    std::string operator()(const step::Dispatch& s) const {
        return fmt::format("dispatch  {}: {} on {}x{}x{} workgroups;{}", s.label,
                           describe(s.program), s.workgroups[0], s.workgroups[1], s.workgroups[2],
                           bindings(s.bindings));
    }
    std::string operator()(const step::Render& s) const {
        const PlanTexture& texture = plan_.textures[s.texture];
        std::string text = fmt::format("render    {}: to {} ({} {}x{})", s.label, texture.label,
                                       texture.format, texture.width, texture.height);
        for (const step::Draw& draw : s.draws) {
            text += fmt::format("\n  draw      {}: {} {} vertices;{}", draw.label,
                                describe(draw.program), draw.vertices, bindings(draw.bindings));
        }
        return text;
    }
    std::string operator()(const step::CopyTexture& s) const {
        return fmt::format("copy      {} -> {} ({} bytes a row)", plan_.textures[s.texture].label,
                           buffer(s.buffer), s.pitch);
    }
    std::string operator()(const step::Readback& s) const {
        return fmt::format("read back {} -> output '{}' ({})", buffer(s.buffer),
                           plan_.outputs[s.output].name, describe(plan_.outputs[s.output].info));
    }

private:
    [[nodiscard]] std::string buffer(std::uint32_t index) const {
        return fmt::format("#{} {}", index, plan_.buffers[index].label);
    }
    [[nodiscard]] std::string bindings(const std::vector<PlanBinding>& list) const {
        std::string text;
        for (const PlanBinding& binding : list) {
            text += fmt::format(" {} = {}", binding.name, buffer(binding.buffer));
        }
        return text;
    }

    const Plan& plan_;
};

}  // namespace

PlanCost cost(const Plan& plan) {
    PlanCost total;
    for (const PlanBuffer& buffer : plan.buffers) total.bytes_allocated += buffer.size;
    for (const PlanTexture& texture : plan.textures) {
        total.bytes_allocated += std::uint64_t{texture.width} * texture.height * 4;
    }
    for (const PlanStep& step : plan.steps) {
        if (const auto* dispatch = std::get_if<step::Dispatch>(&step)) {
            total.bytes_read += dispatch->bytes_read;
            total.bytes_written += dispatch->bytes_written;
            ++total.dispatches;
        } else if (const auto* render = std::get_if<step::Render>(&step)) {
            total.draws += static_cast<std::uint32_t>(render->draws.size());
        }
    }
    return total;
}

std::string print(const Plan& plan) {
    std::string text;
    for (const std::string& note : plan.notes) text += "note      " + note + "\n";
    for (const PlanStep& step : plan.steps) text += std::visit(StepPrinter(plan), step) + "\n";
    return text;
}

}  // namespace tessera
