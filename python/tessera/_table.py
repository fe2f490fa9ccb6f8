"""The operator table, by name."""

from __future__ import annotations

from . import _tessera
from ._arrays import text_of

OPERATORS = {entry["name"]: entry for entry in _tessera.operators()}
_KINDS = {name: {param["name"]: param["type"] for param in entry["params"]}
          for name, entry in OPERATORS.items()}


def texts(name: str, params: dict) -> dict[str, str]:
    """Parameters in text form, those that are left at None left out."""
    kinds = _KINDS[name]
    pairs = ((key, text_of(key.replace("-", "_"), kinds[key], value))
             for key, value in params.items())
    return {key: text for key, text in pairs if text is not None}


def takes_histogram(name: str) -> bool:
    ports = [port["name"] for port in OPERATORS[name]["inputs"]]
    return "counts" in ports and "range" in ports
