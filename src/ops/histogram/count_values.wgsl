// Counts values in single precision: floats, halfs, and integers seen through a table.
// What is not finite goes into the row after the last bin.

struct Params {
    pixels: PixelParams,
}
struct BinRange {
    low: f32,
    scale: f32,  // bins / (high - low)
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> pixels: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<f32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read> bin_range: BinRange;

#include "pixels/pixels.inc.wgsl"
#include "histogram/counters.inc.wgsl"

fn bin_of(value: f32) -> u32 {
    if (!is_finite(value)) {
        return BINS;
    }
    let position = (value - bin_range.low) * bin_range.scale;
    if (position >= f32(BINS)) {
        return BINS - 1u;
    }
    return u32(max(position, 0.0));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) workgroup: vec3u,
        @builtin(num_workgroups) workgroups: vec3u) {
    clear_counters(lane);
    let quads = params.pixels.rows * params.pixels.quads;
    let stride = workgroups.x * WORKGROUP_SIZE;
    for (var i = workgroup.x * WORKGROUP_SIZE + lane; i < quads; i += stride) {
        let quad = quad_at(i);
        for (var pixel = 0u; pixel < 4u; pixel++) {
            if (is_counted(quad, pixel)) {
                let values = pixel_values(quad, pixel);
                count_pixel(vec4u(bin_of(values.x), bin_of(values.y), bin_of(values.z), bin_of(values.w)), workgroup.y);
            }
        }
    }
    merge_counters(lane, workgroup.x, workgroup.y);
}
