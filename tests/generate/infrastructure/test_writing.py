"""Whatever a text holds, each language reads back what was written: names of attributes may be anything."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from typing import Any

import hcl2
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tablewright import Entity, Keys, Table
from tablewright.generate.infrastructure.hcl import Block, Reference
from tablewright.generate.infrastructure.hcl import written as written_hcl
from tablewright.generate.infrastructure.python import literal
from tablewright.generate.infrastructure.shell_script import shell_script
from tablewright.generate.infrastructure.yaml import Function
from tablewright.generate.infrastructure.yaml import written as written_yaml
from tablewright.generate.material import Material

TEXTS = st.one_of(
    st.text(max_size=12),
    st.text(" :#-'\"\\{}$%[]&*!|>@`,?~ab1=\n\t", max_size=12),
    st.sampled_from(
        ["null", "Yes", "no", "ON", "n", "1e3", "0x1", "1:30", "a: b", "a #b", "- a", "", "2010-09-09", ".5"]
    ),
)
PLAIN = st.one_of(TEXTS, st.integers(), st.booleans())
DATA = st.dictionaries(
    TEXTS,
    st.recursive(
        PLAIN, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3))
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=settings().max_examples // 3)
@given(DATA)
@example({"a": "\x7f\x85\u2028\ufeff😀"})
def test_yaml_is_read_back(data: dict[str, Any]) -> None:
    assert yaml.safe_load(written_yaml(data)) == data


def test_functions_of_cloudformation_have_their_short_form() -> None:
    given_one = {"A": Function("If", ["There", [Function("Ref", "Topic")], Function("Ref", "AWS::NoValue")])}
    assert written_yaml(given_one) == "A: !If\n  - There\n  - - !Ref Topic\n  - !Ref AWS::NoValue\n"


@settings(max_examples=settings().max_examples // 3)
@given(DATA)
def test_python_is_read_back(data: dict[str, Any]) -> None:
    assert ast.literal_eval(literal(data)) == data
    assert ast.literal_eval(literal({"long": [data] * 20})) == {"long": [data] * 20}


@settings(max_examples=settings().max_examples // 3)
@given(st.text("ab${}%\"\\'#/ *éß", max_size=12).filter(lambda text: not re.search("[$%]{(?![a-z]+})", text)))
@example("${var.stage}")
@example("%{if}")
def test_hcl_is_read_back(text: str) -> None:
    """Terraform itself also takes templates that are not closed, which this parser does not."""
    block = Block(
        "resource", ("a", "b"), {"text": text, "list": [text, 1], "map": {"k": text}, "ref": Reference("var.x")}
    )
    (read,) = hcl2.loads(written_hcl([block]))["resource"]
    values = read['"a"']['"b"']
    for found in (values["text"], values["list"][0], values["map"]['"k"']):
        assert found.startswith('"')
        assert json.loads(found).replace("$${", "${").replace("%%{", "%{") == text


@pytest.mark.parametrize("name", ["$HOME", "`id`", "a\\b", "it's", 'say "x"', "JSON", "$(id)"])
def test_a_shell_leaves_names_as_they_are(name: str) -> None:
    table = Table("AppTable", pk=name)

    class Thing(Entity, table=table):
        keys = Keys("THING#{number}", "THING")
        number: int

    script = shell_script(Material(table.plan))
    shown = "aws() { printf '%s' \"${@: -1}\"; exit; }\n"
    start, end = script.index("aws dynamodb create-table"), "\nfi\n"
    done = subprocess.run(
        ["bash", "-c", f"TABLE=t\n{shown}{script[start : script.index(end, start)]}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["KeySchema"][0]["AttributeName"] == name
