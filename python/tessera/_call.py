"""One operator on arrays."""

from __future__ import annotations

from typing import Any

from ._arrays import as_array
from ._engine import Engine, default_engine
from ._results import RESULTS, Histogram
from ._table import OPERATORS, takes_histogram, texts


def call(name: str, inputs: list[Any], params: dict, transfer: str, out: Any,
         engine: Engine | None) -> Any:
    if engine is None:
        engine = default_engine()
    elif not isinstance(engine, Engine):
        raise TypeError(f"engine: an Engine, or None, not a {type(engine).__name__}")
    engine._check_process()
    if not isinstance(transfer, str):
        raise TypeError(f"transfer: a name, not a {type(transfer).__name__}")

    given = inputs
    if takes_histogram(name):
        histogram = inputs[-1] if inputs[-1] is not None else inputs[0]
        if not isinstance(histogram, Histogram):
            histogram = call("histogram", [histogram], {}, transfer, None, engine)
        given = [*inputs[:-1], *histogram._arrays]
    arrays = [as_array(array) for array in given]
    values = texts(name, params)
    results = engine._engine.run(name, arrays, values, transfer, [] if out is None else [out])

    if name in RESULTS:
        shape = arrays[0].shape
        info = ((*shape, 1)[:3], arrays[0].dtype.name)
        return RESULTS[name](results, {"info": info, "transfer": transfer, "params": values})
    if len(results) > 1:
        return tuple(results)
    result = results[0]
    is_flat = OPERATORS[name]["outputs"][0]["image"] and arrays[0].ndim == 2
    if out is None and is_flat and result.ndim == 3 and result.shape[2] == 1:
        return result[:, :, 0]
    return result
