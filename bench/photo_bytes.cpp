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
extern const std::uint8_t tessera_bench_photo[];
extern const std::uint8_t tessera_bench_photo_end[];
}

namespace tessera::bench {

std::span<const std::uint8_t> photo_bytes() {
    constexpr std::size_t size = std::size_t{photo_width} * photo_height * 3;
    // A binary PPM ends with its pixels.
    return {tessera_bench_photo_end - size, size};
}

}  // namespace tessera::bench
