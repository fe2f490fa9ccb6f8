// How much memory this machine, or the container around us, has to spare.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Bytes that can be allocated now without swapping: what the system calls available, or less
/// where a control group sets a limit. 0 when nothing is known.
[[nodiscard]] std::uint64_t available_memory();

/// "1.1 GB", "128 MB", "512 bytes": a size as people read it, in powers of 1000.
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

}  // namespace tessera
