#include "photo_bytes.hpp"

// The assembler includes the file as it is: quicker to compile than half a million numbers.
asm(R"(
    .section .rodata
    .global tessera_bench_photo
tessera_bench_photo:
    .incbin ")" TESSERA_BENCH_PHOTO R"("
    .global tessera_bench_photo_end
tessera_bench_photo_end:
    .byte 0
    .text
)");

extern "C" {
// Of unknown length to the compiler, which must not take the labels for single bytes.
extern const std::uint8_t tessera_bench_photo[];
extern const std::uint8_t tessera_bench_photo_end[];
}

namespace tessera::bench {

std::span<const std::uint8_t> photo_bytes() {
    constexpr std::size_t size = std::size_t{photo_width} * photo_height * 3;
    // A binary PPM is a header of a few bytes, then its pixels.
    const auto file_size = static_cast<std::size_t>(tessera_bench_photo_end - tessera_bench_photo);
    return {tessera_bench_photo + (file_size - size), size};
}

}  // namespace tessera::bench
