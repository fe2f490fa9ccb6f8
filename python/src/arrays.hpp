// NumPy arrays as what runs through graphs, and back. They are seen through Python's buffer
// protocol, so read-only arrays and any strides are fine.
#pragma once

#include <nanobind/nanobind.h>

#include "tessera/graph.hpp"

namespace tessera::python {

namespace nb = nanobind;

/// A borrowed buffer, given back at the end. Needs the GIL at both ends.
class Buffer {
public:
    Buffer(nb::handle array, bool writable);
    ~Buffer() { PyBuffer_Release(&view_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    [[nodiscard]] const Py_buffer& view() const noexcept { return view_; }
    /// The format's letter, as Python's struct module names it; byte orders are native.
    [[nodiscard]] char letter() const noexcept;

private:
    Py_buffer view_{};
};

/// What an array of HxW or HxWxC is as a picture. Throws TypeError for other types of sample than
/// uint8, uint16, float16, float32 and float64, ValueError for other shapes.
[[nodiscard]] ImageInfo image_info(const Buffer& array, Transfer transfer);

/// The picture of an array: a view where its pixels lie together, else a copy. float64 becomes
/// float32. The buffer must outlive the picture.
[[nodiscard]] Image to_image(const Buffer& array, Transfer transfer);

/// An array of uint32, uint64 or float32 numbers, copied.
[[nodiscard]] Array to_array(const Buffer& array);

/// A new NumPy array, C-contiguous: HxWxC for pictures.
[[nodiscard]] nb::object new_array(const ValueInfo& info);

/// Copies a result into a NumPy array, whose shape (HxW will do for one channel) and type must be
/// the result's.
void copy_to(const Image& result, nb::handle array);
void copy_to(const Array& result, nb::handle array);

}  // namespace tessera::python
