"""The proofs are sound: on random small models, what the compiler calls apart is apart on real keys, and what it serves
answers exactly what a naive filter over all items answers, in order."""

from collections.abc import Callable
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st
from msgspec.structs import replace

from tablewright import Entity, Query, Table, get, query
from tablewright.errors import PatternError
from tests.compiler.worlds import (
    STYLES,
    Condition,
    World,
    conditions,
    each_style,
    entity_specs,
    every_value,
    fields_of,
    populations,
    worlds,
)


@each_style
@given(data=st.data())
def test_entities_that_are_accepted_never_share_a_primary_key(style: str, data: st.DataObject) -> None:
    world = data.draw(worlds(STYLES[style]))
    owners: dict[tuple[str, str], str] = {}
    for entity in world.entities:
        plan = world.table.plan.of(entity)
        for values in every_value(set(plan.key_fields)):
            key = plan.key(values)
            text = (key["PK"]["S"], key["SK"]["S"])
            assert owners.setdefault(text, plan.name) == plan.name
        for unique in plan.uniques:
            for values in every_value(set(unique.fields)):
                marker = unique.marker(values)
                assert marker is not None
                assert (
                    owners.setdefault((marker["PK"]["S"], marker["SK"]["S"]), f"{plan.name} marker")
                    == f"{plan.name} marker"
                )


def in_index(world: World, item: Entity, index: str) -> bool:
    plan = world.table.plan.of(type(item))
    binding = next(b for b in plan.bindings if b.index.name == index)
    return binding.compute(item.__dict__) is not None


def ordering(world: World, read: Query[Any], entity: type[Entity]) -> Callable[[Entity], tuple[Any, ...]]:
    """By the fields of the sort key, in their own order."""
    served = world.table.plan.read(read).served  # type: ignore[union-attr]
    parts = [(n, getattr(key, "derived", {}).get(n)) for key in served.path.sk for n in fields_of(key)]
    return lambda item: tuple(getattr(item, n) if d is None else d.value(item.__dict__) for n, d in parts)


@each_style
@given(data=st.data())
def test_reads_that_are_served_answer_like_a_naive_filter(style: str, data: st.DataObject) -> None:
    world = data.draw(worlds(STYLES[style]))
    if not world.entities:
        return
    population = data.draw(populations(world))
    with world.table.open("memory:") as db:
        stored: dict[str, Entity] = {}
        for item in population:
            plan = world.table.plan.of(type(item))
            if plan.uniques:
                continue
            stored[str(plan.key(item.__dict__))] = item
        with db.batch() as batch:
            for item in stored.values():
                batch.put(item)
        for _ in range(25):
            entity = data.draw(st.sampled_from(world.entities))
            via, chosen = data.draw(conditions(entity, world.table))
            descending = data.draw(st.booleans())
            read = query(entity, *(c.on(entity) for c in chosen))
            read = read.via(via) if via is not None else read
            read = read.newest_first() if descending else read
            try:
                key = ordering(world, read, entity)
            except PatternError:
                event("read: refused")
                continue
            event(f"read: served by {world.table.plan.read(read).served.path.name}")  # type: ignore[union-attr]
            matching = [i for i in stored.values() if type(i) is entity and all(c.holds(i) for c in chosen)]
            expected = [i for i in matching if via is None or in_index(world, i, via)]
            assert str(world.table.plan.read(read).shown())
            found = db.execute(read).all()
            assert sorted(map(repr, found)) == sorted(map(repr, expected))
            if style == "strict":  # raw values do not always sort as they should, and the table's warnings say so
                assert [key(i) for i in found] == sorted((key(i) for i in expected), reverse=descending)
            assert db.execute(read).count() == len(expected)
            _check_get(world, db, entity, chosen, matching)


def _check_get(world: World, db: Any, entity: type[Entity], chosen: list[Condition], expected: list[Entity]) -> None:
    operation = get(entity, *(c.on(entity) for c in chosen))
    try:
        plan = world.table.plan.read(operation)
    except PatternError:
        return
    if plan.served.path.index is None:  # type: ignore[union-attr]
        assert db.execute(operation) == (expected[0] if expected else None)
        assert len(expected) <= 1


@each_style
@given(data=st.data())
def test_patterns_declared_early_are_planned_as_if_declared_late(style: str, data: st.DataObject) -> None:
    world = data.draw(worlds(STYLES[style], most=1))
    for spec in data.draw(st.lists(entity_specs(), min_size=1, max_size=3)):
        for entity in world.entities:
            _, chosen = data.draw(conditions(entity, world.table))
            _declare(world.table, f"p{len(world.table.patterns)}", entity, chosen)
        before = len(world.entities)
        world.add(spec)
        event("entity added" if len(world.entities) > before else "entity refused")
    for name, pattern in world.table.patterns.items():
        (operation,) = pattern.variants.values()
        fresh = world.table.plan.read(replace(operation, compiled=None))
        (planned,) = world.table.plan.patterns[name].values()
        assert str(planned.shown()) == str(fresh.shown())
        assert operation.compiled is planned


def _declare(table: Table, name: str, entity: type[Entity], chosen: list[Condition]) -> None:
    def pattern() -> Query[Any]:
        return query(entity, *(c.on(entity) for c in chosen))

    pattern.__name__ = name
    try:
        table.pattern(pattern)
    except PatternError:
        event("pattern refused")
