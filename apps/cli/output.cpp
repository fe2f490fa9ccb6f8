#include "output.hpp"

#include "tessera/error.hpp"
#include "tessera/media.hpp"

#ifndef _WIN32
#include <poll.h>
#include <unistd.h>
#endif

namespace tessera::cli {
namespace {

bool reader_has_gone() noexcept {
#ifdef _WIN32
    return false;
#else
    pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
#endif
}

template <class Write>
auto write_to(const std::string& path, Write write) {
    try {
        return write();
    } catch (const Error&) {
        if (path == "-" && reader_has_gone()) throw ReaderGone{};
        throw;
    }
}

}  // namespace

void write_text(const std::string& text, const std::string& path) {
    write_to(path, [&] { save_text(text, path); });
}

std::vector<std::string> write_image(const Image& image, const std::string& path) {
    return write_to(path, [&] { return save_image(image, path); });
}

}  // namespace tessera::cli
