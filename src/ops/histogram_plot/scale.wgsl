// The factor that takes a count to a height between 0 and 1, for each channel:
// max(1 / highest count, 0.2 * bins / entries), so that one spike does not flatten the rest; for
// logarithmic heights, 1 / log2(1 + highest count). One workgroup does it all.

override WORKGROUP_SIZE: u32 = 128;

@group(0) @binding(0) var<storage, read> counts: array<vec2u>;  // 64 bits, bin by bin: r, g, b, l
@group(0) @binding(1) var<storage, read_write> scale: vec4f;

#include "histogram_plot/heights.inc.wgsl"

var<workgroup> highest: array<vec4f, WORKGROUP_SIZE>;
var<workgroup> entries: array<vec4f, WORKGROUP_SIZE>;

fn factor(most: f32, all: f32) -> f32 {
    if (most == 0.0) {
        return 0.0;
    }
    if (LOGARITHMIC) {
        return 1.0 / logarithm(1.0 + most);
    }
    return max(1.0 / most, 0.2 * f32(BINS) / all);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) lane: u32) {
    var most = vec4f();
    var all = vec4f();
    for (var bin = lane; bin < BINS; bin += WORKGROUP_SIZE) {
        let values = bin_counts(bin);
        most = max(most, values);
        all += values;
    }
    highest[lane] = most;
    entries[lane] = all;
    workgroupBarrier();
    for (var half = WORKGROUP_SIZE / 2u; half > 0u; half /= 2u) {
        if (lane < half) {
            highest[lane] = max(highest[lane], highest[lane + half]);
            entries[lane] += entries[lane + half];
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        let m = highest[0];
        let a = entries[0];
        scale = vec4f(factor(m.x, a.x), factor(m.y, a.y), factor(m.z, a.z), factor(m.w, a.w));
    }
}
