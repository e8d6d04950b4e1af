"""Busy designs: what is proposed bears its writes by lint's own count, and what shards do not help is told."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tablewright import Shard
from tablewright.errors import PatternError
from tablewright.lint import Finding, lint
from tablewright.synth.proposal import Proposal, propose_for
from tablewright.synth.running import run
from tests.synth.random_designs import Sketch, sketches

HERE = Path(__file__)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
HEAD = """
from datetime import date
from typing import Literal
from pydantic import Field
from tablewright import *

design = Design("Log")
"""
EVENT = """
class Event(Entity, table=design, identity=["event_id"]):
    event_id: str
    day: date = Field(frozen=True)
    number: int = Field(frozen=True, ge=0, lt=10**6)
    kind: Literal["a", "b"] = "a"
"""
OF_DAY = """
@design.pattern
def of_day(day: date) -> Query[Event]:
    return query(Event, Event.day == day).sorted_by(Event.number)
"""
OF_KIND = """
@design.pattern
def of_kind(kind: Literal["a", "b"]) -> Query[Event]:
    return query(Event, Event.kind == kind)
"""
KINDS = """
class Kind(Entity, table=design, identity=["kind"]):
    kind: Literal["a", "b"]
    count: int = 0


@design.pattern
def kind(kind: Literal["a", "b"]) -> Get[Kind]:
    return get(Kind, Kind.kind == kind)
"""


def proposed(text: str) -> Proposal:
    return propose_for(vars(run(text, HERE))["design"], text, HERE)


def shown(*parts: str) -> Proposal:
    return proposed(HEAD + "\n".join(dedent(part) for part in parts))


def found(proposal: Proposal) -> list[Finding]:
    model: Any = proposal.model
    return [one for one in lint(model) if one.code.startswith("TW3") and one.severity != "info"]


def shards(proposal: Proposal, entity: str = "Event") -> list[int]:
    derived = proposal.model.entities[entity].keys.derive.values()
    return [shard.of for shard in derived if isinstance(shard, Shard)]


def test_a_day_spreads_nothing_that_is_written_today() -> None:
    busy = shown(EVENT, OF_DAY, "design.expect(Event, writes=5000)\ndesign.expect(of_day, rate=1)")
    keys = [(key.index, key.pk) for key in busy.entities[0].keys]
    assert keys == [(None, "EVENT#{event_id}"), ("GSI1", "DAY#{day}#{shard}")]
    assert shards(busy) == [17]  # fewer than 300 each, since a number is written at the end
    assert found(busy) == []
    assert busy.explained.hints == ()


def test_where_nobody_said_how_busy_a_day_is_that_is_told() -> None:
    (told,) = [hint for hint in shown(EVENT, OF_DAY).explained.hints if "TW306" in hint]
    assert "goes into one partition of GSI1" in told
    assert "expect(Event, writes=...), expect(of_day, rate=...)" in told


def test_a_key_that_moves_is_written_twice() -> None:
    still = EVENT.replace('"a", "b"] = "a"', '"a", "b"] = Field(frozen=True)')
    writes = "design.expect(Event, writes=4000)"
    assert shards(shown(EVENT, OF_KIND, writes)) == [6]  # 4,000 of half the items, twice, at 700 each
    assert shards(shown(still, OF_KIND, writes)) == [3]


def test_reads_of_all_shards_are_no_cooler_which_is_told() -> None:
    busy = shown(EVENT, OF_KIND, "design.expect(Event, writes=1)\ndesign.expect(of_kind, rate=20_000, results=5)")
    assert shards(busy) == []
    (hot,) = [hint for hint in busy.explained.hints if hint.endswith("(TW302)")]
    assert "more shards do not change" in hot
    assert "ReadCache" in hot
    assert not any("derive=" in hint for hint in busy.explained.hints)


def test_one_item_that_is_too_busy_is_proposed_and_told() -> None:
    busy = shown(KINDS, "design.expect(Kind, writes=9000)")
    assert [key.pk for key in busy.entities[0].keys] == ["KIND#{kind}"]
    assert any("takes 4,500 write units in a second" in hint for hint in busy.explained.hints)


def test_entities_that_are_not_read_together_do_not_add_up_in_few_partitions() -> None:
    other = (EVENT + OF_KIND).replace("Event", "Other").replace("event_id", "other_id").replace("of_kind", "others_of")
    writes = "design.expect(Event, writes=900)\ndesign.expect(Other, writes=900)"
    both = shown(EVENT, OF_KIND, other, writes)
    assert {entity.entity: entity.keys[1].pk for entity in both.entities} == {
        "Event": "KIND#{kind}",
        "Other": "KIND#{kind}#OTHER",
    }


def test_a_consistent_read_of_what_is_too_busy_is_refused_with_the_reason() -> None:
    consistent = OF_KIND.replace("== kind)", "== kind).consistent()")
    still = EVENT.replace('"a", "b"] = "a"', '"a", "b"] = Field(frozen=True)')
    assert shown(still, consistent, "design.expect(Event, writes=900)").indexes == ()
    with pytest.raises(PatternError) as caught:
        shown(still, consistent, "design.expect(Event, writes=9000)")
    assert "would take more than 1,000 write units a second; leave .consistent() out" in str(caught.value.hint)


def test_a_pattern_counts_once_however_many_variants_it_has() -> None:
    since = """
    @design.pattern
    def since(kind: Literal["a", "b"], number: int | None = None) -> Query[Event]:
        return query(Event, Event.kind == kind).sorted_by(Event.number).when(number, lambda n: Event.number >= n)

    design.expect(Event, writes=1, size=1000, items=200)
    design.expect(since, rate=200, results=200)
    """
    assert shards(shown(EVENT, since)) == []  # 200 reads of 25 units, of half the kinds: 2,450


RATES = st.sampled_from([0, 1, 600, 1100, 5000, 40_000])
EXPECTED = """

for entity, writes in zip(list(design.entities.values()), {writes}):
    design.expect(entity, writes=writes, size={size})
    design.expect(entity.a, hottest={hottest})
for pattern, rate in zip(list(design.patterns.values()), {rates}):
    design.expect(pattern, rate=rate, results={results})
"""


@settings(max_examples=40, deadline=None, suppress_health_check=SLOW)
@given(sketches(pages_between=(0, 1)), st.data())
def test_no_random_design_is_proposed_hot_without_a_word(sketch: Sketch, data: st.DataObject) -> None:
    said = EXPECTED.format(
        writes=data.draw(st.lists(RATES, min_size=3, max_size=3)),
        rates=data.draw(st.lists(RATES, min_size=16, max_size=16)),
        size=data.draw(st.sampled_from([300, 2500])),
        hottest=data.draw(st.sampled_from([0.01, 0.4])),
        results=data.draw(st.sampled_from([1, 30])),
    )
    try:
        proposal = proposed(sketch.text() + said)
    except PatternError as error:
        event(f"refused: {error.message[:25]}")
        return
    findings = found(proposal)
    for one in findings:
        assert any(one.message in hint for hint in proposal.explained.hints)
    identities = {kind.name: set(kind.identity) for kind in sketch.kinds}
    single = {
        (entity.entity, key.index or "the table's key")
        for entity in proposal.entities
        for key in entity.keys
        if identities[entity.entity] <= set(key.shape.partition)
    }
    for one in findings:
        event(one.code)
        if one.severity == "error" and "write units" in one.message:  # where each item has a partition of its own
            names, where = re.findall(r"partition of ([\w, ]+) on (.+) takes", one.message)[0]
            assert single.intersection((name, where) for name in names.split(", "))


def test_where_the_shards_are_chosen_neither_more_nor_fewer_are_advised() -> None:
    device = EVENT.replace('kind: Literal["a", "b"] = "a"', "device: str = Field(frozen=True)")
    recent = OF_DAY.replace("of_day(day: date)", "recent(device: str)").replace("day == day", "device == device")
    said = "design.expect(Event, writes=40_000, size=500)\ndesign.expect(Event.device, distinct=2, hottest=0.9)"
    busy = shown(device, recent, said)
    assert shards(busy) == [52]
    assert {one.code for one in found(busy)} == {"TW303", "TW305"}
    (told,) = busy.explained.hints
    assert all(one.message in told for one in found(busy))
    assert "Event on GSI1 has 52 shards: fewer would not bear its traffic, and more" in told
    assert not any(one.hint in told for one in found(busy))
