"""Statistics against NumPy in double precision."""

import numpy as np
import pytest

import reference
import tessera as ts
from pictures import PICTURES, photo, small_photo

PARAMETERS = [
    {},
    {"luma": "bt601", "opaque_only": True},
    {"linear": True},
    {"linear": True, "transfer": "bt709", "luma": "bt2020"},
]


def text(params):
    return ", ".join(f"{name} {value}" for name, value in params.items()) or "defaults"


@np.errstate(invalid="ignore")  # some NaNs signal
def assert_same_statistics(ours, picture, **params):
    values = reference.counted_values(picture, **params)
    if values.dtype.kind == "u":
        values = values / np.iinfo(picture.dtype).max
    for channel, column in zip((ours.r, ours.g, ours.b, ours.l), values.astype(np.float64).T):
        finite = column[np.isfinite(column)]
        assert channel.count == finite.size
        assert channel.non_finite == column.size - finite.size
        assert channel.shadows == np.count_nonzero(finite <= 0)
        assert channel.highlights == np.count_nonzero(finite >= 1)
        if not finite.size:
            assert np.isnan([channel.minimum, channel.maximum, channel.mean,
                             channel.deviation]).all()
            continue
        assert channel.minimum == finite.min()
        assert channel.maximum == finite.max()
        # The kernels add in single precision, part by part: seven digits of the largest value.
        tolerance = 1e-6 * np.abs(finite).max()
        assert channel.mean == pytest.approx(finite.mean(), rel=1e-6, abs=tolerance)
        assert channel.deviation == pytest.approx(finite.std(), rel=1e-5, abs=tolerance)


@pytest.mark.parametrize("params", PARAMETERS, ids=text)
@pytest.mark.parametrize("name", PICTURES)
def test_statistics_are_those_of_numpy(engine, name, params):
    assert_same_statistics(ts.statistics(PICTURES[name], engine=engine, **params), PICTURES[name],
                           **params)


@pytest.mark.parametrize("name", ["astronaut.png", "rocket.jpg"])
def test_statistics_of_whole_photos(cpu, name):
    assert_same_statistics(ts.statistics(photo(name), engine=cpu), photo(name))


@pytest.mark.parametrize("roi", [(0, 0, 1, 1), (2, 3, 17, 5)])
def test_only_pixels_of_the_region_are_looked_at(engine, roi):
    picture = small_photo()
    assert_same_statistics(ts.statistics(picture, roi=roi, engine=engine), picture, roi=roi)


def test_clipping_is_counted_at_the_ends_and_beyond(engine):
    picture = np.array([[-1, 0, 0.5, 1, 2, np.nan]], np.float32)
    ours = ts.statistics(picture, engine=engine).r
    assert (ours.shadows, ours.highlights, ours.count, ours.non_finite) == (2, 2, 5, 1)
    assert (ours.minimum, ours.maximum) == (-1, 2)


def test_a_constant_does_not_deviate(engine):
    ours = ts.statistics(PICTURES["constant"], engine=engine)
    for channel in (ours.r, ours.g, ours.b, ours.l):
        assert channel.mean == pytest.approx(77 / 255, rel=1e-12)
        assert channel.deviation == 0


def test_the_median_of_8_bit_codes_is_exact(engine):
    # The middle one, or the lower of two in the middle.
    picture = small_photo()
    counts = ts.histogram(picture, engine=engine)
    for index, channel in enumerate("rgb"):
        codes = np.sort(picture[..., index], axis=None)
        assert counts.quantile(0.5, channel) == codes[(codes.size - 1) // 2] / 255
