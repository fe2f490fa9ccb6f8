"""Drawings, at places where their colours can be worked out by hand."""

import numpy as np
import pytest

import tessera as ts
from pictures import PICTURES, as_dtype, floats_that_hurt, small_photo, with_channels

BACKGROUND = (20, 20, 20, 255)
RED, GREEN, BLUE = (224, 40, 40, 255), (40, 224, 40, 255), (40, 40, 224, 255)
RED_GREEN_BLUE, LUMINANCE, ALL = (224, 224, 224, 255), (176, 176, 176, 255), (255, 255, 255, 255)


def levels_apart(a, b):
    return np.abs(a.astype(np.int64) - b.astype(np.int64)).max()


def half_and_half():
    """Half of the reds are 0, half 255; all else is 0."""
    picture = np.zeros((2, 8, 3), np.uint8)
    picture[0, :, 0] = 255
    return picture


def test_a_plot_is_rgba_of_the_size_that_was_asked_for(engine):
    plot = ts.histogram_plot(small_photo(), size=(37, 19), engine=engine)
    assert (plot.shape, plot.dtype) == ((19, 37, 4), np.uint8)
    assert plot.flags.c_contiguous and plot.flags.writeable


def test_bars_stand_where_the_counts_are(engine):
    plot = ts.histogram_plot(half_and_half(), channels="r", size=(256, 32), engine=engine)
    filled = np.zeros((32, 256), bool)
    filled[:, [0, 255]] = True  # the two values, at full height as equals
    assert (plot[filled] == RED).all()
    assert (plot[~filled] == BACKGROUND).all()


@pytest.mark.parametrize("channels, at_zero, at_full", [
    ("r", RED, RED),
    ("g", GREEN, BACKGROUND),
    ("b", BLUE, BACKGROUND),
    ("l", LUMINANCE, BACKGROUND),  # luminance of pure red is far from full
    ("rgb", RED_GREEN_BLUE, RED),
    ("rgb+l", ALL, RED),
])
def test_colours_tell_which_histograms_reach(engine, channels, at_zero, at_full):
    plot = ts.histogram_plot(half_and_half(), channels=channels, size=(256, 32), engine=engine)
    assert tuple(plot[-1, 0]) == at_zero
    assert tuple(plot[-1, 255]) == at_full
    assert tuple(plot[0, 128]) == BACKGROUND


def test_heights_are_in_proportion_to_the_counts(engine):
    # 4 pixels of code 0, 2 of code 64, 1 of code 128: few enough bins that the highest is full.
    picture = np.array([[0, 0, 0, 0, 64, 64, 128]], np.uint8)
    counts = ts.histogram(picture, bins=4, engine=engine)
    plot = ts.histogram_plot(counts, channels="l", size=(4, 64), engine=engine)
    heights = (plot == LUMINANCE).all(axis=2).sum(axis=0)
    assert heights.tolist() == [64, 32, 16, 0]


def test_log_takes_the_logarithm_of_the_counts(engine):
    picture = np.repeat(np.array([[0, 255]], np.uint8), [15, 3], axis=1)
    counts = ts.histogram(picture, bins=2, engine=engine)
    plot = ts.histogram_plot(counts, channels="l", size=(2, 64), log=True, engine=engine)
    heights = (plot == LUMINANCE).all(axis=2).sum(axis=0)
    assert heights.tolist() == [64, 32]  # log2(16) and log2(4)


def test_colours_may_be_chosen(engine):
    plot = ts.histogram_plot(half_and_half(), channels="rgb", size=(256, 8), engine=engine,
                             colors=["#800000", "#008000", "#000080", "#808080", "#01020304"])
    assert tuple(plot[-1, 0]) == (128, 128, 128, 255)  # mixtures add up as light does
    assert tuple(plot[-1, 255]) == (128, 0, 0, 255)
    assert plot[-1, 128, 3] == 4


def test_nothing_counted_is_nothing_drawn(engine):
    plot = ts.histogram_plot(PICTURES["no finite float"], size=(16, 16), engine=engine)
    assert (plot == BACKGROUND).all()


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32"])
def test_an_overlay_keeps_type_and_alpha_and_all_above_it(engine, dtype, channels):
    picture = with_channels(as_dtype(small_photo()[:40, :60], dtype), channels)
    over = ts.histogram_overlay(picture, engine=engine)
    assert over.shape == (40, 60, 4 if channels % 2 == 0 else 3)
    assert over.dtype == dtype
    colours = picture if channels > 2 else picture[..., [0, 0, 0, -1][:over.shape[2]]]
    np.testing.assert_array_equal(over[:30], colours[:30])  # to the bit
    assert (over[30:] != colours[30:]).any()


def test_an_overlay_keeps_even_what_is_no_number(engine):
    picture = floats_that_hurt()
    over = ts.histogram_overlay(picture, engine=engine)
    assert over[:17].tobytes() == picture[:17].tobytes()


def test_an_overlay_shows_colours_left_and_luminance_right(engine):
    picture = np.zeros((40, 80, 3), np.uint8)
    over = ts.histogram_overlay(picture, engine=engine)
    # Half panels of 0.9 of 40 pixels; every pixel is black, so both first columns are full.
    assert tuple(over[35, 2]) == RED_GREEN_BLUE[:3]
    assert tuple(over[35, 42]) == LUMINANCE[:3]
    assert tuple(over[35, 1]) == (0, 0, 0)  # beside the panel
    # The backing is the background at 5/8 of its opacity.
    assert levels_apart(over[35, 20], np.array(BACKGROUND[:3]) * 159 / 255) <= 1


def test_an_overlay_takes_a_histogram_of_another_picture(engine):
    white = ts.histogram(np.full((4, 4), 255, np.uint8), engine=engine)
    over = ts.histogram_overlay(np.zeros((40, 80, 3), np.uint8), white, engine=engine)
    assert tuple(over[35, 37]) == RED_GREEN_BLUE[:3]
    assert over[35, 2].max() < 20


def test_the_transfer_function_says_what_colours_are_in_light(engine):
    black = np.zeros((40, 80, 3), np.uint8)
    over = ts.histogram_overlay(black, transfer="linear", engine=engine)
    light = ((176 / 255 + 0.055) / 1.055) ** 2.4 * 255
    assert levels_apart(over[35, 42], np.full(3, round(light))) == 0


PLOTS = [{}, {"channels": "rgb"}, {"log": True}, {"size": (100, 77)}, {"size": (1, 1)},
         {"size": (300, 50), "log": True, "channels": "l"}]


@pytest.mark.parametrize("params", PLOTS, ids=str)
def test_both_engines_plot_alike(cpu, gpu, params):
    counts = ts.histogram(small_photo(), engine=cpu)
    params = {"size": (256, 64), **params}
    assert levels_apart(ts.histogram_plot(counts, engine=cpu, **params),
                        ts.histogram_plot(counts, engine=gpu, **params)) <= 1


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_both_engines_overlay_alike(cpu, gpu, dtype):
    picture = with_channels(as_dtype(small_photo(), dtype), 4)
    mine, theirs = (ts.histogram_overlay(picture, engine=engine) for engine in (cpu, gpu))
    if dtype == "float32":
        np.testing.assert_allclose(mine, theirs, atol=1 / 255)
    else:
        assert levels_apart(mine, theirs) <= (1 if dtype == "uint8" else 257)


def test_a_histogram_draws_itself(cpu):
    counts = ts.histogram(small_photo(), engine=cpu)
    np.testing.assert_array_equal(counts.draw(size=(64, 32), log=True, engine=cpu),
                                  ts.histogram_plot(counts, size=(64, 32), log=True, engine=cpu))


def test_a_histogram_shows_itself_in_a_notebook(cpu):
    import cv2

    file = ts.histogram(small_photo(), engine=cpu)._repr_png_()
    shown = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_UNCHANGED)
    drawn = ts.histogram_plot(small_photo(), size=(768, 256))
    np.testing.assert_array_equal(shown, drawn[..., [2, 1, 0, 3]])


def test_matplotlib_draws_the_counts(cpu):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    counts = ts.histogram(small_photo(), bins=16, engine=cpu)
    axes = counts.plot(pyplot.figure().add_subplot())
    for patch, channel in zip(axes.patches, "rgbl"):
        np.testing.assert_array_equal(patch.get_data().values, getattr(counts, channel))
        np.testing.assert_array_equal(patch.get_data().edges, counts.edges)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list("rgbl")
    pyplot.close("all")
