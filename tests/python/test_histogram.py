"""Counts against NumPy, OpenCV, scikit-image, and the documented rule. Equal to the last pixel."""

import cv2
import numpy as np
import pytest
import skimage.exposure

import reference
import tessera as ts
from pictures import PHOTOS, PICTURES, as_dtype, floats_that_hurt, photo, small_photo, with_channels

PARAMETERS = [
    {},
    {"bins": 2},
    {"bins": 100, "luma": "bt601"},
    {"bins": 4096, "luma": "bt2020"},
    {"linear": True},
    {"linear": True, "range": (0.25, 0.5), "bins": 64},
    {"range": (-0.5, 1.5), "bins": 33},
    {"range": "auto"},
    {"range": "auto", "linear": True, "bins": 17},
    {"opaque_only": True},
]


def text(params):
    return ", ".join(f"{name} {value}" for name, value in params.items()) or "defaults"


def assert_same_counts(ours, picture, **params):
    counts, value_range = reference.histogram(picture, **params)
    np.testing.assert_array_equal(np.vstack([ours.counts, ours.non_finite]), counts)
    np.testing.assert_array_equal(np.float32(ours.range), np.float32(value_range))


@pytest.mark.parametrize("params", PARAMETERS, ids=text)
@pytest.mark.parametrize("name", PICTURES)
def test_counts_are_those_of_the_documented_rule(engine, name, params):
    assert_same_counts(ts.histogram(PICTURES[name], engine=engine, **params), PICTURES[name],
                       **params)


@pytest.mark.parametrize("transfer", ["srgb", "linear", "bt709", "gamma22"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32"])
def test_linear_decodes_each_transfer_function(engine, dtype, transfer):
    picture = as_dtype(small_photo("rocket.jpg")[:40], dtype)
    ours = ts.histogram(picture, linear=True, transfer=transfer, engine=engine)
    assert_same_counts(ours, picture, linear=True, transfer=transfer)


@pytest.mark.parametrize("roi", [(0, 0, 1, 1), (3, 5, 7, 11), (1, 0, 36, 29), (36, 28, 1, 1)])
def test_only_pixels_of_the_region_are_counted(engine, roi):
    picture = with_channels(small_photo()[:29, :37], 4)
    assert_same_counts(ts.histogram(picture, roi=roi, engine=engine), picture, roi=roi)
    assert ts.histogram(picture, roi=roi, engine=engine).l.sum() == roi[2] * roi[3]


def test_an_empty_region_is_everything(engine):
    picture = small_photo()
    for roi in (None, (0, 0, 0, 0)):
        assert ts.histogram(picture, roi=roi, engine=engine).l.sum() == picture[..., 0].size


def test_opaque_only_leaves_out_what_cannot_be_seen(engine):
    picture = np.full((4, 6, 4), 255, np.uint8)
    picture[:2, :, 3] = 0
    picture[2, :, 3] = 1
    assert ts.histogram(picture, opaque_only=True, engine=engine).r[255] == 12
    assert ts.histogram(picture, engine=engine).r[255] == 24


@pytest.mark.parametrize("bins", [256, 64, 2])
@pytest.mark.parametrize("name", PHOTOS)
def test_photos_count_as_in_opencv(cpu, name, bins):
    ours = ts.histogram(photo(name), bins=bins, engine=cpu)
    for channel in range(3):
        theirs = cv2.calcHist([photo(name)], [channel], None, [bins], [0, 256]).reshape(-1)
        np.testing.assert_array_equal(ours.counts[:, channel], theirs)


@pytest.mark.parametrize("name", PHOTOS)
def test_photos_count_on_the_gpu_as_in_opencv(gpu, name):
    ours = ts.histogram(photo(name), engine=gpu)
    for channel in range(3):
        theirs = cv2.calcHist([photo(name)], [channel], None, [256], [0, 256]).reshape(-1)
        np.testing.assert_array_equal(ours.counts[:, channel], theirs)


@pytest.mark.parametrize("name", PHOTOS)
def test_photos_count_as_in_numpy(cpu, name):
    ours = ts.histogram(photo(name), engine=cpu)
    for channel in range(3):
        theirs, _ = np.histogram(photo(name)[..., channel], bins=256, range=(0, 256))
        np.testing.assert_array_equal(ours.counts[:, channel], theirs)


def test_floats_count_as_in_numpy(engine):
    # Powers of two, so that NumPy's edges and ours are the same numbers. NumPy leaves out what lies
    # outside; here it lands in the end bins.
    picture = floats_that_hurt()
    ours = ts.histogram(picture, bins=64, range=(-0.5, 1.5), engine=engine)
    for channel in range(3):
        values = picture[..., channel].reshape(-1)
        values = values[np.isfinite(values)]
        theirs, edges = np.histogram(np.clip(values, -0.5, 1.5), bins=64, range=(-0.5, 1.5))
        np.testing.assert_array_equal(ours.counts[:, channel], theirs)
        np.testing.assert_array_equal(ours.edges, edges)


def test_grey_photos_count_as_in_scikit_image(engine):
    grey = cv2.cvtColor(np.array(small_photo()), cv2.COLOR_RGB2GRAY)
    counts, codes = skimage.exposure.histogram(grey)
    ours = ts.histogram(grey, engine=engine)
    assert len(counts) < 256  # it leaves out the codes below the darkest and above the brightest
    np.testing.assert_array_equal(ours.l[codes], counts)
    assert ours.l.sum() == counts.sum()


def test_auto_range_counts_as_in_scikit_image(engine):
    # A span of 1 in steps of 1/256, so that no value lies beside an edge.
    grey = np.array(small_photo()[..., 1], np.float32) / 256 + 3
    grey[0, :2] = 3, 4
    counts, centres = skimage.exposure.histogram(grey, nbins=128)
    ours = ts.histogram(grey, bins=128, range="auto", engine=engine)
    assert ours.range == (3, 4)
    np.testing.assert_array_equal(ours.l, counts)
    np.testing.assert_allclose((ours.edges[1:] + ours.edges[:-1]) / 2, centres)


@pytest.mark.parametrize("luma, weights", [("bt709", (0.2126, 0.7152, 0.0722)),
                                           ("bt601", (0.299, 0.587, 0.114)),
                                           ("bt2020", (0.2627, 0.6780, 0.0593))])
def test_luminance_is_the_weighted_sum_of_its_recommendation(engine, luma, weights):
    # The documented fixed point lies within 0.503 codes of real arithmetic.
    random = np.random.default_rng(3)
    for colour in random.integers(0, 256, (6, 3), dtype=np.uint8):
        ours = ts.histogram(colour.reshape(1, 1, 3), luma=luma, engine=engine)
        assert abs(np.argmax(ours.l) - colour @ np.array(weights)) <= 0.503


def test_a_grey_value_stands_for_all_four(engine):
    grey = small_photo()[..., 0]
    ours = ts.histogram(grey, engine=engine)
    for channel in (ours.r, ours.g, ours.b, ours.l):
        np.testing.assert_array_equal(channel, np.bincount(grey.reshape(-1), minlength=256))


def test_nan_and_infinities_are_counted_apart(engine):
    picture = np.zeros((2, 3, 3), np.float32)
    picture[0, 0, 0] = np.nan
    picture[0, 1, 1] = np.inf
    picture[1, 2, 1] = -np.inf
    ours = ts.histogram(picture, engine=engine)
    assert ours.non_finite.tolist() == [1, 2, 0, 3]
    assert ours.counts.sum(axis=0).tolist() == [5, 4, 6, 3]


def test_a_histogram_describes_itself(engine):
    ours = ts.histogram(small_photo(), bins=8, range=(-1, 3), engine=engine)
    assert (ours.bins, ours.range, ours.counts.shape) == (8, (-1, 3), (8, 4))
    assert ours.counts.dtype == np.uint64
    assert ours.edges.tolist() == [-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3]
    assert repr(ours) == f"<tessera.Histogram: 8 bins over -1..3, {small_photo()[..., 0].size} pixels>"
    for column, channel in enumerate("rgbl"):
        np.testing.assert_array_equal(getattr(ours, channel), ours.counts[:, column])


@pytest.mark.parametrize("fraction", [0, 0.01, 0.25, 0.5, 0.9, 1])
def test_quantiles_of_8_bit_codes_are_exact(cpu, fraction):
    picture = small_photo()
    ours = ts.histogram(picture, engine=cpu)
    for index, channel in enumerate("rgb"):
        theirs = np.quantile(picture[..., index], fraction, method="inverted_cdf")
        assert ours.quantile(fraction, channel) == theirs / 255


def test_quantiles_of_floats_are_right_to_a_bin(cpu):
    picture = np.random.default_rng(1).random((50, 50, 3), np.float32)
    ours = ts.histogram(picture, bins=1000, engine=cpu)
    for fraction in (0.1, 0.5, 0.99):
        theirs = np.quantile(picture[..., 2], fraction, method="inverted_cdf")
        assert abs(ours.quantile(fraction, "b") - theirs) <= 1 / 1000


def test_the_quantile_of_nothing_is_nan(cpu):
    assert np.isnan(ts.histogram(PICTURES["no finite float"], engine=cpu).quantile(0.5))
