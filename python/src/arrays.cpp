#include "arrays.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "tessera/error.hpp"

namespace tessera::python {
namespace {

constexpr const char* other_samples =
    "a picture's samples are uint8, uint16, float16, float32 or float64, and no others: convert "
    "with astype";

/// As Python writes a tuple.
template <class Lengths>
std::string tuple_text(const Lengths& lengths) {
    std::string text = "(";
    for (const auto length : lengths) {
        text += (text.size() == 1 ? "" : ", ") + std::to_string(length);
    }
    return text + (lengths.size() == 1 ? ",)" : ")");
}

std::span<const Py_ssize_t> shape_of(const Py_buffer& view) {
    return {view.shape, static_cast<std::size_t>(view.ndim)};
}

std::optional<SampleType> sample_type(char letter) {
    switch (letter) {
        case 'B':
            return SampleType::u8;
        case 'H':
            return SampleType::u16;
        case 'e':
            return SampleType::f16;
        case 'f':
        case 'd':
            return SampleType::f32;
        default:
            return std::nullopt;
    }
}

const char* numpy_name(SampleType sample) {
    switch (sample) {
        case SampleType::u8:
            return "uint8";
        case SampleType::u16:
            return "uint16";
        case SampleType::f16:
            return "float16";
        default:
            return "float32";
    }
}

const char* numpy_name(ElementType element) {
    switch (element) {
        case ElementType::u32:
            return "uint32";
        case ElementType::u64:
            return "uint64";
        default:
            return "float32";
    }
}

std::uint32_t side(Py_ssize_t length) {
    if (length < 1 || length > Py_ssize_t{UINT32_MAX}) {
        throw Error(
            ErrorCode::invalid_argument,
            "a picture has 1 to 4294967295 rows and columns, not " + std::to_string(length));
    }
    return static_cast<std::uint32_t>(length);
}

/// Strides in bytes of rows, pixels and channels.
struct Strides {
    Py_ssize_t row, pixel, channel;
};

Strides strides_of(const Py_buffer& view) {
    return {view.strides[0], view.strides[1], view.ndim == 3 ? view.strides[2] : view.itemsize};
}

/// Whether every row is what an Image's row is, at an address that its samples may have.
bool is_in_rows(const Py_buffer& view, PixelFormat format) {
    const Strides strides = strides_of(view);
    const auto at = reinterpret_cast<std::uintptr_t>(view.buf);
    const auto size = static_cast<Py_ssize_t>(bytes_per_sample(format.sample));
    const bool one_pixel = view.shape[1] == 1, one_channel = format.channels == 1;
    return view.itemsize == size && at % view.itemsize == 0 && strides.row % size == 0 &&
           (one_channel || strides.channel == size) &&
           (one_pixel || strides.pixel == size * format.channels);
}

/// Copies sample by sample, whatever the strides.
template <class From, class To>
void copy_samples(const Py_buffer& view, Image& image) {
    const Strides strides = strides_of(view);
    const std::uint32_t channels = image.format().channels;
    for (std::uint32_t y = 0; y < image.height(); ++y) {
        const char* row = static_cast<const char*>(view.buf) + strides.row * y;
        To* to = image.samples<To>(y).data();
        for (std::uint32_t x = 0; x < image.width(); ++x) {
            const char* pixel = row + strides.pixel * x;
            for (std::uint32_t c = 0; c < channels; ++c) {
                From sample;
                std::memcpy(&sample, pixel + strides.channel * c, sizeof sample);
                *to++ = static_cast<To>(sample);
            }
        }
    }
}

bool has_shape(const Py_buffer& view, std::span<const std::uint32_t> shape) {
    const auto trailing_one = [&] { return shape.size() == 3 && shape[2] == 1 && view.ndim == 2; };
    if (static_cast<std::size_t>(view.ndim) != shape.size() && !trailing_one()) return false;
    for (int i = 0; i < view.ndim; ++i) {
        if (view.shape[i] != Py_ssize_t{shape[i]}) return false;
    }
    return true;
}

struct ArrayForm {
    std::vector<std::uint32_t> shape;
    const char* type = "";
};

ArrayForm form_of(const ValueInfo& info) {
    if (const auto* image = std::get_if<ImageInfo>(&info)) {
        return {{image->height, image->width, image->format.channels},
                numpy_name(image->format.sample)};
    }
    const auto& array = std::get<ArrayInfo>(info);
    return {array.shape, numpy_name(array.element)};
}

/// The element type of an array of numbers, if it is one.
std::optional<ElementType> element_type(const Buffer& array) {
    const char letter = array.letter();
    const Py_ssize_t size = array.view().itemsize;
    if (letter == 'f') return ElementType::f32;
    if (size == 4 && (letter == 'I' || letter == 'L')) return ElementType::u32;
    if (size == 8 && (letter == 'L' || letter == 'Q')) return ElementType::u64;
    return std::nullopt;
}

/// Whether a result of this form may be written there.
void check_out(const Buffer& out, const ArrayForm& form, bool same_type) {
    if (!same_type) throw nb::value_error((std::string("'out' must hold ") + form.type).c_str());
    if (!has_shape(out.view(), form.shape)) {
        throw nb::value_error(("'out' has the shape " + tuple_text(shape_of(out.view())) +
                               "; the result has " + tuple_text(form.shape))
                                  .c_str());
    }
}

}  // namespace

Buffer::Buffer(nb::handle array, bool writable) {
    const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (writable && PyObject_CheckBuffer(array.ptr()) == 0) {
        throw nb::type_error("'out' must be a NumPy array");
    }
    if (PyObject_GetBuffer(array.ptr(), &view_, flags) == 0) return;
    if (writable) throw nb::python_error();
    // Dates, for one, are nothing that a buffer can describe.
    PyErr_Clear();
    throw nb::type_error(other_samples);
}

char Buffer::letter() const noexcept {
    const char* format = view_.format == nullptr ? "B" : view_.format;
    if (*format == '@' || *format == '=' || *format == '<') ++format;
    return std::strlen(format) == 1 ? *format : '?';
}

ImageInfo image_info(const Buffer& array, Transfer transfer) {
    const Py_buffer& view = array.view();
    const auto sample = sample_type(array.letter());
    if (!sample) {
        throw nb::type_error(other_samples);
    }
    if ((view.ndim != 2 && view.ndim != 3) ||
        (view.ndim == 3 && (view.shape[2] < 1 || view.shape[2] > 4))) {
        throw nb::value_error(("an array of shape " + tuple_text(shape_of(view)) +
                               " is no picture: give height x width, or height x width x channels "
                               "with 1 to 4 channels")
                                  .c_str());
    }
    const auto channels = view.ndim == 3 ? static_cast<std::uint32_t>(view.shape[2]) : 1u;
    return {{*sample, channels}, side(view.shape[1]), side(view.shape[0]), {transfer}};
}

Image to_image(const Buffer& array, Transfer transfer) {
    const Py_buffer& view = array.view();
    const ImageInfo info = image_info(array, transfer);
    if (is_in_rows(view, info.format)) return Image::wrap(view.buf, info, view.strides[0]);
    Image image(info);
    if (array.letter() == 'd') {
        copy_samples<double, float>(view, image);
    } else if (view.itemsize == 1) {
        copy_samples<std::uint8_t, std::uint8_t>(view, image);
    } else if (view.itemsize == 2) {
        copy_samples<std::uint16_t, std::uint16_t>(view, image);
    } else {
        copy_samples<float, float>(view, image);
    }
    return image;
}

Array to_array(const Buffer& array) {
    const Py_buffer& view = array.view();
    const auto element = element_type(array);
    if (!element) throw nb::type_error("these numbers must be uint32, uint64 or float32");
    ArrayInfo info{*element, {}};
    for (int i = 0; i < view.ndim; ++i) info.shape.push_back(side(view.shape[i]));
    Array result(info);
    if (PyBuffer_ToContiguous(result.bytes.data(), &view, view.len, 'C') != 0) {
        throw nb::python_error();
    }
    return result;
}

nb::object new_array(const ValueInfo& info) {
    const ArrayForm form = form_of(info);
    nb::list shape;
    for (const std::uint32_t length : form.shape) shape.append(length);
    return nb::module_::import_("numpy").attr("empty")(nb::tuple(shape), form.type);
}

void copy_to(const Image& result, nb::handle array) {
    const Buffer buffer(array, true);
    const Py_buffer& view = buffer.view();
    const char letter = buffer.letter();
    check_out(buffer, form_of(result.info()),
              letter != 'd' && sample_type(letter) == result.format().sample);
    if (!is_in_rows(view, result.format())) {
        throw nb::value_error("'out' must have its pixels side by side in each row");
    }
    Image target = Image::wrap(view.buf, result.info(), view.strides[0]);
    for (std::uint32_t y = 0; y < result.height(); ++y) {
        std::memcpy(target.row(y), result.row(y), result.row_bytes());
    }
}

void copy_to(const Array& result, nb::handle array) {
    const Buffer buffer(array, true);
    const Py_buffer& view = buffer.view();
    check_out(buffer, form_of(result.info), element_type(buffer) == result.info.element);
    if (PyBuffer_FromContiguous(&view, result.bytes.data(), view.len, 'C') != 0) {
        throw nb::python_error();
    }
}

}  // namespace tessera::python
