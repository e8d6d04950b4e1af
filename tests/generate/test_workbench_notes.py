"""What NoSQL Workbench has no place for is told in descriptions, and comes back from there."""

from __future__ import annotations

import json
import operator
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.shop.model import shop
from tablewright import (
    GSI,
    LSI,
    AttributeNames,
    Bucket,
    Entity,
    Epoch,
    Keys,
    KeyStyle,
    Shard,
    SoftDelete,
    Table,
    Unique,
    all_of,
    any_of,
    attr,
    between,
    contains,
    exists,
    is_in,
    missing,
    negate,
    sparse,
    starts_with,
)
from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.keys import TemplateKey
from tablewright.generate.documents.wording import condition as in_words
from tablewright.generate.material import Material
from tablewright.generate.workbench.conditions import condition_source, condition_text
from tablewright.generate.workbench.export import workbench
from tablewright.generate.workbench.sketching import models_of
from tests.generate.every_feature import school


class Colour(Enum):
    RED = "red"


def clinic() -> Table:
    table = Table("Clinic", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("GSI3")], stream="NEW_AND_OLD_IMAGES")

    class Visit(Entity, table=table, ttl="gone", version=True, type="visit", schema_version=3, stored={"note": "n"}):
        keys = Keys(
            "VISIT#{visit}",
            "visit",
            GSI1=sparse("WAITING#{shard}", "{at}", when=attr("status") == "arrived"),
            GSI2=("DAY#{day}", "{at}#{visit}"),
            GSI3=sparse("SEEN", "{number:4}", when=any_of(attr("status") == "done", exists(attr("note")))),
            unique=["ticket", Unique("room", "at")],
            derive={"shard": Shard("visit", "ticket", of=8), "day": Bucket("at", by="day")},
        )
        visit: UUID
        at: datetime
        on: date
        status: Literal["booked", "arrived", "done"]
        ticket: str
        room: str
        number: int
        gone: Annotated[datetime, Epoch("s")] | None = None
        note: str | None = None
        cost: Decimal | None = None

    class Room_2(Entity, table=table, timestamps=False):
        keys = Keys("ROOM#{roomId}", "ROOM")
        roomId: str
        size: int = 1

    return table


def facts(table: Table) -> dict[str, Any]:
    """Everything of a model that a data model alone does not hold."""
    found: dict[str, Any] = {"stream": table.stream, "style": table.key_style, "names": table.names}
    for plan in table.plan.entities.values():
        keys = [plan.pk, plan.sk, *(key for b in plan.bindings for key in b.keys)]
        derived = {n: d for key in keys if isinstance(key, TemplateKey) for n, d in key.derived.items()}
        found[plan.name] = {
            "keys": [str(plan.pk), str(plan.sk)],
            "indexes": {
                b.index.name: (list(map(str, b.keys)), None if b.condition is None else in_words(b.condition))
                for b in plan.bindings
            },
            "unique": sorted(u.name for u in plan.uniques),
            "derived": {n: (d.fields, d.of if isinstance(d, ShardPlan) else d.by) for n, d in derived.items()},
            "options": {
                n: getattr(plan.options, n) for n in ("type", "version", "schema_version", "ttl", "timestamps")
            },
            "paths": {n: f.path for n, f in plan.fields.items()},
            "required": {n for n, info in plan.entity.model_fields.items() if info.is_required()},
        }
    return found


def back(table: Table) -> tuple[str, Table]:
    (code,) = models_of(workbench(Material(table.plan))).values()
    space: dict[str, Any] = {"__name__": "imported"}
    exec(compile(code, "model.py", "exec"), space)
    return code, next(value for value in space.values() if isinstance(value, Table))


def test_what_a_data_model_does_not_hold_comes_back() -> None:
    table = clinic()
    code, found = back(table)
    assert facts(found) == facts(table)
    for line in (
        '    status: Literal["booked", "arrived", "done"]\n',
        "    at: datetime\n",
        "    on: date\n",
        '    gone: Annotated[datetime, Epoch("s")] | None = None\n',
        "    visit: UUID\n",
        "    cost: Decimal | None = None\n",
    ):
        assert line in code


def test_the_examples_come_back() -> None:
    assert facts(back(shop)[1]) == facts(shop)


def test_samples_of_a_sparse_index_are_no_riddle() -> None:
    """Where the description tells the condition, or that an entity is not in an index, samples say nothing else."""
    table = Table("Jobs", indexes=[GSI("GSI1"), GSI("ByName", pk="name", sk=None)])

    class Job(Entity, table=table):
        keys = Keys("JOB#{job}", "JOB", GSI1=("ALL#{job}", "{tag}"))
        job: str
        tag: str | None = None

    class Tag(Entity, table=table):
        keys = Keys("TAG#{tag}", "TAG", ByName=("TAG#{tag}",))
        tag: str

    with table.open("memory:") as db:
        for entity in (Job(job="a"), Job(job="b", tag="x"), Tag(tag="x")):
            db.create(entity)
        db.send(
            "UpdateItem",
            {
                "TableName": "Jobs",
                "Key": {"PK": {"S": "JOB#a"}, "SK": {"S": "JOB"}},
                "UpdateExpression": "SET tag = :x",
                "ExpressionAttributeValues": {":x": {"S": "x"}},
            },
        )
        items = db.send("Scan", {"TableName": "Jobs"})["Items"]
    items[0]["name"] = {"S": "stray"}
    (code,) = models_of(workbench(Material(table.plan, items=items))).values()
    assert "#" not in code.replace("JOB#", "").replace("TAG#", "").replace("ALL#", "")
    assert code.count("ByName=") == 1


def test_people_can_read_it() -> None:
    description = json.loads(workbench(Material(clinic().plan)))["ModelMetadata"]["Description"].split("\n")
    assert 'GSI1 of Visit: WAITING#{shard} / {at}, only while status == "arrived"' in description
    assert "{shard} of Visit: one of 8 shards by visit + ticket" in description
    assert "{day} of Visit: the day of at" in description
    assert "Visit has unique values: room + at; ticket" in description


def test_another_style_and_other_names() -> None:
    table = Table("Old", key_style=KeyStyle.adopted("|", escape=True), names=AttributeNames.lower())

    class Thing(Entity, table=table):
        keys = Keys("thing|{thing_id}", "main|thing")
        thing_id: str

    assert facts(back(table)[1]) == facts(table)


def test_what_does_not_come_back_is_said() -> None:
    code = back(school)[0]
    assert "Not taken over:\n- Pupil was declared with nested=, which is not part of the data model.\n" in code
    assert "\n- Indexes that the data model has no place for: ByPlace, LSI1." in code
    table = Table("Soft", indexes=[GSI("GSI1"), LSI("LSI1")])

    class Thing(Entity, table=table, soft_delete=SoftDelete()):
        keys = Keys("T#{name}", "T", GSI1=sparse("LATE", "{name}", when=attr("on") > date(2026, 1, 31)))
        name: str
        on: date

    code, found = back(table)
    assert "- Thing was declared with soft_delete=, which is not part of the data model." in code
    assert "# GSI1 holds only some of them, which could not be read: on > 2026-01-31." in code
    (plan,) = found.plan.entities.values()
    assert plan.bindings[0].condition is None


def test_samples_that_are_not_in_an_index_are_told() -> None:
    file = json.loads(workbench(Material(shop.plan)))
    file["ModelMetadata"]["Description"] = ""
    (table,) = file["DataModel"]
    item = {"PK": {"S": "C#1"}, "SK": {"S": "C"}, "name": {"S": "1"}}
    table["TableFacets"] = [
        {
            "FacetName": "Customer",
            "KeyAttributeAlias": {"PartitionKeyAlias": "C#{name}", "SortKeyAlias": "C"},
            "TableData": [item, item | {"GSI1PK": {"S": "OPEN"}, "GSI1SK": {"S": "1"}}],
        }
    ]
    (code,) = models_of(json.dumps(file)).values()
    assert 'GSI1=("OPEN", "{name}")' in code
    assert "# 1 of 2 samples are not in GSI1, for a reason that the data model does not tell" in code


# --------------------------------------------------------------------------------------------------- conditions


COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
texts = st.text(st.characters(codec="utf-8"), max_size=6)
values = st.one_of(
    texts, st.integers(-(10**6), 10**6), st.booleans(), st.decimals(-9, 9, places=2), st.just(Colour.RED)
)
fields = st.sampled_from(["status", "n", "paid_at"]).map(attr)
tests = st.one_of(
    st.builds(lambda compare, field, value: compare(field, value), st.sampled_from(COMPARISONS), fields, values),
    fields.map(exists),
    fields.map(missing),
    st.builds(starts_with, fields, texts.filter(bool)),
    st.builds(contains, fields, texts),
    st.builds(between, fields, st.integers(0, 5), st.integers(6, 9)),
    st.builds(is_in, fields, st.lists(texts, min_size=1, max_size=3, unique=True)),
)
conditions = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: all_of(*parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: any_of(*parts)),
        inner.map(negate),
    ),
    max_leaves=5,
)


@settings(max_examples=settings().max_examples // 2)
@given(conditions)
def test_conditions_come_back(condition: Any) -> None:
    text = condition_text(condition)
    assert "\n" not in text
    source = condition_source(text)
    assert source is not None
    names = {
        f.__name__: f for f in (all_of, any_of, attr, between, contains, exists, is_in, missing, negate, starts_with)
    }
    read = eval(source, {**names, "Decimal": Decimal})
    assert in_words(read) == in_words(condition)


@pytest.mark.parametrize(
    "text",
    [
        '__import__("os").system("true")',
        'status == __import__("os")',
        'status == f"{status}"',
        "status == (1).__class__",
        'status.x == "a"',
        "status",
        "a < b",
        "1 < status < 3",
        'exists(status, "x")',
        'exists("status")',
        'starts_with(status, prefix="x")',
        "status in other",
        "lambda: 0",
        "status == 1.5",
        "status == b'x'",
        "status ==",
        "(" * 5000,
        "status == '\0'",
    ],
)
def test_nothing_but_a_condition_is_read(text: str) -> None:
    assert condition_source(text) is None


@pytest.mark.parametrize(
    "line",
    [
        'GSI1 of Customer: A / B, only while print("x")\\n    # x',
        'Customer has options: ttl=print("x"), version=1, type=None, unknown=True',
        "Customer has options: )(",
        'Customer has types: name print("x"); email Literal[print("x")]',
        "Customer has unique values: ; ;",
        "{name} of Customer: print(1)",
        'Customer stores {"not a name": "x"}',
        'Keys are written as before: separator "{".',
        'Keys are written as before: separator "\\x".',
        'Attributes of the library: {"type": 5}',
        'Attributes of the library: {"nothing": "x"}',
        "Attributes of the library: {",
        "The stream holds everything.",
    ],
)
def test_lines_of_others_do_no_harm(line: str) -> None:
    file = json.loads(workbench(Material(shop.plan)))
    file["ModelMetadata"]["Description"] = line
    (code,) = models_of(json.dumps(file)).values()
    statements = [text for text in code.split("\n") if "print" in text and not text.strip().startswith("#")]
    assert statements == []
    compile(code, "model.py", "exec")
