// Baseline: one invocation counts everything. What a first shader does, and what never to do.

override BINS: u32 = 256;

@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < arrayLength(&pixels); i++) {
        let codes = (vec4u(pixels[i]) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu);
        let luminance = (13933u * codes.x + 46871u * codes.y + 4732u * codes.z + 32768u) >> 16u;
        counts[4u * codes.x] += 1u;
        counts[4u * codes.y + 1u] += 1u;
        counts[4u * codes.z + 2u] += 1u;
        counts[4u * luminance + 3u] += 1u;
    }
}
