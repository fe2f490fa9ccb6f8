"""Writes tessera/_operators.py: one function and one method of Graph for each operator of the table.

Run by the build, with the compiled module on the path. The file is plain Python with annotations, so
that editors, type checkers and help() see every parameter.

usage: write_operators.py OUTPUT
"""

import keyword
import sys
import textwrap

HEADER = '''"""Every operator as a function and as a method of Graph. Written by write_operators.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ._call import call
from ._engine import Engine
from ._graph import GraphBase, Value
from ._results import Histogram, Statistics

'''

# What is given back where it is more than arrays.
RESULTS = {"histogram": "Histogram", "statistics": "Statistics"}

ANNOTATIONS = {
    "integer": "int",
    "number": "float",
    "switch": "bool",
    "range": 'tuple[float, float] | Literal["auto"]',
    "rectangle": "tuple[int, int, int, int] | None",
    "size": "tuple[int, int]",
    "colours": "str | Sequence[str] | None",
}


def python_name(name):
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def annotation(param):
    if param["type"] == "choice":
        return "Literal[" + ", ".join(f'"{choice}"' for choice in param["choices"]) + "]"
    return ANNOTATIONS[param["type"]]


def default(param):
    """The default as Python writes it."""
    kind, text = param["type"], param["default"]
    if kind == "integer":
        return str(int(text))
    if kind == "number":
        return repr(float(text))
    if kind == "switch":
        return str(text == "on")
    if kind == "choice" or text == "auto":
        return f'"{text}"'
    if kind == "range":
        low, high = text.split(":")
        return f"({float(low)!r}, {float(high)!r})"
    if kind == "size":
        return "(" + ", ".join(text.split("x")) + ")"
    return "None"  # everything, and the default colours


def arguments(operator):
    """Names and descriptions of what goes in. A histogram's two arrays are one argument."""
    ports = operator["inputs"]
    names = [port["name"] for port in ports]
    for port in ports:
        if port["name"] == "counts" and "range" in names:
            yield "histogram", "what `histogram` gave, or a picture to count", not names[0] == "counts"
        elif port["name"] == "range" and "counts" in names:
            continue
        else:
            yield python_name(port["name"]), port["help"], False


def wrapped(text, indent):
    return textwrap.fill(text, 96, initial_indent=indent, subsequent_indent=indent + "    ")


def described(param):
    facts = [param["type"]]
    if param["choices"]:
        facts[0] += f" of {', '.join(param['choices'])}"
    if param["unit"]:
        facts[0] += f" ({param['unit']})"
    if param["range"]:
        facts.append(param["range"])
    return f"{python_name(param['name'])}: {param['help']}; {', '.join(facts)}"


def docstring(operator, is_method):
    lines = [f'        """{operator["summary"]}.', ""]
    for name, help_text, _ in arguments(operator):
        lines.append(wrapped(f"{name}: {help_text}", "        "))
    for param in operator["params"]:
        lines.append(wrapped(described(param), "        "))
    if not is_method:
        lines.append(wrapped(
            "transfer: how the samples relate to light: srgb, linear, bt709 or gamma22", "        "))
        lines.append(wrapped("engine: where to run; the default engine when None", "        "))
        if gives_picture(operator):
            lines.append(wrapped("out: an array to write the result into", "        "))
    if operator["name"] in RESULTS:
        gives = f"a tessera.{RESULTS[operator['name']]}"
    else:
        gives = "; ".join(port["help"] for port in operator["outputs"])
    lines += ["", wrapped(f"Gives {gives}.", "        ")]
    if operator["source"]:
        lines += ["", wrapped(f"Method: {operator['source']}.", "        ")]
    lines.append('        """')
    return "\n".join(lines)


def gives_picture(operator):
    return len(operator["outputs"]) == 1 and operator["outputs"][0]["image"]


def signature(operator, is_method):
    kind = "Value" if is_method else "Any"
    parts = []
    for name, _, optional in arguments(operator):
        parts.append(f"{name}: {kind} | None = None" if optional else f"{name}: {kind}")
    parts.append("*")
    for param in operator["params"]:
        parts.append(f"{python_name(param['name'])}: {annotation(param)} = {default(param)}")
    if not is_method:
        parts.append('transfer: str = "srgb"')
        if gives_picture(operator):
            parts.append("out: Any = None")
        parts.append("engine: Engine | None = None")
    return parts


def result(operator, is_method):
    if is_method:
        return "Value"
    if operator["name"] in RESULTS:
        return RESULTS[operator["name"]]
    return "np.ndarray" if len(operator["outputs"]) == 1 else "tuple[np.ndarray, ...]"


def body(operator, is_method):
    inputs = ", ".join(name for name, _, _ in arguments(operator))
    texts = ", ".join(f'"{param["name"]}": {python_name(param["name"])}'
                      for param in operator["params"])
    if is_method:
        return f'return self._add("{operator["name"]}", [{inputs}], {{{texts}}})'
    out = "out" if gives_picture(operator) else "None"
    return f'return call("{operator["name"]}", [{inputs}], {{{texts}}}, transfer, {out}, engine)'


def definition(operator, is_method):
    indent = "    " if is_method else ""
    head = ["self"] if is_method else []
    lines = [f"{indent}def {python_name(operator['name'])}("]
    lines += [f"{indent}    {part}," for part in head + signature(operator, is_method)]
    lines.append(f"{indent}) -> {result(operator, is_method)}:")
    doc = docstring(operator, is_method)
    lines.append(doc if is_method else textwrap.indent(textwrap.dedent(doc), "    "))
    lines.append(f"{indent}    {body(operator, is_method)}")
    return "\n".join(line.rstrip() for line in "\n".join(lines).split("\n"))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    import _tessera  # here, so that write_reference.py can share what is above

    table = _tessera.operators()
    names = [python_name(operator["name"]) for operator in table]
    parts = [HEADER + "__all__ = [" + ", ".join(f'"{name}"' for name in names) + "]"]
    parts += [definition(operator, False) for operator in table]
    methods = "\n\n".join(definition(operator, True) for operator in table)
    parts.append('class Graph(GraphBase):\n    """Operators wired together; building it runs nothing."""'
                 f"\n\n{methods}")
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
