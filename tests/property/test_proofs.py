"""On random models: what is proved of a read holds for every answer, and what is refused is shown by items that are real."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tablewright import GSI, LSI, Entity, Query, Table, number, query
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.entity_planner import plan_entity
from tablewright.compiler.paths import key_paths
from tablewright.compiler.proofs import Counterexample, ExampleItem, PatternProof, prove
from tablewright.compiler.queries import serve_by
from tablewright.compiler.reads import QueryPlan
from tablewright.compiler.reasons import Refusal, reasons_of
from tablewright.compiler.selection import select
from tablewright.model.inspection import inspecting
from tests.compiler.worlds import (
    DOMAINS,
    INDEX_PARTITIONS,
    Condition,
    EntitySpec,
    World,
    conditions,
    empty_worlds,
    entity_specs,
    every_value,
    fields_of,
    given_values,
    populations,
    sort_keys,
    worlds,
)

# Each example is a whole model with eight patterns: few of them every day, many in the full run.
EVERYDAY = settings().max_examples <= 100


class Asked(NamedTuple):
    """A read of a random model: some of its conditions take their values from parameters."""

    entity: type[Entity]
    chosen: list[Condition]
    given: frozenset[str] = frozenset()
    """The fields whose values are arguments."""
    order: tuple[str, ...] = ()
    """The fields that it is sorted by, if it says so."""

    def slots(self) -> list[tuple[str, Any, str]]:
        """The parameters: name, value and field."""
        found = []
        for position, c in enumerate(self.chosen):
            values = c.value if c.op == "between" else (c.value,)
            if c.name in self.given:
                found += [(f"{c.name}_{position}_{end}", value, c.name) for end, value in enumerate(values)]
        return found

    @property
    def arguments(self) -> dict[str, Any]:
        return {name: value for name, value, _ in self.slots()}

    def conditions(self, arguments: dict[str, Any]) -> list[Any]:
        """As conditions of a query of these arguments, which may be symbols."""
        found = []
        for position, c in enumerate(self.chosen):
            values = c.value if c.op == "between" else (c.value,)
            values = tuple(arguments.get(f"{c.name}_{position}_{end}", value) for end, value in enumerate(values))
            found.append(Condition(c.name, c.op, values if c.op == "between" else values[0]).on(self.entity))
        return found

    def declare(self, table: Table, name: str, *, descending: bool = False, entity: type[Entity] | None = None) -> None:
        """As a pattern of a table; `entity` is what stands for the one of another table."""
        asked = self if entity is None else self._replace(entity=entity)

        def read(arguments: dict[str, Any]) -> Query[Any]:
            found = query(asked.entity, *asked.conditions(arguments))
            if asked.order:
                found = found.sorted_by(*(getattr(asked.entity, name) for name in asked.order))
            return found.newest_first() if descending else found

        names = [slot for slot, _, _ in self.slots()]
        made: dict[str, Any] = {"read": read}
        exec(f"def {name}({', '.join(names)}): return read(dict({', '.join(f'{n}={n}' for n in names)}))", made)
        listed = {c.name for c in self.chosen if c.op == "in"}
        made[name].__annotations__ = {
            slot: list[TYPES[field]] if field in listed else TYPES[field]  # type: ignore[misc]
            for slot, _, field in self.slots()
        }
        table.pattern(made[name])


TYPES: dict[str, Any] = {"maybe": str, "late": date} | {
    n: kind for n, (kind, _, _) in DOMAINS.items() if n not in ("maybe", "late")
}


@st.composite
def reads(draw: st.DrawFn, entity: type[Entity], table: Table, *, lists: bool = False) -> Asked:
    """A read that some key may serve. With `lists`, some of its fields have several values. Some say an order: mostly that
    of a sort key behind what has one value or several, which is wrong where a field of several stands in that key."""
    _, chosen = draw(conditions(entity, table))
    if lists and draw(st.booleans()):
        chosen = [_listed(draw, c) if c.op == "==" and draw(st.booleans()) else c for c in chosen]
    given = draw(st.sets(st.sampled_from([c.name for c in chosen]))) if chosen and draw(st.booleans()) else set()
    order: list[str] = []
    if draw(st.booleans()):
        plan = table.plan.of(entity)
        sort = draw(st.sampled_from([[plan.sk], *(binding.sk for binding in plan.bindings)]))
        fixed = {c.name for c in chosen if c.op in ("==", "in")} if draw(st.integers(0, 3)) else set[str]()
        names = [n for key in sort for n in fields_of(key) if n in DOMAINS and n not in fixed]
        order = list(dict.fromkeys(names))[: draw(st.integers(1, 3))]
    return Asked(entity, chosen, frozenset(given), tuple(order))


def _listed(draw: st.DrawFn, one: Condition) -> Condition:
    values = st.sampled_from(given_values(one.name))
    return Condition(one.name, "in", draw(st.lists(values, min_size=1, max_size=4)))


@settings(max_examples=12 if EVERYDAY else settings().max_examples // 5)
@given(data=st.data())
def test_what_is_proved_of_a_read_holds_for_its_answer(data: st.DataObject) -> None:
    world = data.draw(worlds())
    if not world.entities:
        return
    asked: dict[str, Asked] = {}
    with inspecting() as found:
        for position in range(8):
            entity = data.draw(st.sampled_from(world.entities))
            asked[f"p{position}"] = data.draw(reads(entity, world.table, lists=True))
            asked[f"p{position}"].declare(world.table, f"p{position}", descending=data.draw(st.booleans()))
    proof = prove(world.table, found.refused)
    assert set(asked) == {p.name for p in proof.patterns}
    stored = {
        str(world.table.plan.of(type(item)).key(item.__dict__)): item
        for item in data.draw(populations(world))
        if not world.table.plan.of(type(item)).uniques
    }
    with world.table.open("memory:") as db:
        with db.batch() as batch:
            for item in stored.values():
                batch.put(item)
        for pattern in proof.patterns:
            if not pattern.served:
                event(f"refused: {pattern.reasons[0].kind}")
                continue
            entity, chosen, given, wanted = asked[pattern.name]
            arguments = asked[pattern.name].arguments
            (request,) = pattern.requests
            answer = db.run(world.table.patterns[pattern.name], **arguments).all()  # type: ignore[attr-defined]
            expected = [i for i in stored.values() if type(i) is entity and all(c.holds(i) for c in chosen)]
            assert sorted(map(repr, answer)) == sorted(map(repr, expected))
            assert not request.unique or len(answer) <= 1
            if wanted:
                event(f"sorted: {'lists' if any(c.op == 'in' for c in chosen) else 'no lists'}")
                keys = [tuple(getattr(i, n) for n in wanted) for i in answer]
                assert keys == sorted(keys, reverse=request.descending)
            derived = entity.keys.derive
            order = [n for n in request.order if n not in derived]
            if order == list(request.order):
                keys = [tuple(getattr(i, n) for n in order) for i in answer]
                assert keys == sorted(keys, reverse=request.descending)
            sent = [q.request() for q in _only_variant(world, pattern.name).queries(arguments, "Random")]
            assert not request.single or len(sent) <= 1
            if (
                request.single and sent and not given and "{" not in request.key_condition
            ):  # braces stand for a shard or bucket
                assert sent == [request.request]


@st.composite
def ordered_reads(draw: st.DrawFn) -> tuple[tuple[str, str], list[Condition], list[str]]:
    """Keys of few fields that often stand on both sides, values or lists of values for those of the partition, perhaps for
    the first of the sort key too, and an order."""
    pieces = {"word": "{word}", "tag": "{tag}", "num": "{num:2}"}
    chooses = draw(st.lists(st.sampled_from(list(pieces)), min_size=1, max_size=2, unique=True))
    sorts = draw(st.permutations(list(pieces)))[: draw(st.integers(1, 3))]
    sorts += [name for name in pieces if name not in (*chooses, *sorts)]  # every item has a key of its own
    fixed = dict.fromkeys([*chooses, *sorts[: draw(st.integers(0, 1))]])
    chosen = [Condition(n, "==", draw(st.sampled_from(given_values(n)))) for n in fixed]
    chosen = [_listed(draw, c) if c.name in chooses and draw(st.booleans()) else c for c in chosen]
    keys = "#".join(["A", *(pieces[n] for n in chooses)]), "#".join(["x", *(pieces[n] for n in sorts)])
    return keys, chosen, draw(st.permutations(list(pieces)))[: draw(st.integers(1, 2))]


@settings(max_examples=40 if EVERYDAY else settings().max_examples)
@given(drawn=ordered_reads())
def test_what_is_sorted_by_some_fields_comes_sorted_by_them(
    drawn: tuple[tuple[str, str], list[Condition], list[str]],
) -> None:
    keys, chosen, order = drawn
    world = World(Table("Random"))
    world.add(EntitySpec(keys, {}, []))
    (entity,) = world.entities
    with inspecting():
        Asked(entity, chosen, order=tuple(order)).declare(world.table, "p")
    if "p" not in world.table.patterns:
        event("refused")
        return
    event("served" + (", lists" if any(c.op == "in" for c in chosen) else ""))
    with world.table.open("memory:") as db:
        with db.batch() as batch:
            for values in every_value({"word", "tag", "num"}):
                batch.put(entity(**values))
        answer = db.run(world.table.patterns["p"]).all()  # type: ignore[attr-defined]
    found = [tuple(getattr(item, name) for name in order) for item in answer]
    assert found
    assert found == sorted(found)


def _only_variant(world: World, pattern: str) -> QueryPlan:
    (read,) = world.table.plan.patterns[pattern].values()
    assert isinstance(read, QueryPlan)
    return read


# ------------------------------------------------------------------------------------------------------ what is refused


@st.composite
def narrow_specs(draw: st.DrawFn) -> EntitySpec:
    """Entities that are often in an index of keys only."""
    spec = draw(entity_specs())
    if draw(st.booleans()):
        spec.indexes["Narrow"] = (draw(st.sampled_from(INDEX_PARTITIONS)), draw(sort_keys(optional=False)))
    return spec


@settings(max_examples=15 if EVERYDAY else settings().max_examples // 4)
@given(data=st.data())
def test_every_refusal_for_others_has_an_example_that_is_real_and_changes_serve(data: st.DataObject) -> None:
    specs = data.draw(st.lists(narrow_specs(), min_size=1, max_size=4))
    asked: dict[str, Asked] = {}
    with inspecting() as found:
        world = data.draw(empty_worlds(more=(GSI("Narrow", projection="KEYS_ONLY"),)))
        for spec in specs[:-1]:
            world.add(spec)
        for position in range(8):
            if position == 2:
                world.add(specs[-1])
            known = [e for e in world.entities if e in world.table.plan.entities]
            if known:
                asked[f"p{position}"] = data.draw(reads(data.draw(st.sampled_from(known)), world.table))
                asked[f"p{position}"].declare(world.table, f"p{position}")
    proof = prove(world.table, found.refused)
    by_name = {e.__name__: e for e in world.entities}
    for problem, refused in zip(proof.problems, [r for r in found.refused if r.kind != "pattern"], strict=True):
        broken = refused.error.context.get("pattern")
        if problem.code == "KEY_COLLISION":
            _check_collision(world, by_name, problem.counterexample)
        elif broken is not None and {r.kind for r in reasons_of(refused.error)} == {"neighbours"}:
            event("an entity that breaks a pattern")
            newcomer = {**world.table.plan.entities, refused.subject: plan_entity(refused.subject, world.table)}
            _check_neighbours(world, by_name, newcomer, asked[broken], None, problem.counterexample)
    for pattern in proof.unserved:
        for reason in pattern.reasons:
            if reason.kind == "neighbours":
                event(f"neighbours: {'some' if asked[pattern.name].given else 'no'} arguments")
                of = world.table.plan.entities
                _check_neighbours(world, by_name, of, asked[pattern.name], reason.key_path, reason.counterexample)
            if reason.kind == "projection":
                _check_projection(world, asked[pattern.name].entity, reason.counterexample, reason.fields)
        _check_edits(world, specs, pattern, asked[pattern.name])


NATIVE = {"GSI2": (("{maybe}", "{tag}"), ("{word}", "{signed}"))}
CONSTANT = [Condition("word", "==", "xy"), Condition("num", "<", 0)]
FOUND = {
    "shards against words": (
        EntitySpec(("{tag}#{shard}", "{tag}"), {}, []),
        EntitySpec(("A#{word}", "x#{num:2}"), {}, []),
        [Condition("tag", "==", "A")],
        False,
    ),
    "months against words": (
        EntitySpec(("A#{month}", "{day}#{day}#{num:2}"), {}, []),
        EntitySpec(("A#{word}", "{day}#{day}"), {}, []),
        [Condition("day", ">", date(2025, 2, 1)), Condition("day", "<", date(2025, 12, 31))],
        True,
    ),
    "a range of texts as they are": (
        EntitySpec(("A#{num:2}", "x"), NATIVE, []),
        EntitySpec(("B#{num:2}", "x"), {"GSI2": (("{word}", "{tag}"), ("{maybe}", "{signed}"))}, []),
        [Condition("maybe", "==", "x"), Condition("tag", "==", "A"), Condition("word", ">", "x")],
        True,
    ),
    "nothing that is asked for can be there": (
        EntitySpec(("A#{word}", "x"), {"LSI1": "{num}"}, []),
        EntitySpec(("A#{word}", "y"), {"LSI1": "{signed}"}, []),
        CONSTANT,
        True,
    ),
    "numbers between years": (
        EntitySpec(("{tag}#{month}", "{day}"), {}, []),
        EntitySpec(("{tag}#{month}", "{num:2}#{word}"), {}, []),
        [
            Condition("tag", "==", "B"),
            Condition("day", ">=", date(2025, 2, 1)),
            Condition("day", "<=", date(2025, 1, 31)),
        ],
        True,
    ),
    **{
        f"nothing is {above} and {below} the same day, beside {theirs}": (
            EntitySpec(("{tag}#{month}", "{day}#{signed:2}"), {}, []),
            EntitySpec(("A#{word}", theirs), {}, []),
            [
                Condition("tag", "==", "A"),
                Condition("day", above, date(2025, 1, 1)),
                Condition("day", below, date(2025, 1, 1)),
            ],
            meets,
        )
        for above, below, theirs, meets in (
            (">=", "<", "{day}#{day}#{num:2}", False),
            (">", "<=", "{day}#{day}#{num:2}", False),
            (">=", "<", "{day}", True),  # this one text is asked for, and is theirs
        )
    },
    "numbers that no year begins with": (
        EntitySpec(("{tag}#{month}", "{word}#{day}#{num:2}"), {}, []),
        EntitySpec(("{tag}#{month}", "x#{signed:2}"), {}, []),
        [
            Condition("tag", "==", "x"),
            Condition("word", "==", "x"),
            Condition("day", ">", date(2025, 1, 31)),
            Condition("day", "<", date(2025, 12, 31)),
        ],
        False,
    ),
    "a constant that the other never is": (
        EntitySpec(("A#{word}", "x#{num:2}"), {}, []),
        EntitySpec(("A#{tag}", "x#{tag}#{num:2}"), {}, []),
        [Condition("word", "==", "xy")],
        False,
    ),
}


@pytest.mark.parametrize("case", FOUND)
def test_cases_that_were_found(case: str) -> None:
    """Keys that can never be equal are told apart; all others are refused with items that show it."""
    mine, theirs, chosen, meets = FOUND[case]
    with inspecting() as found:
        multi = GSI("GSI2", pk=["g2a", "g2b"], sk=["g2c", number("g2d")])
        world = World(Table("Random", indexes=[multi, LSI("LSI1", sk=number("l1"))]))
        world.add(mine)
        world.add(theirs)
        asked = Asked(world.entities[0], chosen, frozenset({"day"} if case == "numbers between years" else ()))
        asked.declare(world.table, "p")
    assert len(world.table.plan.entities) == 2
    proof = prove(world.table, found.refused).of("p")
    told = [r for r in proof.reasons if r.kind == "neighbours"]
    assert bool(told) is meets
    assert proof.served is not meets
    by_name = {e.__name__: e for e in world.entities}
    for reason in told:
        _check_neighbours(world, by_name, world.table.plan.entities, asked, reason.key_path, reason.counterexample)


def _values(entity: type[Entity], item: ExampleItem) -> dict[str, Any]:
    """The values of an example as Python has them; fields that do not matter get any."""
    filled = {n: values[-1] for n, (_, values, _) in DOMAINS.items()}
    for name, text in item.values.items():
        filled[name] = _python(name, text)
    return dict(entity(**filled).__dict__)


def _python(field: str, text: str) -> Any:
    isoformat = TYPES[field] is date
    return date.fromisoformat(text) if isoformat and text != "None" else ast.literal_eval(text)


def _owner(by_name: dict[str, type[Entity]], item: ExampleItem) -> type[Entity] | None:
    """The entity of an example; None for the markers of a unique rule."""
    return by_name.get(item.entity)


def _check_collision(world: World, by_name: dict[str, type[Entity]], example: Counterexample | None) -> None:
    assert example is not None
    one, other = example.items
    assert one.key == other.key
    for item in (one, other):
        entity = _owner(by_name, item)
        if entity is not None:
            plan = world.table.plan.entities.get(entity) or plan_entity(entity, world.table)
            assert {n: v["S"] for n, v in plan.key(_values(entity, item)).items()} == item.key


def _check_neighbours(
    world: World,
    by_name: dict[str, type[Entity]],
    entities: Mapping[type, EntityPlan],
    asked: Asked,
    key_path: str | None,
    example: Counterexample | None,
) -> None:
    """The items have the keys that are shown, and the engine finds all of them with the very request that the read by this
    key would send, although the last of them is somebody else's."""
    assert example is not None
    items = []
    for item in example.items:
        owner = _owner(by_name, item)
        if owner is None:
            items.append({name: {"S": text} for name, text in item.key.items()})
            continue
        values = _values(owner, item)
        of = entities[owner]
        attributes = {**of.key(values), **of.index_attributes(values)[0]}
        for name, text in item.key.items():
            assert str(next(iter(attributes[name].values()))) == text
        items.append(attributes)
    assert example.items[-1].entity != asked.entity.__name__
    arguments = {slot: _python(field, example.arguments[slot]) for slot, _, field in asked.slots()}
    requests = []
    for path in key_paths(entities[asked.entity]):
        if key_path in (None, path.name):
            selection = select("The read", asked.entity, asked.conditions(arguments), entities[asked.entity].sources)
            with contextlib.suppress(Refusal):
                served = serve_by(path, selection, (), None, chosen=False, strong=False, whole_key=False)
                read = QueryPlan(path.plan, served, strong=False, descending=False, page_limit=None, filters=())
                requests += [q.request() for q in read.queries({}, "Random")]
    assert example.request in requests
    assert _found(world, items, [example.request]) >= 1
    if key_path is not None:
        assert _found(world, items, requests) == len(items)


def _found(world: World, items: list[Any], requests: list[Any]) -> int:
    """How many of these items the requests bring from a table with these indexes."""
    with world.table.open("memory:") as db:
        for item in items:
            db.send("PutItem", {"TableName": "Random", "Item": item})
        return sum(len(db.send("Query", request)["Items"]) for request in requests)


def _check_projection(
    world: World, entity: type[Entity], example: Counterexample | None, lacking: tuple[str, ...]
) -> None:
    """The item is in the index under the keys that are shown, without what is said to be lacking."""
    assert example is not None
    (item,) = example.items
    with world.table.open("memory:") as db:
        db.put(entity(**_values(entity, item)))
        (stored,) = db.send("Scan", {"TableName": "Random", "IndexName": "Narrow"})["Items"]
    assert {name: value["S"] for name, value in stored.items()} == item.key
    assert lacking
    assert stored.keys().isdisjoint(lacking)


def _check_edits(world: World, specs: list[EntitySpec], pattern: PatternProof, asked: Asked) -> None:
    """A model with the change in it is accepted, and serves the pattern."""
    for edit in pattern.edits:
        event(f"change: {edit.kind}")
        if edit.kind not in ("index-key", "index", "projection"):
            continue
        given: dict[str, Any] = {} if edit.kind == "projection" else eval(f"dict({edit.code[-1]})")
        indexes = [*world.indexes, *([GSI(name) for name in given] if edit.kind == "index" else [])]
        if edit.kind == "projection":
            wider = eval(edit.code[0])
            indexes = [wider if index.name == wider.name else index for index in indexes]
        again = World(Table("Again", indexes=indexes))
        for spec, before in zip(specs, world.entities, strict=True):
            if before not in world.table.plan.entities:
                continue
            more = given if before is asked.entity else {}
            again.add(EntitySpec(spec.keys, {**spec.indexes, **more}, spec.unique), name=before.__name__)
        changed = next(e for e in again.entities if e.__name__ == asked.entity.__name__)
        asked.declare(again.table, pattern.name, entity=changed)
        assert prove(again.table).of(pattern.name).served
