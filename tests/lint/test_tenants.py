"""Whose data an item is, as far as a model tells, and which partitions must say it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablewright.lint import Finding

Told = Callable[[str], list[Finding]]

INSIDE = """
    class {entity}(Entity, table=app):
        keys = Keys("OWNER#{{{tenant}}}", "{entity}#{{{own}_id}}", GSI1=("{partition}", "{{{own}_id}}"){derive})
        {tenant}: str
        {own}_id: str
        folder_id: str
        status: str
    """
TABLE = '\n    app = Table("App", indexes=[GSI("GSI1")])\n'
FOLDER = "FOLDER#{folder_id}"


def inside(tenant: str, partition: str, entity: str = "Doc", derive: str = "") -> str:
    return INSIDE.format(tenant=tenant, partition=partition, entity=entity, own=entity.lower(), derive=derive)


def other(tenant: str) -> str:
    return inside(tenant, f"OWNER#{{{tenant}}}#{FOLDER}", "Pupil")


SHARD = ', derive={"shard": Shard("doc_id", of=4)}'
ALONE = """
    class {entity}(Entity, table=app):
        keys = Keys("OWNER#{{{tenant}}}", "SELF", GSI1=("{partition}", "SELF"))
        {tenant}: str
        customer_id: str
        city: str
    """


def alone(entity: str, tenant: str, partition: str) -> str:
    return ALONE.format(entity=entity, tenant=tenant, partition=partition)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (inside("tenant_id", FOLDER), {("Doc", "warning")}),
        (inside("tenantId", FOLDER), {("Doc", "warning")}),
        (inside("tenant_id", "FOLDER#{folder_id}#{tenant_id}"), {("Doc", "warning")}),
        (inside("tenant_id", "{shard}#{tenant_id}", derive=SHARD), {("Doc", "warning")}),
        (inside("tenant_id", "FOLDER#T#{tenant_id}#{folder_id}"), set()),
        (inside("tenant_id", "{tenant_id}#{shard}", derive=SHARD), set()),
        (inside("org_id", FOLDER), set()),
        (inside("org_id", FOLDER) + other("org_id"), {("Doc", "warning")}),
        (inside("school_id", FOLDER), set()),
        (inside("school_id", FOLDER) + other("school_id"), {("Doc", "info")}),
        (inside("school_id", "FOLDER#{folder_id}#{school_id}") + other("school_id"), set()),
        (inside("school_id", "DOC#{doc_id}") + other("school_id"), set()),
        (inside("school", FOLDER) + other("school"), set()),
        (inside("school_id", FOLDER) + other("school_id") + alone("School", "school_id", "CITY#{city}"), set()),
        (inside("school_id", FOLDER) + other("college_id"), set()),
        (inside("tenant_id", "T#{tenant_id}") + alone("Tenant", "tenant_id", "CITY#{city}"), set()),
    ],
    ids=[
        *("one entity", "in camel case", "behind a field", "behind a shard", "behind literals", "before a shard"),
        *("an organisation with one entity", "an organisation", "one entity of anybody", "an id that leads all"),
        *("an id that leads all, behind", "an item of its own", "a text that leads all", "an entity of its own"),
        *("several ids", "the tenant itself"),
    ],
)
def test_partitions_that_do_not_begin_with_the_tenant(told: Told, text: str, expected: set[tuple[str, str]]) -> None:
    assert {(one.subject, one.severity) for one in told(TABLE + text) if one.code == "TW701"} == expected


@pytest.mark.parametrize(
    ("entity", "partition", "expected"),
    [
        ("Account", "CUSTOMER#{customer_id}", set()),
        ("Account", "CITY#{city}", {"Doc"}),
        ("Tenant", "CUSTOMER#{customer_id}", {"Doc"}),
        ("Org", "CUSTOMER#{customer_id}", {"Doc"}),
    ],
)
def test_accounts_of_a_customer_are_no_tenants(told: Told, entity: str, partition: str, expected: set[str]) -> None:
    name = f"{entity.lower()}_id"
    text = TABLE + alone(entity, name, partition) + inside(name, FOLDER)
    assert {one.subject for one in told(text) if one.code == "TW701"} == expected


def test_an_account_of_another_name_belongs_to_its_customer_too(told: Told) -> None:
    text = TABLE + alone("Ledger", "account_id", "CUSTOMER#{customer_id}") + inside("account_id", FOLDER)
    assert "TW701" not in {one.code for one in told(text)}
    assert "TW701" in {one.code for one in told(text.replace("CUSTOMER#{customer_id}", "CITY#{city}"))}


def test_accounts_within_a_customer_are_no_tenants(told: Told) -> None:
    text = TABLE + inside("account_id", FOLDER) + other("account_id")
    above = """
    class Account(Entity, table=app):
        keys = Keys("CUSTOMER#{customer_id}", "ACCOUNT#{account_id}")
        customer_id: str
        account_id: str
    """
    assert "TW701" in {one.code for one in told(text)}
    assert "TW701" not in {one.code for one in told(text + above)}


@pytest.mark.parametrize(("pk", "expected"), [(["status", "tenant_id"], False), (["status", "folder_id"], True)])
def test_in_an_index_of_several_attributes_the_tenant_is_one_of_them(told: Told, pk: list[str], expected: bool) -> None:
    templates = [f"{{{name}}}" for name in pk]
    found = told(f"""
    app = Table("App", indexes=[GSI("Wide", pk={pk!r}, sk="doc_id")])
    class Doc(Entity, table=app):
        keys = Keys("TENANT#{{tenant_id}}", "DOC#{{doc_id}}", Wide=({templates!r}, "{{doc_id}}"))
        tenant_id: str
        doc_id: str
        folder_id: str
        status: str
    """)
    assert "TW001" not in {one.code for one in found}
    assert ("TW701" in {one.code for one in found}) is expected
