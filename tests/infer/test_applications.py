"""Data that a model wrote is worked out to that model's templates, for every example application."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

import pytest

from tablewright import Table
from tablewright.infer.inferring import Inferred, infer
from tablewright.infer.sample import layout_of
from tablewright.lint import lint
from tablewright.testing.samples import samples
from tablewright.testing.trying import try_patterns

APPLICATIONS = ("blog", "kefir", "orders", "saas", "shop", "social", pytest.param("surveyor", marks=pytest.mark.full))


def table_of(application: str) -> Table:
    model = importlib.import_module(f"examples.{application}.model")
    return next(value for value in vars(model).values() if isinstance(value, Table))


def worked_out(table: Table) -> Inferred:
    stage: dict[str, Any] = {"stage": "dev"} if "{stage}" in table.name else {}
    with table.open("memory:", **stage) as db:
        for entity in samples(table, each=16, seed=1):
            db.put(entity)
        name = db.table_name
        description = db.send("DescribeTable", {"TableName": name})["Table"]
        items: list[dict[str, Any]] = []
        start: dict[str, Any] = {}
        while True:
            page = db.send("Scan", {"TableName": name, **start})
            items += page["Items"]
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    return infer(layout_of(description, table.ttl_attribute), items)


def templates(table: Table) -> dict[str, Any]:
    """What an entity says of its keys, by stored type; the name of what is derived does not matter."""
    found = {}
    for plan in table.plan.entities.values():
        keys = plan.entity.keys
        places = {"": (keys.pk, keys.sk), **{n: (k.pk, k.sk) for n, k in keys.indexes.items()}}
        text = repr(places)
        for number, (name, spec) in enumerate(sorted(keys.derive.items(), key=lambda d: repr(d[1]))):
            text = text.replace(f"{{{name}}}", f"{{derived {number}: {spec}}}")
        found[plan.options.type] = text
    return found


@pytest.mark.parametrize("application", APPLICATIONS)
def test_the_templates_come_back(application: str) -> None:
    table = table_of(application)
    found = worked_out(table)
    assert found.misfits == ()
    assert all(entity.fitting == entity.items > 0 for entity in found.entities)
    space: dict[str, Any] = {"__name__": "worked_out"}
    exec(compile(found.code, "worked_out", "exec"), space)
    made = next(value for value in space.values() if isinstance(value, Table))
    assert templates(made) == {kind: keys for kind, keys in templates(table).items() if kind in made.plan.by_type}
    rules = {plan.options.type: {u.name for u in plan.uniques} for plan in table.plan.entities.values()}
    assert {p.options.type: {u.name for u in p.uniques} for p in made.plan.entities.values()}.items() <= rules.items()
    sparse = {(p.options.type, b.index.name) for p in made.plan.entities.values() for b in p.bindings if b.predicate}
    assert sparse <= {
        (p.options.type, b.index.name) for p in table.plan.entities.values() for b in p.bindings if b.predicate
    }


@pytest.mark.parametrize("application", APPLICATIONS)
def test_the_proposed_patterns_are_served_and_use_every_key(application: str) -> None:
    """They are proved, lint has nothing to say about patterns or indexes, and each finds what it is asked for."""
    table = table_of(application)
    found = worked_out(table)
    module = ModuleType("worked_out_patterns")
    sys.modules[module.__name__] = module
    try:
        exec(compile(found.code, module.__name__, "exec"), vars(module))
    finally:
        del sys.modules[module.__name__]
    made = next(value for value in vars(module).values() if isinstance(value, Table))
    assert tuple(made.patterns) == found.patterns
    proof = made.prove()
    assert (proof.holds, proof.unused_indexes) == (True, ())
    assert [f.message for f in lint(made) if f.code[2] in "024" and f.severity != "info"] == []
    data = samples(made, each=4, seed=3)
    with made.open("memory:") as db:
        for entity in data:
            db.put(entity)
        problems = [problem for tried in try_patterns(db, made, data) for problem in tried.problems]
    assert [problem for problem in problems if not problem.startswith("no call found anything")] == []


def test_patterns_that_are_proposed() -> None:
    code = worked_out(table_of("kefir")).code
    assert "def batch_by_batch_id(batch_id: str) -> Get[Batch]:" in code
    assert "def pending_reminders() -> Query[Reminder]:" in code
    assert "def user_with_batches_and_devices(user_id: str) -> Mixed[User | Batch | Device]:" in code


def test_what_a_person_gets_to_see() -> None:
    code = worked_out(table_of("kefir")).code
    assert "class Reminder(Entity, table=kefir_app_dev_table):\n    # From " in code
    assert 'GSI2=sparse("REMINDER#PENDING#{shard}", "{due_at}#{reminder_id}", when=attr("status") == "pending")' in code
    assert 'derive={"shard": Shard("reminder_id", of=2)}' in code
