#include "engine/gpu/plan_check.hpp"

#include <string_view>

#include "base/errors.hpp"
#include "base/memory.hpp"

namespace tessera::gpu {
namespace {

[[noreturn]] void too_large(std::string_view what, std::uint64_t needed, std::uint64_t allowed) {
    fail(ErrorCode::out_of_memory,
         "this picture needs a {} {}; the adapter allows {}: use --engine cpu, or an adapter with "
         "a larger limit",
         human_bytes(needed), what, human_bytes(allowed));
}

class PlanCheck {
public:
    PlanCheck(const Plan& plan, const DeviceProfile& device) : plan_(plan), device_(device) {}

    void check() const {
        std::uint64_t staging = 0;
        for (const PlanBuffer& buffer : plan_.buffers) {
            if (buffer.size > device_.max_buffer_size) {
                too_large("buffer", buffer.size, device_.max_buffer_size);
            }
        }
        for (const PlanConstant& constant : plan_.constants) {
            require_room(constant.buffer, constant.offset, constant.bytes.size());
        }
        for (const PlanStep& step : plan_.steps) {
            std::visit(*this, step);
            if (const auto* s = std::get_if<step::Readback>(&step)) staging += s->size;
        }
        if (staging > device_.max_buffer_size) {
            too_large("buffer to read results back", staging, device_.max_buffer_size);
        }
    }

    void operator()(const step::Upload& s) const {
        require(s.input < plan_.inputs.size(), "uploads an input that it does not have");
        require_value(plan_.inputs[s.input], s.buffer, s.pitch, room(s.buffer));
    }
    void operator()(const step::Clear& s) const { require_room(s.buffer, s.offset, s.size); }
    void operator()(const step::Dispatch& s) const {
        check_program(s.program, s.bindings);
        for (const std::uint32_t count : s.workgroups) {
            if (count > device_.max_compute_workgroups_per_dimension) {
                fail(ErrorCode::unsupported, "{} asks for {} workgroups; the adapter allows {}",
                     s.label, count, device_.max_compute_workgroups_per_dimension);
            }
        }
    }
    void operator()(const step::Render& s) const {
        require(s.texture < plan_.textures.size(), "draws to a texture that it does not have");
        for (const step::Draw& draw : s.draws) check_program(draw.program, draw.bindings);
    }
    void operator()(const step::CopyTexture& s) const {
        require(s.texture < plan_.textures.size(), "copies a texture that it does not have");
        require(s.buffer < plan_.buffers.size(), "names a buffer that it does not have");
    }
    void operator()(const step::Readback& s) const {
        require(s.output < plan_.outputs.size(), "gives back an output that it does not have");
        require_room(s.buffer, 0, s.size);
        require_value(plan_.outputs[s.output].info, s.buffer, s.pitch, s.size);
    }

private:
    static void require(bool right, std::string_view mistake) {
        if (!right) fail(ErrorCode::invalid_argument, "this plan {}", mistake);
    }

    std::uint64_t room(std::uint32_t buffer) const {
        require(buffer < plan_.buffers.size(), "names a buffer that it does not have");
        return plan_.buffers[buffer].size;
    }

    void require_room(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) const {
        const std::uint64_t whole = room(buffer);
        require(offset <= whole && size <= whole - offset, "reaches beyond the end of a buffer");
    }

    /// An image, rows `pitch` bytes apart, or an array must fit into `size` bytes.
    void require_value(const ValueInfo& info, std::uint32_t buffer, std::uint64_t pitch,
                       std::uint64_t size) const {
        require_room(buffer, 0, size);
        std::uint64_t needed = 0;
        if (const auto* image = std::get_if<ImageInfo>(&info)) {
            const auto row = std::uint64_t{image->width} * image->format.bytes_per_pixel();
            require(pitch >= row, "has rows that overlap");
            require(pitch % 4 == 0, "has rows that do not start on a multiple of 4 bytes");
            needed = pitch * image->height;
        } else {
            needed = std::get<ArrayInfo>(info).bytes();
        }
        require(needed <= size, "moves more than its buffer holds");
    }

    void check_program(const PlanProgram& program, const std::vector<PlanBinding>& bindings) const {
        if (!plan_.kernels.contains(program.kernel)) {
            fail(ErrorCode::invalid_argument, "this plan does not hold its kernel {}",
                 program.kernel);
        }
        for (const PlanBinding& binding : bindings) {
            require_room(binding.buffer, binding.offset, binding.size);
            const bool uniform = binding.type == "uniform";
            if (!uniform && binding.size > device_.max_storage_buffer_binding_size) {
                too_large("binding of " + plan_.buffers[binding.buffer].label, binding.size,
                          device_.max_storage_buffer_binding_size);
            }
        }
    }

    const Plan& plan_;
    const DeviceProfile& device_;
};

}  // namespace

void check_plan(const Plan& plan, const DeviceProfile& device) { PlanCheck(plan, device).check(); }

}  // namespace tessera::gpu
