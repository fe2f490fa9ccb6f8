"""Where work runs."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _tessera
from ._arrays import as_array
from ._graph import GraphBase

# A GPU driver does not survive a fork: its threads are gone in the child. So a child of a process
# that has used one runs on the CPU engine, and is told so when it asks for a GPU.
_gpu_used_by: int | None = None
_lock = threading.Lock()
_default: Engine | None = None


def _forked_after_gpu() -> bool:
    return _gpu_used_by is not None and _gpu_used_by != os.getpid()


def _refuse_after_fork() -> None:
    raise _tessera.DeviceError(
        "this process was forked from one that has used a GPU, which it cannot use itself: start "
        "it with multiprocessing's 'spawn', or use Engine('cpu')")


def _use_drivers() -> None:
    global _gpu_used_by
    _gpu_used_by = os.getpid()
    # A Vulkan layer that chooses displays, which nothing here needs, talks where there is no desktop.
    if not os.environ.get("XDG_RUNTIME_DIR"):
        os.environ.setdefault("NODEVICE_SELECT", "1")


@dataclass(frozen=True)
class Device:
    """One place where work can run."""

    index: int
    name: str
    backend: str
    type: str
    driver: str
    is_cpu_engine: bool
    is_software: bool
    shader_f16: bool
    subgroups: bool
    timestamp_query: bool
    max_buffer_size: int
    max_storage_buffer_binding_size: int
    max_compute_workgroup_storage_size: int

    def __str__(self) -> str:
        return f"{self.index}: {self.name} ({self.backend}, {self.type}, {self.driver})"


def devices() -> list[Device]:
    """Every adapter, then the CPU engine. `index` is what Engine(adapter=...) takes."""
    if _forked_after_gpu():
        _refuse_after_fork()
    _use_drivers()
    return [Device(index, **entry) for index, entry in enumerate(_tessera.devices())]


class Engine:
    """An open device. May be used by several threads at once.

    kind: "auto" takes a hardware GPU where there is one, else the CPU engine; "gpu" and "cpu"
        insist.
    adapter: a part of an adapter's name, or its index in devices().
    timestamps: time each pass of what is prepared (Prepared.timings).
    """

    def __init__(self, kind: str = "auto", *, adapter: str | int | None = None,
                 timestamps: bool = False) -> None:
        if not isinstance(kind, str):
            raise TypeError(f"kind: auto, gpu or cpu, not a {type(kind).__name__}")
        if not isinstance(adapter, (str, int, type(None))):
            raise TypeError(f"adapter: a name or an index, not a {type(adapter).__name__}")
        adapter = "" if adapter is None else str(adapter)
        if kind != "cpu" or adapter:
            if _forked_after_gpu():
                if kind != "auto" or adapter:
                    _refuse_after_fork()
                kind = "cpu"
            else:
                _use_drivers()
        self._engine = _tessera.Engine(kind, adapter, timestamps)
        self._process = os.getpid()
        self._device = self._engine.adapter

    @property
    def name(self) -> str:
        """The adapter's name."""
        return self._device["name"]

    @property
    def is_cpu(self) -> bool:
        """Whether this is the CPU engine."""
        return self._device["is_cpu_engine"]

    @property
    def reason(self) -> str:
        """Why this adapter was taken."""
        return self._engine.reason

    def prepare(self, graph: GraphBase) -> Prepared:
        """Compiles and allocates all that `graph` needs. Its outputs are those that were marked
        with graph.output, or every value that no operator takes."""
        self._check_process()
        if not isinstance(graph, GraphBase):
            raise TypeError(f"a Graph, not a {type(graph).__name__}")
        outputs = graph._finish()
        ports = [port for output in outputs for port in zip(output.value.ids, output.ports)]
        return Prepared(self, self._engine.prepare(graph._graph, ports), graph, outputs)

    def _check_process(self) -> None:
        if not self.is_cpu and self._process != os.getpid():
            _refuse_after_fork()

    def __repr__(self) -> str:
        return f"<tessera.Engine on {self.name} ({self._device['backend']}): {self.reason}>"


class Prepared:
    """A graph ready to run many times: call it with its inputs, in the order of graph.input.

    Results are new arrays, or those given as `out`. With `out`, nothing is allocated after the
    first run. One thread at a time works on it; others wait.
    """

    def __init__(self, engine: Engine, prepared: Any, graph: GraphBase, outputs: list) -> None:
        self._engine = engine
        self._prepared = prepared
        self._inputs = [graph._graph.info(value.id) for value in graph._inputs]
        self._flat = [value.is_flat for value in graph._inputs]
        self._outputs = outputs

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        self._engine._check_process()
        given = [as_array(array) for array in arrays]
        for array, (shape, dtype), flat in zip(given, self._inputs, self._flat):
            expected = shape[:2] if flat else shape
            known = array.dtype == dtype or (array.dtype == np.float64 and dtype == "float32")
            if array.shape != tuple(expected) or not known:
                raise ValueError(f"this graph was prepared for {dtype} of shape {tuple(expected)}, "
                                 f"not {array.dtype} of shape {array.shape}")
        outs = [] if out is None else list(out) if isinstance(out, (list, tuple)) else [out]
        count = sum(len(output.ports) for output in self._outputs)
        if outs and len(outs) != count:
            raise ValueError(f"this graph gives {count} arrays, and 'out' holds {len(outs)}")
        results = iter(self._prepared.run(given, outs))
        made = [output.take(results, bool(outs)) for output in self._outputs]
        return made[0] if len(made) == 1 else tuple(made)

    @property
    def outputs(self) -> list[str]:
        """The names of what a call gives, in order."""
        return [output.name for output in self._outputs]

    @property
    def notes(self) -> list[str]:
        """Which variants were chosen, and why."""
        return self._prepared.notes

    @property
    def timings(self) -> list[tuple[str, float]]:
        """Milliseconds of each pass of the last run, where the engine has timestamps=True."""
        return self._prepared.timings


def default_engine() -> Engine:
    """The engine that functions run on when they are given none; opened when first asked for."""
    global _default
    with _lock:
        if _default is None:
            _default = Engine()
        return _default


def set_default_engine(engine: Engine | None) -> None:
    """Takes `engine` from now on; None: opens one when it is next needed."""
    global _default
    if engine is not None and not isinstance(engine, Engine):
        raise TypeError(f"an Engine, or None, not a {type(engine).__name__}")
    with _lock:
        _default = engine


def _after_fork() -> None:
    global _default, _lock
    _lock = threading.Lock()
    if _default is not None and not _default.is_cpu:
        _default = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
