"""Image signal processing on the GPU through WebGPU, with a SIMD engine where there is no GPU.

Every operator is a function of NumPy arrays (height x width, or height x width x channels; uint8,
uint16, float16, float32, and float64, which is computed as float32):

    import tessera as ts
    counts = ts.histogram(photo).counts

Engine, Graph and Engine.prepare run several operators together, many times, without reading
anything back in between.
"""

from ._engine import Device, Engine, Prepared, default_engine, devices, set_default_engine
from ._graph import Value
from ._operators import *  # noqa: F403
from ._operators import Graph
from ._operators import __all__ as _operator_names
from ._results import ChannelStatistics, Histogram, Statistics
from ._tessera import DeviceError, __version__

__all__ = [
    "ChannelStatistics", "Device", "DeviceError", "Engine", "Graph", "Histogram", "Prepared",
    "Statistics", "Value", "__version__", "default_engine", "devices", "set_default_engine",
    *_operator_names,
]
