"""What the rules about relationships leave alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablewright.lint import Finding

Codes = Callable[[str], set[str]]
SHOP = """
    app = Table("App")
    class Customer(Entity, table=app):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER")
        username: str
        name: str
    class Order(Entity, table=app):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str
    class Line(Entity, table=app):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}#{line:3}")
        username: str
        order_id: str
        line: int
    """
TREE = """
    class OrderTree(Aggregate[Order]):
        lines: list[Line] = children()
    """
RELATED = '\n    app.relate(Relationship(Customer, Order, "1:N", "item collection"))\n'


def subjects(found: list[Finding], code: str) -> list[str]:
    return sorted(one.subject for one in found if one.code == code)


def test_aggregates_are_relationships_and_grandchildren_belong_through_their_parent(
    found: Callable[[str], list[Finding]],
) -> None:
    head = "from tablewright import *\n"

    def told(text: str) -> list[str]:
        return subjects(found(head + "\n".join(line[4:] for line in text.splitlines())), "TW601")

    assert told(SHOP) == ["Line", "Order"]  # noted, while nothing is recorded
    assert told(SHOP + RELATED) == ["Line"]
    assert told(SHOP + TREE + RELATED) == []


def test_what_belongs_to_a_tenant_needs_no_strategy(codes: Codes) -> None:
    assert "TW601" not in codes("""
        app = Table("App")
        class Tenant(Entity, table=app):
            keys = Keys("TENANT#{tenant_id}", "TENANT")
            tenant_id: str
        class Phrase(Entity, table=app):
            keys = Keys("TENANT#{tenant_id}", "PHRASE#{phrase_id}")
            tenant_id: str
            phrase_id: str
        """)


LINK = """
    app = Table("App", indexes=[GSI("GSI1")])
    class User(Entity, table=app):
        keys = Keys("USER#{user_id}", "USER#{user_id}")
        user_id: str
    class Team(Entity, table=app):
        keys = Keys("TEAM#{team_id}", "TEAM#{team_id}")
        team_id: str
    class Membership(Entity, table=app):
        keys = Keys("TEAM#{team_id}", "USER#{user_id}"MORE)
        team_id: str
        user_id: str
    """
MIRROR = """
    class Member(Membership, table=app):
        keys = Keys("USER#{user_id}", "TEAM#{team_id}")
    app.relate(
        Relationship(
            User, Team, "M:N", "adjacency list", via=Membership, mirror=Member,
            source_fields=("user_id",), target_fields=("team_id",),
        )
    )
    """


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LINK.replace("MORE", ""), True),
        (LINK.replace("MORE", ', GSI1=("USER#{user_id}", "TEAM#{team_id}")'), False),
        (LINK.replace("MORE", "") + MIRROR, False),
        (SHOP, False),
    ],
    ids=["one way", "inverted", "mirrored", "no link"],
)
def test_links(codes: Codes, text: str, expected: bool) -> None:
    assert ("TW602" in codes(text)) is expected


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("to save storage", {"warning"}),
        ("avoids redundancy", {"warning"}),
        ("", {"info"}),
        ("always the customer of now", set()),
        ("a spacecraft has its own life", set()),
    ],
)
def test_reasons_to_normalise(found: Callable[[str], list[Finding]], reason: str, expected: set[str]) -> None:
    text = "\n".join(line[4:] for line in SHOP.splitlines())
    text += f'\napp.relate(Relationship(Customer, Order, "1:N", "normalised", reason={reason!r}))'
    told = found("from tablewright import *\n" + text)
    assert {one.severity for one in told if one.code == "TW603"} == expected


@pytest.mark.parametrize(
    ("expectation", "expected"),
    [
        ("", True),
        ('app.expect(Line, per={("username", "order_id"): 99})', False),
        ('app.expect(Line, per={("username", "order_id"): 100})', True),
        ("app.expect(Line, items=50)", False),
    ],
)
def test_the_size_of_trees(codes: Codes, expectation: str, expected: bool) -> None:
    assert ("TW604" in codes(f"{SHOP}{TREE}\n    {expectation}")) is expected


def test_copies_that_stay_say_why(codes: Codes) -> None:
    text = """
        app = Table("App")
        class Product(Entity, table=app):
            keys = Keys("PRODUCT#{product_id}", "PRODUCT")
            product_id: str
            price: Decimal
        class Line(Entity, table=app):
            keys = Keys("ORDER#{order_id}", "LINE#{product_id}")
            order_id: str
            product_id: str
            price: Decimal
        app.relate(
            Relationship(Line, Product, "1:N", "shallow duplication", copies={"price": "price"}, reason="REASON")
        )
        """
    assert "TW605" not in codes(text.replace("REASON", "the price of that day"))
    assert "TW605" in codes(text.replace("REASON", ""))


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("member_ids: list[str]", True),
        ("memberIds: set[str]", True),
        ("users: list[str]", True),
        ("colours: list[str]", False),
        ("user_names: list[str]", False),
    ],
)
def test_lists_of_ids(codes: Codes, field: str, expected: bool) -> None:
    text = LINK.replace("MORE", "").replace(
        "    class Membership",
        f"    class Club(Team, table=app):\n        keys = "
        f'Keys("CLUB#{{team_id}}", "CLUB")\n        {field}\n    class Membership',
    )
    assert ("TW606" in codes(text)) is expected


def test_tables_that_know_nothing_of_each_other_may_be_apart(codes: Codes) -> None:
    assert "TW607" not in codes("""
        shop, log = Table("Shop"), Table("Log")
        class Customer(Entity, table=shop):
            keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER")
            customer_id: str
        class Entry(Entity, table=log):
            keys = Keys("ENTRY#{entry_id}", "ENTRY")
            entry_id: str
            text: str
        """)


def test_people_who_are_linked_by_items_may_be_listed_too(codes: Codes) -> None:
    text = """
        app = Table("App")
        class Paper(Entity, table=app):
            keys = Keys("PAPER#{paper_id}", "PAPER")
            paper_id: str
            editors: Annotated[list[str], Field(max_length=9)]
        """
    grant = """
        class Grant(Entity, table=app):
            keys = Keys("USER#{user_id}", "PAPER#{paper_id}")
            user_id: str
            paper_id: str
        """
    assert "TW606" in codes(text)
    assert "TW606" not in codes(text + grant)
