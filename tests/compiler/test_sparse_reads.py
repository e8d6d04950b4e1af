"""Reads that repeat the condition of a sparse index, or one that is narrower: what follows from what, and what they bring."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from datetime import date
from typing import Any, Literal

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tablewright import (
    GSI,
    LSI,
    Entity,
    Keys,
    Query,
    Table,
    all_of,
    any_of,
    attr,
    between,
    contains,
    exists,
    is_in,
    missing,
    negate,
    query,
    sparse,
    sparse_local,
    starts_with,
)
from tablewright.compiler.implications import follows
from tablewright.compiler.predicates import check_predicate, compile_predicate
from tablewright.compiler.proofs import PatternProof, prove
from tablewright.errors import PatternError
from tablewright.model.conditions import Condition
from tablewright.model.inspection import inspecting

DOMAINS: dict[str, tuple[Any, ...]] = {
    "state": ("new", "late", "done"),
    "count": (0, 1, 2, 3, 4),
    "bonus": (None, 1, 3),
    "word": ("", "a", "ab", "abc", "b"),
}
VALUES = [dict(zip(DOMAINS, values, strict=True)) for values in itertools.product(*DOMAINS.values())]
LIMITS: dict[str, tuple[Any, ...]] = {**DOMAINS, "count": (1, 2, 3), "bonus": (1, 2, 3), "word": ("a", "ab", "b")}


class Fields(Entity):
    """The fields that conditions are about."""

    item: int
    state: Literal["new", "late", "done"]
    count: int
    bonus: int | None = None
    word: str


def sparse_model(condition: Any) -> tuple[Table, Any]:
    """A table whose index holds the items that meet a condition."""
    table = Table("Sparse", indexes=[GSI("GSI1")])

    class Task(Fields, table=table):
        keys = Keys("TASK#{item:3}", "TASK", GSI1=sparse("ALL", "{item:3}", when=condition))

    return table, Task


def everything(task: Any) -> list[Any]:
    """An item for every combination of values."""
    return [task(item=n, **values) for n, values in enumerate(VALUES)]


# A condition is drawn as a function of where its fields come from: the attributes of a key, or the class in a read.
Made = Callable[[Callable[[str], Any]], Any]


@st.composite
def single_tests(draw: st.DrawFn, *, for_keys: bool) -> Made:
    name = draw(st.sampled_from(sorted(DOMAINS)))
    value, other = draw(st.sampled_from(LIMITS[name])), draw(st.sampled_from(LIMITS[name]))
    makers: list[Callable[[Any], Any]] = [
        lambda field: field == value,
        lambda field: is_in(field, list(dict.fromkeys([value, other]))),
    ]
    if name != "state":
        low, high = sorted((value, other))
        makers += [
            lambda field: field < value,
            lambda field: field <= value,
            lambda field: field > value,
            lambda field: field >= value,
            lambda field: between(field, low, high),
        ]
    if name == "word":
        makers += [lambda field: starts_with(field, value)] * 2
    if not for_keys:
        makers += [lambda field: field != value, exists, missing]
        makers += [lambda field: contains(field, value)] if name == "word" else []
    make = draw(st.sampled_from(makers))
    return lambda of: make(of(name))


def _joined(parts: st.SearchStrategy[Made]) -> st.SearchStrategy[Made]:
    several = st.lists(parts, min_size=2, max_size=3)
    return (
        several.map(lambda made: lambda of: all_of(*(m(of) for m in made)))
        | several.map(lambda made: lambda of: any_of(*(m(of) for m in made)))
        | parts.map(lambda made: lambda of: negate(made(of)))
    )


predicates = st.recursive(single_tests(for_keys=False), _joined, max_leaves=4)


def holding(condition: Condition) -> Callable[[Any], bool]:
    """Naively, on an item."""
    holds = compile_predicate(condition)
    return lambda item: holds(item.__dict__)


@settings(max_examples=settings().max_examples * 2)
@given(data=st.data())
def test_what_follows_holds_for_every_value(data: st.DataObject) -> None:
    table, task = sparse_model(attr("count") > 0)
    fields = table.plan.of(task).sources
    wanted, *known = (check_predicate("Task", data.draw(predicates)(attr), fields) for _ in range(3))
    meets, those = compile_predicate(wanted), [compile_predicate(k) for k in known]
    there = [values for values in VALUES if all(holds(values) for holds in those)]
    told = follows(wanted, known, fields)
    event(f"follows: {told}, of {'some' if there else 'none'}")
    assert not told or all(map(meets, there))


CASES: dict[str, tuple[Any, Any, bool]] = {
    "equal to one of": (attr("state") == "new", is_in(attr("state"), ["new", "late"]), True),
    "fewer of": (is_in(attr("state"), ["new"]), any_of(attr("state") == "new", attr("state") == "late"), True),
    "more of": (is_in(attr("state"), ["new", "done"]), is_in(attr("state"), ["new", "late"]), False),
    "all but one": (attr("state") != "done", is_in(attr("state"), ["new", "late"]), True),
    "a narrower range": (attr("count") > 2, attr("count") > 1, True),
    "a wider range": (attr("count") > 1, attr("count") > 2, False),
    "whole numbers": (attr("count") > 1, attr("count") >= 2, True),
    "the same end": (attr("count") >= 2, attr("count") > 2, False),
    "between": (between(attr("count"), 2, 3), all_of(attr("count") > 1, attr("count") < 4), True),
    "a value in a range": (attr("count") == 2, between(attr("count"), 1, 3), True),
    "a longer beginning": (starts_with(attr("word"), "ab"), starts_with(attr("word"), "a"), True),
    "a shorter beginning": (starts_with(attr("word"), "a"), starts_with(attr("word"), "ab"), False),
    "compared, so present": (attr("bonus") > 1, exists(attr("bonus")), True),
    "different from, or missing": (attr("bonus") != 1, exists(attr("bonus")), False),
    "one of several": (
        all_of(attr("count") > 2, attr("bonus") > 1),
        any_of(attr("count") > 1, attr("bonus") > 2),
        True,
    ),
    "in the same words": (contains(attr("word"), "b"), contains(attr("word"), "b"), True),
    "in other words": (contains(attr("word"), "ab"), contains(attr("word"), "b"), False),
}


@pytest.mark.parametrize("case", CASES)
def test_what_follows_is_seen(case: str) -> None:
    known, wanted, expected = CASES[case]
    table, task = sparse_model(attr("count") > 0)
    assert follows(wanted, [known], table.plan.of(task).sources) is expected


# ------------------------------------------------------------------------------------------------------------- reads


@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_a_read_of_a_sparse_index_brings_what_it_asks_for(data: st.DataObject) -> None:
    condition = data.draw(predicates)
    made = data.draw(st.lists(single_tests(for_keys=True), min_size=1, max_size=2))
    if data.draw(st.booleans()):
        made = [condition, *made[1:]]
    table, task = sparse_model(condition(attr))
    conditions = [m(lambda name: getattr(task, name)) for m in made]
    with inspecting() as found:

        @table.pattern
        def tasks() -> Query[task]:  # type: ignore[valid-type]
            return query(task, *conditions)

    proof = prove(table, found.refused).of("tasks")
    items, fields = everything(task), table.plan.of(task).sources
    asked = [holding(check_predicate("Task", m(attr), fields)) for m in made]
    expected = [item for item in items if all(holds(item) for holds in asked)]
    if not proof.served:
        event(f"refused: {proof.reasons[-1].kind}")
        _check_left_out(proof, asked, holding(check_predicate("Task", condition(attr), fields)), task)
        return
    (request,) = proof.requests
    event(f"served: {'filtered' if request.filtered_by else 'exactly'}")
    with table.open("memory:") as db:
        with db.batch() as batch:
            for item in items:
                batch.put(item)
        assert list(db.run(tasks)) == expected
        held = len(db.send("Scan", {"TableName": "Sparse", "IndexName": "GSI1"})["Items"])
    assert bool(request.filtered_by) or held == len(expected)


def _check_left_out(
    proof: PatternProof, asked: list[Callable[[Any], bool]], held: Callable[[Any], bool], task: Any
) -> None:
    """An item that is said to be left out is asked for, and the index does not hold it."""
    for reason in proof.reasons:
        if reason.kind == "sparse" and reason.counterexample is not None:
            (item,) = reason.counterexample.items
            values = {name: values[-1] for name, values in DOMAINS.items() if name != "bonus"}
            made = task(**{**values, **{name: ast.literal_eval(text) for name, text in item.values.items()}})
            assert not held(made)
            assert all(holds(made) for holds in asked)


def _reading(condition: Any, *conditions: Any, **parameters: Any) -> PatternProof:
    """What is proved of a read; conditions are made from the class, and from symbols of parameters."""
    table, task = sparse_model(condition)
    names = ", ".join(parameters)
    made: dict[str, Any] = {"query": query, "task": task, "conditions": conditions}
    exec(f"def tasks({names}): return query(task, *(c(task, {names}) for c in conditions))", made)
    made["tasks"].__annotations__ = parameters
    with inspecting() as found:
        table.pattern(made["tasks"])
    return prove(table, found.refused).of("tasks")


OPEN = is_in(attr("state"), ["new", "late"])


def test_a_parameter_of_the_values_that_an_index_holds_is_left_for_a_filter() -> None:
    proof = _reading(OPEN, lambda task, state: task.state == state, state=Literal["new", "late"])
    assert proof.requests[0].filtered_by == ("state",)
    assert proof.requests[0].request["FilterExpression"]


def test_a_parameter_that_may_be_any_value_asks_for_what_the_index_leaves_out() -> None:
    proof = _reading(OPEN, lambda task, state: task.state == state, state=str)
    assert proof.reasons[-1].kind == "sparse"
    example = proof.reasons[-1].counterexample
    assert example is not None
    assert example.items[0].values["state"] == "'done'"


def test_what_an_index_says_nothing_of_is_not_filtered_by_itself() -> None:
    proof = _reading(OPEN, lambda task: task.state == "new", lambda task: task.count > 2)
    assert proof.reasons[-1].kind == "unused-condition"


def test_an_exact_key_comes_before_one_that_filters() -> None:
    table = Table("Two", indexes=[GSI("GSI1"), GSI("GSI2")])

    class Task(Fields, table=table):
        keys = Keys(
            "TASK#{item:3}", "TASK", GSI1=sparse("OPEN", "{item:3}", when=OPEN), GSI2=("STATE#{state}", "{item:3}")
        )

    @table.pattern
    def new_ones() -> Query[Task]:
        return query(Task, Task.state == "new")

    (request,) = table.prove().of("new_ones").requests
    assert (request.index, request.filtered_by) == ("GSI2", ())


def test_an_index_by_name_takes_a_wider_condition_than_its_own() -> None:
    table, task = sparse_model(attr("count") > 2)

    @table.pattern
    def some() -> Query[task]:  # type: ignore[valid-type]
        return query(task, task.count > 1).via("GSI1")

    assert table.prove().of("some").requests[0].filtered_by == ()


def test_what_no_key_and_no_index_answers_is_refused_as_such() -> None:
    table = Table("Plain")

    class Note(Entity, table=table):
        keys = Keys("NOTE#{word}", "NOTE")
        word: str
        bonus: int | None = None

    with pytest.raises(PatternError, match="keys can select by"):

        @table.pattern
        def noted(word: str) -> Query[Note]:
            return query(Note, Note.word == word, exists(Note.bonus))


def test_an_optional_key_field_tells_that_it_is_there() -> None:
    table = Table("Due", indexes=[GSI("GSI1")])

    class Task(Entity, table=table):
        keys = Keys("TASK#{task}", "TASK", GSI1=("TEAM#{team}", "{due}#{task}"))
        task: str
        team: str
        due: date | None = None

    @table.pattern
    def due(team: str) -> Query[Task]:
        return query(Task, Task.team == team, exists(Task.due))

    with table.open("memory:") as db:
        db.create(Task(task="a", team="t"))
        db.create(Task(task="b", team="t", due=date(2026, 1, 1)))
        assert [t.task for t in db.run(due, "t")] == ["b"]


def test_others_of_the_same_partition_condition_are_not_taken_for_granted() -> None:
    """A condition that a sparse index does not answer stays one, also on a field that the key fixes."""
    table = Table("Teams", indexes=[GSI("GSI1")])

    class Task(Entity, table=table):
        keys = Keys("TASK#{task}", "TASK", GSI1=sparse("TEAM#{team}", "{task}", when=attr("open") == True))  # noqa: E712
        task: str
        team: str
        open: bool = True

    with pytest.raises(PatternError, match="keys can select by"):

        @table.pattern
        def others(team: str) -> Query[Task]:
            return query(Task, Task.team == team, Task.open == True, Task.team != "x")  # noqa: E712


def test_a_read_that_nothing_can_meet_is_shown_no_item_that_it_misses() -> None:
    table, task = sparse_model(attr("bonus") == 1)
    with inspecting() as found:

        @table.pattern
        def tasks() -> Query[task]:  # type: ignore[valid-type]
            return query(task, task.bonus < 1, task.bonus > 1)

    proof = prove(table, found.refused).of("tasks")
    assert {reason.kind: reason.counterexample for reason in proof.reasons}["sparse"] is None


def test_who_is_read_beside_a_narrower_read_is_shown() -> None:
    table = Table("Narrower", indexes=[LSI("LSI1")])

    class Task(Entity, table=table):
        keys = Keys("A", "TASK#{day}", LSI1=sparse_local("x", when=exists(attr("owner"))))
        day: date
        owner: str | None = None

    class Note(Entity, table=table):
        keys = Keys("A", "NOTE", LSI1=sparse_local("x", when=attr("kind") == "open"))
        kind: Literal["open", "shut"]

    with inspecting() as found:

        @table.pattern
        def tasks() -> Query[Task]:
            return query(Task, Task.owner == "ada")

    (reason,) = [r for r in prove(table, found.refused).of("tasks").reasons if r.kind == "neighbours"]
    assert reason.counterexample is not None
    assert [item.entity for item in reason.counterexample.items] == ["Task", "Note"]
