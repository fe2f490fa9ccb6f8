// Turns a drawing's premultiplied colours into straight ones, in place.
// One invocation a pixel; bound by memory.

override WORKGROUP_SIZE: u32 = 64;

@group(0) @binding(0) var<storage, read_write> pixels: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let i = id.y * workgroups.x * WORKGROUP_SIZE + id.x;
    if (i >= arrayLength(&pixels)) {
        return;
    }
    let color = vec4f((vec4u(pixels[i]) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu));
    if (color.a > 0.0 && color.a < 255.0) {
        let straight = vec4u(min(floor(color.rgb * 255.0 / color.a + 0.5), vec3f(255.0)).rgbb);
        pixels[i] = straight.x | (straight.y << 8u) | (straight.z << 16u) | (pixels[i] & 0xff000000u);
    }
}
