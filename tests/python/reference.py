"""docs/pixel-values.md in NumPy, sharing no code with either engine."""

from __future__ import annotations

import numpy as np

FIXED = {"bt709": (13933, 46871, 4732), "bt601": (19595, 38470, 7471),
         "bt2020": (17216, 44434, 3886)}
REAL = {"bt709": (0.2126, 0.7152, 0.0722), "bt601": (0.299, 0.587, 0.114),
        "bt2020": (0.2627, 0.6780, 0.0593)}


def decode(encoded: np.ndarray, transfer: str) -> np.ndarray:
    """Light from encoded values, in double precision, mirrored below 0."""
    x = np.abs(encoded.astype(np.float64))
    if transfer == "srgb":
        light = np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)
    elif transfer == "bt709":
        light = np.where(x < 0.081, x / 4.5, ((x + 0.099) / 1.099) ** (1 / 0.45))
    elif transfer == "gamma22":
        light = x**2.2
    else:
        light = x
    return np.copysign(light, encoded)


def to_single(values: np.ndarray) -> np.ndarray:
    limit = np.finfo(np.float32).max
    return np.clip(values, -float(limit), float(limit)).astype(np.float32)


def decoded_float(values: np.ndarray, transfer: str) -> np.ndarray:
    """Through the table over the upper 18 bits of the magnitude, linear in between."""
    largest = np.finfo(np.float32).max
    magnitude = np.minimum(np.abs(values), largest).view(np.uint32)
    entry = magnitude >> 13
    low, high = (to_single(decode(np.minimum((index << 13).view(np.float32), largest), transfer))
                 for index in (entry, entry + np.uint32(1)))
    fraction = (magnitude & 0x1fff).astype(np.float32) / np.float32(8192)
    return np.where(np.isfinite(values), np.copysign(low + (high - low) * fraction, values), values)


@np.errstate(invalid="ignore")  # infinities meet, and some NaNs signal
def pixel_values(picture: np.ndarray, luma: str = "bt709", linear: bool = False,
                 transfer: str = "srgb", unit_range: bool = True) -> np.ndarray:
    """Height x width x 4: red, green, blue and luminance. Integers are codes."""
    if picture.ndim == 2:
        picture = picture[..., None]
    grey = picture.shape[2] < 3
    samples = picture[..., [0, 0, 0]] if grey else picture[..., :3]
    decodes = linear and transfer != "linear"

    if samples.dtype.kind == "u" and not decodes and unit_range:
        codes = samples.astype(np.uint64)
        weighted = codes @ np.array(FIXED[luma], np.uint64)
        luminance = codes[..., 0] if grey else (weighted + np.uint64(32768)) >> np.uint64(16)
        return np.dstack([codes, luminance])

    if samples.dtype.kind == "u":
        encoded = samples / np.iinfo(samples.dtype).max
        values = to_single(decode(encoded, transfer if decodes else "linear"))
    elif not decodes:
        values = samples.astype(np.float32)
    elif samples.dtype == np.float16:
        values = samples.astype(np.float32)
        values = np.where(np.isfinite(values), to_single(decode(values, transfer)), values)
    else:
        values = decoded_float(samples.astype(np.float32), transfer)
    red, green, blue = np.moveaxis(values * np.array(REAL[luma], np.float32), 2, 0)
    luminance = values[..., 0] if grey else (red + green) + blue
    return np.dstack([values, luminance])


def counted_values(picture: np.ndarray, roi: tuple[int, int, int, int] | None = None,
                   opaque_only: bool = False, **choice) -> np.ndarray:
    """Pixels x 4 of those that are counted."""
    if roi:
        x, y, width, height = roi
        picture = picture[y:y + height, x:x + width]
    values = pixel_values(picture, **choice).reshape(-1, 4)
    if opaque_only and picture.ndim == 3 and picture.shape[2] in (2, 4):
        values = values[picture[..., -1].reshape(-1) != 0]
    return values


def histogram(picture: np.ndarray, bins: int = 256, range: tuple[float, float] | str = (0, 1),
              **choice) -> tuple[np.ndarray, tuple[float, float]]:
    """(bins + 1) x 4 counts, the last row of what is not finite; and the range."""
    values = counted_values(picture, unit_range=range == (0, 1), **choice)
    if values.dtype.kind == "u":
        full = np.iinfo(picture.dtype).max
        places = np.minimum(bins - 1, values.astype(np.int64) * bins // full)
    else:
        finite = np.isfinite(values)
        if range == "auto":
            colours = values[:, :3][finite[:, :3]]
            range = (colours.min(), colours.max()) if colours.size else (0, 1)
        low, high = np.float32(range[0]), np.float32(range[1])
        width = high - low
        usable = np.finfo(np.float32).tiny <= width <= np.finfo(np.float32).max
        scale = np.float32(bins) / width if usable else np.float32(0)
        position = (np.where(finite, values, low) - low) * scale
        places = np.where(finite, np.clip(np.floor(position), 0, bins - 1), bins).astype(np.int64)
    counts = [np.bincount(channel, minlength=bins + 1) for channel in places.T]
    return np.stack(counts, axis=1), range
