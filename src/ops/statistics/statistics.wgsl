// Minimum, maximum, mean, squared deviations and clipping of red, green, blue and luminance.
// A bounded number of workgroups walk over the picture; each invocation keeps running results of
// the pixels it sees (Welford), which the workgroup merges pair by pair (Chan, Golub and LeVeque)
// and writes as one partial result. Bound by arithmetic.

struct Params {
    pixels: PixelParams,
    first_partial: u32,
}
struct Partial {
    count: u32,
    non_finite: u32,
    shadows: u32,
    highlights: u32,
    minimum: f32,
    maximum: f32,
    mean: f32,
    m2: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> pixels: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<f32>;
@group(0) @binding(3) var<storage, read_write> partials: array<Partial>;

#include "pixels/pixels.inc.wgsl"

override WORKGROUP_SIZE: u32 = 128;

// Extremes are kept as ordered keys, which lose nothing to flushed subnormals.
struct Running {
    count: u32,
    non_finite: u32,
    shadows: u32,
    highlights: u32,
    least: u32,
    greatest: u32,
    mean: f32,
    m2: f32,
}

var<workgroup> shared_results: array<Running, WORKGROUP_SIZE>;

fn full_value() -> f32 {
    if (PATH == 0u) {
        return select(255.0, 65535.0, SAMPLE_BYTES == 2u);
    }
    return 1.0;
}

fn include_value(before: Running, value: f32) -> Running {
    var after = before;
    if (!is_finite(value)) {
        after.non_finite += 1u;
        return after;
    }
    let key = ordered_key(value);
    after.count += 1u;
    after.least = min(after.least, key);
    after.greatest = max(after.greatest, key);
    // The key of +0 is 0x80000000: at or below it lie both zeros and every negative value.
    after.shadows += select(0u, 1u, key <= 0x80000000u);
    after.highlights += select(0u, 1u, value >= full_value());
    let difference = value - before.mean;
    after.mean = before.mean + difference / f32(after.count);
    after.m2 = before.m2 + difference * (value - after.mean);
    return after;
}

fn merged(a: Running, b: Running) -> Running {
    if (b.count == 0u) {
        return Running(a.count, a.non_finite + b.non_finite, a.shadows, a.highlights, a.least, a.greatest, a.mean, a.m2);
    }
    let count = a.count + b.count;
    let difference = b.mean - a.mean;
    let share = f32(b.count) / f32(count);
    return Running(count, a.non_finite + b.non_finite, a.shadows + b.shadows, a.highlights + b.highlights,
                   min(a.least, b.least), max(a.greatest, b.greatest),
                   a.mean + difference * share,
                   a.m2 + b.m2 + difference * difference * (f32(a.count) * share));
}

fn values_of(quad: Quad, pixel: u32) -> vec4f {
    if (PATH == 0u) {
        return vec4f(pixel_codes(quad, pixel));
    }
    return pixel_values(quad, pixel);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) workgroup: vec3u,
        @builtin(num_workgroups) workgroups: vec3u) {
    var results: array<Running, 4>;
    for (var channel = 0u; channel < 4u; channel++) {
        results[channel] = Running(0u, 0u, 0u, 0u, 0xffffffffu, 0u, 0.0, 0.0);
    }
    let quads = params.pixels.rows * params.pixels.quads;
    let stride = workgroups.x * WORKGROUP_SIZE;
    for (var i = workgroup.x * WORKGROUP_SIZE + lane; i < quads; i += stride) {
        let quad = quad_at(i);
        for (var pixel = 0u; pixel < 4u; pixel++) {
            if (is_counted(quad, pixel)) {
                let values = values_of(quad, pixel);
                for (var channel = 0u; channel < 4u; channel++) {
                    results[channel] = include_value(results[channel], values[channel]);
                }
            }
        }
    }
    for (var channel = 0u; channel < 4u; channel++) {
        shared_results[lane] = results[channel];
        workgroupBarrier();
        for (var half = WORKGROUP_SIZE / 2u; half > 0u; half /= 2u) {
            if (lane < half) {
                shared_results[lane] = merged(shared_results[lane], shared_results[lane + half]);
            }
            workgroupBarrier();
        }
        if (lane == 0u) {
            let all = shared_results[0];
            partials[4u * (params.first_partial + workgroup.x) + channel] =
                Partial(all.count, all.non_finite, all.shadows, all.highlights,
                        key_value(all.least), key_value(all.greatest), all.mean, all.m2);
        }
        workgroupBarrier();
    }
}
