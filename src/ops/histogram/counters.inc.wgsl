// Counters of one workgroup, and how they join those of the whole picture.
// The kernel that includes this binds `counts`.

override BINS: u32 = 256;
override ROWS: u32 = 256;             // rows of counters: the bins, and one for what has no bin
override CHANNELS_AT_ONCE: u32 = 4;   // of red, green, blue, luminance: as many as fit
override WORKGROUP_SIZE: u32 = 256;
override WIDE: bool = false;          // totals may pass 32 bits

// Channel by channel, so that the lanes of a subgroup, which count one channel at a time, spread
// over all banks.
var<workgroup> counters: array<atomic<u32>, CHANNELS_AT_ONCE * ROWS>;

// Workgroup memory is not relied upon to start at zero.
fn clear_counters(lane: u32) {
    for (var i = lane; i < CHANNELS_AT_ONCE * ROWS; i += WORKGROUP_SIZE) {
        atomicStore(&counters[i], 0u);
    }
    workgroupBarrier();
}

// Adding a literal 1 and using no result lets devices count equal lanes at once, so neighbours
// that look alike are cheap. `channel`: 0..3 for red, green, blue, luminance; `group`: which
// channels this workgroup counts. That all four fit is told apart first: the comparison would cost
// a tenth of the whole time.
fn count(channel: u32, bin: u32, group: u32) {
    if (CHANNELS_AT_ONCE == 4u || channel / CHANNELS_AT_ONCE == group) {
        atomicAdd(&counters[(channel % CHANNELS_AT_ONCE) * ROWS + bin], 1u);
    }
}

fn count_pixel(bins: vec4u, group: u32) {
    for (var channel = 0u; channel < 4u; channel++) {
        count(channel, bins[channel], group);
    }
}

// Totals are 64 bits in two words, bin by bin: red, green, blue, luminance. Lanes go through them
// in that order, so that their additions share memory lines; each workgroup starts elsewhere, so
// that they do not all queue for the same line.
fn merge_counters(lane: u32, workgroup: u32, group: u32) {
    workgroupBarrier();
    for (var i = lane; i < CHANNELS_AT_ONCE * ROWS; i += WORKGROUP_SIZE) {
        let place = (i + 32u * workgroup) % (CHANNELS_AT_ONCE * ROWS);
        let bin = place / CHANNELS_AT_ONCE;
        let channel = place % CHANNELS_AT_ONCE;
        let added = atomicLoad(&counters[channel * ROWS + bin]);
        if (added != 0u) {
            let total = 2u * (4u * bin + group * CHANNELS_AT_ONCE + channel);
            if (WIDE) {
                let before = atomicAdd(&counts[total], added);
                if (before + added < before) {
                    atomicAdd(&counts[total + 1u], 1u);
                }
            } else {
                atomicAdd(&counts[total], added);
            }
        }
    }
}
