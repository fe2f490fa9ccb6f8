// Counts the codes of a picture of 8 or 16-bit integers, in any layout and any rectangle of it.
// As count_rgba8, but four pixels are found sample by sample.

struct Params {
    pixels: PixelParams,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> pixels: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<f32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;

#include "pixels/pixels.inc.wgsl"
#include "histogram/counters.inc.wgsl"

fn bin_of(codes: vec4u) -> vec4u {
    if (SAMPLE_BYTES == 1u && BINS == 256u) {
        return codes;
    }
    return min(vec4u(BINS - 1u), codes * BINS / vec4u(select(255u, 65535u, SAMPLE_BYTES == 2u)));
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
                count_pixel(bin_of(pixel_codes(quad, pixel)), workgroup.y);
            }
        }
    }
    merge_counters(lane, workgroup.x, workgroup.y);
}
