// One encoded picture, opened and read through OpenImageIO, with what its readers get wrong set
// right.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

#include "media/source.hpp"
#include "media/temporary_file.hpp"
#include "tessera/image.hpp"

namespace tessera::media {

/// Throws Error(input) for what a codec says about a picture.
[[noreturn]] void fail_decoding(const Source& source, const std::string& message);

/// Whether a codec's words mean that there was too little data.
[[nodiscard]] bool speaks_of_missing_data(const std::string& message);

/// An open picture, and the memory or temporary file that it reads from.
class Decoder {
public:
    /// `bytes` are the source's own, or a mended copy of them that outlives the decoder.
    Decoder(const Source& source, ByteView bytes, const std::string& format);

    /// The header; where the picture could not be opened, what was understood of it until then.
    [[nodiscard]] const OIIO::ImageSpec& spec() const noexcept { return spec_; }

    /// Throws unless the picture was opened and is of a kind that is read right.
    void require_readable() const;

    /// How the decoded pixels have to be turned, 1 to 8 as in EXIF.
    [[nodiscard]] int orientation() const;

    /// Reads channels into the samples of an image. Returns what the codec warned of.
    [[nodiscard]] std::string read(const std::vector<int>& channels, Image& image);

    [[nodiscard]] bool has_more_pictures();

private:
    void read_channels(int first, int last, Image& image, std::size_t to_channel);
    bool read_row(int y, int first, int last, OIIO::TypeDesc type, std::byte* to,
                  OIIO::stride_t pixel_bytes);

    const Source& source_;
    std::string format_;
    std::optional<OIIO::Filesystem::IOMemReader> memory_;
    std::optional<TemporaryFile> copy_;
    std::unique_ptr<OIIO::ImageInput> input_;  // closed before what it reads from goes
    OIIO::ImageSpec spec_;
    bool open_ = false;
};

}  // namespace tessera::media
