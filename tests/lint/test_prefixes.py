"""Prefixes of keys: one for each thing, wherever it stands."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Codes = Callable[[str], set[str]]

PREFIXES = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Organization(Entity, table=app):
        keys = Keys("FIRST#{org_id}", "ORG")
        org_id: str
    class Member(Entity, table=app):
        keys = Keys("MEMBER#{member_id}", "MEMBER", GSI1=("SECOND#{org_id}", "MEMBER#{member_id}"))
        member_id: str
        org_id: str
    """


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("ORG", "ORG", False),
        ("ORG", "ORGANIZATION", True),
        ("ORG", "ORGS", True),
        ("ORG", "CHANGES", False),
        ("ORG", "ORGMEMBERS", False),
    ],
)
def test_a_prefix_stands_for_its_field_or_for_something_else(
    codes: Codes, first: str, second: str, expected: bool
) -> None:
    assert ("TW107" in codes(PREFIXES.replace("FIRST", first).replace("SECOND", second))) is expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("ORDER#{order_id}", "ORD#{order_id}", True),
        ("ORDER#{order_id}", "O#{order_id}#DONE", True),
        ("ORDER#{order_id}", "PAID#{order_id}", False),
        ("ORDER#{order_id}", "ORDERED#{order_id}", False),
        ("ORDER#{order_id}", "ORD#{city}#{order_id}", False),
    ],
    ids=["shorter", "in the middle", "something else", "longer", "before another field"],
)
def test_prefixes_are_compared_wherever_they_stand(codes: Codes, first: str, second: str, expected: bool) -> None:
    text = f"""
        app = Table("App", indexes=[GSI("GSI1")])
        class Order(Entity, table=app):
            keys = Keys("CITY#{{city}}", "{first}", GSI1=("CITY#{{city}}", "{second}"))
            city: str
            order_id: str
        """
    assert ("TW107" in codes(text)) is expected
