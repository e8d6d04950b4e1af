"""Proposals for random designs are sound, and no smaller one is to be found by trying everything."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tablewright import Table
from tablewright.compiler.proofs import prove
from tablewright.errors import PatternError
from tablewright.synth.proposal import Proposal, propose_for
from tablewright.synth.running import run
from tests.synth.answers import check, items
from tests.synth.brute_force import fewest, written
from tests.synth.random_designs import Kind, Page, Part, Read, Relation, Sketch, lists, sketches

HERE = Path(__file__)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def proposed(sketch: Sketch, *, multi_attribute: bool = False) -> Proposal | None:
    text = sketch.text()
    try:
        return propose_for(vars(run(text, HERE))["design"], text, HERE, multi_attribute=multi_attribute)
    except PatternError as error:
        event(f"refused: {error.message[:25]}")
        return None


def sound(
    sketch: Sketch, data: st.DataObject, *, refused: bool = True, multi_attribute: bool = False, single: bool = True
) -> None:
    found = proposed(sketch, multi_attribute=multi_attribute)
    if found is None and refused:
        return
    assert found is not None
    if multi_attribute:
        own = sum(key.native is not None for entity in found.entities for key in entity.keys)
        event(f"{own} of {len(found.indexes)} of own attributes")
    event(f"{len(found.indexes)} indexes")
    assert isinstance(found.model, Table)
    assert not found.minimal or set(found.proof.unused_indexes) <= for_links(found)
    identities = {kind.name: kind.identity for kind in sketch.kinds}
    check(data, found.model, data.draw(items(found.model, identities, most=4)), identities, single=single)


def for_links(found: Proposal) -> set[str | None]:
    """The indexes that a relationship asks for, whether a pattern reads them or not."""
    keys = [key for entity in found.entities for key in entity.keys]
    return {key.index for key in keys for need in key.shape.needs if not need.patterns[0].isidentifier()}


def minimal(sketch: Sketch) -> None:
    """The search finds as many indexes as trying everything does, whose own find is proved."""
    needed = fewest(sketch)
    found = proposed(sketch)
    assert (found is None) == (needed is None)
    if found is not None and needed is not None:
        model = vars(run(written(sketch, needed), HERE))["design"]
        assert prove(model).holds
        assert len(found.indexes) == needed.indexes
        assert found.minimal


def few_patterns(sketch: Sketch) -> bool:
    asked = sketch.asked()
    return 0 < len(asked.pages) + sum(len(kind.reads) for kind in asked.kinds) <= 6


ALONE = sketches(kinds_between=(1, 2), most_reads=6, pages_between=(0, 0)).filter(few_patterns)
TOGETHER = sketches(kinds_between=(2, 3), most_reads=2, pages_between=(1, 3)).filter(few_patterns)


@settings(max_examples=100, suppress_health_check=SLOW)
@given(sketches(), st.data())
def test_proposals_answer_as_a_filter_does(sketch: Sketch, data: st.DataObject) -> None:
    sound(sketch, data)


@settings(max_examples=20, suppress_health_check=SLOW)
@given(sketches(kinds_between=(1, 2)), st.data())
def test_indexes_of_own_attributes_answer_as_a_filter_does(sketch: Sketch, data: st.DataObject) -> None:
    sound(sketch, data, multi_attribute=True)


@settings(max_examples=40, suppress_health_check=SLOW)
@given(lists(), st.data())
def test_reads_of_several_values_answer_as_a_filter_does(sketch: Sketch, data: st.DataObject) -> None:
    sound(sketch, data, refused=False, single=False)


@settings(max_examples=10, suppress_health_check=SLOW)
@given(ALONE)
def test_no_fewer_indexes_would_do(sketch: Sketch) -> None:
    minimal(sketch)


@settings(max_examples=10, suppress_health_check=SLOW)
@given(TOGETHER)
def test_no_fewer_indexes_would_do_for_reads_of_several_entities(sketch: Sketch) -> None:
    minimal(sketch)


@pytest.mark.full
@settings(max_examples=100, suppress_health_check=SLOW)
@given(ALONE)
def test_no_fewer_indexes_would_do_for_many_designs(sketch: Sketch) -> None:
    minimal(sketch)


@pytest.mark.full
@settings(max_examples=100, suppress_health_check=SLOW)
@given(TOGETHER)
def test_no_fewer_indexes_would_do_for_many_reads_of_several_entities(sketch: Sketch) -> None:
    minimal(sketch)


@pytest.mark.full
@settings(max_examples=500, suppress_health_check=SLOW)
@given(sketches(), st.data())
def test_many_proposals_answer_as_a_filter_does(sketch: Sketch, data: st.DataObject) -> None:
    sound(sketch, data)


@pytest.mark.full
@settings(max_examples=200, suppress_health_check=SLOW)
@given(sketches(kinds_between=(1, 2)), st.data())
def test_many_indexes_of_own_attributes_answer_as_a_filter_does(sketch: Sketch, data: st.DataObject) -> None:
    sound(sketch, data, multi_attribute=True)


def kind(name: str, *reads: Read) -> Kind:
    return Kind(name, ("d",), frozenset(), list(reads))


SHARED, PAIR = ("a",), ("a", "b")
SORTED = Page((Part(0, SHARED, order=("b",)), Part(2, SHARED, order=("b",))), mixed=True)
FOUND = {
    "fields that meet in two ways": Sketch(
        [kind("AAx"), kind("BBx")], [Page((Part(0, PAIR), Part(1, ("b", "a")))), Page((Part(0, PAIR), Part(1, PAIR)))]
    ),
    "fields that meet in one way, told twice": Sketch(
        [kind("AAx"), kind("BBx")],
        [Page((Part(0, PAIR), Part(1, ("b", "a")))), Page((Part(0, ("b", "a")), Part(1, PAIR)), mixed=True)],
    ),
    "a part that knows more of what is spread": Sketch(
        [kind("AAx"), kind("BBx")], [Page((Part(0, ("c",)), Part(1, ("c",), more=("a",))))]
    ),
    "an order across kinds of which one has a prefix": Sketch(
        [kind("AAx"), kind("BBx"), kind("CCx")], [Page((Part(0, PAIR), Part(1, PAIR))), SORTED]
    ),
    "texts that are sorted by beside words": Sketch(
        [kind("AAx"), kind("BBx", Read(SHARED)), kind("CCx")], [Page((Part(0, SHARED), Part(1, SHARED))), SORTED]
    ),
    "a consistent read after one that is not, of what is not spread": Sketch(
        [Kind(n, ("a", "d"), frozenset("cn"), [Read(("a", "b"))]) for n in ("AAx", "BBx")],
        [
            Page((Part(0, ("c",)), Part(1, ("c",)))),
            Page((Part(0, ("c",), order=("n",)), Part(1, ("c",))), strong=True),
        ],
    ),
    "a read of several beside a consistent one that forces the table's key": Sketch(
        [Kind(n, ("a", "b"), frozenset("abc")) for n in ("AAx", "BBx")],
        [
            Page((Part(0, ("c",)), Part(1, ("c",))), mixed=True, strong=True),
            Page((Part(0, ("a", "c")), Part(1, ("a", "c"))), mixed=True),
        ],
    ),
    **{
        f"what comes before a value of {kind}, which ends its key": Sketch(
            [Kind("AAx", ("a", field), frozenset(), [Read(("a",), ranged=field, operator="<")])], measure=measure
        )
        for kind, field, measure in [("str", "b", "int"), ("Decimal", "n", "Decimal"), ("bytes", "n", "bytes")]
    },
    "an item collection of several children, one of which lies between the others": Sketch(
        [Kind("AAx", ("a",), frozenset()), *(Kind(n, ("a", "b"), frozenset()) for n in ("BBx", "CCx"))],
        relations=[Relation(0, 1, "item collection"), Relation(0, 2, "item collection")],
    ),
}
"""Designs that were once refused, answered wrongly, or given too many indexes."""


@pytest.mark.parametrize("name", FOUND)
@settings(max_examples=8, suppress_health_check=SLOW)
@given(data=st.data())
def test_designs_that_were_once_got_wrong(name: str, data: st.DataObject) -> None:
    sound(FOUND[name], data, refused=False)


@pytest.mark.parametrize("name", FOUND)
def test_designs_that_were_once_got_wrong_have_no_index_too_many(name: str) -> None:
    minimal(FOUND[name])
