"""Policies allow what sessions really send, and nothing of other tenants: judged by a small evaluator of IAM's rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import permutations
from typing import Annotated, Any

import pytest
from cfnlint.api import lint
from cfnlint.config import ManualArgs
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from msgspec import Struct
from pydantic import model_validator

from tablewright import (
    GSI,
    LSI,
    AesGcm,
    Deployment,
    Encrypted,
    Entity,
    Get,
    Keys,
    KeyStyle,
    KmsKey,
    Query,
    Relationship,
    Session,
    SoftDelete,
    Table,
    Unique,
    get,
    key,
    query,
)
from tablewright.engine import open_engine
from tablewright.engine.faults import Watched
from tablewright.errors import ArgumentError
from tablewright.generate.iam.output import iam
from tablewright.generate.iam.policies import Policy, patterns, roles, table_arn, writes
from tablewright.generate.iam.tenants import tenant_policy
from tablewright.generate.material import Material
from tablewright.model.table import TableModel

# --------------------------------------------------------------------------------------------- IAM's rules, in short


class Asked(Struct):
    """One thing that a request asks permission for."""

    action: str
    resource: str
    keys: dict[str, list[str]]


ORDINALS = ("First", "Second", "Third", "Fourth")


def asked(table: TableModel, operation: str, request: Mapping[str, Any]) -> list[Asked]:
    """What a request asks permission for, with the keys that DynamoDB tells IAM."""

    def one(action: str, values: list[list[str]], index: str = "") -> Asked:
        keys = {f"dynamodb:{n}PartitionKeyValues": v for n, v in zip(ORDINALS, values, strict=False)}
        keys["dynamodb:LeadingKeys"] = values[0]
        arn = f"arn:aws:dynamodb:eu-west-1:123456789012:table/{table.name}"
        return Asked(f"dynamodb:{action}", arn + (f"/index/{index}" if index else ""), keys)

    def leading(*items: Mapping[str, Any]) -> list[list[str]]:
        return [[text(item[table.pk.name]) for item in items]]

    match operation:
        case "GetItem" | "UpdateItem" | "DeleteItem":
            return [one(operation, leading(request["Key"]))]
        case "PutItem":
            return [one(operation, leading(request["Item"]))]
        case "Query":
            index = request.get("IndexName", "")
            wanted = table.indexes[index].pk if index else (table.pk,)
            names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
            equal = {names[n]: values[v] for n, v in re.findall(r"(#\w+) = (:\w+)", request["KeyConditionExpression"])}
            return [one(operation, [[text(equal[a.name])] for a in wanted], index)]
        case "BatchGetItem":
            return [one(operation, leading(*request["RequestItems"][table.name]["Keys"]))]
        case "BatchWriteItem":
            parts = [next(iter(part.values())) for part in request["RequestItems"][table.name]]
            return [one(operation, leading(*(p.get("Item") or p["Key"] for p in parts)))]
        case "TransactWriteItems":
            found = []
            for part in request["TransactItems"]:
                ((kind, body),) = part.items()
                found.append(one(f"{kind}Item", leading(body.get("Item") or body["Key"])))
            return found
    raise AssertionError(operation)


def text(value: Mapping[str, Any]) -> str:
    (found,) = value.values()
    return str(found)


def allows(document: Mapping[str, Any], wanted: Asked, variables: Mapping[str, str] = {}) -> bool:
    """Whether a policy allows something."""
    return any(
        any(like(a, wanted.action, variables) for a in several(statement["Action"]))
        and any(like(r, wanted.resource, variables) for r in several(statement["Resource"]))
        and all(holds(operator, keys, wanted, variables) for operator, keys in statement.get("Condition", {}).items())
        for statement in document["Statement"]
    )


def holds(operator: str, keys: Mapping[str, Any], wanted: Asked, variables: Mapping[str, str]) -> bool:
    for name, expected in keys.items():
        there = wanted.keys.get(name)
        if operator == "Null":
            if (there is None) is not (expected == "true"):
                return False
        else:
            assert operator == "ForAllValues:StringLike"
            if not all(any(like(e, value, variables) for e in several(expected)) for value in there or []):
                return False
    return True


def like(pattern: str, value: str, variables: Mapping[str, str]) -> bool:
    """A text with wildcards and variables; those of one character stand for themselves."""
    found = ""
    for part in re.findall(r"\$\{[^}]+\}|.", pattern, re.DOTALL):
        if part.startswith("${"):
            name = part[2:-1]
            if len(name) > 1 and name not in variables:
                return False
            found += re.escape(variables.get(name, name))
        else:
            found += {"*": ".*", "?": "."}.get(part, re.escape(part))
    return re.fullmatch(found, value, re.DOTALL) is not None


def several(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


# ----------------------------------------------------------------------------------------------- what sessions send


@contextmanager
def sending(table: Table) -> Iterator[tuple[Session, Callable[[], list[Asked]]]]:
    """A session, and a function that gives what was asked since it was last called."""
    seen: list[Asked] = []
    with open_engine("memory:") as engine, table.open(engine) as db:

        def note(watched: Watched) -> None:
            seen.extend(asked(table, watched.operation, watched.request))

        def told() -> list[Asked]:
            found = list(seen)
            seen.clear()
            return found

        with engine.faults.watch(note):
            yield db, told


crm = Table("Crm", indexes=[GSI("GSI1"), GSI("Places", pk=["region", "tenant"], sk=["city"]), GSI("Due"), LSI("LSI1")])


class Account(Entity, table=crm):
    keys = Keys("TENANT#{tenant}", "ACCOUNT")
    tenant: str


class Person(Entity, table=crm):
    keys = Keys(
        "TENANT#{tenant}",
        "PERSON#{person_id}",
        GSI1=("TENANT#{tenant}#CITY#{city}", "PERSON#{person_id}"),
        LSI1="{email}",
        unique=[Unique("tenant", "email")],
    )
    tenant: str
    person_id: str
    email: str
    city: str = "c"


class Task(Entity, table=crm):
    keys = Keys(
        "TENANT#{tenant}#{project}",
        "TASK#{task_id}",
        Places=(("{region}", "{tenant}"), ("{city}",)),
        Due=("DUE#{due}", "{tenant}#{task_id}"),
    )
    tenant: str
    project: str
    task_id: str
    region: str
    city: str
    due: str


class Voucher(Entity, table=crm):
    keys = Keys("VOUCHER#{code}", "VOUCHER", unique=["number"])
    code: str
    number: int


@crm.pattern
def account(tenant: str) -> Get[Account]:
    return get(Account, Account.tenant == tenant)


@crm.pattern
def people(tenant: str) -> Query[Person]:
    return query(Person, Person.tenant == tenant)


@crm.pattern
def person_with(tenant: str, email: str) -> Get[Person]:
    return get(Person, Person.tenant == tenant, Person.email == email)


@crm.pattern
def people_in(tenant: str, city: str) -> Query[Person]:
    return query(Person, Person.tenant == tenant, Person.city == city)


@crm.pattern
def tasks_of(tenant: str, project: str) -> Query[Task]:
    return query(Task, Task.tenant == tenant, Task.project == project)


@crm.pattern
def tasks_in(tenant: str, region: str) -> Query[Task]:
    return query(Task, Task.tenant == tenant, Task.region == region)


@crm.pattern
def due_on(due: str) -> Query[Task]:
    return query(Task, Task.due == due)


ARN = table_arn(crm)


def a_day(db: Session, tenant: str, project: str = "p") -> None:
    """What a tenant does: every kind of write, and every pattern that is for tenants."""
    db.create(Account(tenant=tenant))
    for number in ("1", "2"):
        db.create(Person(tenant=tenant, person_id=number, email=f"{number}@x"))
    with db.batch() as batch:
        for number in ("1", "2"):
            batch.put(Task(tenant=tenant, project=project, task_id=number, region="r", city="c", due="d"))
    one = key(Task, tenant=tenant, project=project, task_id="1")
    db.update(one, set={"city": "e"})
    db.put(Person(tenant=tenant, person_id="1", email="3@x"))
    db.update(key(Person, tenant=tenant, person_id="1"), set={"email": "4@x"})
    db.get_many([one, key(Account, tenant=tenant)])
    db.run(account, tenant)
    db.run(people, tenant).all()
    db.run(person_with, tenant, "2@x")
    db.run(people_in, tenant, project).all()
    db.run(tasks_of, tenant, project).all()
    db.run(tasks_in, tenant, "r").all()
    with db.transaction() as transaction:
        transaction.check(key(Account, tenant=tenant))
        transaction.delete(one)
    db.delete(key(Person, tenant=tenant, person_id="2"))


TENANTS = st.one_of(
    st.text("ab*?$#%{}1 ~!", min_size=1, max_size=4),
    st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF), min_size=1, max_size=8),
    st.sampled_from(["*", "?", "a", "a*", "a#p", "a%23p", "${aws:PrincipalTag/tenant}", "TENANT#a", "a$", "a" * 40]),
)


@settings(max_examples=settings().max_examples // 4)
@given(tenant=TENANTS, other=TENANTS, project=TENANTS)
@example(tenant="a*", other="ab", project="p")
@example(tenant="a?", other="ab", project="p")
@example(tenant="*", other="a", project="p")
@example(tenant="a", other="a#p", project="p")
@example(tenant="a", other="a1", project="a")
@example(tenant="${x}", other="x", project="p")
def test_a_tenant_reaches_its_own_and_nothing_else(tenant: str, other: str, project: str) -> None:
    assume(tenant != other)
    own = tenant_policy(crm.plan, "tenant", tenant).document(ARN)
    others = tenant_policy(crm.plan, "tenant", other).document(ARN)
    with sending(crm) as (db, told):
        a_day(db, tenant, project)
        requests = told()
    assert len(requests) > 20
    for request in requests:
        assert allows(own, request), request
        assert not allows(others, request), request


TAGS = st.text("abcXYZ0189_.:/=+-@", min_size=1, max_size=6)


@settings(max_examples=settings().max_examples // 10)
@given(tenant=TAGS, other=TAGS)
@example(tenant="a", other="a1")
def test_a_policy_for_all_tenants_confines_each_by_its_tag(tenant: str, other: str) -> None:
    assume(tenant != other)
    document = tenant_policy(crm.plan, "tenant").document(ARN)
    with sending(crm) as (db, told):
        a_day(db, tenant)
        for request in told():
            assert allows(document, request, {"aws:PrincipalTag/tenant": tenant})
            assert not allows(document, request, {"aws:PrincipalTag/tenant": other})
            assert not allows(document, request)


def test_a_request_without_a_leading_key_is_denied() -> None:
    document = tenant_policy(crm.plan, "tenant", "a").document(ARN)
    resource = f"arn:aws:dynamodb:eu-west-1:123456789012:table/{crm.name}"
    for action in ("Scan", "Query", "BatchGetItem"):
        assert not allows(document, Asked(f"dynamodb:{action}", resource, {}))


def test_an_attribute_of_several_has_a_condition_key_of_its_own() -> None:
    document = tenant_policy(crm.plan, "tenant", "a").document(ARN)
    (places,) = [s for s in document["Statement"] if s["Resource"].endswith("/Places")]
    assert places["Condition"] == {
        "ForAllValues:StringLike": {"dynamodb:SecondPartitionKeyValues": ["a"]},
        "Null": {"dynamodb:SecondPartitionKeyValues": "false"},
    }
    first = Table("First", indexes=[GSI("Places", pk=["tenant", "region"], sk=["city"])])

    class Place(Entity, table=first):
        keys = Keys("TENANT#{tenant}", "PLACE#{city}", Places=(("{tenant}", "{region}"), ("{city}",)))
        tenant: str
        region: str
        city: str

    @first.pattern
    def places_in(tenant: str, region: str) -> Query[Place]:
        return query(Place, Place.tenant == tenant, Place.region == region)

    (_, index) = tenant_policy(first.plan, "tenant", "a").document(table_arn(first))["Statement"]
    assert index["Condition"]["Null"] == {"dynamodb:FirstPartitionKeyValues": "false"}


def test_a_tenant_that_only_reads_cannot_write() -> None:
    policy = tenant_policy(crm.plan, "tenant", "a", reads_only=True)
    assert actions(policy) == {"GetItem", "BatchGetItem", "Query"}
    assert not any("index key of another" in note for note in policy.notes)
    with sending(crm) as (db, told):
        a_day(db, "a")
        requests = told()
    allowed = [r for r in requests if allows(policy.document(ARN), r)]
    assert {r.action for r in allowed} == {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
    others = tenant_policy(crm.plan, "tenant", "b", reads_only=True).document(ARN)
    assert not any(allows(others, r) for r in requests)


def test_what_cannot_be_confined_is_told() -> None:
    policy = tenant_policy(crm.plan, "tenant")
    told = "\n".join(policy.notes)
    assert "The index Due is not allowed" in told
    assert "The pattern due_on() is not for tenants: it reads DUE#{due} of the index Due." in told
    assert "Voucher is out of reach in the table" in told
    assert "the marker of unique number of Voucher is out of reach" in told
    assert "unique tenant+email" not in told
    assert "the index key of another tenant" in told
    assert "must hold the tenant as it stands in keys" in told
    assert not any("Due" in r for s in policy.statements for r in s.resources)
    assert not any("must hold" in note for note in tenant_policy(crm.plan, "tenant", "a").notes)


def test_a_key_that_looks_like_a_tenants_is_told() -> None:
    table = Table("Mixed")

    class Note(Entity, table=table):
        keys = Keys("OWNER#{tenant}", "NOTE#{note_id}")
        tenant: str
        note_id: str

    class Diary(Entity, table=table):
        keys = Keys("OWNER#{username}", "DIARY")
        username: str

    class Page(Entity, table=table):
        keys = Keys("OWNER#{username}#{day}", "PAGE")
        username: str
        day: str

    told = tenant_policy(table.plan, "tenant").notes
    assert [n for n in told if "of the same form" in n] == [
        "Diary has a key in the table, OWNER#{username}, of the same form as a tenant's: where its value equals a tenant's id, "
        "that tenant reaches it. Give it a literal of its own."
    ]
    assert any("Page is out of reach" in n for n in told)


def test_a_tenant_behind_another_field_cannot_be_confined() -> None:
    table = Table("Behind", indexes=[GSI("GSI1")])

    class Shop(Entity, table=table):
        keys = Keys("TENANT#{tenant}", "SHOP#{city}", GSI1=("REGION#{region}#{tenant}", "{city}"))
        tenant: str
        region: str
        city: str

    @table.pattern
    def shops_in(tenant: str, region: str) -> Query[Shop]:
        return query(Shop, Shop.tenant == tenant, Shop.region == region)

    policy = tenant_policy(table.plan, "tenant", "a")
    assert [s.resources for s in policy.statements] == [("",)]
    assert "The index GSI1 is not allowed: nothing in it begins with tenant." in policy.notes
    (told,) = [note for note in policy.notes if "shops_in()" in note]
    assert "it reads REGION#{region}#{tenant} of the index GSI1" in told


def test_raw_values_of_an_adopted_table_can_be_confined_only_where_they_end() -> None:
    table = Table("Old", key_style=KeyStyle.adopted("|"))

    class Safe(Entity, table=table):
        keys = Keys("T|{tenant}|{more}", "SAFE")
        tenant: str
        more: str

    class Mixed(Entity, table=table):
        keys = Keys("X-{tenant}", "MIXED")
        tenant: str

    policy = tenant_policy(table.plan, "tenant", "a")
    (statement,) = policy.statements
    assert statement.condition is not None
    assert statement.condition["ForAllValues:StringLike"] == {"dynamodb:LeadingKeys": ["T|a|*"]}
    assert any("Mixed is out of reach" in note for note in policy.notes)


def test_what_no_policy_can_say_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no characters beyond"):
        tenant_policy(crm.plan, "tenant", "日本")
    with pytest.raises(ArgumentError, match="Did you mean 'tenant'"):
        tenant_policy(crm.plan, "tenent")
    with pytest.raises(ArgumentError, match="begins with 'city'"):
        tenant_policy(crm.plan, "city")


# ------------------------------------------------------------------------------- roles, patterns and writes, exactly


def actions(policy: Policy) -> set[str]:
    return {a for statement in policy.statements for a in statement.actions}


def check(policy: Policy, table: Table, requests: list[Asked]) -> None:
    """The policy allows all of it."""
    document = policy.document(table_arn(table))
    assert requests
    for request in requests:
        assert allows(document, request), request


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


# -------------------------------------------------------------------------------------------------------------- files


def test_the_output_is_policies_and_a_page_that_explains_them() -> None:
    files = iam(Material(crm.plan, tenant_field="tenant"))
    assert sorted(files) == [
        *("iam/README.md", "iam/migration.json", "iam/patterns.json"),
        *("iam/reader.json", "iam/tenant-reader.json", "iam/tenant.json", "iam/writer.json", "iam/writes.json"),
    ]
    for name, text_of_file in files.items():
        if name.endswith(".json"):
            assert json.loads(text_of_file)
    for note in tenant_policy(crm.plan, "tenant").notes:
        assert f"- {note}\n" in files["iam/README.md"]
    assert "| `due_on` | `Query` on Due |" in files["iam/README.md"]
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
    assert "`kms:ViaService`" in page
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
