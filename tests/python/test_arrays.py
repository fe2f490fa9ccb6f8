"""What may be given as a picture, and what a result may be written into."""

import array

import numpy as np
import pytest

import reference
import tessera as ts
from pictures import as_dtype, small_photo, with_channels


def counts(picture, **params):
    return ts.histogram(picture, **params).counts


class DLPackOnly:
    """An array of a library that speaks DLPack and nothing else."""

    def __init__(self, pixels, device=(1, 0)):
        self._pixels = pixels
        self._device = device

    def __dlpack__(self, **options):
        return self._pixels.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._device


class InterfaceOnly:
    """An array of a library that speaks NumPy's array interface and nothing else."""

    def __init__(self, pixels):
        self._keep = pixels
        self.__array_interface__ = pixels.__array_interface__


def read_only(picture):
    picture = picture.copy()
    picture.flags.writeable = False
    return picture


def off_by_one_byte(picture):
    """At an address that the samples' type may not have."""
    memory = np.empty(picture.nbytes + 1, np.uint8)
    view = memory[1:].view(picture.dtype).reshape(picture.shape)
    view[...] = picture
    return view


# The same picture, each time elsewhere in memory.
LAYOUTS = {
    "rows upside down": lambda picture: picture[::-1].copy()[::-1],
    "columns right to left": lambda picture: picture[:, ::-1].copy()[:, ::-1],
    "channels backwards": lambda picture: picture[..., ::-1].copy()[..., ::-1],
    "a part of a larger one": lambda picture: np.pad(picture, ((2, 3), (4, 1), (0, 0)))[2:-3, 4:-1],
    "three of four channels": lambda picture: np.pad(picture, ((0, 0), (0, 0), (0, 1)))[..., :-1],
    "every second row": lambda picture: np.repeat(picture, 2, axis=0)[::2],
    "every second column": lambda picture: np.repeat(picture, 2, axis=1)[:, ::2],
    "transposed": lambda picture: picture.transpose(1, 0, 2).copy().transpose(1, 0, 2),
    "planes": lambda picture: np.moveaxis(np.moveaxis(picture, 2, 0).copy(), 0, 2),
    "Fortran order": np.asfortranarray,
    "read-only": read_only,
    "off by one byte": off_by_one_byte,
    "the other byte order": lambda picture: picture.astype(picture.dtype.newbyteorder(">")),
    "memoryview": lambda picture: memoryview(picture),
    "NumPy's array interface": InterfaceOnly,
    "DLPack": DLPackOnly,
    "DLPack, Fortran order": lambda picture: DLPackOnly(np.asfortranarray(picture)),
}


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32", "float64"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_layout_does_not_matter(engine, layout, dtype):
    picture = as_dtype(small_photo()[:19, :23], dtype)
    before = picture.tobytes()
    given = LAYOUTS[layout](picture)
    np.testing.assert_array_equal(counts(given, engine=engine), counts(picture, engine=engine))
    np.testing.assert_array_equal(ts.histogram_overlay(given, engine=engine),
                                  ts.histogram_overlay(picture, engine=engine))
    assert picture.tobytes() == before


def test_one_row_may_stand_for_all(engine):
    row = small_photo()[:1]
    picture = np.broadcast_to(row, (10, *row.shape[1:]))
    np.testing.assert_array_equal(counts(picture, engine=engine), 10 * counts(row, engine=engine))


def test_one_pixel_may_stand_for_all(engine):
    picture = np.broadcast_to(np.uint8([7, 8, 9]), (30, 40, 3))
    assert counts(picture, engine=engine)[[7, 8, 9], [0, 1, 2]].tolist() == [1200] * 3


def test_float64_is_computed_as_float32(engine):
    # A number that is in bin 1 as it is, and in bin 2 once it is rounded.
    picture = np.full((3, 4), 0.5 - 1e-12)
    assert np.histogram(picture, bins=4, range=(0, 1))[0].tolist() == [0, 12, 0, 0]
    assert counts(picture, bins=4, engine=engine)[:, 0].tolist() == [0, 0, 12, 0]
    assert ts.histogram_overlay(picture, engine=engine).dtype == np.float32


def test_grey_may_have_a_channel_axis_or_none(engine):
    grey = small_photo()[..., 0]
    np.testing.assert_array_equal(counts(grey, engine=engine), counts(grey[..., None], engine=engine))
    assert ts.histogram_overlay(grey, engine=engine).shape == (*grey.shape, 3)


def test_bytes_are_a_picture_once_they_have_a_shape(cpu):
    memory = small_photo()[..., 0].tobytes()
    shape = small_photo().shape[:2]
    shaped = memoryview(memory).cast("B", shape)
    np.testing.assert_array_equal(counts(shaped, engine=cpu), counts(small_photo()[..., 0], engine=cpu))
    for flat in (memory, bytearray(memory), array.array("B", memory)):
        with pytest.raises(ValueError, match=r"an array of shape \(\d+,\) is no picture"):
            counts(flat, engine=cpu)


def test_an_array_on_another_device_is_refused(cpu):
    class OnAGpu(DLPackOnly):
        def __dlpack__(self, **options):
            raise BufferError("this memory is a GPU's")

    with pytest.raises(TypeError, match="this memory is a GPU's; bring it to the CPU first"):
        counts(OnAGpu(small_photo(), device=(2, 0)), engine=cpu)


# --- out= -----------------------------------------------------------------------------------------


def test_out_is_written_and_given_back(engine):
    expected = ts.histogram_plot(small_photo(), size=(40, 30), engine=engine)
    out = np.zeros_like(expected)
    assert ts.histogram_plot(small_photo(), size=(40, 30), engine=engine, out=out) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32"])
def test_out_may_be_a_part_of_a_larger_array(engine, dtype):
    picture = with_channels(as_dtype(small_photo()[:20, :30], dtype), 3)
    canvas = np.full((26, 35, 3), 7, dtype)
    ts.histogram_overlay(picture, engine=engine, out=canvas[3:23, 4:34])
    np.testing.assert_array_equal(canvas[3:23, 4:34], ts.histogram_overlay(picture, engine=engine))
    canvas[3:23, 4:34] = 7
    assert (canvas == 7).all()


def test_out_may_be_upside_down(engine):
    expected = ts.histogram_plot(small_photo(), size=(40, 30), engine=engine)
    out = np.zeros_like(expected)
    ts.histogram_plot(small_photo(), size=(40, 30), engine=engine, out=out[::-1])
    np.testing.assert_array_equal(out[::-1], expected)


def test_out_may_be_the_picture_itself(engine):
    picture = small_photo().copy()
    expected = ts.histogram_overlay(picture, engine=engine)
    ts.histogram_overlay(picture, engine=engine, out=picture)
    np.testing.assert_array_equal(picture, expected)


@pytest.mark.parametrize("out, problem", [
    (np.zeros((30, 41, 4), np.uint8), r"'out' has the shape \(30, 41, 4\); the result has \(30, 40, 4\)"),
    (np.zeros((30, 40, 3), np.uint8), r"'out' has the shape \(30, 40, 3\)"),
    (np.zeros((30, 40), np.uint8), r"'out' has the shape \(30, 40\)"),
    (np.zeros((30, 40, 4), np.uint16), "'out' must hold uint8"),
    (np.zeros((30, 40, 4), np.float64), "'out' must hold uint8"),
    (np.zeros((30, 40, 4), np.int8), "'out' must hold uint8"),
    (np.zeros((40, 30, 4), np.uint8).transpose(1, 0, 2), "'out' must have its pixels side by side"),
    (read_only(np.zeros((30, 40, 4), np.uint8)), "read-only"),
], ids=["width", "channels", "no channels", "uint16", "float64", "int8", "transposed", "read-only"])
def test_an_out_that_does_not_fit_is_refused(cpu, out, problem):
    before = out.copy()
    with pytest.raises(ValueError, match=problem):
        ts.histogram_plot(small_photo(), size=(40, 30), engine=cpu, out=out)
    np.testing.assert_array_equal(out, before)


@pytest.mark.parametrize("out", ["plot.png", 3, [[0]]])
def test_an_out_that_is_no_array_is_refused(cpu, out):
    with pytest.raises(TypeError, match="'out' must be a NumPy array"):
        ts.histogram_plot(small_photo(), engine=cpu, out=out)


def test_float64_results_are_no_promise(cpu):
    with pytest.raises(ValueError, match="'out' must hold float32"):
        ts.histogram_overlay(np.zeros((8, 8, 3)), engine=cpu, out=np.zeros((8, 8, 3)))


def test_a_histogram_of_a_strided_view_is_the_reference_s(engine):
    picture = small_photo()[1::3, ::-2]
    expected, _ = reference.histogram(picture)
    np.testing.assert_array_equal(counts(picture, engine=engine), expected[:-1])
