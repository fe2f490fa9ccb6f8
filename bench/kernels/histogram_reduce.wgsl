// Baseline: adds chunk `left + stride` to chunk `left`, for every pair; log2(chunks) dispatches
// leave the sum in chunk 0.

const BINS: u32 = 256;

struct Params {
    stride: u32,
    chunks: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> chunks: array<vec4u>;

@compute @workgroup_size(BINS)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) workgroup: vec3u,
        @builtin(num_workgroups) workgroups: vec3u) {
    let left = 2u * params.stride * (workgroup.y * workgroups.x + workgroup.x);
    let right = left + params.stride;
    if (right < params.chunks) {
        chunks[left * BINS + lane] += chunks[right * BINS + lane];
    }
}
