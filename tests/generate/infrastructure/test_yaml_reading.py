"""YAML that was written, and then edited by people, read again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.generate.infrastructure.yaml import written
from tablewright.generate.infrastructure.yaml_reading import read

TEXTS = st.text(max_size=6)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, min_size=1, max_size=2) | st.dictionaries(TEXTS, inner, min_size=1, max_size=2),
    max_leaves=5,
)


@given(st.dictionaries(TEXTS, DATA, min_size=1, max_size=2))
def test_what_was_written_comes_back(data: dict[str, Any]) -> None:
    assert read(written(data)) == data


def test_what_people_write() -> None:
    text = """---
# The table.
Name: 'it''s'   # as said
List:
- !Ref Topic
-   A: yes # note: this
    B: "x # y"
Deep: !If
  - Given
  - - !Sub "${Table}-a"
  - Fn::GetAtt:
      - Table
      - Arn
Nothing: # none
"""
    assert read(text) == {
        "Name": "it's",
        "List": [{"Ref": "Topic"}, {"A": True, "B": "x # y"}],
        "Deep": {"Fn::If": ["Given", [{"Fn::Sub": "${Table}-a"}], {"Fn::GetAtt": ["Table", "Arn"]}]},
        "Nothing": None,
    }


@pytest.mark.parametrize(
    "text",
    ["a: &b 1", "a: |\n  text", "a: [1, 2]", "a: 1\n  b: 2", "  a: 1\nb: 2", "a: 1\na: 2", "just text", "a: 'open"],
)
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read(text)
