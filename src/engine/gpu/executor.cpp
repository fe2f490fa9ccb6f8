#include "engine/gpu/executor.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "base/errors.hpp"
#include "base/memory.hpp"
#include "engine/gpu/plan_check.hpp"

namespace tessera::gpu {
namespace {

using Clock = std::chrono::steady_clock;

// The queue keeps a copy of what is written until it is done: never of more than this.
constexpr std::uint64_t upload_chunk = 64ull << 20;

// WebGPU's own limit for one set.
constexpr std::uint32_t most_queries = 4096;

BufferHandle make_buffer(WGPUDevice device, const std::string& label, std::uint64_t size,
                         WGPUBufferUsage usage) {
    WGPUBufferDescriptor descriptor = WGPU_BUFFER_DESCRIPTOR_INIT;
    descriptor.label = view(label);
    descriptor.size = std::max<std::uint64_t>((size + 3) / 4 * 4, 16);
    descriptor.usage = usage;
    return BufferHandle(wgpuDeviceCreateBuffer(device, &descriptor));
}

double milliseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Some drivers' timestamps run backwards, stand still, or count in another unit than they say:
/// work cannot take longer than it was waited for, but for what the two clocks drift apart.
bool is_plausible(double gpu_milliseconds, double wall_milliseconds) {
    return gpu_milliseconds > 0 && gpu_milliseconds <= wall_milliseconds * 1.05;
}

}  // namespace

/// Encodes a plan's steps into one command buffer. Dispatches that follow each other share a pass,
/// unless each is to be timed by itself.
class PreparedPlan::Encoder {
public:
    enum class Timing {
        none,
        whole,          ///< the first pass's begin and the last one's end
        every_dispatch  ///< begin and end of each dispatch, in passes of their own
    };

    Encoder(PreparedPlan& prepared, Timing timing) : prepared_(prepared), timing_(timing) {
        WGPUCommandEncoderDescriptor descriptor = WGPU_COMMAND_ENCODER_DESCRIPTOR_INIT;
        encoder_ =
            EncoderHandle(wgpuDeviceCreateCommandEncoder(prepared_.device_->get(), &descriptor));
    }

    void encode_steps() {
        for (const PlanStep& step : prepared_.plan_.steps) std::visit(*this, step);
        end_compute();
    }

    void operator()(const step::Upload&) {}
    void operator()(const step::Readback&) {}

    void operator()(const step::Clear& s) {
        end_compute();
        wgpuCommandEncoderClearBuffer(encoder_.get(), prepared_.buffers_[s.buffer].get(), s.offset,
                                      s.size);
    }

    void operator()(const step::Dispatch& s) {
        if (timing_ == Timing::every_dispatch) end_compute();
        if (!compute_) begin_compute(s.label);
        const BoundDispatch& bound = prepared_.dispatches_[next_dispatch_++];
        wgpuComputePassEncoderSetPipeline(compute_.get(), bound.variant->pipeline.get());
        wgpuComputePassEncoderSetBindGroup(compute_.get(), 0, bound.bindings.get(), 0, nullptr);
        wgpuComputePassEncoderDispatchWorkgroups(compute_.get(), s.workgroups[0], s.workgroups[1],
                                                 s.workgroups[2]);
    }

    void operator()(const step::Render& s) {
        end_compute();
        WGPURenderPassColorAttachment color = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
        color.view = prepared_.textures_[s.texture].view.get();
        color.loadOp = WGPULoadOp_Clear;
        color.storeOp = WGPUStoreOp_Store;
        color.clearValue = {s.clear[0], s.clear[1], s.clear[2], s.clear[3]};
        WGPURenderPassDescriptor descriptor = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
        descriptor.label = view(s.label);
        descriptor.colorAttachments = &color;
        descriptor.colorAttachmentCount = 1;
        const auto writes = next_pass_timestamps();
        if (writes.querySet != nullptr) descriptor.timestampWrites = &writes;
        const RenderPassHandle pass(wgpuCommandEncoderBeginRenderPass(encoder_.get(), &descriptor));
        for (const step::Draw& draw : s.draws) {
            const BoundDraw& bound = prepared_.draws_[next_draw_++];
            wgpuRenderPassEncoderSetPipeline(pass.get(), bound.variant->pipeline.get());
            wgpuRenderPassEncoderSetBindGroup(pass.get(), 0, bound.bindings.get(), 0, nullptr);
            wgpuRenderPassEncoderDraw(pass.get(), draw.vertices, 1, 0, 0);
        }
        wgpuRenderPassEncoderEnd(pass.get());
    }

    void operator()(const step::CopyTexture& s) {
        end_compute();
        const PlanTexture& texture = prepared_.plan_.textures[s.texture];
        WGPUTexelCopyTextureInfo from = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
        from.texture = prepared_.textures_[s.texture].texture.get();
        WGPUTexelCopyBufferInfo to = WGPU_TEXEL_COPY_BUFFER_INFO_INIT;
        to.buffer = prepared_.buffers_[s.buffer].get();
        to.layout.bytesPerRow = s.pitch;
        to.layout.rowsPerImage = texture.height;
        const WGPUExtent3D extent{texture.width, texture.height, 1};
        wgpuCommandEncoderCopyTextureToBuffer(encoder_.get(), &from, &to, &extent);
    }

    void copy_readbacks() {
        std::uint64_t offset = 0;
        for (const step::Readback* s : prepared_.readbacks_) {
            wgpuCommandEncoderCopyBufferToBuffer(encoder_.get(),
                                                 prepared_.buffers_[s->buffer].get(), 0,
                                                 prepared_.staging_.get(), offset, s->size);
            offset += s->size;
        }
    }

    void submit() {
        if (timing_ != Timing::none) resolve_timestamps();
        WGPUCommandBufferDescriptor descriptor = WGPU_COMMAND_BUFFER_DESCRIPTOR_INIT;
        const CommandsHandle commands(wgpuCommandEncoderFinish(encoder_.get(), &descriptor));
        prepared_.device_->submit(commands.get());
    }

private:
    void begin_compute(const std::string& label) {
        WGPUComputePassDescriptor descriptor = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
        descriptor.label = view(label);
        const auto writes = next_pass_timestamps();
        if (writes.querySet != nullptr) descriptor.timestampWrites = &writes;
        compute_ =
            ComputePassHandle(wgpuCommandEncoderBeginComputePass(encoder_.get(), &descriptor));
    }

    void end_compute() {
        if (!compute_) return;
        wgpuComputePassEncoderEnd(compute_.get());
        compute_ = {};
    }

    /// No query set where the next pass has nothing to write.
    WGPUPassTimestampWrites next_pass_timestamps() {
        WGPUPassTimestampWrites writes = WGPU_PASS_TIMESTAMP_WRITES_INIT;
        const std::uint32_t pass = next_pass_++;
        if (timing_ == Timing::every_dispatch) {
            writes.beginningOfPassWriteIndex = 2 * pass;
            writes.endOfPassWriteIndex = 2 * pass + 1;
        } else if (timing_ == Timing::whole) {
            if (pass == 0) writes.beginningOfPassWriteIndex = 0;
            if (pass + 1 == prepared_.merged_passes_) writes.endOfPassWriteIndex = 1;
        }
        const bool any = writes.beginningOfPassWriteIndex != WGPU_QUERY_SET_INDEX_UNDEFINED ||
                         writes.endOfPassWriteIndex != WGPU_QUERY_SET_INDEX_UNDEFINED;
        if (any) writes.querySet = prepared_.queries_.get();
        return writes;
    }

    void resolve_timestamps() {
        const std::uint32_t count = timing_ == Timing::whole ? 2 : 2 * next_pass_;
        wgpuCommandEncoderResolveQuerySet(encoder_.get(), prepared_.queries_.get(), 0, count,
                                          prepared_.query_results_.get(), 0);
        wgpuCommandEncoderCopyBufferToBuffer(encoder_.get(), prepared_.query_results_.get(), 0,
                                             prepared_.query_staging_.get(), 0, count * 8ull);
    }

    PreparedPlan& prepared_;
    Timing timing_;
    EncoderHandle encoder_;
    ComputePassHandle compute_;
    std::size_t next_dispatch_ = 0, next_draw_ = 0;
    std::uint32_t next_pass_ = 0;
};

PreparedPlan::PreparedPlan(std::shared_ptr<const Device> device, PipelineCache& pipelines,
                           Plan plan, bool time_passes)
    : device_(std::move(device)),
      pipelines_(pipelines),
      plan_(std::move(plan)),
      time_passes_(time_passes) {
    check_plan(plan_, device_->info().profile);
    sort_steps();
    // Outside of the scopes below: the cache's lock is always taken before theirs.
    compile();
    device_->guarded(preparing(), [&] {
        create_buffers();
        create_textures();
        bind();
        create_timestamps();
    });
}

/// What an error is about: allocating, nearly always.
std::string PreparedPlan::preparing() const {
    std::uint64_t bytes = staging_size_;
    for (const PlanBuffer& buffer : plan_.buffers) bytes += buffer.size;
    return fmt::format("preparing {} of buffers", human_bytes(bytes));
}

void PreparedPlan::sort_steps() {
    bool in_compute = false;
    for (const PlanStep& step : plan_.steps) {
        if (const auto* upload_step = std::get_if<step::Upload>(&step)) {
            uploads_.push_back(upload_step);
        } else if (const auto* readback = std::get_if<step::Readback>(&step)) {
            readbacks_.push_back(readback);
            staging_size_ += readback->size;
        } else if (const auto* dispatch = std::get_if<step::Dispatch>(&step)) {
            if (!in_compute) ++merged_passes_;
            in_compute = true;
            pass_timings_.push_back({dispatch->label, 0});
        } else {
            in_compute = false;
            if (const auto* render = std::get_if<step::Render>(&step)) {
                ++merged_passes_;
                pass_timings_.push_back({render->label, 0});
            }
        }
    }
}

void PreparedPlan::compile() {
    for (const PlanStep& step : plan_.steps) {
        if (const auto* dispatch = std::get_if<step::Dispatch>(&step)) {
            dispatches_.push_back({dispatch, &pipelines_.compute(plan_, *dispatch)});
        } else if (const auto* render = std::get_if<step::Render>(&step)) {
            const std::string& format = plan_.textures[render->texture].format;
            for (const step::Draw& draw : render->draws) {
                draws_.push_back({&draw, &pipelines_.render(plan_, draw, format)});
            }
        }
    }
}

void PreparedPlan::create_buffers() {
    for (const PlanBuffer& buffer : plan_.buffers) {
        buffers_.push_back(make_buffer(device_->get(), buffer.label, buffer.size, buffer.usage));
    }
    for (const PlanConstant& constant : plan_.constants) {
        wgpuQueueWriteBuffer(device_->queue(), buffers_[constant.buffer].get(), constant.offset,
                             constant.bytes.data(), constant.bytes.size());
    }
    if (staging_size_ != 0) {
        staging_ = make_buffer(device_->get(), "staging", staging_size_,
                               WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
    }
}

void PreparedPlan::create_textures() {
    for (const PlanTexture& texture : plan_.textures) {
        WGPUTextureDescriptor descriptor = WGPU_TEXTURE_DESCRIPTOR_INIT;
        descriptor.label = view(texture.label);
        descriptor.size = {texture.width, texture.height, 1};
        descriptor.format = texture_format(texture.format);
        descriptor.usage = texture.usage;
        Texture made;
        made.texture = TextureHandle(wgpuDeviceCreateTexture(device_->get(), &descriptor));
        made.view = TextureViewHandle(wgpuTextureCreateView(made.texture.get(), nullptr));
        textures_.push_back(std::move(made));
    }
}

void PreparedPlan::bind() {
    for (BoundDispatch& bound : dispatches_) {
        bound.bindings =
            bind_group(bound.step->label, bound.variant->layout.get(), bound.step->bindings);
    }
    for (BoundDraw& bound : draws_) {
        bound.bindings =
            bind_group(bound.step->label, bound.variant->layout.get(), bound.step->bindings);
    }
}

BindGroupHandle PreparedPlan::bind_group(const std::string& label, WGPUBindGroupLayout layout,
                                         std::span<const PlanBinding> bindings) const {
    std::vector<WGPUBindGroupEntry> entries;
    for (std::uint32_t i = 0; i < bindings.size(); ++i) {
        WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
        entry.binding = i;
        entry.buffer = buffers_[bindings[i].buffer].get();
        entry.offset = bindings[i].offset;
        entry.size = bindings[i].size;
        entries.push_back(entry);
    }
    WGPUBindGroupDescriptor descriptor = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    descriptor.label = view(label);
    descriptor.layout = layout;
    descriptor.entries = entries.data();
    descriptor.entryCount = entries.size();
    return BindGroupHandle(wgpuDeviceCreateBindGroup(device_->get(), &descriptor));
}

void PreparedPlan::create_timestamps() {
    if (time_passes_) wall_timing_.push_back({"all passes, by the wall clock", 0});
    const auto each = static_cast<std::uint32_t>(2 * pass_timings_.size());
    gpu_clock_right_ = device_->has_timestamps() && each <= most_queries;
    if (!device_->has_timestamps() || merged_passes_ == 0) return;

    const std::uint32_t count = time_passes_ && gpu_clock_right_ ? each : 2;
    WGPUQuerySetDescriptor descriptor = WGPU_QUERY_SET_DESCRIPTOR_INIT;
    descriptor.type = WGPUQueryType_Timestamp;
    descriptor.count = count;
    queries_ = QuerySetHandle(wgpuDeviceCreateQuerySet(device_->get(), &descriptor));
    query_results_ = make_buffer(device_->get(), "timestamps", count * 8ull,
                                 WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc);
    query_staging_ = make_buffer(device_->get(), "timestamps staging", count * 8ull,
                                 WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
    ticks_.resize(count);
}

void PreparedPlan::run(std::span<const Data* const> inputs, std::span<Data* const> outputs) {
    const bool each_pass = time_passes_ && queries_ && 2 * pass_timings_.size() <= ticks_.size();
    Clock::time_point begin;
    device_->guarded("running", [&] {
        for (const step::Upload* s : uploads_) upload(*s, *inputs[s->input]);
        Encoder encoder(*this, each_pass ? Encoder::Timing::every_dispatch : Encoder::Timing::none);
        encoder.encode_steps();
        encoder.copy_readbacks();
        begin = Clock::now();
        encoder.submit();
    });
    if (time_passes_) {
        device_->wait_for_queue();
        const double wall = milliseconds_since(begin);
        gpu_clock_right_ = each_pass;
        if (each_pass) read_timings(wall);
        wall_timing_.front().milliseconds = wall;
    }
    copy_outputs(outputs);
}

double PreparedPlan::run_passes() {
    Clock::time_point begin;
    device_->guarded("running", [&] {
        Encoder encoder(*this, queries_ ? Encoder::Timing::whole : Encoder::Timing::none);
        encoder.encode_steps();
        begin = Clock::now();
        encoder.submit();
    });
    device_->wait_for_queue();
    const double wall = milliseconds_since(begin);
    if (!queries_) return wall;
    read_ticks(2);
    const double span = milliseconds(ticks_[0], ticks_[1]);
    return is_plausible(span, wall) ? span : wall;
}

void PreparedPlan::upload(const step::Upload& step, const Data& data) {
    WGPUBuffer buffer = buffers_[step.buffer].get();
    if (const auto* image = std::get_if<Image>(&data)) {
        upload_image(*image, buffer, step.pitch);
        return;
    }
    const auto& bytes = std::get<Array>(data).bytes;
    wgpuQueueWriteBuffer(device_->queue(), buffer, 0, bytes.data(), bytes.size());
}

void PreparedPlan::upload_image(const Image& image, WGPUBuffer buffer, std::uint32_t pitch) {
    const auto rows_at_once =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(upload_chunk / pitch, 1));
    // The last row's padding may not be there to read in memory that somebody else keeps.
    const std::uint32_t whole_rows = image.pitch() != static_cast<std::ptrdiff_t>(pitch) ? 0
                                     : image.row_bytes() == pitch ? image.height()
                                                                  : image.height() - 1;
    for (std::uint32_t first = 0; first < image.height(); first += rows_at_once) {
        if (first != 0) device_->flush_writes();
        const std::uint32_t end = std::min(rows_at_once, image.height() - first) + first;
        const std::uint32_t as_they_are = std::clamp(whole_rows, first, end) - first;
        if (as_they_are != 0) {
            wgpuQueueWriteBuffer(device_->queue(), buffer, std::uint64_t{first} * pitch,
                                 image.row(first), std::size_t{as_they_are} * pitch);
        }
        upload_repacked(image, buffer, pitch, first + as_they_are, end - first - as_they_are);
    }
}

void PreparedPlan::upload_repacked(const Image& image, WGPUBuffer buffer, std::uint32_t pitch,
                                   std::uint32_t first, std::uint32_t count) {
    if (count == 0) return;
    const std::size_t bytes = std::size_t{count} * pitch;
    if (rows_.size() < bytes) rows_.resize(bytes);
    for (std::uint32_t y = 0; y < count; ++y) {
        std::byte* row = &rows_[std::size_t{y} * pitch];
        std::memcpy(row, image.row(first + y), image.row_bytes());
        std::memset(row + image.row_bytes(), 0, pitch - image.row_bytes());
    }
    wgpuQueueWriteBuffer(device_->queue(), buffer, std::uint64_t{first} * pitch, rows_.data(),
                         bytes);
}

void PreparedPlan::wait_for(WGPUBuffer staging, std::uint64_t size) const {
    // Another thread that waits may run this callback.
    struct Mapping {
        std::atomic<bool> done = false;
        WGPUMapAsyncStatus status = WGPUMapAsyncStatus_Error;
    };
    Mapping mapping;
    WGPUBufferMapCallbackInfo callback = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    callback.mode = WGPUCallbackMode_AllowProcessEvents;
    callback.userdata1 = &mapping;
    callback.callback = [](WGPUMapAsyncStatus status, WGPUStringView, void* user, void*) {
        auto& m = *static_cast<Mapping*>(user);
        m.status = status;
        m.done = true;
    };
    wgpuBufferMapAsync(staging, WGPUMapMode_Read, 0, size, callback);
    device_->wait_until([&] { return mapping.done.load(); });
    if (mapping.status != WGPUMapAsyncStatus_Success) {
        device_->require_alive();
        fail(ErrorCode::device, "{} did not give its results back", device_->info().name);
    }
}

void PreparedPlan::copy_outputs(std::span<Data* const> outputs) {
    if (staging_size_ == 0) return;
    wait_for(staging_.get(), staging_size_);
    const auto* bytes = static_cast<const std::byte*>(
        wgpuBufferGetConstMappedRange(staging_.get(), 0, staging_size_));
    for (const step::Readback* s : readbacks_) {
        Data& data = *outputs[s->output];
        if (auto* image = std::get_if<Image>(&data)) {
            for (std::uint32_t y = 0; y < image->height(); ++y) {
                std::memcpy(image->row(y), bytes + std::size_t{y} * s->pitch, image->row_bytes());
            }
        } else {
            auto& array = std::get<Array>(data);
            std::memcpy(array.bytes.data(), bytes, array.bytes.size());
        }
        bytes += s->size;
    }
    wgpuBufferUnmap(staging_.get());
}

void PreparedPlan::read_ticks(std::size_t count) {
    const std::size_t size = count * sizeof(std::uint64_t);
    wait_for(query_staging_.get(), size);
    std::memcpy(ticks_.data(), wgpuBufferGetConstMappedRange(query_staging_.get(), 0, size), size);
    wgpuBufferUnmap(query_staging_.get());
}

double PreparedPlan::milliseconds(std::uint64_t begin, std::uint64_t end) const {
    return end > begin ? static_cast<double>(end - begin) * device_->timestamp_period() * 1e-6 : 0;
}

void PreparedPlan::read_timings(double wall_milliseconds) {
    read_ticks(2 * pass_timings_.size());
    for (std::size_t i = 0; i < pass_timings_.size(); ++i) {
        const std::uint64_t begin = ticks_[2 * i], end = ticks_[2 * i + 1];
        pass_timings_[i].milliseconds = milliseconds(begin, end);
        gpu_clock_right_ = gpu_clock_right_ && end >= begin;
    }
    const double whole = milliseconds(ticks_.front(), ticks_[2 * pass_timings_.size() - 1]);
    gpu_clock_right_ = gpu_clock_right_ && is_plausible(whole, wall_milliseconds);
}

}  // namespace tessera::gpu
