"""Other libraries' arrays as NumPy's, and parameters as the operator table's text."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def as_array(data: Any) -> np.ndarray:
    """A NumPy array of the same memory where that is possible; native byte order."""
    if not isinstance(data, np.ndarray):
        if hasattr(data, "__array_interface__") or hasattr(data, "__array__"):
            data = np.asarray(data)
        elif hasattr(data, "__dlpack__"):
            try:
                data = np.from_dlpack(data)
            except (BufferError, RuntimeError, ValueError, TypeError) as problem:
                raise TypeError(f"this array cannot be read through DLPack: {problem}; "
                                "bring it to the CPU first") from problem
        else:
            try:
                data = np.asarray(memoryview(data))
            except TypeError:
                raise TypeError(f"a picture is an array, not a {type(data).__name__}") from None
    if data.dtype.byteorder not in "=|" and not data.dtype.isnative:
        data = data.astype(data.dtype.newbyteorder("="))
    return data


def text_of(name: str, kind: str, value: Any) -> str | None:
    """A parameter's value as the command line takes it; None for the default."""
    if value is None:
        return None
    try:
        if kind == "switch":
            if not isinstance(value, (bool, np.bool_)):
                raise TypeError("is no bool")
            return "on" if value else "off"
        if kind == "integer":
            return str(operator.index(value))
        if kind == "number":
            return repr(float(value))
        if isinstance(value, str):
            return value
        if kind == "range":
            low, high = value
            return f"{float(low)!r}:{float(high)!r}"
        if kind == "rectangle":
            return ",".join(str(operator.index(number)) for number in value)
        if kind == "size":
            width, height = value
            return f"{operator.index(width)}x{operator.index(height)}"
        if kind == "colours":
            return ",".join(value)
    except (TypeError, ValueError) as problem:
        raise TypeError(f"{name} = {value!r} is no {kind}: {problem}") from None
    raise TypeError(f"{name} = {value!r} is no {kind}")
