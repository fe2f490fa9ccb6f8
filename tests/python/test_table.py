"""What is made from the operator table: functions, methods of Graph, and the reference page."""

import ast
import inspect
import os
import pydoc
import re
import subprocess
import sys
import typing
from importlib import metadata, resources
from pathlib import Path

import pytest

import tessera as ts
from tessera import _operators
from tessera._table import OPERATORS

ROOT = Path(__file__).parents[2]
KINDS = {"integer": int, "number": float, "switch": bool, "choice": str, "range": (tuple, str),
         "rectangle": type(None), "size": tuple, "colours": type(None)}


def python_name(name):
    return name.replace("-", "_")


def callables(operator):
    name = python_name(operator["name"])
    return [getattr(ts, name), getattr(ts.Graph, name)]


every_operator = pytest.mark.parametrize("operator", OPERATORS.values(), ids=list(OPERATORS))


def test_the_table_is_not_empty():
    assert {"histogram", "statistics", "histogram-plot", "histogram-overlay"} <= set(OPERATORS)


@every_operator
def test_an_operator_is_a_function_and_a_method(operator):
    function, method = callables(operator)
    assert inspect.isfunction(function) and inspect.isfunction(method)
    assert function.__name__ == method.__name__ == python_name(operator["name"])
    assert function.__name__ in ts.__all__


@every_operator
def test_every_parameter_is_a_keyword_with_its_default(operator):
    for function in callables(operator):
        given = inspect.signature(function).parameters
        for param in operator["params"]:
            found = given[python_name(param["name"])]
            assert found.kind is inspect.Parameter.KEYWORD_ONLY
            assert isinstance(found.default, KINDS[param["type"]]), param
            for choice in param["choices"]:
                assert repr(choice) in found.annotation
            assert found.default in param["choices"] or not param["choices"]


@every_operator
def test_every_argument_and_result_is_annotated(operator):
    function, method = callables(operator)
    for signature in map(inspect.signature, (function, method)):
        assert signature.return_annotation is not inspect.Signature.empty
        for parameter in signature.parameters.values():
            assert parameter.name == "self" or parameter.annotation is not inspect.Parameter.empty
    assert inspect.signature(method).return_annotation == "Value"
    if sys.version_info >= (3, 10):
        assert "return" in typing.get_type_hints(function)


@every_operator
def test_the_docstring_tells_all(operator):
    for function in callables(operator):
        text = " ".join(inspect.getdoc(function).split())
        assert text.startswith(operator["summary"] + ".")
        for param in operator["params"]:
            assert f"{python_name(param['name'])}: {param['help']}; {param['type']}" in text
            assert param["range"] in text and param["unit"] in text
        for name in inspect.signature(function).parameters:
            assert name == "self" or f" {name}: " in text
        assert operator["source"] in text


@every_operator
def test_help_shows_it(operator):
    for function in callables(operator):
        text = pydoc.plain(pydoc.render_doc(function))
        assert operator["summary"] in text
        assert all(python_name(param["name"]) in text for param in operator["params"])


@every_operator
def test_defaults_given_by_name_are_the_defaults(operator):
    # The text forms go through the same reading as the command line's.
    method = getattr(ts.Graph(), python_name(operator["name"]))
    parameters = inspect.signature(method).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()
                if parameter.kind is inspect.Parameter.KEYWORD_ONLY}
    assert len(defaults) == len(operator["params"])
    picture = method.__self__.input(shape=(4, 4, 3))
    assert method(picture, **defaults).shape == method(picture).shape


@every_operator
def test_the_table_says_all_that_is_needed(operator):
    assert operator["summary"] and operator["inputs"] and operator["outputs"]
    for port in operator["inputs"] + operator["outputs"]:
        assert port["name"] and port["help"]
    for param in operator["params"]:
        assert param["help"] and param["type"] in KINDS and param["default"]
        assert bool(param["choices"]) == (param["type"] == "choice")


def test_names_are_unique():
    assert len({python_name(name) for name in OPERATORS}) == len(OPERATORS)
    assert len(set(ts.__all__)) == len(ts.__all__)
    for operator in OPERATORS.values():
        names = [python_name(param["name"]) for param in operator["params"]]
        assert len({*names, "transfer", "engine", "out"}) == len(names) + 3


def test_all_that_is_named_is_there():
    for name in ts.__all__:
        assert getattr(ts, name) is not None
        assert not name.startswith("_") or name == "__version__"


def test_the_module_that_was_written_is_python():
    source = inspect.getsource(_operators)
    compile(source, _operators.__file__, "exec")
    defined = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    assert defined == [python_name(name) for name in OPERATORS]


def test_type_checkers_find_the_annotations():
    assert resources.files("tessera").joinpath("py.typed").is_file()


def test_what_people_use_is_documented():
    for name in ts.__all__:
        thing = getattr(ts, name)
        if not name.startswith("_"):
            assert inspect.getdoc(thing), name
    for kind in (ts.Engine, ts.Prepared, ts.Graph, ts.Histogram):
        for name, member in vars(kind).items():
            if not name.startswith("_"):
                assert inspect.getdoc(member), f"{kind.__name__}.{name}"


def test_the_version_is_the_project_s():
    assert re.fullmatch(r"\d+\.\d+\.\d+", ts.__version__)
    assert f"project(tessera VERSION {ts.__version__} " in (ROOT / "CMakeLists.txt").read_text()
    assert metadata.version("tessera") == ts.__version__


def test_the_reference_page_is_up_to_date(tmp_path):
    written = tmp_path / "reference.md"
    subprocess.run([sys.executable, ROOT / "python/write_reference.py", written], check=True,
                   env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    committed = ROOT / "docs/reference.md"
    if written.read_text() != committed.read_text():
        pytest.fail("docs/reference.md is not what the operator table says: run\n"
                    "    python python/write_reference.py docs/reference.md\n"
                    "where tessera is installed, and commit it")
