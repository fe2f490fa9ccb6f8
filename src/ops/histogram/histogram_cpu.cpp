#include "ops/histogram/histogram_cpu.hpp"

#include <algorithm>
#include <vector>

#include "engine/cpu/byte_counters.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/cpu/pixel_walk.hpp"
#include "engine/cpu/planes.hpp"
#include "ops/histogram/bins_cpu.hpp"
#include "ops/pixels/values.hpp"
#include "tessera/histogram.hpp"

namespace tessera {
namespace {

/// Integer samples need their place on the 0..1 scale only for a range other than that scale.
bool is_unit_range(const ValueRange& range) {
    return !range.automatic && range.low == 0.0f && range.high == 1.0f;
}

/// Everything that the counting of one picture depends on.
struct Task {
    const HistogramParams& params;
    const Image& image;
    cpu::PixelWalk walk;
    LumaWeights weights;
    ValueRule rule;

    [[nodiscard]] std::uint32_t bins() const { return static_cast<std::uint32_t>(params.bins); }
    [[nodiscard]] PixelFormat format() const { return image.format(); }
};

Task make_task(const HistogramParams& params, const Image& image) {
    const Rectangle roi = resolve_roi(params.roi, image.info());
    return {params, image, cpu::PixelWalk(image, roi, params.opaque_only),
            luma_weights(params.luma),
            value_rule(image.info(), params.linear, !is_unit_range(params.range))};
}

/// Totals of one channel each, bin by bin, as the operator's output holds them.
using Totals = std::span<std::uint64_t>;

// ---- codes of 8 bits ----

cpu::ByteCounts count_bytes(const Task& task) {
    cpu::ByteCounts totals{};
    const auto count = [&](cpu::ByteCounters& counters, std::uint64_t begin, std::uint64_t end) {
        task.walk.visit(begin, end, [&](const std::byte* pixels, std::size_t pixel_count) {
            counters.count(pixels, pixel_count);
        });
    };
    cpu::parallel_gather(
        task.walk.pieces(), task.walk.grain(),
        [&] { return cpu::ByteCounters(task.format().channels, task.weights); }, count,
        [&](cpu::ByteCounters& counters) { counters.move_to(totals); });
    return totals;
}

/// Every code belongs to one bin, so codes are counted first and binned afterwards.
void histogram_of_bytes(const Task& task, Totals totals) {
    const cpu::ByteCounts counts = count_bytes(task);
    for (std::uint32_t code = 0; code < 256; ++code) {
        const std::size_t bin = cpu::bin_of_code(code, task.bins(), 255);
        for (std::size_t channel = 0; channel < 4; ++channel) {
            totals[bin * 4 + channel] += counts[channel][code];
        }
    }
}

// ---- everything else ----

/// The counters of one thread for planes of bins.
class BinCounters {
public:
    BinCounters(std::uint32_t rows, std::uint32_t planes)
        : rows_(rows),
          planes_(planes),
          counters_(std::size_t{rows} * planes * copies),
          totals_(std::size_t{rows} * 4) {}

    void count(const cpu::Planes<std::uint16_t>& bins, std::size_t count) {
        for (std::uint32_t c = 0; c < planes_; ++c) {
            count_plane(bins.channel[c].data(), count, &counters_[std::size_t{c} * rows_ * copies]);
        }
        pending_ += count;
        if (pending_ > 0xffffffffu - cpu::block_pixels) flush();
    }

    void add_to(Totals totals) {
        flush();
        for (std::size_t i = 0; i < totals_.size(); ++i) totals[i] += totals_[i];
    }

private:
    // A neighbour with the same bin is counted elsewhere, so that it need not wait.
    static constexpr std::size_t copies = 4;

    static void count_plane(const std::uint16_t* bins, std::size_t count, std::uint32_t* counters) {
        std::size_t i = 0;
        for (; i + copies <= count; i += copies) {
            for (std::size_t copy = 0; copy < copies; ++copy) {
                ++counters[std::size_t{bins[i + copy]} * copies + copy];
            }
        }
        for (; i < count; ++i) ++counters[std::size_t{bins[i]} * copies];
    }

    /// A grey picture's plane is counted for all four channels.
    void flush() {
        for (std::size_t channel = 0; channel < 4; ++channel) {
            const std::size_t plane = planes_ == 4 ? channel : 0;
            for (std::size_t row = 0; row < rows_; ++row) {
                for (std::size_t copy = 0; copy < copies; ++copy) {
                    totals_[row * 4 + channel] += counters_[(plane * rows_ + row) * copies + copy];
                }
            }
        }
        std::fill(counters_.begin(), counters_.end(), 0u);
        pending_ = 0;
    }

    std::size_t rows_;
    std::uint32_t planes_;
    std::uint64_t pending_ = 0;
    std::vector<std::uint32_t> counters_;  // [plane][row][copy]
    std::vector<std::uint64_t> totals_;    // [row][channel]
};

/// Counts what `make_reader()`'s readers make of blocks of pixels:
/// `const Planes<uint16_t>& reader(const std::byte* pixels, size_t count)`, planes of bins.
template <class MakeReader>
void count_bins(const Task& task, Totals totals, MakeReader make_reader) {
    const std::uint32_t planes = cpu::filled_planes(task.format());
    struct State {
        decltype(make_reader()) reader;
        BinCounters counters;
    };
    const auto count = [&](State& state, std::uint64_t begin, std::uint64_t end) {
        task.walk.visit(begin, end, [&](const std::byte* pixels, std::size_t pixel_count) {
            state.counters.count(state.reader(pixels, pixel_count), pixel_count);
        });
    };
    cpu::parallel_gather(
        task.walk.pieces(), task.walk.grain(),
        [&] {
            return State{make_reader(), BinCounters(task.bins() + 1, planes)};
        },
        count, [&](State& state) { state.counters.add_to(totals); });
}

/// 16-bit codes.
void histogram_of_words(const Task& task, Totals totals) {
    count_bins(task, totals, [&] {
        return [&task, codes = cpu::Planes<std::uint16_t>()](
                   const std::byte* pixels,
                   std::size_t count) mutable -> const cpu::Planes<std::uint16_t>& {
            const PixelFormat format = task.format();
            cpu::codes_of_pixels(pixels, count, format.channels, task.weights, codes);
            for (std::uint32_t c = 0; c < cpu::filled_planes(format); ++c) {
                cpu::bins_of_codes(codes.channel[c].data(), count, task.bins());
            }
            return codes;
        };
    });
}

ValueRange find_range(const Task& task) {
    struct State {
        cpu::ValueReader reader;
        cpu::KeyRange keys;
    };
    cpu::KeyRange keys;
    const std::uint32_t colours = task.format().colour_channels();
    const auto widen = [&](State& state, std::uint64_t begin, std::uint64_t end) {
        task.walk.visit(begin, end, [&](const std::byte* pixels, std::size_t count) {
            const cpu::Planes<float>& values = state.reader.read(pixels, count);
            for (std::uint32_t c = 0; c < colours; ++c) {
                cpu::widen_range(values.channel[c].data(), count, state.keys);
            }
        });
    };
    const auto merge = [&](const State& state) {
        keys.least = std::min(keys.least, state.keys.least);
        keys.greatest = std::max(keys.greatest, state.keys.greatest);
    };
    cpu::parallel_gather(
        task.walk.pieces(), task.walk.grain(),
        [&] {
            return State{cpu::ValueReader(task.format(), task.rule, task.weights), {}};
        },
        widen, merge);
    if (keys.empty()) return {};
    return {true, cpu::value_of_key(keys.least), cpu::value_of_key(keys.greatest)};
}

void histogram_of_values(const Task& task, const ValueRange& range, Totals totals) {
    const float scale = bin_scale(task.params.bins, range.low, range.high);
    count_bins(task, totals, [&] {
        return [&task, &range, scale,
                reader = cpu::ValueReader(task.format(), task.rule, task.weights),
                bins = cpu::Planes<std::uint16_t>()](
                   const std::byte* pixels,
                   std::size_t count) mutable -> const cpu::Planes<std::uint16_t>& {
            const cpu::Planes<float>& values = reader.read(pixels, count);
            for (std::uint32_t c = 0; c < cpu::filled_planes(task.format()); ++c) {
                cpu::bins_of_values(values.channel[c].data(), count, range.low, scale, task.bins(),
                                    bins.channel[c].data());
            }
            return bins;
        };
    });
}

}  // namespace

void run_histogram(const Node& node, std::span<const Data* const> inputs,
                   std::span<Data* const> outputs) {
    const Task task = make_task(node.as<HistogramParams>(), std::get<Image>(*inputs[0]));
    const Totals totals = std::get<Array>(*outputs[0]).as<std::uint64_t>();
    std::fill(totals.begin(), totals.end(), 0u);

    ValueRange range = task.params.range;
    if (range.automatic) range = find_range(task);
    if (task.rule.path != ValuePath::codes) {
        histogram_of_values(task, range, totals);
    } else if (task.format().sample == SampleType::u8) {
        histogram_of_bytes(task, totals);
    } else {
        histogram_of_words(task, totals);
    }
    const auto used = std::get<Array>(*outputs[1]).as<float>();
    used[0] = range.low;
    used[1] = range.high;
}

}  // namespace tessera
