// Draws four histograms into one quad. The matrix places the unit square (y up) on the canvas.
// A fragment finds the bins of its column, and from its row's bottom to its top asks which of the
// four scaled heights reach: between two heights the four answers, as bits, pick one of 16 colours.

struct Panel {
    matrix: mat4x4f,
    size: vec2u,    // pixels
    channels: u32,  // bits 0..3: red, green, blue, luminance
    colors: array<vec4f, 16>,  // premultiplied
}

@group(0) @binding(0) var<uniform> panel: Panel;
@group(0) @binding(1) var<storage, read> counts: array<vec2u>;  // 64 bits, bin by bin: r, g, b, l
@group(0) @binding(2) var<storage, read> scale: vec4f;

#include "histogram_plot/heights.inc.wgsl"

struct Varying {
    @builtin(position) position: vec4f,
    @location(0) texture: vec2f,
}

@vertex
fn vertex_main(@builtin(vertex_index) index: u32) -> Varying {
    // Two triangles, corners 0 1 2 and 2 1 3; bit 0 of a corner is its x, bit 1 its y.
    let corner = array(0u, 1u, 2u, 2u, 1u, 3u)[index];
    let at = vec2f(f32(corner & 1u), f32(corner >> 1u));
    return Varying(panel.matrix * vec4f(at, 0.0, 1.0), at);
}

// The highest count among the bins that a column of pixels stands for, for each channel.
fn column_counts(column: u32) -> vec4f {
    let first = column * BINS / panel.size.x;
    let end = max(first + 1u, (column + 1u) * BINS / panel.size.x);
    var most = vec4f();
    for (var bin = first; bin < end; bin++) {
        most = max(most, bin_counts(bin));
    }
    return most;
}

fn heights(column: u32) -> vec4f {
    let values = height_values(column_counts(column));
    let drawn = (vec4u(panel.channels) >> vec4u(0u, 1u, 2u, 3u)) & vec4u(1u);
    return min(values * scale, vec4f(1.0)) * f32(panel.size.y) * vec4f(drawn);
}

@fragment
fn fragment_main(vertex: Varying) -> @location(0) vec4f {
    let place = min(vec2u(vertex.texture * vec2f(panel.size)), panel.size - 1u);
    let tops = heights(place.x);
    let end = f32(place.y) + 1.0;
    var at = f32(place.y);
    var color = vec4f();
    // At most four heights end inside this row, so five stretches of one colour each.
    for (var stretch = 0u; stretch < 5u; stretch++) {
        let reach = tops > vec4f(at);
        let above = select(vec4f(end), tops, reach);
        let next = min(end, min(min(above.x, above.y), min(above.z, above.w)));
        let bits = dot(select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), reach), vec4u(1u));
        color += (next - at) * panel.colors[bits];
        at = next;
    }
    return color;
}
