"""Operators wired together by handles. tessera.Graph adds a method for each operator."""

from __future__ import annotations

import operator
from typing import Any, Iterator

import numpy as np

from . import _tessera
from ._arrays import as_array
from ._results import RESULTS
from ._table import OPERATORS, takes_histogram, texts


class Value:
    """A wire of a graph: one picture or array, or the several that belong together (what
    `histogram` gives)."""

    def __init__(self, graph: GraphBase, ids: list[int], operator: str = "",
                 context: dict | None = None, is_flat: bool = False) -> None:
        self.graph = graph
        self.ids = ids
        self.operator = operator
        self.context = context
        self.is_flat = is_flat

    @property
    def id(self) -> int:
        return self.ids[0]

    @property
    def shape(self) -> tuple[int, ...]:
        shape = tuple(self.graph._graph.info(self.id)[0])
        return shape[:2] if self.is_flat else shape

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.graph._graph.info(self.id)[1])

    def __repr__(self) -> str:
        made_by = f" of {self.operator}" if self.operator else ""
        return f"<tessera.Value{made_by}: {self.dtype} {self.shape}>"


class Output:
    """What a run gives for one value: an array, or the object that several arrays make."""

    def __init__(self, name: str, value: Value) -> None:
        self.name = name
        self.value = value
        self.ports = ([name] if len(value.ids) == 1
                      else [f"{name}.{port['name']}"
                            for port in OPERATORS[value.operator]["outputs"]])

    def take(self, arrays: Iterator[np.ndarray], as_given: bool) -> Any:
        taken = [next(arrays) for _ in self.ports]
        if self.value.operator in RESULTS:
            return RESULTS[self.value.operator](taken, self.value.context)
        array = taken[0]
        if self.value.is_flat and array.ndim == 3 and not as_given:
            array = array[:, :, 0]
        return array


class GraphBase:
    """What Graph is without its operators."""

    def __init__(self) -> None:
        self._graph = _tessera.Graph()
        self._inputs: list[Value] = []
        self._values: list[Value] = []
        self._taken: set[int] = set()
        self._outputs: list[Output] = []

    def input(self, like: Any = None, *, shape: tuple[int, ...] | None = None,
              dtype: Any = "uint8", transfer: str = "srgb") -> Value:
        """A picture that each run brings: like an array, or of a shape and dtype."""
        if like is not None:
            like = as_array(like)
            shape, dtype = like.shape, like.dtype
        if shape is None or len(shape) not in (2, 3):
            raise ValueError("give a shape of height x width, or height x width x channels")
        height, width, channels = (operator.index(length) for length in (*shape, 1)[:3])
        if not (0 < height < 2**32 and 0 < width < 2**32 and 0 < channels <= 4):
            raise ValueError("a picture has 1 to 4294967295 rows and columns and 1 to 4 channels, "
                             f"not the shape {tuple(shape)}")
        identity = self._graph.input(height, width, channels, np.dtype(dtype).name, transfer)
        value = Value(self, [identity], is_flat=len(shape) == 2)
        self._inputs.append(value)
        return value

    def output(self, value: Value, name: str = "") -> Value:
        """Marks a value that each run gives back."""
        self._own(value)
        name = name or f"output{len(self._outputs)}"
        if name in (output.name for output in self._outputs):
            raise ValueError(f"this graph has an output named {name!r} already")
        self._outputs.append(Output(name, value))
        return value

    def _own(self, value: Any) -> None:
        if not isinstance(value, Value):
            raise TypeError(f"a value of a graph, not a {type(value).__name__}")
        if value.graph is not self:
            raise ValueError("this value belongs to another graph")

    def _add(self, name: str, inputs: list[Value | None], params: dict) -> Value:
        if takes_histogram(name):
            inputs = [*inputs]
            if inputs[-1] is None:
                inputs[-1] = self._add("histogram", [inputs[0]], {})
            elif isinstance(inputs[-1], Value) and inputs[-1].operator != "histogram":
                inputs[-1] = self._add("histogram", [inputs[-1]], {})
        ids = []
        for value in inputs:
            self._own(value)
            ids += value.ids
            self._taken.update(value.ids)
        made = self._graph.add(name, ids, texts(name, params))
        first = inputs[0]
        channels = self._graph.info(made[0])[0][-1]
        flat = OPERATORS[name]["outputs"][0]["image"] and first.is_flat and channels == 1
        context = None
        if name in RESULTS:
            context = {"info": self._graph.info(first.id),
                       "transfer": self._graph.transfer(first.id), "params": texts(name, params)}
        value = Value(self, made, name, context, flat)
        self._values.append(value)
        return value

    def _finish(self) -> list[Output]:
        outputs = self._outputs or [
            Output(f"output{number}", value) for number, value in enumerate(
                value for value in self._values if not self._taken.intersection(value.ids))]
        if not outputs:
            raise ValueError("this graph gives nothing: add an operator")
        return [*outputs]
