#include "graph/lowering.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "graph/kernel_sources.hpp"
#include "tessera/operator.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t value_usage = usage::storage | usage::copy_src | usage::copy_dst;

std::string_view find_kernel(std::string_view name) {
    for (const KernelSource& source : kernel_sources()) {
        if (source.name == name) return source.text;
    }
    fail(ErrorCode::unsupported, "this build holds no kernel named {}", name);
}

}  // namespace

Lowering::Lowering(const Graph& graph, const DeviceProfile& device)
    : graph_(graph),
      device_(device),
      places_(graph.value_count()),
      defined_(graph.value_count(), false) {
    for (std::uint32_t i = 0; i < graph.inputs().size(); ++i) {
        const Value value = graph.inputs()[i];
        plan_.inputs.push_back(graph.info(value));
        const DeviceValue place = define(value);
        add(step::Upload{i, place.buffer, place.pitch});
    }
}

DeviceValue Lowering::locate(Value value) const {
    if (!defined_[value.id]) {
        fail(ErrorCode::invalid_argument, "value {} is used before it is made", value.id);
    }
    return places_[value.id];
}

DeviceValue Lowering::define(Value value, std::uint32_t pitch) {
    const ValueInfo& info = graph_.info(value);
    std::uint64_t size = 0;
    if (const auto* image = std::get_if<ImageInfo>(&info)) {
        const std::uint64_t row = std::uint64_t{image->width} * image->format.bytes_per_pixel();
        if (pitch == 0) pitch = static_cast<std::uint32_t>(align_up(row, row_alignment));
        size = std::uint64_t{pitch} * image->height;
    } else {
        size = align_up(std::get<ArrayInfo>(info).bytes(), 4);
    }
    const std::string label = "value " + std::to_string(value.id);
    places_[value.id] = {add_buffer(label, size, value_usage), pitch};
    defined_[value.id] = true;
    return places_[value.id];
}

std::uint32_t Lowering::add_buffer(std::string label, std::uint64_t size, std::uint32_t usage) {
    if (size > device_.max_buffer_size) {
        fail(ErrorCode::out_of_memory,
             "this picture needs a {:.1f} GB buffer; the adapter allows {:.1f} GB: use --engine "
             "cpu, or an adapter with a larger limit",
             static_cast<double>(size) * 1e-9, static_cast<double>(device_.max_buffer_size) * 1e-9);
    }
    plan_.buffers.push_back({std::move(label), size, usage});
    return static_cast<std::uint32_t>(plan_.buffers.size() - 1);
}

std::uint32_t Lowering::add_texture(PlanTexture texture) {
    const std::uint32_t limit = device_.max_texture_dimension_2d;
    if (texture.width > limit || texture.height > limit) {
        fail(ErrorCode::unsupported,
             "a drawing of {}x{} pixels is larger than the {} that this adapter draws: use "
             "--engine cpu, or an adapter with a larger limit",
             texture.width, texture.height, limit);
    }
    plan_.textures.push_back(std::move(texture));
    return static_cast<std::uint32_t>(plan_.textures.size() - 1);
}

std::uint32_t Lowering::add_constant(std::string label, std::span<const std::byte> bytes,
                                     std::uint32_t usage) {
    const std::uint32_t buffer =
        add_buffer(std::move(label), align_up(bytes.size(), 16), usage | usage::copy_dst);
    set_content(buffer, bytes);
    return buffer;
}

void Lowering::set_content(std::uint32_t buffer, std::span<const std::byte> bytes) {
    plan_.constants.push_back({buffer, 0, {bytes.begin(), bytes.end()}});
    plan_.constants.back().bytes.resize(align_up(bytes.size(), 4));
}

PlanBinding Lowering::bind(std::string name, std::string type, std::uint32_t buffer,
                           std::uint64_t offset, std::uint64_t size) const {
    if (size == 0) size = plan_.buffers[buffer].size - offset;
    const bool fits = type == "uniform" || size <= device_.max_storage_buffer_binding_size;
    if (!fits) {
        fail(ErrorCode::out_of_memory,
             "{} needs {:.1f} MB at once; the adapter binds {:.1f} MB: use --engine cpu, or an "
             "adapter with a larger limit",
             name, static_cast<double>(size) * 1e-6,
             static_cast<double>(device_.max_storage_buffer_binding_size) * 1e-6);
    }
    return {std::move(name), std::move(type), buffer, offset, size};
}

PlanBinding Lowering::uniform(std::string name, std::uint32_t buffer) const {
    return bind(std::move(name), "uniform", buffer, 0, 0);
}

PlanBinding Lowering::read(std::string name, std::uint32_t buffer, std::uint64_t offset,
                           std::uint64_t size) const {
    return bind(std::move(name), "read-only-storage", buffer, offset, size);
}

PlanBinding Lowering::write(std::string name, std::uint32_t buffer, std::uint64_t offset,
                            std::uint64_t size) const {
    return bind(std::move(name), "storage", buffer, offset, size);
}

void Lowering::use_kernel(const std::string& name) {
    plan_.kernels.try_emplace(name, find_kernel(name));
}

void Lowering::add(PlanStep step) {
    if (const auto* dispatch = std::get_if<step::Dispatch>(&step)) {
        use_kernel(dispatch->program.kernel);
    } else if (const auto* render = std::get_if<step::Render>(&step)) {
        for (const step::Draw& draw : render->draws) use_kernel(draw.program.kernel);
    }
    plan_.steps.push_back(std::move(step));
}

void Lowering::note(std::string text) { plan_.notes.push_back(std::move(text)); }

Plan Lowering::finish() {
    for (std::uint32_t i = 0; i < graph_.outputs().size(); ++i) {
        const Graph::Output& output = graph_.outputs()[i];
        const DeviceValue place = locate(output.value);
        plan_.outputs.push_back({output.name, graph_.info(output.value)});
        add(step::Readback{i, place.buffer, plan_.buffers[place.buffer].size, place.pitch});
    }
    return std::move(plan_);
}

Plan lower(const Graph& graph, const DeviceProfile& device) {
    Lowering lowering(graph, device);
    for (const Node& node : graph.nodes()) node.op->lower(lowering, node);
    return lowering.finish();
}

std::vector<RowBand> row_bands(const DeviceProfile& device, std::uint32_t pitch, std::uint32_t top,
                               std::uint32_t height) {
    // Pitches are multiples of row_alignment, so this many rows lie between aligned offsets.
    const std::uint32_t step =
        std::max(device.min_storage_buffer_offset_alignment / row_alignment, 1u);
    // A band may begin up to step - 1 rows before its first row.
    const std::uint64_t fitting = device.max_storage_buffer_binding_size / pitch / step * step;
    if (fitting < 2ull * step) {
        fail(ErrorCode::out_of_memory,
             "a row of this picture takes {} bytes; the adapter binds {} at once: use --engine "
             "cpu, or an adapter with a larger limit",
             pitch, device.max_storage_buffer_binding_size);
    }
    const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(fitting - step, height));
    std::vector<RowBand> bands;
    for (std::uint32_t first = top; first < top + height;) {
        const std::uint32_t count = std::min(rows, top + height - first);
        bands.push_back({first, count, first / step * step});
        first += count;
    }
    return bands;
}

}  // namespace tessera
