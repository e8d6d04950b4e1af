"""A pattern's policy allows its own request, and not that of another: also on an index that many of them share."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples.blog.model import blog
from examples.saas.model import saas
from examples.shop.model import shop
from examples.social.model import social
from tablewright import (
    GSI,
    Deployment,
    Entity,
    Get,
    Keys,
    KeyStyle,
    KmsKey,
    Query,
    Shard,
    Table,
    binary,
    get,
    is_in,
    query,
)
from tablewright.errors import ArgumentError
from tablewright.generate.iam.output import iam
from tablewright.generate.iam.places import Place
from tablewright.generate.iam.policies import patterns, table_arn, writes
from tablewright.generate.material import Material
from tablewright.testing import samples, try_patterns
from tests.generate.iam.crm import ARN, Person, Task, Voucher, crm
from tests.support.iam import Asked, allows, sending

Status = Literal["open", "sent", "paid", "lost"]
clinic = Table("Clinic", indexes=[GSI("GSI1"), GSI("Places", pk=["country", "kind"], sk=["city"])])


class Owner(Entity, table=clinic):
    keys = Keys("OWNER#{owner_id}", "OWNER", GSI1=("EMAIL#{email}", "OWNER"))
    owner_id: str
    email: str


class Vet(Entity, table=clinic):
    keys = Keys(
        "VET#{vet_id}",
        "VET",
        GSI1=("VETS", "VET#{vet_id}"),
        Places=(("{country}", "{kind}"), ("{city}",)),
    )
    vet_id: str
    country: str = "x"
    kind: Literal["large", "small"] = "small"
    city: str = "y"


class Visit(Entity, table=clinic):
    keys = Keys("VET#{vet_id}#PET#{pet_id}", "VISIT#{at}", GSI1=("VET#{vet_id}", "{at}"))
    vet_id: str
    pet_id: str
    at: str


class Invoice(Entity, table=clinic):
    keys = Keys("INVOICE#{number}", "INVOICE", GSI1=("STATUS#{status}", "{number}"))
    number: str
    status: Status = "open"


class Note(Entity, table=clinic):
    keys = Keys(
        "WHY?*#{note_id}", "NOTE", GSI1=("NOTES#{shard}", "{note_id}"), derive={"shard": Shard("note_id", of=3)}
    )
    note_id: str


@clinic.pattern
def owner(owner_id: str) -> Get[Owner]:
    return get(Owner, Owner.owner_id == owner_id)


@clinic.pattern
def owner_by_email(email: str) -> Get[Owner]:
    return get(Owner, Owner.email == email)


@clinic.pattern
def vet(vet_id: str) -> Get[Vet]:
    return get(Vet, Vet.vet_id == vet_id)


@clinic.pattern
def vets() -> Query[Vet]:
    return query(Vet)


@clinic.pattern
def small_vets(country: str) -> Query[Vet]:
    return query(Vet, Vet.country == country, Vet.kind == "small")


@clinic.pattern
def large_vets(country: str) -> Query[Vet]:
    return query(Vet, Vet.country == country, Vet.kind == "large")


@clinic.pattern
def visits_of(vet_id: str) -> Query[Visit]:
    return query(Visit, Visit.vet_id == vet_id)


@clinic.pattern
def visits(vet_id: str, pet_id: str) -> Query[Visit]:
    return query(Visit, Visit.vet_id == vet_id, Visit.pet_id == pet_id)


@clinic.pattern
def open_invoices() -> Query[Invoice]:
    return query(Invoice, Invoice.status == "open")


@clinic.pattern
def done_invoices() -> Query[Invoice]:
    return query(Invoice, is_in(Invoice.status, ["sent", "paid"]))


@clinic.pattern
def note(note_id: str) -> Get[Note]:
    return get(Note, Note.note_id == note_id)


@clinic.pattern
def notes() -> Query[Note]:
    return query(Note)


VALUES = st.one_of(
    st.text("ab*?$#%{}1 ~!", min_size=1, max_size=4),
    st.sampled_from(["*", "VETS", "a#PET#b", "${x}", "EMAIL#a", "ü€😀", "#"]),
)


def requests_of(pattern: Any, value: str) -> list[Asked]:
    with sending(clinic) as (db, told):
        told()
        found = db.run(pattern, **dict.fromkeys(pattern.parameters.names, value))
        if hasattr(found, "all"):
            found.all()
        return told()


@settings(max_examples=settings().max_examples // 10)
@given(value=VALUES)
@example("a#PET#b")
@example("*")
def test_a_pattern_may_do_its_own_and_no_others(value: str) -> None:
    documents = {name: policy.document(table_arn(clinic)) for name, policy in patterns(clinic.plan).items()}
    for name, pattern in clinic.patterns.items():
        for request in requests_of(pattern, value):
            assert [n for n, document in documents.items() if allows(document, request)] == [name], request


@pytest.mark.parametrize("table", [blog, saas, shop, social], ids=lambda table: str(table.name))
def test_what_the_examples_send_is_allowed(table: Table) -> None:
    reads = [policy.document(table_arn(table)) for policy in patterns(table.plan).values()]
    puts = {name: policy.document(table_arn(table)) for name, policy in writes(table.plan).items()}
    data = samples(table, each=4)
    with sending(table) as (db, told):
        told()
        for entity in data:
            db.put(entity)
            for request in told():
                assert allows(puts[f"{type(entity).__name__}.put"], request), request
        try_patterns(db, table, data)
        for request in told():
            assert any(allows(document, request) for document in reads), request


def condition(name: str, operator: str = "ForAllValues:StringLike") -> Any:
    (statement,) = patterns(clinic.plan)[name].statements
    return (statement.condition or {}).get(operator)


def test_what_a_pattern_names_stands_in_its_condition() -> None:
    leading = "dynamodb:LeadingKeys"
    assert condition("vets") == {leading: ["VETS"]}
    assert condition("vets", "ForAllValues:StringNotLike") is None
    assert condition("owner_by_email") == {leading: ["EMAIL#*"]}
    assert condition("owner_by_email", "ForAllValues:StringNotLike") == {leading: ["*#*#*"]}
    assert condition("visits") == {leading: ["VET#*#PET#*"]}
    assert condition("done_invoices") == {leading: ["STATUS#sent", "STATUS#paid"]}
    assert condition("note") == {leading: ["WHY${?}${*}#*"]}
    assert condition("small_vets") == {"dynamodb:SecondPartitionKeyValues": ["small"]}
    assert condition("vets", "Null") == {leading: "false"}


def test_a_write_is_confined_to_its_item_and_markers() -> None:
    found = writes(crm.plan)["Person.create"].statements[0].condition
    assert found is not None
    assert found["ForAllValues:StringNotLike"] == {
        "dynamodb:LeadingKeys": [
            "TENANT#*#*",
            "UNIQUE#Person#tenant+email#*#*#*",
        ]
    }
    document = writes(crm.plan)["Person.create"].document(ARN)
    with sending(crm) as (db, told):
        db.create(Person(tenant="a", person_id="1", email="1@x"))
        own = [r for r in told() if r.action == "dynamodb:PutItem"]
        assert own
        assert all(allows(document, request) for request in own)
        db.create(Task(tenant="a", project="p", task_id="1", region="r", city="c", due="d"))
        db.create(Voucher(code="a", number=1))
        assert not any(allows(document, request) for request in told())


def test_a_key_that_says_nothing_has_no_condition() -> None:
    table = Table("Loose", pk="code", sk=None, key_style=KeyStyle.adopted("#"))

    class Thing(Entity, table=table):
        keys = Keys("{code}")
        code: str

    @table.pattern
    def thing(code: str) -> Get[Thing]:
        return get(Thing, Thing.code == code)

    (statement,) = patterns(table.plan)["thing"].statements
    assert statement.condition is None
    assert (
        "| [thing](patterns/thing.json) | `GetItem` on the table | any |" in iam(Material(table.plan))["iam/README.md"]
    )


def test_what_no_policy_can_hold_is_left_open() -> None:
    """Characters beyond those that policies take, bytes, and more values than one would name."""
    table = Table("Open", indexes=[GSI("Codes", pk=binary("code"), sk=None)])

    class Word(Entity, table=table):
        keys = Keys("WORD#{word}", "WORD", Codes=("{code}",))
        word: str
        code: bytes

    @table.pattern
    def japan() -> Get[Word]:
        return get(Word, Word.word == "日本x")

    @table.pattern
    def few() -> Query[Word]:
        return query(Word, is_in(Word.word, tuple(f"w{n}" for n in range(20))))

    @table.pattern
    def many() -> Query[Word]:
        return query(Word, is_in(Word.word, tuple(f"w{n}" for n in range(21))))

    @table.pattern
    def coded() -> Query[Word]:
        return query(Word, Word.code == b"code")

    found = {name: policy.statements[0].condition for name, policy in patterns(table.plan).items()}
    leading = {
        name: condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        for name, condition in found.items()
        if condition is not None
    }
    assert leading == {"japan": ["WORD#??x"], "few": [f"WORD#w{n}" for n in range(20)], "many": ["WORD#*"]}


def test_patterns_that_iam_cannot_tell_apart_are_told() -> None:
    page = iam(Material(crm.plan))["iam/README.md"]
    assert "whoever may run one of" not in page
    table = Table("Alike")

    class Pet(Entity, table=table):
        keys = Keys("PET#{pet}", "VISIT#{at}")
        pet: str
        at: str

    class Shot(Entity, table=table):
        keys = Keys("PET#{pet}", "SHOT#{at}")
        pet: str
        at: str

    @table.pattern
    def visits_there(pet: str) -> Query[Pet]:
        return query(Pet, Pet.pet == pet)

    @table.pattern
    def shots_there(pet: str) -> Query[Shot]:
        return query(Shot, Shot.pet == pet)

    page = iam(Material(table.plan))["iam/README.md"].replace("\\_", "_")
    assert "whoever may run one of visits_there(), shots_there() may run the others" in page


def test_each_file_is_a_policy() -> None:
    files = iam(Material(clinic.plan))
    single = {name: json.loads(text) for name, text in files.items() if name.startswith("iam/patterns/")}
    assert len(single) == len(clinic.patterns)
    assert all(document["Version"] == "2012-10-17" for document in single.values())
    assert "iam/writes/Owner.create.json" in files


# --------------------------------------------------------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("place", "arn"),
    [
        (Place(), "arn:aws:dynamodb:*:*:table/Crm"),
        (Place(region="eu-west-1", account="123456789012"), "arn:aws:dynamodb:eu-west-1:123456789012:table/Crm"),
        (Place(region="us-gov-west-1"), "arn:aws-us-gov:dynamodb:us-gov-west-1:*:table/Crm"),
        (Place(region="cn-north-1"), "arn:aws-cn:dynamodb:cn-north-1:*:table/Crm"),
        (Place(partition="aws-iso"), "arn:aws-iso:dynamodb:*:*:table/Crm"),
    ],
    ids=["anywhere", "one account", "GovCloud", "China", "said"],
)
def test_a_table_has_a_region_an_account_and_a_partition(place: Place, arn: str) -> None:
    document = json.loads(iam(Material(crm.plan, place=place))["iam/reader.json"])
    assert document["Statement"][0]["Resource"] == arn
    assert table_arn(crm) == ARN


@pytest.mark.parametrize(
    ("given_one", "field"),
    [({"region": "Ireland"}, "region"), ({"account": "12"}, "account"), ({"partition": "azure"}, "partition")],
    ids=["region", "account", "partition"],
)
def test_what_aws_does_not_have_is_refused(given_one: dict[str, str], field: str) -> None:
    with pytest.raises(ArgumentError, match=f"The {field} is none"):
        Place(**given_one)


KEY = "0b1c2d3e-0000-4000-8000-1234567890ab"


@pytest.mark.parametrize(
    ("key", "resource", "alias"),
    [
        (f"arn:aws:kms:eu-west-1:123456789012:key/{KEY}", f"arn:aws:kms:eu-west-1:123456789012:key/{KEY}", None),
        (KEY, f"arn:aws:kms:eu-west-1:*:key/{KEY}", None),
        ("alias/own", "arn:aws:kms:eu-west-1:*:key/*", "alias/own"),
        ("arn:aws:kms:eu-west-1:123456789012:alias/a/b", "arn:aws:kms:eu-west-1:123456789012:key/*", "alias/a/b"),
    ],
    ids=["arn", "id", "alias", "arn of an alias"],
)
def test_a_key_of_ones_own_may_be_used_through_dynamodb(key: str, resource: str, alias: str | None) -> None:
    table = Table("Sealed", stream="KEYS_ONLY", deployment=Deployment(encryption=KmsKey(key)))
    files = iam(Material(table.plan, place=Place(region="eu-west-1")))
    for name in ("reader", "writer", "migration", "stream"):
        statement = json.loads(files[f"iam/{name}.json"])["Statement"][-1]
        assert (statement["Sid"], statement["Resource"]) == ("Key", resource)
        assert statement["Condition"]["StringLike"] == {"kms:ViaService": "dynamodb.eu-west-1.amazonaws.com"}
        named = statement["Condition"].get("ForAnyValue:StringEquals", {"kms:ResourceAliases": None})
        assert named == {"kms:ResourceAliases": alias}
    chinese = json.loads(iam(Material(table.plan, place=Place(partition="aws-cn")))["iam/reader.json"])
    assert chinese["Statement"][-1]["Condition"]["StringLike"] == {"kms:ViaService": "dynamodb.*.amazonaws.com.cn"}


def test_a_stream_can_be_found() -> None:
    table = Table("Streamed", stream="KEYS_ONLY")
    statements = json.loads(iam(Material(table.plan))["iam/stream.json"])["Statement"]
    assert statements[0]["Action"] == ["dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords"]
    assert (statements[1]["Action"], statements[1]["Resource"]) == ("dynamodb:ListStreams", "*")
