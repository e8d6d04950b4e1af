"""Policies for roles, patterns, changes and writes allow what sessions really send."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from typing import Annotated, Any

import pytest
from cfnlint.api import lint
from cfnlint.config import ManualArgs
from pydantic import model_validator

from tablewright import (
    GSI,
    AesGcm,
    Deployment,
    Encrypted,
    Entity,
    Keys,
    KmsKey,
    Relationship,
    Session,
    SoftDelete,
    Table,
    Unique,
    key,
)
from tablewright.generate.documents.markdown import inline
from tablewright.generate.iam.output import iam
from tablewright.generate.iam.policies import patterns, roles, writes
from tablewright.generate.iam.tenants import tenant_policy
from tablewright.generate.material import Material
from tests.generate.iam.crm import ARN, a_day, crm, due_on, tasks_in
from tests.support.iam import actions, allows, check, sending


def test_patterns_need_what_they_send() -> None:
    found = patterns(crm.plan)
    assert set(found) == set(crm.patterns)
    seen = set()
    with sending(crm) as (db, told):
        told()
        for name, pattern in crm.patterns.items():
            result: Any = db.run(pattern, **dict.fromkeys(pattern.parameters.names, "x"))
            if hasattr(result, "all"):
                result.all()
            (request,) = told()
            (statement,) = found[name].statements
            assert request.action == f"dynamodb:{statement.actions[0]}"
            assert request.resource.partition(crm.name)[2] == statement.resources[0]
            check(found[name], crm, [request])
            seen.add((*statement.actions, *statement.resources))
    assert seen == {
        ("GetItem", ""),
        ("Query", ""),
        *(("Query", f"/index/{i}") for i in ("LSI1", "GSI1", "Places", "Due")),
    }


def test_roles_never_scan_unless_they_migrate() -> None:
    for table in (forms, crm):
        found = roles(table.plan)
        assert "Scan" in actions(found["migration"])
        assert "UpdateTable" in actions(found["migration"])
        assert actions(found["reader"]) == {"GetItem", "BatchGetItem", "Query"}
        assert actions(found["writer"]) == actions(found["reader"]) | {
            *("PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "BatchWriteItem")
        }


def test_the_writer_may_do_a_day_of_work_and_the_reader_only_read() -> None:
    found = roles(crm.plan)
    with sending(crm) as (db, told):
        a_day(db, "a")
        requests = told()
    check(found["writer"], crm, requests)
    reads = [r for r in requests if allows(found["reader"].document(ARN), r)]
    assert {r.action for r in reads} == {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}


def test_a_role_of_one_index_does_not_read_another() -> None:
    document = patterns(crm.plan)["due_on"].document(ARN)
    with sending(crm) as (db, told):
        told()
        db.run(due_on, "d").all()
        (due,) = told()
        db.run(tasks_in, "a", "r").all()
        (place,) = told()
    assert allows(document, due)
    assert not allows(document, place)


forms = Table("Forms", indexes=[GSI("GSI1")])


class Plain(Entity, table=forms):
    keys = Keys("PLAIN#{name}", "PLAIN", GSI1=("SIZE#{size}", "{colour}"))
    name: str
    size: str = "s"
    colour: str = "red"
    note: str = ""


class Marked(Entity, table=forms):
    keys = Keys("MARKED#{name}", "MARKED", unique=["email"])
    name: str
    email: str
    note: str = ""


class Buried(Entity, table=forms, soft_delete=SoftDelete()):
    keys = Keys("BURIED#{name}", "BURIED", unique=["email"])
    name: str
    email: str


class Ruled(Entity, table=forms):
    keys = Keys("RULED#{name}", "RULED")
    name: str
    low: int = 0
    high: int = 9

    @model_validator(mode="after")
    def ordered(self) -> Ruled:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Left(Entity, table=forms):
    keys = Keys("LEFT#{left}", "RIGHT#{right}")
    left: str
    right: str
    note: str = ""


class Right(Entity, table=forms):
    keys = Keys("RIGHT#{right}", "LEFT#{left}")
    left: str
    right: str
    note: str = ""


forms.relate(
    Relationship(
        Plain,
        Marked,
        "M:N",
        "adjacency list",
        via=Left,
        mirror=Right,
        source_fields=("left",),
        target_fields=("right",),
    )
)


@forms.change
def write_note(p: Plain, text: str) -> None:
    p.note = text


@forms.change
def paint(p: Plain, colour: str) -> None:
    p.colour = colour


@forms.change
def resize(p: Plain, size: str, colour: str) -> None:
    p.size, p.colour = size, colour


@forms.change
def rename(m: Marked, email: str) -> None:
    m.email = email


@forms.change
def raise_low(r: Ruled, low: int) -> None:
    r.low = low


CHANGES: dict[str, tuple[Any, Any, dict[str, Any], set[str]]] = {
    "write_note": (write_note, Plain(name="a"), {"text": "x"}, {"UpdateItem"}),
    "paint": (paint, Plain(name="a"), {"colour": "blue"}, {"UpdateItem", "GetItem"}),
    "resize": (resize, Plain(name="a"), {"size": "l", "colour": "blue"}, {"UpdateItem"}),
    "rename": (
        rename,
        Marked(name="a", email="1"),
        {"email": "2"},
        {"UpdateItem", "GetItem", "PutItem", "DeleteItem", "ConditionCheckItem"},
    ),
    "raise_low": (raise_low, Ruled(name="a"), {"low": 3}, {"UpdateItem", "GetItem"}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_needs_what_it_sends(name: str) -> None:
    change, entity, arguments, needed = CHANGES[name]
    policy = writes(forms.plan)[name]
    assert actions(policy) == needed
    with sending(forms) as (db, told):
        db.create(entity)
        told()
        db.apply(change, key(type(entity), name="a"), **arguments)
        requests = told()
        check(policy, forms, requests)
        assert needed - {"ConditionCheckItem"} == {r.action.partition(":")[2] for r in requests}


ITEMS: dict[str, tuple[Entity, dict[str, Any]]] = {
    "Plain": (Plain(name="a"), {"colour": "green"}),
    "Marked": (Marked(name="a", email="1"), {"email": "2"}),
    "Buried": (Buried(name="a", email="1"), {"email": "2"}),
    "Ruled": (Ruled(name="a"), {"high": 5}),
    "Left": (Left(left="a", right="b"), {"note": "x"}),
}


@pytest.mark.parametrize("name", ITEMS)
def test_a_write_needs_what_it_sends(name: str) -> None:
    entity, changed = ITEMS[name]
    found = writes(forms.plan)
    place = key(type(entity), **{f: getattr(entity, f) for f in ("name", "left", "right") if hasattr(entity, f)})
    steps: list[tuple[str, Callable[[Session], Any]]] = [
        ("create", lambda db: db.create(entity.model_copy())),
        ("put", lambda db: db.put(entity.model_copy(update={n: v for n, v in changed.items() if n != "low"}))),
        ("update", lambda db: db.update(place, set={n: getattr(entity, n) for n in changed})),
        ("update", lambda db: db.update(place, set=changed)),
        ("delete", lambda db: db.delete(place)),
        ("delete", lambda db: db.delete(place)),
    ]
    if name == "Buried":
        steps += [("undelete", lambda db: db.undelete(place)), ("purge", lambda db: db.purge(place))]
    with sending(forms) as (db, told):
        told()
        for method, step in steps:
            step(db)
            check(found[f"{name}.{method}"], forms, told())


def test_the_output_is_policies_and_a_page_that_explains_them() -> None:
    files = iam(Material(crm.plan, tenant_field="tenant"))
    assert sorted(name for name in files if name.count("/") == 1) == [
        *("iam/README.md", "iam/migration.json"),
        *("iam/reader.json", "iam/tenant-reader.json", "iam/tenant.json", "iam/writer.json"),
    ]
    assert {name for name in files if "/patterns/" in name} == {f"iam/patterns/{name}.json" for name in crm.patterns}
    assert {name for name in files if "/writes/" in name} == {f"iam/writes/{name}.json" for name in writes(crm.plan)}
    for name, text_of_file in files.items():
        if name.endswith(".json"):
            assert json.loads(text_of_file)
    for note in tenant_policy(crm.plan, "tenant").notes:
        assert f"- {inline(note)}\n" in files["iam/README.md"]
    assert "| [due_on](patterns/due_on.json) | `Query` on Due | `DUE#*` |" in files["iam/README.md"]
    assert "iam/tenant.json" not in iam(Material(crm.plan))


def test_what_no_policy_of_the_table_says_is_told() -> None:
    table = Table("Sealed", deployment=Deployment(encryption=KmsKey("alias/own")))

    class Secret(Entity, table=table, type="S" * 600):
        keys = Keys("S#{tenant}", "S", unique=[Unique("tenant", *f) for f in permutations("abc")])
        tenant: str
        a: int = 0
        b: int = 0
        c: int = 0
        sealed: Annotated[str, Encrypted(AesGcm({"k": bytes(32)}))] = ""

    class More(Entity, table=table, type="M" * 600):
        keys = Keys("M#{tenant}", "M", unique=[Unique("tenant", *f) for f in permutations("abc")])
        tenant: str
        a: int = 0
        b: int = 0
        c: int = 0

    page = iam(Material(table.plan, tenant_field="tenant"))["iam/README.md"]
    assert "Every policy lets its role use it through DynamoDB" in page
    assert "Some fields are encrypted or kept elsewhere" in page
    assert "tenant has " in page
    assert "To know of all" not in iam(Material(crm.plan))["iam/README.md"]


def test_the_linter_of_cloudformation_takes_every_policy() -> None:
    found = {**roles(crm.plan), **patterns(crm.plan), **writes(crm.plan), "tenant": tenant_policy(crm.plan, "tenant")}
    resources = {
        f"P{number}": {
            "Type": "AWS::IAM::ManagedPolicy",
            "Properties": {"PolicyDocument": policy.document(ARN)},
        }
        for number, policy in enumerate(found.values())
    }
    template = json.dumps({"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources})
    assert [str(m) for m in lint(template, config=ManualArgs(regions=["eu-west-1"]))] == []


def test_a_stage_is_that_of_the_role_unless_it_is_given() -> None:
    table = Table("app-{stage}", stream="KEYS_ONLY")
    resource = json.loads(iam(Material(table.plan))["iam/stream.json"])["Statement"][0]["Resource"]
    assert resource == "arn:aws:dynamodb:*:*:table/app-${aws:PrincipalTag/stage}/stream/*"
    given_one = json.loads(iam(Material(table.plan, stage="prod"))["iam/stream.json"])["Statement"][0]["Resource"]
    assert given_one == "arn:aws:dynamodb:*:*:table/app-prod/stream/*"
