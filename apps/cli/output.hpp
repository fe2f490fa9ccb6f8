// Results to files or to standard output ("-").
#pragma once

#include <string>
#include <vector>

#include "tessera/image.hpp"

namespace tessera::cli {

/// Thrown when the reader of standard output has gone (`tessera ... | head`): it wants no more,
/// and no complaint either.
struct ReaderGone {};

/// Whole or not at all. Throw Error(output) with the reason, or ReaderGone.
void write_text(const std::string& text, const std::string& path);
std::vector<std::string> write_image(const Image& image, const std::string& path);

}  // namespace tessera::cli
