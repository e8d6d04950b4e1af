"""A tenant's policy allows what its sessions really send, and nothing of other tenants."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tablewright import (
    GSI,
    Entity,
    Keys,
    KeyStyle,
    Query,
    Table,
    binary,
    query,
)
from tablewright.errors import ArgumentError
from tablewright.generate.iam.policies import table_arn
from tablewright.generate.iam.tenants import tenant_policy
from tablewright.values.keycodec import STRICT
from tests.generate.iam.crm import ARN, a_day, crm
from tests.support.iam import Asked, actions, allows, sending

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


def strangers(tenant: Any, key: str, other: Any = str, style: KeyStyle = STRICT) -> list[str]:
    """Whose keys are told to look like a tenant's, where a tenant has OWNER#{tenant} and somebody else another key."""
    separator = style.separator
    table = Table("Mixed", key_style=style)

    class Note(Entity, table=table):
        keys = Keys(f"OWNER{separator}{{tenant}}", "NOTE")
        tenant: tenant  # type: ignore[valid-type]

    class Other(Entity, table=table):
        keys = Keys(key.replace("#", separator), "OTHER")
        one: other  # type: ignore[valid-type]
        two: other  # type: ignore[valid-type]

    told = tenant_policy(table.plan, "tenant").notes
    assert any("Other is out of reach" in note for note in told)
    return [note.split()[0] for note in told if "of the same form" in note]


@pytest.mark.parametrize(
    ("key", "tenant", "other", "alike"),
    [
        ("OWNER#{one}", str, str, True),
        ("OWNER#ALL", str, str, True),
        ("OWNER#ALL", Literal["a", "b"], str, False),
        ("OWNER#a", Literal["a", "b"], str, True),
        ("OTHER#{one}", str, str, False),
        ("{one}#{two}", str, str, True),
        ("{one}#{two}", str, Literal["x", "y"], False),
        ("{one}#{two}", str, Literal["OWNER", "y"], True),
        ("OWNER#{one}", Literal["a", "b"], Literal["c", "d"], False),
        ("OWNER#{one}", Literal["a", "b"], Literal["b", "c"], True),
        ("OWNER#{one}#{two}", str, str, False),
        ("OWNER", str, str, False),
    ],
    ids=[
        *("alike", "a literal", "a literal that is no tenant", "a literal that is one", "another literal"),
        *("any literal", "other literals", "its literal", "other values", "a value of both", "longer", "shorter"),
    ],
)
def test_keys_that_look_like_a_tenants_are_told_and_no_others(key: str, tenant: Any, other: Any, alike: bool) -> None:
    assert strangers(tenant, key, other) == (["Other"] if alike else [])


@pytest.mark.parametrize(
    ("key", "alike"), [("OWNER#{one}", True), ("OWN#{one}", False), ("{one}#{two}", True)], ids=["alike", "not", "open"]
)
def test_keys_of_an_adopted_table_are_compared_by_how_they_begin(key: str, alike: bool) -> None:
    assert strangers(str, key, style=KeyStyle.adopted("|", escape=True)) == (["Other"] if alike else [])


def test_a_tenant_in_bytes_is_nothing_that_iam_compares() -> None:
    table = Table("Bytes", indexes=[GSI("Own", pk=[binary("tenant"), "kind"], sk=["name"])])

    class Thing(Entity, table=table):
        keys = Keys("THING#{name}", "THING", Own=(("{tenant}", "{kind}"), ("{name}",)))
        name: str
        kind: str
        tenant: bytes

    @table.pattern
    def things(tenant: bytes, kind: str) -> Query[Thing]:
        return query(Thing, Thing.tenant == tenant, Thing.kind == kind)

    with pytest.raises(ArgumentError, match="begins with 'tenant'"):
        tenant_policy(table.plan, "tenant")


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
