"""Whether templates can meet, and why. That a "no" is never wrong is in the property tests."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import pytest

from tablewright.values.keycodec import BoundTemplate, KeyStyle, KeyTemplate, may_equal, may_fall_in, part_for

PIPE = KeyStyle.adopted("|")


def bind(text: str, style: KeyStyle | None = None, **types: Any) -> BoundTemplate:
    template = KeyTemplate.parse(text, style or KeyStyle())
    codecs = {name: part_for(types.get(name, str), style=template.style) for name in template.fields}
    return BoundTemplate(template, codecs, entity=types.get("entity", "Thing"))


@pytest.mark.parametrize(
    ("one", "other", "possible", "reason"),
    [
        (bind("CUSTOMER#{a}"), bind("ORDER#{a}"), False, "CUSTOMER"),
        (bind("CUSTOMER#{a}"), bind("CUSTOMER#{b}"), True, '"{a}" and "{b}"'),
        (bind("CUSTOMER#{a}"), bind("CUSTOMER#{a}#X"), False, "different numbers of parts"),
        (bind("CUSTOMER#{a}"), bind("CUSTOMER#META"), True, '"{a}" and "META"'),
        (bind("C#{a}", a=UUID), bind("C#META"), False, '"{a}" is never "META"'),
        (bind("C#{a}", a=datetime), bind("C#{b}", b=UUID), False, "Part 2"),
        (bind("C#{a}", a=Literal["X", "Y"]), bind("C#Z"), False, "never"),
        (bind("C#{a}", a=Literal["X", "Y"]), bind("C#X"), True, "apart"),
        (bind("C#{a}", a=Literal["X", "Y"]), bind("C#{a}", a=Literal["Z"]), False, "never"),
        (bind("C#{a}#D"), bind("{x}#C#{y}"), True, "apart"),
        (bind("A#B"), bind("A#B"), True, "same literals"),
        (bind("A#{n}", n=Decimal), bind("A#B"), False, "never"),
    ],
)
def test_strict_templates(one: BoundTemplate, other: BoundTemplate, possible: bool, reason: str) -> None:
    verdict = may_equal(one, other)
    assert bool(verdict) is possible
    assert reason in verdict.reason
    assert bool(may_equal(other, one)) is possible


@pytest.mark.parametrize(
    ("template", "parent", "count", "possible"),
    [
        (bind("ORDER#{at}#{id}"), bind("ORDER#{at}"), 1, True),
        (bind("ORDER#{at}#{id}"), bind("ORDER#{at}"), 2, True),
        (bind("ORDERS#{id}"), bind("ORDER#{id}"), 1, False),
        (bind("ORDER"), bind("ORDER#{id}"), 1, True),
        (bind("ORDER"), bind("ORDER#{id}"), 2, False),
        (bind("{x}#{y}"), bind("ORDER#{id}"), 1, True),
        (bind("{x}#{y}", x=datetime), bind("ORDER#{id}"), 1, False),
        (bind("A"), bind("B#{id}"), 0, True),
    ],
)
def test_strict_keys_below_a_parent(template: BoundTemplate, parent: BoundTemplate, count: int, possible: bool) -> None:
    verdict = may_fall_in(template, parent.segments[:count])
    assert bool(verdict) is possible
    assert verdict.reason


@pytest.mark.parametrize(
    ("one", "other", "possible"),
    [
        (bind("USER-{a}", PIPE), bind("ORDER-{a}", PIPE), False),
        (bind("USER-{a}", PIPE), bind("USER-{b}|X", PIPE), True),
        (bind("USER-{a}", PIPE), bind("USER-", PIPE), True),
        (bind("USER-{a}|X", PIPE), bind("USER-|X", PIPE), False),
        (bind("USER-{a}|X", PIPE), bind("USER-1|X", PIPE), True),
        (bind("USER-{a}|X", PIPE, a=UUID), bind("USER-1|X", PIPE), False),
        (bind("{a}-{b}|X", PIPE), bind("1-2|X", PIPE), True),
        (bind("{a}-{b}|X", PIPE), bind("12|X", PIPE), False),
        (bind("{a}.json|X", PIPE), bind("{a}.txt|X", PIPE), False),
        (bind("{a}.json|X", PIPE), bind("b{a}|X", PIPE), True),
        (bind("{n}|X", PIPE, n=int), bind("USER-{a}|X", PIPE), False),
        (bind("{s}|X", PIPE, s=Literal["A"]), bind("USER-{a}|X", PIPE), False),
        (bind("{a}|X", PIPE), bind("{b}|Y", PIPE), False),
        (bind("{a}", PIPE), bind("X|Y|Z", PIPE), True),
        (bind("{a}", PIPE, a=int), bind("X|Y|Z", PIPE), False),
        (bind("A|{a}", PIPE), bind("B|X|Y", PIPE), False),
        (bind("{a}", KeyStyle.adopted("|", escape=True)), bind("X|Y", KeyStyle.adopted("|", escape=True)), False),
        (bind("A#{a}"), bind("B#{a}", KeyStyle.adopted("#")), True),
    ],
)
def test_adopted_templates(one: BoundTemplate, other: BoundTemplate, possible: bool) -> None:
    verdict = may_equal(one, other)
    assert bool(verdict) is possible, verdict.reason
    assert bool(may_equal(other, one)) is possible
    assert verdict.reason


@pytest.mark.parametrize(
    ("template", "parent", "count", "possible"),
    [
        (bind("ORDERS|{id}|X", PIPE), bind("ORDER|{id}|X", PIPE), 1, True),
        (bind("ITEM|{id}|X", PIPE), bind("ORDER|{id}|X", PIPE), 1, False),
        (bind("{s}|{id}|X", PIPE, s=Literal["ORDERS"]), bind("ORDER|{id}|X", PIPE), 1, True),
        (bind("{s}|{id}|X", PIPE, s=Literal["A"]), bind("ORDER|{id}|X", PIPE), 1, False),
        (bind("{n}|{id}|X", PIPE, n=int), bind("ORDER|{id}|X", PIPE), 1, False),
        (bind("ORDER|X", PIPE), bind("{s}|{id}|X", PIPE, s=Literal["ORD"]), 1, True),
        (bind("ORDER|X", PIPE), bind("{s}|{id}|X", PIPE, s=Literal["A"]), 1, False),
        (bind("ORDER|X", PIPE), bind("{u}|{id}|X", PIPE, u=UUID), 1, False),
        (bind("ORDER", PIPE), bind("ORDER|{id}|X", PIPE), 2, False),
        (bind("{id}", PIPE), bind("ORDER|{id}|X", PIPE), 2, True),
    ],
)
def test_adopted_keys_below_a_parent(
    template: BoundTemplate, parent: BoundTemplate, count: int, possible: bool
) -> None:
    verdict = may_fall_in(template, parent.segments[:count])
    assert bool(verdict) is possible, verdict.reason
    assert verdict.reason


def test_reasons_name_the_entities() -> None:
    verdict = may_equal(bind("A#{x}", entity="Customer"), bind("A#{x}#B", entity="Order"))
    assert "Customer" in verdict.reason
    assert "Order" in verdict.reason
