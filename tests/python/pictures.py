"""The pictures that tests look at: photos, and the contents and shapes that break image code."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import skimage.io

SAMPLES = Path(__file__).parents[2] / "samples"
PHOTOS = sorted(path.name for path in SAMPLES.iterdir() if path.suffix in (".png", ".jpg"))


@cache
def photo(name: str) -> np.ndarray:
    """A photo in RGB. Two readers take turns, so that neither's habits become a rule here."""
    path = str(SAMPLES / name)
    pixels = skimage.io.imread(path) if path.endswith(".png") else cv2.imread(path)[..., ::-1]
    pixels = np.ascontiguousarray(pixels[..., :3])
    pixels.flags.writeable = False
    return pixels


def small_photo(name: str = "chelsea.png") -> np.ndarray:
    """What a software GPU counts in no time."""
    return photo(name)[::5, ::5]


def as_dtype(picture: np.ndarray, dtype: str) -> np.ndarray:
    """An 8-bit picture in another type, whites staying white."""
    if dtype == "uint8":
        return picture
    if dtype == "uint16":
        return picture.astype(np.uint16) * 257
    return (picture / 255).astype(dtype)


def with_channels(picture: np.ndarray, channels: int) -> np.ndarray:
    """An RGB picture with 1 to 4 channels. A tenth or so of the alphas is 0."""
    height, width, _ = picture.shape
    index = np.arange(height * width).reshape(height, width, 1)
    full = 1 if picture.dtype.kind == "f" else np.iinfo(picture.dtype).max
    alpha = (index % 10 * (full / 9)).astype(picture.dtype)
    colour = picture if channels > 2 else picture[..., 1:2]
    return np.concatenate([colour, alpha], axis=2) if channels % 2 == 0 else colour


def floats_that_hurt(dtype: str = "float32") -> np.ndarray:
    """What a float picture may hold and an integer one cannot."""
    random = np.random.default_rng(7)
    values = random.normal(0.5, 0.5, (23, 31, 3)).astype(dtype)
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, 60000.0, -60000.0, 1e-7, 0.5]
    values.reshape(-1)[::29][:len(odd)] = odd
    return values


PICTURES = {
    "photo": small_photo(),
    "photo, odd size": small_photo("coffee.png")[:33, :41],
    "1x1": np.array([[[200, 100, 50]]], np.uint8),
    "one row": small_photo()[:1],
    "one column": small_photo()[:, :1],
    "constant": np.full((9, 65, 3), 77, np.uint8),
    "black": np.zeros((8, 8, 3), np.uint8),
    "white": np.full((8, 8, 3), 255, np.uint8),
    "every 8-bit value": np.arange(256, dtype=np.uint8).reshape(16, 16),
    "every 8-bit value, three channels": np.stack(
        [np.arange(256, dtype=np.uint8).reshape(8, 32) * step for step in (1, 3, 7)], axis=2),
    "every 16-bit value": np.arange(65536, dtype=np.uint16).reshape(256, 256),
    "16-bit ramps": np.stack(
        [np.arange(0, 65536, 16, dtype=np.uint16).reshape(64, 64) + step for step in (0, 5, 15)],
        axis=2),
    "every half": np.arange(65536, dtype=np.uint16).view(np.float16).reshape(256, 256),
    "floats that hurt": floats_that_hurt(),
    "halves that hurt": floats_that_hurt("float16"),
    "no finite float": np.full((5, 7, 3), np.nan, np.float32),
    **{f"{dtype}, {channels} channels": with_channels(as_dtype(small_photo()[:29, :37], dtype),
                                                      channels)
       for dtype in ("uint8", "uint16", "float16", "float32") for channels in (1, 2, 3, 4)},
}
