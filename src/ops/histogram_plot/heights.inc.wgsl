// Counts as heights of a drawing, before they are scaled.
// The kernel that includes this binds `counts`: 64 bits, bin by bin: red, green, blue, luminance.

override BINS: u32 = 256;
override LOGARITHMIC: bool = false;

fn bin_counts(bin: u32) -> vec4f {
    var values: vec4f;
    for (var channel = 0u; channel < 4u; channel++) {
        let words = counts[4u * bin + channel];
        values[channel] = f32(words.x) + f32(words.y) * 4294967296.0;
    }
    return values;
}

// log2 of a number of at least 1, to about two units in the last place: WGSL's own may be off by
// enough to be seen in a tall drawing. The mantissa's logarithm by the series of atanh.
fn logarithm(value: f32) -> f32 {
    let bits = bitcast<u32>(value);
    var exponent = f32(bits >> 23u) - 127.0;
    var mantissa = bitcast<f32>((bits & 0x7fffffu) | 0x3f800000u);
    if (mantissa > 1.4142135) {
        mantissa *= 0.5;
        exponent += 1.0;
    }
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let s = t * t;
    return exponent + t * (2.8853901 + s * (0.96179669 + s * (0.57707802 + s * (0.41219858 + s * 0.32059890))));
}

fn height_values(amounts: vec4f) -> vec4f {
    if (!LOGARITHMIC) {
        return amounts;
    }
    return vec4f(logarithm(1.0 + amounts.x), logarithm(1.0 + amounts.y),
                 logarithm(1.0 + amounts.z), logarithm(1.0 + amounts.w));
}
