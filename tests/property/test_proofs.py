"""On random models: what is proved of a read holds for every answer, and what is refused is shown by items that are real."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import date
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from tablewright import GSI, Entity, Query, Table, query
from tablewright.compiler.entity_planner import plan_entity
from tablewright.compiler.paths import key_paths
from tablewright.compiler.proofs import Counterexample, ExampleItem, PatternProof, prove
from tablewright.compiler.queries import serve_by
from tablewright.compiler.reads import QueryPlan
from tablewright.compiler.selection import select
from tablewright.compiler.served import Served
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
    populations,
    sort_keys,
    worlds,
)


def declared(table: Table, name: str, entity: type[Entity], chosen: list[Condition], *, descending: bool) -> None:
    def pattern() -> Query[Any]:
        read = query(entity, *(c.on(entity) for c in chosen))
        return read.newest_first() if descending else read

    pattern.__name__ = name
    table.pattern(pattern)


@settings(max_examples=settings().max_examples // 5)
@given(data=st.data())
def test_what_is_proved_of_a_read_holds_for_its_answer(data: st.DataObject) -> None:
    world = data.draw(worlds())
    if not world.entities:
        return
    asked: dict[str, tuple[type[Entity], list[Condition]]] = {}
    with inspecting() as found:
        for position in range(8):
            entity = data.draw(st.sampled_from(world.entities))
            _, chosen = data.draw(conditions(entity, world.table))
            asked[f"p{position}"] = (entity, chosen)
            declared(world.table, f"p{position}", entity, chosen, descending=data.draw(st.booleans()))
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
            entity, chosen = asked[pattern.name]
            (request,) = pattern.requests
            answer = db.run(world.table.patterns[pattern.name]).all()  # type: ignore[attr-defined]
            expected = [i for i in stored.values() if type(i) is entity and all(c.holds(i) for c in chosen)]
            assert sorted(map(repr, answer)) == sorted(map(repr, expected))
            assert not request.unique or len(answer) <= 1
            derived = entity.keys.derive
            order = [n for n in request.order if n not in derived]
            if order == list(request.order):
                keys = [tuple(getattr(i, n) for n in order) for i in answer]
                assert keys == sorted(keys, reverse=request.descending)
            sent = [q.request() for q in world.table.plan.patterns[pattern.name][()].queries({}, "Random")]  # type: ignore[union-attr]
            assert not request.single or len(sent) <= 1
            if request.single and sent and "{" not in request.key_condition:  # braces stand for a shard or bucket
                assert sent == [request.request]


# ------------------------------------------------------------------------------------------------------ what is refused


@st.composite
def narrow_specs(draw: st.DrawFn) -> EntitySpec:
    """Entities that are often in an index of keys only."""
    spec = draw(entity_specs())
    if draw(st.booleans()):
        spec.indexes["Narrow"] = (draw(st.sampled_from(INDEX_PARTITIONS)), draw(sort_keys(optional=False)))
    return spec


@settings(max_examples=settings().max_examples // 4)
@given(data=st.data())
def test_counterexamples_are_real_and_changes_serve(data: st.DataObject) -> None:
    specs = data.draw(st.lists(narrow_specs(), min_size=1, max_size=4))
    asked: dict[str, tuple[type[Entity], list[Condition]]] = {}
    with inspecting() as found:
        world = data.draw(empty_worlds(more=(GSI("Narrow", projection="KEYS_ONLY"),)))
        for spec in specs:
            world.add(spec)
        known = [e for e in world.entities if e in world.table.plan.entities]
        for position in range(6 if known else 0):
            entity = data.draw(st.sampled_from(known))
            _, chosen = data.draw(conditions(entity, world.table))
            asked[f"p{position}"] = (entity, chosen)
            declared(world.table, f"p{position}", entity, chosen, descending=False)
    proof = prove(world.table, found.refused)
    by_name = {e.__name__: e for e in world.entities}
    for problem in proof.problems:
        if problem.code == "KEY_COLLISION":
            _check_collision(world, by_name, by_name[problem.name], problem.counterexample)
    for pattern in proof.unserved:
        entity, chosen = asked[pattern.name]
        for reason in pattern.reasons:
            if reason.kind == "neighbours":
                event(f"neighbours: {'shown' if reason.counterexample else 'not shown'}")
                served = _alone(world, entity, chosen, reason.key_path)
                if reason.counterexample is not None:
                    _check_neighbours(world, by_name, served, reason.counterexample)
            if reason.kind == "projection":
                assert reason.counterexample is not None
                _check_projection(world, entity, reason.counterexample, reason.fields)
        _check_edits(world, specs, pattern, entity, chosen)


def _values(entity: type[Entity], item: ExampleItem) -> dict[str, Any]:
    """The values of an example as Python has them; fields that do not matter get any."""
    filled = {n: values[-1] for n, (_, values, _) in DOMAINS.items()}
    for name, text in item.values.items():
        isoformat = DOMAINS[name][0] in (date, date | None)
        filled[name] = date.fromisoformat(text) if isoformat and text != "None" else ast.literal_eval(text)
    return dict(entity(**filled).__dict__)


def _owner(by_name: dict[str, type[Entity]], item: ExampleItem) -> type[Entity] | None:
    """The entity of an example; None for the markers of a unique rule."""
    return by_name.get(item.entity)


def _check_collision(
    world: World, by_name: dict[str, type[Entity]], newcomer: type[Entity], example: Counterexample | None
) -> None:
    if example is None:
        # Then no two of the few values that these models have may collide either.
        taken = {str(k): e for e in world.table.plan.entities for k in _keys(world, e)}
        assert all(taken.get(str(k)) is None for k in _keys(world, newcomer))
        event("collision: not shown")
        return
    event("collision: shown")
    one, other = example.items
    assert one.key == other.key
    for item in (one, other):
        entity = _owner(by_name, item)
        if entity is not None:
            plan = _plan(world, entity)
            assert {n: v["S"] for n, v in plan.key(_values(entity, item)).items()} == item.key


def _plan(world: World, entity: type[Entity]) -> Any:
    return world.table.plan.entities.get(entity) or plan_entity(entity, world.table)


def _keys(world: World, entity: type[Entity]) -> Iterator[Any]:
    plan = _plan(world, entity)
    for values in every_value(set(plan.key_fields)):
        yield plan.key(values)


def _alone(world: World, entity: type[Entity], chosen: list[Condition], key_path: str) -> Served:
    """The read by one key, if nobody else were there."""
    plan = world.table.plan.of(entity)
    (path,) = [p for p in key_paths(plan) if p.name == key_path]
    selection = select("The read", entity, [c.on(entity) for c in chosen], plan.sources)
    return serve_by(path, selection, (), None, chosen=False, strong=False, whole_key=False)


def _check_neighbours(world: World, by_name: dict[str, type[Entity]], served: Served, example: Counterexample) -> None:
    """Both items have the keys that are shown, and the engine finds both with the request of that key."""
    items = []
    for item in example.items:
        owner = _owner(by_name, item)
        if owner is None:
            items.append({name: {"S": text} for name, text in item.key.items()})
            continue
        values = _values(owner, item)
        of = world.table.plan.of(owner)
        attributes = {**of.key(values), **of.index_attributes(values)[0]}
        for name, text in item.key.items():
            assert str(next(iter(attributes[name].values()))) == text
        items.append(attributes)
    read = QueryPlan(served.path.plan, served, strong=False, descending=False, page_limit=None, filters=())
    assert _found(world, items, [q.request() for q in read.queries({}, "Random")]) == len(items)


def _found(world: World, items: list[Any], requests: list[Any]) -> int:
    """How many of these items the requests bring from a table with these indexes."""
    with world.table.open("memory:") as db:
        for item in items:
            db.send("PutItem", {"TableName": "Random", "Item": item})
        return sum(len(db.send("Query", request)["Items"]) for request in requests)


def _check_projection(world: World, entity: type[Entity], example: Counterexample, lacking: tuple[str, ...]) -> None:
    """The item is in the index under the keys that are shown, without what is said to be lacking."""
    (item,) = example.items
    with world.table.open("memory:") as db:
        db.put(entity(**_values(entity, item)))
        (stored,) = db.send("Scan", {"TableName": "Random", "IndexName": "Narrow"})["Items"]
    assert {name: value["S"] for name, value in stored.items()} == item.key
    assert lacking
    assert stored.keys().isdisjoint(lacking)


def _check_edits(
    world: World, specs: list[EntitySpec], pattern: PatternProof, entity: type[Entity], chosen: list[Condition]
) -> None:
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
            more = given if before is entity else {}
            again.add(EntitySpec(spec.keys, {**spec.indexes, **more}, spec.unique), name=before.__name__)
        changed = next(e for e in again.entities if e.__name__ == entity.__name__)
        declared(again.table, pattern.name, changed, chosen, descending=False)
        assert prove(again.table).of(pattern.name).served
