// Pixels of any format out of a buffer of words, as the values of docs/pixel-values.md.
// The kernel that includes this binds `pixels` and `table`, and has a `params: Params` whose
// field `pixels` is a PixelParams.

override SAMPLE_BYTES: u32 = 1;  // of one sample: 1, 2 or 4
override CHANNELS: u32 = 4;      // samples of one pixel
override PATH: u32 = 0;          // ValuePath: 0 codes, 1 floats, 2 table, 3 interpolated table
override IS_FLOAT: bool = false;  // halfs and floats, whatever the path
override OPAQUE_ONLY: bool = false;  // leave out pixels whose alpha is 0

struct PixelParams {
    first_row: u32,      // rows of the binding to skip
    rows: u32,
    left: u32,           // columns [left, right) are looked at
    right: u32,
    pitch: u32,          // words from row to row
    first_quad: u32,     // left / 4
    quads: u32,          // groups of 4 pixels in a row
    zero: u32,           // 0, but no compiler may know
    luma_fixed: vec4u,
    luma: vec4f,
}

// Where a group of 4 pixels lies. Such a group begins on a word in every format.
struct Quad {
    word: u32,
    column: u32,
}

fn quad_at(index: u32) -> Quad {
    let row = index / params.pixels.quads;
    let quad = params.pixels.first_quad + index % params.pixels.quads;
    return Quad((params.pixels.first_row + row) * params.pixels.pitch + quad * (CHANNELS * SAMPLE_BYTES), quad * 4u);
}

fn sample_bits(quad: Quad, pixel: u32, channel: u32) -> u32 {
    let byte = (pixel * CHANNELS + channel) * SAMPLE_BYTES;
    let word = pixels[quad.word + byte / 4u];
    if (SAMPLE_BYTES == 4u) {
        return word;
    }
    let mask = select(0xffu, 0xffffu, SAMPLE_BYTES == 2u);
    return (word >> (8u * (byte % 4u))) & mask;
}

fn is_counted(quad: Quad, pixel: u32) -> bool {
    let column = quad.column + pixel;
    if (column < params.pixels.left || column >= params.pixels.right) {
        return false;
    }
    if (OPAQUE_ONLY) {
        let alpha = sample_bits(quad, pixel, CHANNELS - 1u);
        // A float of 0 has no bit set but perhaps its sign.
        let sign = select(0u, 1u << (8u * SAMPLE_BYTES - 1u), IS_FLOAT);
        return (alpha & ~sign) != 0u;
    }
    return true;
}

// Red, green, blue and luminance as codes.
fn pixel_codes(quad: Quad, pixel: u32) -> vec4u {
    let red = sample_bits(quad, pixel, 0u);
    if (CHANNELS < 3u) {
        return vec4u(red);
    }
    let green = sample_bits(quad, pixel, 1u);
    let blue = sample_bits(quad, pixel, 2u);
    let weights = params.pixels.luma_fixed;
    return vec4u(red, green, blue, (weights.x * red + weights.y * green + weights.z * blue + 32768u) >> 16u);
}

// Keeps a product from being fused with the sum that follows: WGSL has no other way to say so.
fn rounded(value: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(value) ^ params.pixels.zero);
}

// Single precision from half, to the bit, subnormals included.
fn half_bits_to_float(half: u32) -> f32 {
    let sign = (half & 0x8000u) << 16u;
    let magnitude = half & 0x7fffu;
    if (magnitude >= 0x7c00u) {
        return bitcast<f32>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13u));
    }
    if (magnitude < 0x400u) {
        return bitcast<f32>(sign | bitcast<u32>(f32(magnitude) * 0x1p-24f));
    }
    return bitcast<f32>(sign | ((magnitude << 13u) + 0x38000000u));
}

fn is_finite(value: f32) -> bool {
    return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}

fn interpolated(bits: u32) -> f32 {
    let magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) {
        return bitcast<f32>(bits);
    }
    let entry = magnitude >> 13u;
    let fraction = f32(magnitude & 0x1fffu) * 0x1p-13f;
    let low = table[entry];
    let value = low + rounded((table[entry + 1u] - low) * fraction);
    return bitcast<f32>(bitcast<u32>(value) | (bits & 0x80000000u));
}

fn sample_value(quad: Quad, pixel: u32, channel: u32) -> f32 {
    let bits = sample_bits(quad, pixel, channel);
    if (PATH == 2u) {
        return table[bits];
    }
    if (PATH == 3u) {
        return interpolated(bits);
    }
    if (SAMPLE_BYTES == 2u) {
        return half_bits_to_float(bits);
    }
    return bitcast<f32>(bits);
}

// Red, green, blue and luminance as values. Luminance is NaN when any of its channels is not finite.
fn pixel_values(quad: Quad, pixel: u32) -> vec4f {
    let red = sample_value(quad, pixel, 0u);
    if (CHANNELS < 3u) {
        return vec4f(red);
    }
    let green = sample_value(quad, pixel, 1u);
    let blue = sample_value(quad, pixel, 2u);
    let weights = params.pixels.luma;
    var luminance = rounded(rounded(weights.x * red) + rounded(weights.y * green)) + rounded(weights.z * blue);
    if (!(is_finite(red) && is_finite(green) && is_finite(blue))) {
        luminance = bitcast<f32>(0x7fc00000u ^ params.pixels.zero);
    }
    return vec4f(red, green, blue, luminance);
}

// Orders floats as unsigned integers. 0 and its complement belong to no finite float.
fn ordered_key(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    return select(bits | 0x80000000u, ~bits, (bits >> 31u) != 0u);
}

fn key_value(key: u32) -> f32 {
    return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) != 0u));
}
