// Finds the least and the greatest finite value of red, green and blue, as keys that order like
// the values. Both are kept as maxima (the least one complemented), so that 0 means "none yet".

struct Params {
    pixels: PixelParams,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> pixels: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<f32>;
@group(0) @binding(3) var<storage, read_write> keys: array<atomic<u32>, 2>;

#include "pixels/pixels.inc.wgsl"

override WORKGROUP_SIZE: u32 = 256;
var<workgroup> group_keys: array<atomic<u32>, 2>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) workgroup: vec3u,
        @builtin(num_workgroups) workgroups: vec3u) {
    if (lane < 2u) {
        atomicStore(&group_keys[lane], 0u);
    }
    workgroupBarrier();
    var least = 0u;
    var greatest = 0u;
    let quads = params.pixels.rows * params.pixels.quads;
    let stride = workgroups.x * WORKGROUP_SIZE;
    for (var i = workgroup.x * WORKGROUP_SIZE + lane; i < quads; i += stride) {
        let quad = quad_at(i);
        for (var pixel = 0u; pixel < 4u; pixel++) {
            if (is_counted(quad, pixel)) {
                let values = pixel_values(quad, pixel);
                for (var channel = 0u; channel < 3u; channel++) {
                    if (is_finite(values[channel])) {
                        let key = ordered_key(values[channel]);
                        least = max(least, ~key);
                        greatest = max(greatest, key);
                    }
                }
            }
        }
    }
    atomicMax(&group_keys[0], least);
    atomicMax(&group_keys[1], greatest);
    workgroupBarrier();
    if (lane < 2u) {
        atomicMax(&keys[lane], atomicLoad(&group_keys[lane]));
    }
}
