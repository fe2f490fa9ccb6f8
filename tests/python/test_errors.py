"""What is wrong raises the right exception, with a sentence that names it. Nothing crashes."""

import numpy as np
import pytest

import tessera as ts
from pictures import small_photo

PICTURE_FUNCTIONS = [ts.histogram, ts.statistics, ts.histogram_plot, ts.histogram_overlay]


@pytest.mark.parametrize("function", PICTURE_FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint32", "int64", "uint64", "bool",
                                   "complex64", "longdouble", "object", "U3", "S2", "V3",
                                   "datetime64[s]", "timedelta64[s]", [("r", "u1"), ("g", "u1")]],
                         ids=str)
def test_other_types_of_sample_are_refused(cpu, function, dtype):
    with pytest.raises(TypeError, match="a picture's samples are uint8, uint16, float16, float32 or "
                                        "float64, and no others: convert with astype"):
        function(np.zeros((4, 4), dtype), engine=cpu)


@pytest.mark.parametrize("function", PICTURE_FUNCTIONS)
@pytest.mark.parametrize("shape", [(), (5,), (4, 4, 5), (4, 4, 0), (2, 4, 4, 3)])
def test_other_shapes_are_refused(cpu, function, shape):
    with pytest.raises(ValueError, match="is no picture: give height x width, or height x width x "
                                         "channels with 1 to 4 channels"):
        function(np.zeros(shape, np.uint8), engine=cpu)


@pytest.mark.parametrize("function", PICTURE_FUNCTIONS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0, 3)])
def test_pictures_without_pixels_are_refused(cpu, function, shape):
    with pytest.raises(ValueError, match="a picture has 1 to 4294967295 rows and columns, not 0"):
        function(np.zeros(shape, np.uint8), engine=cpu)


@pytest.mark.parametrize("thing", [None, "photo.jpg", [[1, 2], [3, 4]], 5, {}, small_photo])
def test_what_is_no_array_is_refused(cpu, thing):
    with pytest.raises(TypeError, match=f"a picture is an array, not a {type(thing).__name__}"):
        ts.histogram(thing, engine=cpu)


OUT_OF_RANGE = [
    (ts.histogram, {"bins": 1}, "bins = 1 is below 2 (number of bins)"),
    (ts.histogram, {"bins": 4097}, "bins = 4097 is above 4096"),
    (ts.histogram, {"bins": -(10**30)}, "does not read: a whole number"),
    (ts.histogram, {"range": (float("nan"), 1)}, "does not read: auto, or low:high"),
    (ts.histogram, {"range": (0, float("inf"))}, "does not read: auto, or low:high"),
    (ts.histogram, {"range": (0, 1e300)}, "does not read: auto, or low:high"),
    (ts.histogram, {"range": (1, 1)}, "the low end must be below the high end"),
    (ts.histogram, {"range": "automatic"}, "does not read: auto, or low:high"),
    (ts.histogram, {"roi": (0, 0, 5, 0)}, "holds no pixel"),
    (ts.histogram, {"roi": (80, 0, 12, 1)}, "does not lie inside the picture of 91x60 pixels"),
    (ts.histogram, {"roi": (-1, 0, 2, 2)}, "does not read: x,y,width,height in pixels"),
    (ts.histogram, {"roi": (2**32 - 1, 0, 2, 2)}, "does not lie inside the picture"),
    (ts.histogram, {"roi": (1, 2, 3)}, "does not read: x,y,width,height in pixels"),
    (ts.histogram, {"luma": "bt2100"}, "luma = bt2100 is none of bt709, bt601, bt2020"),
    (ts.histogram, {"transfer": "pq"}, "transfer = pq is none of srgb, linear, bt709, gamma22"),
    (ts.statistics, {"roi": (0, 0, 1000, 1)}, "does not lie inside the picture"),
    (ts.histogram_plot, {"size": (0, 5)}, "size = 0x5 is outside 1x1..16384x16384 pixels"),
    (ts.histogram_plot, {"size": (16385, 5)}, "is outside 1x1..16384x16384 pixels"),
    (ts.histogram_plot, {"channels": "x"}, "channels = x is none of rgb, r, g, b, l, rgb+l"),
    (ts.histogram_plot, {"colors": "red"}, "does not read: 4 colours such as #e02828"),
    (ts.histogram_overlay, {"colors": ["#fff"] * 3}, "does not read: 4 colours"),
]
OF_ANOTHER_TYPE = [
    (ts.histogram, {"bins": 1.5}, "bins = 1.5 is no integer"),
    (ts.histogram, {"bins": "16"}, "bins = '16' is no integer"),
    (ts.histogram, {"range": 5}, "range = 5 is no range"),
    (ts.histogram, {"range": (0, 1, 2)}, "is no range"),
    (ts.histogram, {"range": ("a", "b")}, "is no range"),
    (ts.histogram, {"linear": 1}, "linear = 1 is no switch"),
    (ts.histogram, {"opaque_only": "yes"}, "opaque_only = 'yes' is no switch"),
    (ts.histogram, {"luma": 709}, "luma = 709 is no choice"),
    (ts.histogram, {"roi": (0.5, 0, 1, 1)}, "is no rectangle"),
    (ts.histogram, {"transfer": None}, "transfer: a name, not a NoneType"),
    (ts.histogram, {"engine": "cpu"}, "engine: an Engine, or None, not a str"),
    (ts.histogram_plot, {"size": 100}, "size = 100 is no size"),
    (ts.histogram_plot, {"colors": 5}, "colors = 5 is no colours"),
    (ts.histogram, {"bin": 16}, "unexpected keyword argument 'bin'"),
    (ts.histogram_plot, {"out_": None}, "unexpected keyword argument 'out_'"),
]


@pytest.mark.parametrize("function, params, problem", OUT_OF_RANGE, ids=str)
def test_a_parameter_out_of_range_is_named(function, params, problem):
    with pytest.raises(ValueError) as refusal:
        function(small_photo(), **params)
    assert problem in str(refusal.value)


@pytest.mark.parametrize("function, params, problem", OF_ANOTHER_TYPE, ids=str)
def test_a_parameter_of_another_type_is_named(function, params, problem):
    with pytest.raises(TypeError) as refusal:
        function(small_photo(), **params)
    assert problem in str(refusal.value)


def test_parameters_are_given_by_name(cpu):
    with pytest.raises(TypeError, match="takes 1 positional argument"):
        ts.histogram(small_photo(), 16)


@pytest.mark.parametrize("function", PICTURE_FUNCTIONS)
def test_what_fits_into_no_memory_is_a_memory_error(cpu, function):
    # One byte, seen as a picture of four exabytes.
    with pytest.raises(MemoryError, match="no memory for an image of 2147483648 x 2147483648"):
        function(np.broadcast_to(np.uint8(0), (2**31, 2**31)), engine=cpu)


def test_too_many_rows_are_refused(cpu):
    with pytest.raises(ValueError, match="rows and columns, not 4294967296"):
        ts.histogram(np.broadcast_to(np.uint8(0), (2**32, 1)), engine=cpu)


def test_what_a_gpu_cannot_hold_is_refused(gpu):
    graph = ts.Graph()
    graph.histogram_overlay(graph.input(shape=(2**20, 2**20, 4)))
    with pytest.raises((ValueError, MemoryError), match="buffer|memory"):
        gpu.prepare(graph)


@pytest.mark.parametrize("kind, adapter, problem, exception", [
    ("quantum", None, "engine = quantum is none of auto, gpu, cpu", ValueError),
    ("", None, "engine =  is none of auto, gpu, cpu", ValueError),
    (3, None, "kind: auto, gpu or cpu, not a int", TypeError),
    ("auto", 2.5, "adapter: a name or an index, not a float", TypeError),
    ("auto", "abacus", "no adapter fits 'abacus'; there are 0: ", ts.DeviceError),
    ("auto", 99, "no adapter fits '99'; there are 0: ", ts.DeviceError),
    ("auto", -1, "no adapter fits '-1'; there are 0: ", ts.DeviceError),
    ("gpu", ts.devices()[-1].index, "no adapter fits", ts.DeviceError),  # that is the CPU engine
])
def test_an_engine_that_is_not_there_is_named(kind, adapter, problem, exception):
    with pytest.raises(exception) as refusal:
        ts.Engine(kind, adapter=adapter)
    assert problem in str(refusal.value)


def test_the_default_engine_is_an_engine():
    with pytest.raises(TypeError, match="an Engine, or None, not a str"):
        ts.set_default_engine("cpu")


def test_a_device_error_is_a_runtime_error():
    assert issubclass(ts.DeviceError, RuntimeError)
    assert ts.DeviceError.__module__ == "tessera"


def test_a_channel_that_is_not_there_is_named(cpu):
    with pytest.raises(ValueError, match="channel = 'x' is none of r, g, b, l"):
        ts.histogram(small_photo(), engine=cpu).quantile(0.5, "x")


def test_an_engine_works_on_after_a_refusal(engine):
    before = ts.histogram(small_photo(), engine=engine).counts
    with pytest.raises(ValueError):
        ts.histogram(small_photo(), roi=(0, 0, 1000, 1000), engine=engine)
    with pytest.raises(ValueError):
        ts.histogram_plot(small_photo(), engine=engine, out=np.zeros((1, 1, 4), np.uint8))
    np.testing.assert_array_equal(ts.histogram(small_photo(), engine=engine).counts, before)
