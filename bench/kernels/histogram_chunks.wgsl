// Baseline: one workgroup counts a chunk of 256 pixels in workgroup memory, one pixel an
// invocation, and stores the chunk's bins. For every 4 bytes read it writes 16.

const BINS: u32 = 256;

@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> chunks: array<vec4u>;

var<workgroup> counters: array<atomic<u32>, 4 * BINS>;

@compute @workgroup_size(BINS)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) workgroup: vec3u,
        @builtin(num_workgroups) workgroups: vec3u) {
    for (var channel = 0u; channel < 4u; channel++) {
        atomicStore(&counters[4u * lane + channel], 0u);
    }
    workgroupBarrier();
    let chunk = workgroup.y * workgroups.x + workgroup.x;
    let i = chunk * BINS + lane;
    if (i < arrayLength(&pixels)) {
        let codes = (vec4u(pixels[i]) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu);
        let luminance = (13933u * codes.x + 46871u * codes.y + 4732u * codes.z + 32768u) >> 16u;
        atomicAdd(&counters[4u * codes.x], 1u);
        atomicAdd(&counters[4u * codes.y + 1u], 1u);
        atomicAdd(&counters[4u * codes.z + 2u], 1u);
        atomicAdd(&counters[4u * luminance + 3u], 1u);
    }
    workgroupBarrier();
    if (chunk < arrayLength(&chunks) / BINS) {
        chunks[chunk * BINS + lane] = vec4u(atomicLoad(&counters[4u * lane]), atomicLoad(&counters[4u * lane + 1u]),
                                            atomicLoad(&counters[4u * lane + 2u]), atomicLoad(&counters[4u * lane + 3u]));
    }
}
