"""Several operators together, on both engines."""

import numpy as np
import pytest

import tessera as ts
from pictures import as_dtype, small_photo, with_channels


def test_each_output_is_what_its_function_gives(engine):
    graph = ts.Graph()
    picture = graph.input(small_photo())
    histogram = graph.histogram(picture, bins=64, luma="bt601")
    statistics = graph.statistics(picture)
    plot = graph.histogram_plot(histogram, size=(80, 40), log=True)
    over = graph.histogram_overlay(picture, histogram, channels="rgb")
    for name, value in dict(h=histogram, s=statistics, p=plot, o=over).items():
        graph.output(value, name)
    prepared = engine.prepare(graph)
    assert prepared.outputs == ["h", "s", "p", "o"]

    counted, looked_at, drawn, drawn_over = prepared(small_photo())
    expected = ts.histogram(small_photo(), bins=64, luma="bt601", engine=engine)
    np.testing.assert_array_equal(counted.counts, expected.counts)
    assert looked_at == ts.statistics(small_photo(), engine=engine)
    np.testing.assert_array_equal(
        drawn, ts.histogram_plot(expected, size=(80, 40), log=True, engine=engine))
    np.testing.assert_array_equal(
        drawn_over, ts.histogram_overlay(small_photo(), expected, channels="rgb", engine=engine))


def test_outputs_are_what_no_operator_takes_when_none_is_marked(engine):
    graph = ts.Graph()
    picture = graph.input(small_photo())
    graph.histogram_plot(graph.histogram(picture), size=(30, 20))
    graph.statistics(picture)
    drawn, looked_at = engine.prepare(graph)(small_photo())
    assert drawn.shape == (20, 30, 4)
    assert isinstance(looked_at, ts.Statistics)


def test_a_graph_may_grow_after_it_was_prepared(engine):
    graph = ts.Graph()
    picture = graph.input(small_photo())
    histogram = graph.histogram(picture)
    before = engine.prepare(graph)
    graph.histogram_plot(histogram, size=(30, 20))
    graph.statistics(picture)
    after = engine.prepare(graph)
    assert isinstance(before(small_photo()), ts.Histogram)
    assert [type(result) for result in after(small_photo())] == [np.ndarray, ts.Statistics]


def test_a_graph_may_be_prepared_on_several_engines(cpu, gpu):
    graph = ts.Graph()
    graph.histogram(graph.input(small_photo()))
    first, second = cpu.prepare(graph), gpu.prepare(graph)
    np.testing.assert_array_equal(first(small_photo()).counts, second(small_photo()).counts)


def test_pictures_are_counted_where_a_histogram_is_wanted(engine):
    graph = ts.Graph()
    picture = graph.input(small_photo())
    other = graph.input(small_photo())
    graph.output(graph.histogram_plot(picture, size=(40, 20)))
    graph.output(graph.histogram_overlay(picture))
    graph.output(graph.histogram_overlay(picture, other))
    plot, over, with_other = engine.prepare(graph)(small_photo(), 255 - small_photo())
    np.testing.assert_array_equal(plot, ts.histogram_plot(small_photo(), size=(40, 20), engine=engine))
    np.testing.assert_array_equal(over, ts.histogram_overlay(small_photo(), engine=engine))
    np.testing.assert_array_equal(
        with_other, ts.histogram_overlay(small_photo(), 255 - small_photo(), engine=engine))


def test_drawings_may_be_looked_at_in_turn(engine):
    graph = ts.Graph()
    plot = graph.histogram_plot(graph.input(small_photo()), size=(60, 40))
    graph.output(plot, "plot")
    graph.output(graph.statistics(plot), "statistics")
    graph.output(graph.histogram(plot, linear=True), "histogram")
    drawn, looked_at, counted = engine.prepare(graph)(small_photo())
    assert looked_at == ts.statistics(drawn, engine=engine)
    np.testing.assert_array_equal(counted.counts,
                                  ts.histogram(drawn, linear=True, engine=engine).counts)


def test_several_inputs_come_in_their_order(engine):
    graph = ts.Graph()
    first = graph.input(shape=(8, 9, 3))
    second = graph.input(shape=(5, 4), dtype="float32")
    graph.output(graph.histogram(second), "second")
    graph.output(graph.histogram(first), "first")
    of_second, of_first = engine.prepare(graph)(np.full((8, 9, 3), 3, np.uint8),
                                                np.ones((5, 4), np.float32))
    assert of_first.l[3] == 72
    assert of_second.l[255] == 20


def test_an_input_may_be_given_back_as_it_came(engine):
    graph = ts.Graph()
    graph.output(graph.input(small_photo()), "same")
    np.testing.assert_array_equal(engine.prepare(graph)(small_photo()), small_photo())


@pytest.mark.parametrize("transfer", ["srgb", "linear", "bt709"])
def test_an_input_s_transfer_function_reaches_all(engine, transfer):
    graph = ts.Graph()
    picture = graph.input(small_photo(), transfer=transfer)
    graph.histogram(picture, linear=True)
    graph.statistics(picture, linear=True)
    counted, looked_at = engine.prepare(graph)(small_photo())
    apart = {"linear": True, "transfer": transfer, "engine": engine}
    np.testing.assert_array_equal(counted.counts, ts.histogram(small_photo(), **apart).counts)
    assert looked_at == ts.statistics(small_photo(), **apart)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32", "float64"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_values_know_their_form_before_anything_runs(cpu, dtype, channels):
    picture = with_channels(as_dtype(small_photo()[:12, :10], dtype), channels)
    graph = ts.Graph()
    value = graph.input(picture)
    computed = "float32" if dtype == "float64" else dtype
    assert (value.shape, value.dtype) == (picture.shape, computed)
    over = graph.histogram_overlay(value)
    result = cpu.prepare(graph)(picture)
    assert (over.shape, over.dtype) == (result.shape, result.dtype)
    assert repr(over) == f"<tessera.Value of histogram-overlay: {computed} {result.shape}>"


def test_grey_pictures_keep_their_two_axes(engine):
    graph = ts.Graph()
    grey = graph.input(shape=(6, 7))
    graph.output(grey, "grey")
    assert grey.shape == (6, 7)
    assert engine.prepare(graph)(np.zeros((6, 7), np.uint8)).shape == (6, 7)


# --- Errors ---------------------------------------------------------------------------------------


def test_a_graph_that_gives_nothing_is_refused(cpu):
    with pytest.raises(ValueError, match="this graph gives nothing: add an operator"):
        cpu.prepare(ts.Graph())


def test_only_a_graph_is_prepared(cpu):
    with pytest.raises(TypeError, match="a Graph, not a ndarray"):
        cpu.prepare(small_photo())


def test_a_value_belongs_to_its_graph():
    stranger = ts.Graph().input(small_photo())
    graph = ts.Graph()
    for use in (graph.histogram, graph.output):
        with pytest.raises(ValueError, match="this value belongs to another graph"):
            use(stranger)
        with pytest.raises(TypeError, match="a value of a graph, not a ndarray"):
            use(small_photo())


def test_a_name_is_given_once():
    graph = ts.Graph()
    picture = graph.input(small_photo())
    graph.output(graph.histogram(picture), "it")
    with pytest.raises(ValueError, match="this graph has an output named 'it' already"):
        graph.output(graph.statistics(picture), "it")


@pytest.mark.parametrize("form, problem", [
    ({}, "give a shape of height x width"),
    ({"shape": (3,)}, "give a shape of height x width"),
    ({"shape": (0, 5)}, r"not the shape \(0, 5\)"),
    ({"shape": (5, -1)}, r"not the shape \(5, -1\)"),
    ({"shape": (5, 2**40)}, "a picture has 1 to 4294967295 rows and columns"),
    ({"shape": (5, 5, 5)}, "and 1 to 4 channels"),
    ({"shape": (5, 5), "transfer": "pq"}, "transfer = pq is none of srgb, linear, bt709, gamma22"),
], ids=str)
def test_an_input_of_no_possible_form_is_refused(form, problem):
    with pytest.raises(ValueError, match=problem):
        ts.Graph().input(**form)


@pytest.mark.parametrize("dtype", ["int8", "int32", "bool", "complex64", "no such type"])
def test_an_input_of_another_type_is_refused(dtype):
    with pytest.raises(TypeError):
        ts.Graph().input(shape=(4, 4), dtype=dtype)


def test_parameters_are_checked_as_the_graph_is_built():
    graph = ts.Graph()
    picture = graph.input(small_photo())
    with pytest.raises(ValueError, match="bins = 1 is below 2"):
        graph.histogram(picture, bins=1)
    with pytest.raises(ValueError, match="does not lie inside the picture of 91x60 pixels"):
        graph.statistics(picture, roi=(0, 0, 92, 60))
