"""Results that are more than an array."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _tessera

CHANNELS = ("r", "g", "b", "l")


def png(picture: np.ndarray) -> bytes:
    """A PNG file of an RGBA picture of 8 bits, for notebooks."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + 4 * width), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = picture.reshape(height, 4 * width)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b""))


class Histogram:
    """Counts of red, green, blue and luminance. Shows itself in a notebook."""

    def __init__(self, counts: np.ndarray, value_range: np.ndarray) -> None:
        self._arrays = (counts, value_range)

    @property
    def counts(self) -> np.ndarray:
        """bins x 4: red, green, blue, luminance."""
        return self._arrays[0][:-1]

    @property
    def r(self) -> np.ndarray:
        """Red."""
        return self.counts[:, 0]

    @property
    def g(self) -> np.ndarray:
        """Green."""
        return self.counts[:, 1]

    @property
    def b(self) -> np.ndarray:
        """Blue."""
        return self.counts[:, 2]

    @property
    def l(self) -> np.ndarray:  # noqa: E743
        """Luminance."""
        return self.counts[:, 3]

    @property
    def non_finite(self) -> np.ndarray:
        """How many values of each channel were NaN or infinite, and so in no bin."""
        return self._arrays[0][-1]

    @property
    def bins(self) -> int:
        """How many there are."""
        return len(self.counts)

    @property
    def range(self) -> tuple[float, float]:
        """The values of the first bin's start and the last bin's end."""
        low, high = self._arrays[1]
        return float(low), float(high)

    @property
    def edges(self) -> np.ndarray:
        """The bins + 1 values between which the bins lie, as numpy.histogram gives them."""
        return np.linspace(*self.range, self.bins + 1)

    def quantile(self, fraction: float, channel: str = "l") -> float:
        """The value below which a fraction of a channel's pixels lies, to within a bin."""
        if channel not in CHANNELS:
            raise ValueError(f"channel = {channel!r} is none of r, g, b, l")
        return _tessera.histogram_quantile(*self._arrays, CHANNELS.index(channel), float(fraction))

    def draw(self, **params: Any) -> np.ndarray:
        """The histogram as a picture: `tessera.histogram_plot` with its parameters."""
        from ._operators import histogram_plot

        return histogram_plot(self, **params)

    def plot(self, axes: Any = None) -> Any:
        """Draws with Matplotlib, which must be installed, and gives the axes."""
        from matplotlib import pyplot

        axes = axes or pyplot.gca()
        for name, color in zip(CHANNELS, ("tab:red", "tab:green", "tab:blue", "black")):
            axes.stairs(getattr(self, name), self.edges, color=color, label=name)
        axes.legend()
        return axes

    def _repr_png_(self) -> bytes:
        return png(self.draw(size=(768, 256)))

    def __repr__(self) -> str:
        low, high = self.range
        return (f"<tessera.Histogram: {self.bins} bins over {low:g}..{high:g}, "
                f"{int(self.l.sum())} pixels>")


@dataclass(frozen=True)
class ChannelStatistics:
    """Of one channel; full scale is 1. Shadows lie at or below 0, highlights at or above 1."""

    count: int
    non_finite: int
    shadows: int
    highlights: int
    minimum: float
    maximum: float
    mean: float
    deviation: float


@dataclass(frozen=True)
class Statistics:
    """Of red, green, blue and luminance."""

    r: ChannelStatistics
    g: ChannelStatistics
    b: ChannelStatistics
    l: ChannelStatistics  # noqa: E741


def _histogram(arrays: list[np.ndarray], context: dict) -> Histogram:
    return Histogram(*arrays)


def _statistics(arrays: list[np.ndarray], context: dict) -> Statistics:
    (height, width, channels), dtype = context["info"]
    merged = _tessera.merge_statistics(arrays[0], height, width, channels, dtype,
                                       context["transfer"], context["params"])
    return Statistics(*(ChannelStatistics(**channel) for channel in merged))


# By operator: what its arrays are made into.
RESULTS = {"histogram": _histogram, "statistics": _statistics}
