// Lays a drawing (premultiplied RGBA of 8 bits) over a picture of any format.
// One invocation makes four pixels, whose samples begin and end on words. Where the drawing is
// clear the samples are copied to the bit. Bound by memory.

struct Params {
    pixels: PixelParams,
    target_row: u32,    // rows of the target's binding to skip
    target_pitch: u32,  // words
    layer_row: i32,     // the layer's row that lies on the band's first row
    layer_pitch: u32,   // words
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> pixels: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<f32>;
@group(0) @binding(3) var<storage, read> layer: array<u32>;
@group(0) @binding(4) var<storage, read_write> target_pixels: array<u32>;

#include "pixels/pixels.inc.wgsl"

override WORKGROUP_SIZE: u32 = 64;
override TARGET_CHANNELS: u32 = 4;  // 3 or 4

fn to_unit(bits: u32) -> f32 {
    if (IS_FLOAT) {
        if (SAMPLE_BYTES == 2u) {
            return half_bits_to_float(bits);
        }
        return bitcast<f32>(bits);
    }
    return f32(bits) / select(255.0, 65535.0, SAMPLE_BYTES == 2u);
}

fn from_unit(value: f32) -> u32 {
    if (IS_FLOAT) {
        if (SAMPLE_BYTES == 2u) {
            return pack2x16float(vec2f(value, 0.0)) & 0xffffu;
        }
        return bitcast<u32>(value);
    }
    let full = select(255.0, 65535.0, SAMPLE_BYTES == 2u);
    return u32(clamp(floor(value * full + 0.5), 0.0, full));
}

// The samples of one picture pixel, red, green, blue, alpha; a grey is all three.
fn picture_bits(quad: Quad, pixel: u32) -> vec4u {
    var bits = vec4u(sample_bits(quad, pixel, 0u));
    if (CHANNELS >= 3u) {
        bits.y = sample_bits(quad, pixel, 1u);
        bits.z = sample_bits(quad, pixel, 2u);
    }
    if (CHANNELS == 2u || CHANNELS == 4u) {
        bits.w = sample_bits(quad, pixel, CHANNELS - 1u);
    }
    return bits;
}

fn blend(bits: vec4u, drawing: vec4f) -> vec4u {
    var alpha = 1.0;
    if (TARGET_CHANNELS == 4u) {
        alpha = to_unit(bits.w);
    }
    let share = alpha * (1.0 - drawing.a);
    let all = drawing.a + share;
    let picture = vec3f(to_unit(bits.x), to_unit(bits.y), to_unit(bits.z));
    let color = (drawing.rgb + picture * share) / all;
    return vec4u(from_unit(color.x), from_unit(color.y), from_unit(color.z), from_unit(all));
}

fn result_bits(quad: Quad, pixel: u32, layer_row: i32) -> vec4u {
    let bits = picture_bits(quad, pixel);
    if (layer_row < 0) {
        return bits;
    }
    let drawing = layer[u32(layer_row) * params.layer_pitch + quad.column + pixel];
    if (drawing >> 24u == 0u) {
        return bits;
    }
    return blend(bits, unpack4x8unorm(drawing));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let index = id.y * workgroups.x * WORKGROUP_SIZE + id.x;
    if (index >= params.pixels.rows * params.pixels.quads) {
        return;
    }
    let quad = quad_at(index);
    let row = index / params.pixels.quads;
    let first_word = quad.column * TARGET_CHANNELS * SAMPLE_BYTES / 4u;
    let target_row = (params.target_row + row) * params.target_pitch;

    var word = 0u;
    var sample = 0u;
    for (var pixel = 0u; pixel < 4u; pixel++) {
        var bits = vec4u();
        if (quad.column + pixel < params.pixels.right) {
            bits = result_bits(quad, pixel, params.layer_row + i32(row));
        }
        for (var channel = 0u; channel < TARGET_CHANNELS; channel++) {
            word |= bits[channel] << (8u * (sample * SAMPLE_BYTES % 4u));
            sample += 1u;
            if (sample * SAMPLE_BYTES % 4u == 0u) {
                let at = first_word + sample * SAMPLE_BYTES / 4u - 1u;
                // Words past the row's end belong to the next row.
                if (at < params.target_pitch) {
                    target_pixels[target_row + at] = word;
                }
                word = 0u;
            }
        }
    }
}
