#include "media/codec.hpp"

#include <mutex>
#include <string_view>

#include <OpenImageIO/imageio.h>

namespace tessera::media {

void prepare_codecs() {
    static std::once_flag once;
    // At its default level it tells programmers on standard error which metadata it does not know.
    std::call_once(once, [] { OIIO::attribute("debug", 0); });
}

std::string one_line(const std::string& message) {
    std::string line = message.substr(0, message.find_first_of("\r\n"));
    const std::string name = picture_in_memory;
    for (const std::string& form : {" (\"" + name + "\")", "\"" + name + "\"", name}) {
        for (auto at = line.find(form); at != std::string::npos; at = line.find(form)) {
            line.erase(at, form.size());
        }
    }
    // Who speaks is of no interest.
    for (const std::string_view speaker : {"PNG read error:", "PNG write error:", "JPEG error:",
                                           "Could not open file:", "Failed OpenEXR read:"}) {
        if (line.starts_with(speaker)) line.erase(0, speaker.size());
    }
    line.erase(0, line.find_first_not_of(" :"));
    line.erase(line.find_last_not_of(" .:") + 1);
    return line.empty() ? "no reason is known" : line;
}

OIIO::TypeDesc type_of(SampleType sample) {
    switch (sample) {
        case SampleType::u8:
            return OIIO::TypeDesc::UINT8;
        case SampleType::u16:
            return OIIO::TypeDesc::UINT16;
        case SampleType::f16:
            return OIIO::TypeDesc::HALF;
        case SampleType::f32:
            return OIIO::TypeDesc::FLOAT;
    }
    return OIIO::TypeDesc::UNKNOWN;
}

}  // namespace tessera::media
