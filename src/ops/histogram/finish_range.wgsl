// Turns the keys of find_range into the range, and the range into the factor that takes a value to
// its bin. One invocation does it all.
// The quotient is worked out in integers: WGSL's own division may be wrong in its last bits, and
// the CPU engine's is not.

override BINS: u32 = 256;

struct BinRange {
    low: f32,
    scale: f32,
}
struct Params {
    zero: u32,  // 0, but no compiler may know
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> keys: array<u32, 2>;
@group(0) @binding(2) var<storage, read_write> range: array<f32, 2>;
@group(0) @binding(3) var<storage, read_write> bin_range: BinRange;

fn key_value(key: u32) -> f32 {
    return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) != 0u) ^ params.zero);
}

// numerator / denominator for normal, positive floats, to the nearest, ties to even; at most the
// largest finite float.
fn divide(numerator: f32, denominator: f32) -> f32 {
    let n = bitcast<u32>(numerator);
    let d = bitcast<u32>(denominator);
    var exponent = i32(n >> 23u) - i32(d >> 23u) + 127;
    var remainder = (n & 0x7fffffu) | 0x800000u;
    let divisor = (d & 0x7fffffu) | 0x800000u;
    if (remainder < divisor) {
        remainder <<= 1u;
        exponent -= 1;
    }
    // 24 bits of quotient, the first of them 1, and one more to round by.
    var quotient = 0u;
    for (var i = 0u; i < 25u; i++) {
        quotient <<= 1u;
        if (remainder >= divisor) {
            remainder -= divisor;
            quotient |= 1u;
        }
        remainder <<= 1u;
    }
    let half = (quotient & 1u) != 0u;
    quotient >>= 1u;
    if (half && (remainder != 0u || (quotient & 1u) != 0u)) {
        quotient += 1u;
    }
    if (quotient == 0x1000000u) {
        quotient >>= 1u;
        exponent += 1;
    }
    if (exponent >= 255) {
        return bitcast<f32>(0x7f7fffffu);
    }
    // Subnormal quotients, which devices may flush, count as 0.
    if (exponent <= 0) {
        return 0.0;
    }
    return bitcast<f32>((u32(exponent) << 23u) | (quotient & 0x7fffffu));
}

@compute @workgroup_size(1)
fn main() {
    var low = 0.0;
    var high = 1.0;
    if (keys[1] != 0u) {
        low = key_value(~keys[0]);
        high = key_value(keys[1]);
    }
    let width = bitcast<u32>(high - low);
    var scale = 0.0;
    if (width >= 0x00800000u && width < 0x7f800000u) {
        scale = divide(f32(BINS), bitcast<f32>(width));
    }
    range[0] = low;
    range[1] = high;
    bin_range = BinRange(low, scale);
}
