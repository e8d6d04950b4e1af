"""Projections, as DynamoDB Local answers them."""

from __future__ import annotations

import pytest

from tablewright.expressions import compiled_projection, parse_projection, project
from tablewright.values.types import Item

ITEM: Item = {
    "l": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}, {"N": "3"}]},
    "m": {"M": {"x": {"N": "1"}, "y": {"M": {"z": {"N": "2"}, "w": {"N": "3"}}}}},
    "n": {"N": "1"},
    "ss": {"SS": ["a", "b"]},
    "ll": {"L": [{"L": [{"N": "1"}, {"N": "2"}]}, {"M": {"a": {"N": "1"}, "b": {"N": "2"}}}]},
    "e": {"M": {}},
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n", {"n": {"N": "1"}}),
        ("q", {}),
        ("n, q, ss", {"n": {"N": "1"}, "ss": {"SS": ["a", "b"]}}),
        ("e", {"e": {"M": {}}}),
        ("l[0]", {"l": {"L": [{"N": "0"}]}}),
        ("l[2],l[0]", {"l": {"L": [{"N": "0"}, {"N": "2"}]}}),
        ("l[9]", {}),
        ("l[9],l[1]", {"l": {"L": [{"N": "1"}]}}),
        ("m.x", {"m": {"M": {"x": {"N": "1"}}}}),
        ("m.y.z", {"m": {"M": {"y": {"M": {"z": {"N": "2"}}}}}}),
        ("m.y.q", {}),
        ("m.q.r", {}),
        ("m.x.q", {}),
        ("m.y.w,m.x", {"m": {"M": {"y": {"M": {"w": {"N": "3"}}}, "x": {"N": "1"}}}}),
        ("m.y.z,m.y.w", {"m": {"M": {"y": {"M": {"z": {"N": "2"}, "w": {"N": "3"}}}}}}),
        ("ll[1].a", {"ll": {"L": [{"M": {"a": {"N": "1"}}}]}}),
        ("ll[1].a,ll[0][1]", {"ll": {"L": [{"L": [{"N": "2"}]}, {"M": {"a": {"N": "1"}}}]}}),
        ("ll[1].q,ll[0][0]", {"ll": {"L": [{"L": [{"N": "1"}]}]}}),
        ("ll[0][7]", {}),
        ("ll[0].a", {}),
        ("l.a", {}),
        ("m[0]", {}),
        ("n.a", {}),
        ("n[0]", {}),
        ("m.y.z,n,l[3]", {"m": {"M": {"y": {"M": {"z": {"N": "2"}}}}}, "n": {"N": "1"}, "l": {"L": [{"N": "3"}]}}),
    ],
)
def test_projection(text: str, expected: Item) -> None:
    compiled = compiled_projection(text)
    assert compiled(ITEM) == expected
    assert project(compiled.paths, ITEM) == expected
    assert parse_projection(text).node.paths == compiled.paths


def test_paths_keep_the_order_written() -> None:
    assert compiled_projection("c, #a.b[0], a", {"#a": "d"}).paths == (("c",), ("d", "b", 0), ("a",))
