#include "ops/statistics/statistics_cpu.hpp"

#include <array>
#include <limits>

#include "base/errors.hpp"
#include "engine/cpu/byte_counters.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/cpu/pixel_walk.hpp"
#include "engine/cpu/planes.hpp"
#include "ops/pixels/values.hpp"
#include "ops/statistics/moments_cpu.hpp"
#include "ops/statistics/partials.hpp"
#include "tessera/statistics.hpp"

namespace tessera {
namespace {

/// Red, green, blue, luminance.
using ChannelMoments = std::array<cpu::Moments, 4>;

/// Everything that one picture's statistics depend on.
struct Task {
    PixelFormat format;
    cpu::PixelWalk walk;
    LumaWeights weights;
    ValueRule rule;
};

Task make_task(const StatisticsParams& params, const Image& image) {
    const Rectangle roi = resolve_roi(params.roi, image.info());
    return {image.format(), cpu::PixelWalk(image, roi, params.opaque_only),
            luma_weights(params.luma), value_rule(image.info(), params.linear, false)};
}

/// Counts of a partial result have 32 bits.
void check_size(const Task& task) {
    constexpr std::uint64_t most =
        std::uint64_t{statistics_partials} * std::numeric_limits<std::uint32_t>::max() / 2;
    if (task.walk.pixels() > most) {
        fail(ErrorCode::unsupported,
             "statistics of {} pixels at once are too many: give a roi of at most {} pixels",
             task.walk.pixels(), most);
    }
}

/// Codes of 8 bits: all that there is to know lies in how often each occurs.
ChannelMoments moments_of_bytes(const Task& task, std::uint64_t begin, std::uint64_t end) {
    cpu::ByteCounters counters(task.format.channels, task.weights);
    cpu::ByteCounts counts{};
    task.walk.visit(begin, end, [&](const std::byte* pixels, std::size_t count) {
        counters.count(pixels, count);
    });
    counters.move_to(counts);
    ChannelMoments moments;
    for (std::size_t c = 0; c < 4; ++c) moments[c] = cpu::moments_of_counts(counts[c]);
    return moments;
}

/// Codes of 16 bits, which floats hold exactly.
ChannelMoments moments_of_words(const Task& task, std::uint64_t begin, std::uint64_t end) {
    cpu::Planes<std::uint16_t> codes;
    cpu::Planes<float> values;
    ChannelMoments moments;
    task.walk.visit(begin, end, [&](const std::byte* pixels, std::size_t count) {
        cpu::codes_of_pixels(pixels, count, task.format.channels, task.weights, codes);
        for (std::size_t c = 0; c < cpu::filled_planes(task.format); ++c) {
            for (std::size_t i = 0; i < count; ++i) {
                values.channel[c][i] = static_cast<float>(codes.channel[c][i]);
            }
            moments[c].merge(cpu::moments_of_values(values.channel[c].data(), count, 65535.0f));
        }
    });
    return moments;
}

ChannelMoments moments_of_values(const Task& task, std::uint64_t begin, std::uint64_t end) {
    cpu::ValueReader reader(task.format, task.rule, task.weights);
    ChannelMoments moments;
    task.walk.visit(begin, end, [&](const std::byte* pixels, std::size_t count) {
        const cpu::Planes<float>& values = reader.read(pixels, count);
        for (std::size_t c = 0; c < cpu::filled_planes(task.format); ++c) {
            moments[c].merge(cpu::moments_of_values(values.channel[c].data(), count, 1.0f));
        }
    });
    return moments;
}

ChannelMoments moments_of(const Task& task, std::uint64_t begin, std::uint64_t end) {
    if (task.rule.path != ValuePath::codes) return moments_of_values(task, begin, end);
    if (task.format.sample == SampleType::u8) return moments_of_bytes(task, begin, end);
    return moments_of_words(task, begin, end);
}

}  // namespace

void run_statistics(const Node& node, std::span<const Data* const> inputs,
                    std::span<Data* const> outputs) {
    const Task task = make_task(node.as<StatisticsParams>(), std::get<Image>(*inputs[0]));
    check_size(task);
    const auto partials = std::get<Array>(*outputs[0]).as<StatisticsPartial>();
    const std::uint64_t pieces = task.walk.pieces();

    // Which pixels belong to which partial result does not depend on the number of threads, so
    // neither do the results.
    const auto first_piece = [&](std::uint64_t partial) {
        return pieces / statistics_partials * partial +
               pieces % statistics_partials * partial / statistics_partials;
    };
    const auto work = [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
            const std::uint64_t first = first_piece(i), last = first_piece(i + 1);
            ChannelMoments moments;
            if (first < last) moments = moments_of(task, first, last);
            const bool grey = cpu::filled_planes(task.format) == 1;
            for (std::size_t c = 0; c < 4; ++c) {
                partials[i * 4 + c] = cpu::to_partial(moments[grey ? 0 : c]);
            }
        }
    };
    const bool small = pieces <= task.walk.grain();
    cpu::parallel_for(statistics_partials, small ? statistics_partials : 1, work);
}

}  // namespace tessera
