"""Writes docs/reference.md: what each operator takes and gives, from Python and on the command line.

Run it where tessera is installed, after a change of the operator table.

usage: python python/write_reference.py docs/reference.md
"""

import sys

# This folder has the package's sources, which cannot be imported as they lie: the installed one first.
sys.path.append(sys.path.pop(0))

from tessera._table import OPERATORS  # noqa: E402
from write_operators import (  # noqa: E402
    RESULTS, annotation, arguments, default, gives_picture, python_name, result)

HEADER = """# Operators
Written by `python/write_reference.py` from the operator table, as are the Python functions and the
command line's options: change the table, never this page. [tour.ipynb](tour.ipynb) shows them at
work; [pixel-values.md](pixel-values.md) has the exact arithmetic.

A picture is a NumPy array of height x width, or height x width x channels (1 to 4), of uint8, uint16,
float16 or float32; float64 is computed as float32. Full scale is 1 for floats. Each function is a
method of `Graph` too, which takes values of the graph and gives one.

Every function also takes

- `transfer="srgb"`: how the samples relate to light: `"srgb"`, `"linear"`, `"bt709"` or `"gamma22"`
- `engine=None`: where to run; `None` is the default engine
- `out=None`, where the result is a picture: an array to write it into
"""

# The table does not know in which command an operator runs.
COMMANDS = {
    "histogram": "tessera histogram PHOTO",
    "statistics": "tessera histogram PHOTO --json FILE",
    "histogram-plot": "tessera histogram PHOTO -o FILE",
    "histogram-overlay": "tessera histogram PHOTO --overlay -o FILE",
}


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
                     for line in lines)


def python_call(operator):
    inputs = [f"{name}=None" if optional else name for name, _, optional in arguments(operator)]
    params = [f"{python_name(param['name'])}={default(param)}" for param in operator["params"]]
    lines, line = [], f"ts.{python_name(operator['name'])}("
    indent = " " * len(line)
    parts = [*inputs, "*", *params, 'transfer="srgb"']
    parts += (["out=None"] if gives_picture(operator) else []) + ["engine=None"]
    for number, part in enumerate(parts):
        part += ")" if number + 1 == len(parts) else ", "
        if len(line) + len(part.rstrip()) > 96:
            lines.append(line.rstrip())
            line = indent
        line += part
    return "\n".join([*lines, f"{line} -> {result(operator, False)}"])


def option(param):
    """As the command line takes it."""
    return f"--{param['name']}" + ("" if param["type"] == "switch" else f" {param['type'].upper()}")


def parameter(param, has_command):
    python_default = f"`{default(param)}`"
    if default(param) == "None":
        python_default += f": `{param['default'].replace(',', ', ')}`"
    choices = ", ".join(f"`{choice}`" for choice in param["choices"])
    names = [f"`{python_name(param['name'])}`", *([f"`{option(param)}`"] if has_command else [])]
    kind = f"`{annotation(param)}`" if param["type"] != "choice" else "`str`"
    return ["<br>".join(names), param["help"], kind, python_default, param["range"] or choices,
            param["unit"]]


def section(operator):
    has_command = operator["name"] in COMMANDS
    parts = [f"## {operator['name']}", operator["summary"] + ".",
             f"```python\n{python_call(operator)}\n```"]
    if has_command:
        parts.append(f"```\n{COMMANDS[operator['name']]} [OPTION...]\n```")
    parts.append(table(["takes", ""], [[f"`{name}`", text] for name, text, _ in arguments(operator)]))
    parts.append(table(["gives", ""],
                       [[f"`{port['name']}`", port["help"]] for port in operator["outputs"]]))
    if operator["name"] in RESULTS:
        parts.append(f"In Python that is a `tessera.{RESULTS[operator['name']]}`.")
    if operator["params"]:
        parts.append(table(["parameter", "", "type", "default", "range or choices", "unit"],
                           [parameter(param, has_command) for param in operator["params"]]))
    if operator["source"]:
        parts.append(f"Method: {operator['source']}.")
    return "\n\n".join(parts)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    contents = "\n".join(f"- [{name}](#{name}): {operator['summary']}"
                         for name, operator in OPERATORS.items())
    page = "\n\n".join([HEADER + "\n" + contents, *map(section, OPERATORS.values())]) + "\n"
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
