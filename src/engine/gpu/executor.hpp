// Runs Plans on a device. Preparing allocates, compiles and binds; running uploads, encodes,
// submits and reads back.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/gpu/device.hpp"
#include "engine/gpu/pipelines.hpp"
#include "tessera/plan.hpp"

namespace tessera::gpu {

/// A Plan with everything it needs on the device. One thread at a time.
class PreparedPlan {
public:
    PreparedPlan(std::shared_ptr<const Device> device, PipelineCache& pipelines, Plan plan,
                 bool time_passes);

    /// `outputs` are allocated to what the plan says.
    void run(std::span<const Data* const> inputs, std::span<Data* const> outputs);

    /// Everything but uploads and read-backs; returns the milliseconds from the first pass's begin
    /// to the last one's end on the GPU's clock, or on the wall's where there is none.
    double run_passes();

    [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
    /// Of the last run: each pass by the GPU's clock, or all of them by the wall's where the
    /// GPU's cannot be trusted. Empty unless asked for.
    [[nodiscard]] const std::vector<PassTiming>& timings() const noexcept {
        return time_passes_ && gpu_clock_right_ ? pass_timings_ : wall_timing_;
    }

private:
    /// What a dispatch or draw needs at encoding time, in the order of the plan's steps.
    struct BoundDispatch {
        const step::Dispatch* step;
        const ComputeVariant* variant;
        BindGroupHandle bindings{};
    };
    struct BoundDraw {
        const step::Draw* step;
        const RenderVariant* variant;
        BindGroupHandle bindings{};
    };
    struct Texture {
        TextureHandle texture;
        TextureViewHandle view;
    };
    class Encoder;

    void sort_steps();
    void compile();
    void create_buffers();
    void create_textures();
    void bind();
    void create_timestamps();
    [[nodiscard]] std::string preparing() const;
    [[nodiscard]] BindGroupHandle bind_group(const std::string& label, WGPUBindGroupLayout layout,
                                             std::span<const PlanBinding> bindings) const;

    void upload(const step::Upload& step, const Data& data);
    void upload_image(const Image& image, WGPUBuffer buffer, std::uint32_t pitch);
    void upload_repacked(const Image& image, WGPUBuffer buffer, std::uint32_t pitch,
                         std::uint32_t first, std::uint32_t count);
    void copy_outputs(std::span<Data* const> outputs);
    void wait_for(WGPUBuffer staging, std::uint64_t size) const;
    void read_timings(double wall_milliseconds);
    /// Fills the first `count` of ticks_.
    void read_ticks(std::size_t count);
    [[nodiscard]] double milliseconds(std::uint64_t begin, std::uint64_t end) const;

    std::shared_ptr<const Device> device_;
    PipelineCache& pipelines_;
    Plan plan_;
    bool time_passes_;
    std::vector<const step::Upload*> uploads_;      // of plan_
    std::vector<const step::Readback*> readbacks_;  // of plan_
    std::vector<BufferHandle> buffers_;
    std::vector<Texture> textures_;
    std::vector<BoundDispatch> dispatches_;
    std::vector<BoundDraw> draws_;
    BufferHandle staging_;
    std::uint64_t staging_size_ = 0;
    std::vector<std::byte> rows_;  // for pictures whose rows must be moved apart
    QuerySetHandle queries_;
    BufferHandle query_results_, query_staging_;
    std::uint32_t merged_passes_ = 0;  // where dispatches that follow each other share a pass
    std::vector<std::uint64_t> ticks_;
    std::vector<PassTiming> pass_timings_, wall_timing_;
    bool gpu_clock_right_ = true;
};

}  // namespace tessera::gpu
