// A Plan: everything a WebGPU device must do, as plain data in WebGPU's own terms. It holds no
// GPU handle, so it can be printed, compared in a test, costed, written as JSON, and run by any
// executor (this library's native one, or a browser's).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tessera/graph.hpp"

namespace tessera {

/// What lowering may count on. Default-constructed: the limits every WebGPU device has.
struct DeviceProfile {
    std::uint64_t max_buffer_size = 256ull << 20;
    std::uint64_t max_storage_buffer_binding_size = 128ull << 20;
    std::uint32_t max_compute_workgroup_storage_size = 16384;
    std::uint32_t max_compute_invocations_per_workgroup = 256;
    std::uint32_t max_compute_workgroup_size_x = 256;
    std::uint32_t max_compute_workgroups_per_dimension = 65535;
    std::uint32_t max_texture_dimension_2d = 8192;
    std::uint32_t min_storage_buffer_offset_alignment = 256;
    bool shader_f16 = false;
    bool subgroups = false;
    bool timestamp_query = false;
    bool software = false;  ///< a CPU pretending: few workgroups in flight, no hidden latency
};

/// Buffer and texture usages: the numbers of GPUBufferUsage and GPUTextureUsage.
namespace usage {
inline constexpr std::uint32_t map_read = 0x1, copy_src = 0x4, copy_dst = 0x8, uniform = 0x40,
                               storage = 0x80;
inline constexpr std::uint32_t texture_copy_src = 0x1, render_attachment = 0x10;
}  // namespace usage

struct PlanBuffer {
    std::string label;
    std::uint64_t size = 0;  ///< bytes, a multiple of 4
    std::uint32_t usage = 0;
};

struct PlanTexture {
    std::string label;
    std::uint32_t width = 0, height = 0;
    std::string format = "rgba8unorm";
    std::uint32_t usage = 0;
};

/// `offset` and `size` in bytes; the binding's number is its place in the list.
struct PlanBinding {
    std::string name;  ///< the variable's name in the kernel
    std::string type;  ///< "uniform", "storage" or "read-only-storage"
    std::uint32_t buffer = 0;
    std::uint64_t offset = 0, size = 0;
};

/// A kernel and the values of its `override` constants: what names one compiled pipeline.
struct PlanProgram {
    std::string kernel;  ///< key into Plan::kernels
    std::map<std::string, double> constants;
};

/// Written once, when the plan is prepared.
struct PlanConstant {
    std::uint32_t buffer = 0;
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
};

namespace step {

/// Puts an input of the graph into a buffer. For images, rows are `pitch` bytes apart there.
struct Upload {
    std::uint32_t input = 0;
    std::uint32_t buffer = 0;
    std::uint32_t pitch = 0;
};
struct Clear {
    std::uint32_t buffer = 0;
    std::uint64_t offset = 0, size = 0;
};
struct Dispatch {
    std::string label;
    PlanProgram program;  ///< entry point "main"
    std::vector<PlanBinding> bindings;
    std::array<std::uint32_t, 3> workgroups{1, 1, 1};
    std::uint64_t bytes_read = 0, bytes_written = 0;  ///< of device memory, for the cost
};
/// Draws over a texture with source-over blending of premultiplied colours.
struct Draw {
    std::string label;
    PlanProgram program;  ///< entry points "vertex_main" and "fragment_main"
    std::vector<PlanBinding> bindings;
    std::uint32_t vertices = 0;
};
struct Render {
    std::string label;
    std::uint32_t texture = 0;
    std::array<double, 4> clear{0, 0, 0, 0};
    std::vector<Draw> draws{};
};
struct CopyTexture {
    std::uint32_t texture = 0;
    std::uint32_t buffer = 0;
    std::uint32_t pitch = 0;  ///< bytes a row, a multiple of 256
};
/// Gives a buffer back as an output of the graph; image rows are `pitch` bytes apart in it.
struct Readback {
    std::uint32_t output = 0;
    std::uint32_t buffer = 0;
    std::uint64_t size = 0;
    std::uint32_t pitch = 0;
};

}  // namespace step

using PlanStep = std::variant<step::Upload, step::Clear, step::Dispatch, step::Render,
                              step::CopyTexture, step::Readback>;

struct Plan {
    std::vector<ValueInfo> inputs;
    struct Output {
        std::string name;
        ValueInfo info;
    };
    std::vector<Output> outputs;
    std::vector<PlanBuffer> buffers;
    std::vector<PlanTexture> textures;
    std::map<std::string, std::string> kernels;  ///< name → WGSL text
    std::vector<PlanConstant> constants;
    std::vector<PlanStep> steps;
    std::vector<std::string> notes;  ///< which variant was chosen, and why
};

/// Bytes that the plan's dispatches must move, and what it keeps allocated on the device.
struct PlanCost {
    std::uint64_t bytes_read = 0, bytes_written = 0, bytes_allocated = 0;
    std::uint32_t dispatches = 0, draws = 0;
};

/// Turns a graph into a Plan for a device. Throws Error(unsupported or out_of_memory) with the
/// figures when the device's limits do not allow it. Pure: no GPU is touched.
[[nodiscard]] Plan lower(const Graph& graph, const DeviceProfile& device);

[[nodiscard]] PlanCost cost(const Plan& plan);
/// One line a step, for people.
[[nodiscard]] std::string print(const Plan& plan);
/// Everything a browser needs to run it; bytes as base64. `from_json(to_json(p))` equals p.
[[nodiscard]] std::string to_json(const Plan& plan);
[[nodiscard]] Plan plan_from_json(const std::string& json);

}  // namespace tessera
