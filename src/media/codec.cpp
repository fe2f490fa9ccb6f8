#include "media/codec.hpp"

#include <mutex>
#include <regex>

#include <OpenImageIO/imageio.h>

namespace tessera::media {

void prepare_codecs() {
    static std::once_flag once;
    // At its default level it tells programmers on standard error which metadata it does not know.
    std::call_once(once, [] { OIIO::attribute("debug", 0); });
}

std::string one_line(const std::string& message) {
    std::string line = message.substr(0, message.find_first_of("\r\n"));
    static const std::regex name(R"(\s*\(?"?<picture>"?\)?)");
    // Who speaks is of no interest.
    static const std::regex speaker(
        R"(^[\s:]*((\w+ (read |write )?error|Could not open file|Failed OpenEXR read):)?[\s:]*)");
    line = std::regex_replace(line, name, "");
    line = std::regex_replace(line, speaker, "");
    line.erase(line.find_last_not_of(" .:") + 1);
    return line.empty() ? "no reason is known" : line;
}

OIIO::TypeDesc type_of(SampleType sample) {
    switch (sample) {
        case SampleType::u8: return OIIO::TypeDesc::UINT8;
        case SampleType::u16: return OIIO::TypeDesc::UINT16;
        case SampleType::f16: return OIIO::TypeDesc::HALF;
        case SampleType::f32: return OIIO::TypeDesc::FLOAT;
    }
    return OIIO::TypeDesc::UNKNOWN;
}

}  // namespace tessera::media
