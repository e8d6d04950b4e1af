"""Hints that show code are followed: what they say is put into the model, which is then read again."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tablewright.lint import Finding
from tablewright.lint.registry import all_rules

Found = Callable[[str], list[Finding]]
CODE = re.compile(r'\w=(\.|[\w"(\[{])|"[\w{]|\{\w+|: (datetime|Decimal|NaturalKey|Annotated)|\w\(\.\.\.')
"""How a hint looks that shows code."""


class Followed(NamedTuple):
    """What a hint shows, and how somebody follows it in the rule's own bad example: what is replaced by what."""

    shown: tuple[str, ...]
    edits: tuple[tuple[str, str], ...]


IMPORTS = ("from tablewright import ", "from tablewright import {}, ")


def importing(*names: str) -> tuple[str, str]:
    return IMPORTS[0], IMPORTS[1].format(", ".join(names))


SHARDED = 'derive={"shard": Shard("order_id", of=8)})\n'
FOLLOWED = {
    "TW002": Followed(
        ('GSI("GSI1")', 'GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}")'),
        (
            ('Table("Shop")', 'Table("Shop", indexes=[GSI("GSI1")])'),
            (
                '"PRODUCT#{product_id}")\n',
                '"PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))\n',
            ),
            importing("GSI"),
        ),
    ),
    "TW105": Followed(
        ('("ORDER#{order_id}", "ORDER#{order_id}")',),
        (
            ('Table("Shop")', 'Table("Shop", indexes=[GSI("GSI1")])'),
            ('{order_id}")\n', '{order_id}", GSI1=("ORDER#{order_id}", "ORDER#{order_id}"))\n'),
            importing("GSI"),
        ),
    ),
    "TW106": Followed(('GSI("Inverted")',), (('GSI("Inverted", pk="SK", sk="PK")', 'GSI("Inverted")'),)),
    "TW107": Followed(("CUSTOMER#{customer_id}",), (("CUST#{customer_id}", "CUSTOMER#{customer_id}"),)),
    "TW110": Followed(("{page:6}",), (("{page}", "{page:6}"),)),
    "TW111": Followed(
        ("Field(frozen=True)",),
        (
            ('= "PENDING"', '= Field("PENDING", frozen=True)'),
            ("from typing", "from pydantic import Field\nfrom typing"),
        ),
    ),
    "TW112": Followed(("#{happened_at}#{event_id}",), (("#{happened_at}", "#{happened_at}#{event_id}"),)),
    "TW113": Followed(("#{placed_at}#{order_id}",), (('"{placed_at}"', '"{placed_at}#{order_id}"'),)),
    "TW114": Followed(("email: NaturalKey",), (("email: str", "email: NaturalKey"), importing("NaturalKey"))),
    "TW115": Followed(('"CUSTOMER#{customer_id}"',), (('"{customer_id}"', '"CUSTOMER#{customer_id}"'),)),
    "TW116": Followed(("{section_id}",), (("ELEMENT#{element_id}", "ELEMENT#{section_id}#{element_id}"),)),
    "TW205": Followed(
        ("GSI1=sparse(", "when=attr(\"status\") == 'PENDING'"),
        (
            ('GSI1=("WAREHOUSE#{warehouse}#{status}", "{order_id}")', "GSI1=sparse(KEY)"),
            ("KEY", '"WAREHOUSE#{warehouse}#{status}", "{order_id}", when=attr("status") == \'PENDING\''),
            importing("attr", "sparse"),
        ),
    ),
    "TW206": Followed(
        ("projection=['name', 'product_id']",), (('GSI("GSI1")', "GSI(\"GSI1\", projection=['name', 'product_id'])"),)
    ),
    "TW207": Followed(('projection="ALL"',), (('GSI("GSI1")', 'GSI("GSI1", projection="ALL")'),)),
    "TW301": Followed(
        ('derive={"shard": Shard(', "{shard}"),
        (('"ORDERS"', '"ORDERS#{shard}"'), (")\n    order_id", f", {SHARDED}    order_id"), importing("Shard")),
    ),
    "TW304": Followed(
        ('derive={"shard": Shard(',),
        (
            ("STATUS#{status}", "STATUS#{status}#{shard}"),
            (")\n    order_id", f", {SHARDED}    order_id"),
            importing("Shard"),
        ),
    ),
    "TW306": Followed(("expect(Event, writes=",), (("", "\nlog.expect(Event, writes=5)\n"),)),
    "TW401": Followed(("expect(Customer, items=",), (("", "\nshop.expect(Customer, items=20)\n"),)),
    "TW402": Followed(("expect(Order, per=",), (("", '\nshop.expect(Order, per={"username": 20})\n'),)),
    "TW408": Followed(
        ("{written_at} before {review_id}",), (("{review_id}#{written_at}", "{written_at}#{review_id}"),)
    ),
    "TW501": Followed(
        ("Field(max_length=",),
        (
            ("= []", "= Field(default_factory=list, max_length=5)"),
            ("from table", "from pydantic import Field\nfrom table"),
        ),
    ),
    "TW507": Followed(
        ("balance: Decimal",),
        (("balance: float", "balance: Decimal"), ("from table", "from decimal import Decimal\nfrom table")),
    ),
    "TW601": Followed(
        ('relate(Relationship(Customer, Order, "1:N", ',),
        (
            ("", '\nshop.relate(Relationship(Customer, Order, "1:N", "item collection", reason="read together"))\n'),
            importing("Relationship"),
        ),
    ),
    "TW602": Followed(
        ('GSI1=("USER#{user_id}", ',),
        (
            ('Table("App")', 'Table("App", indexes=[GSI("GSI1")])'),
            (
                '"TEAM#{team_id}", "USER#{user_id}")',
                '"TEAM#{team_id}", "USER#{user_id}", GSI1=("USER#{user_id}", "{team_id}"))',
            ),
            importing("GSI"),
        ),
    ),
    "TW604": Followed(
        ("expect(..., per={",), (("", '\nshop.expect(OrderLine, per={("username", "order_id"): 30})\n'),)
    ),
    "TW701": Followed(
        ("TENANT#{tenant_id}#",), (('("PROJECT#{project_id}"', '("TENANT#{tenant_id}#PROJECT#{project_id}"'),)
    ),
    "TW702": Followed(("unique=['email']",), (('"EMAIL#{email}"))', "\"EMAIL#{email}\"), unique=['email'])"),)),
    "TW703": Followed(
        ("api_key: Annotated[..., Encrypted(",),
        (
            ("api_key: str", 'api_key: Annotated[str, Encrypted(AesGcm({"one": bytes(32)}))]'),
            ("from table", "from typing import Annotated\nfrom table"),
            importing("AesGcm", "Encrypted"),
        ),
    ),
    "TW801": Followed(
        ('expires_at: Annotated[datetime, Epoch("s")]',),
        (
            ("expires_at: int", 'expires_at: Annotated[datetime, Epoch("s")]'),
            ("from table", "from datetime import datetime\nfrom typing import Annotated\nfrom table"),
            importing("Epoch"),
        ),
    ),
    "TW803": Followed(
        ("happened_at: datetime",),
        (("happened_at: str", "happened_at: datetime"), ("from table", "from datetime import datetime\nfrom table")),
    ),
    "TW805": Followed(
        ('soft_delete=SoftDelete(feed="GSI1")',),
        (("table=app)", 'table=app, soft_delete=SoftDelete(feed="GSI1"))'), importing("SoftDelete")),
    ),
    "TW808": Followed(
        ('ttl="ttl"', 'ttl: Annotated[datetime, Epoch("s")]'),
        (
            ("table=app)", 'table=app, ttl="ttl")'),
            ("ttl: int", 'ttl: Annotated[datetime, Epoch("s")]'),
            ("from table", "from datetime import datetime\nfrom typing import Annotated\nfrom table"),
            importing("Epoch"),
        ),
    ),
}
OTHERWISE = {
    "TW101": "names the class that holds other spellings of attributes",
    "TW102": "shows the form of a key in general",
    "TW406": "names the function to read about",
    "TW506": "names what makes keys",
    "TW804": "names the types to choose from",
    "TW806": "is followed where the table is opened",
}
"""Hints with code in them that is no edit of the model."""


def followed(text: str, edits: tuple[tuple[str, str], ...]) -> str:
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1) if old else text + new
    return text


@pytest.mark.parametrize("code", FOLLOWED)
def test_a_hint_that_is_followed_serves(found: Found, code: str) -> None:
    bad = all_rules()[code].explained().bad
    shown, edits = FOLLOWED[code]
    hints = [one.hint for one in found(bad) if one.code == code]
    assert hints
    assert all(any(piece in hint for hint in hints) for piece in shown), hints
    after = {one.code: one.message for one in found(followed(bad, edits))}
    assert after.keys().isdisjoint({code, "TW001", "TW002"}), after


def test_every_hint_that_shows_code_is_followed(found: Found) -> None:
    rules = [rule for rule in all_rules().values() if rule.family() != "source"]
    hints = {rule.code: one.hint for rule in rules for one in found(rule.explained().bad) if one.code == rule.code}
    showing = {code for code, hint in hints.items() if CODE.search(hint)}
    assert showing - OTHERWISE.keys() == FOLLOWED.keys()
    assert showing.issuperset(OTHERWISE)


JOB = """
from enum import Enum
from typing import Literal
from tablewright import GSI, Entity, Keys, Query, Table, any_of, attr, is_in, query, sparse

jobs = Table("Jobs", indexes=[GSI("GSI1")])

class State(Enum):
    WAITING = "waiting"
    FAILED = "failed"
    DONE = "done"

class Job(Entity, table=jobs):
    keys = Keys("JOB#{job_id}", "JOB", GSI1=("OWNER#{owner_id}#{state}", "{job_id}"))
    job_id: str
    owner_id: str
    state: KIND = FIRST
"""
ASKS = """
@jobs.pattern
def jobs_NUMBER(owner_id: str) -> Query[Job]:
    "Jobs of an owner in a state."
    return query(Job, Job.owner_id == owner_id, Job.state == VALUE)
"""


@pytest.mark.parametrize(
    ("kind", "asked", "when"),
    [
        ('Literal["waiting", "failed", "done"]', ["'waiting'"], "attr(\"state\") == 'waiting'"),
        (
            'Literal["waiting", "failed", "done"]',
            ["'waiting'", "'failed'"],
            "any_of(attr(\"state\") == 'failed', attr(\"state\") == 'waiting')",
        ),
        (
            "State",
            ["State.WAITING", "State.FAILED"],
            'any_of(attr("state") == State.FAILED, attr("state") == State.WAITING)',
        ),
        ("bool", ["True"], 'is_in(attr("state"), [True])'),
    ],
    ids=["one", "two", "of an enum", "a flag"],
)
def test_a_sparse_index_holds_what_every_pattern_asks_for(found: Found, kind: str, asked: list[str], when: str) -> None:
    text = JOB.replace("KIND", kind).replace("FIRST", asked[0])
    for number, value in enumerate(asked):
        text += ASKS.replace("NUMBER", str(number)).replace("VALUE", value)
    (hint,) = [one.hint for one in found(text) if one.code == "TW205"]
    assert f"GSI1=sparse(..., when={when})" in hint
    sparse = text.replace(
        'GSI1=("OWNER#{owner_id}#{state}", "{job_id}")',
        f'GSI1=sparse("OWNER#{{owner_id}}#{{state}}", "{{job_id}}", when={when})',
    )
    after = {one.code for one in found(sparse)}
    assert sparse != text
    assert after.isdisjoint({"TW001", "TW002", "TW205"})


def test_two_fields_that_are_unique_together(found: Found) -> None:
    text = """
from tablewright import GSI, Entity, Get, Keys, Table, Unique, get

shop = Table("Shop", indexes=[GSI("GSI1")])

class Page(Entity, table=shop):
    keys = Keys("PAGE#{page_id}", "PAGE", GSI1=("SITE#{site}", "{slug}"))
    page_id: str
    site: str
    slug: str

@shop.pattern
def page(site: str, slug: str) -> Get[Page]:
    "A page by its address."
    return get(Page, Page.site == site, Page.slug == slug)
"""
    (hint,) = [one.hint for one in found(text) if one.code == "TW702"]
    (shown,) = re.findall(r"unique=\[.*\]", hint)
    after = {one.code for one in found(text.replace('"{slug}"))', f'"{{slug}}"), {shown})'))}
    assert after.isdisjoint({"TW001", "TW002", "TW702"})


def test_a_projection_names_attributes_as_they_are_stored(found: Found) -> None:
    text = """
from pydantic import BaseModel
from tablewright import GSI, Entity, Keys, Query, Table, query

shop = Table("Shop", indexes=[GSI("GSI1")])

class Product(Entity, table=shop, stored={"name": "n"}):
    keys = Keys("PRODUCT#{product_id}", "PRODUCT", GSI1=("SHOP#{shop_id}", "PRODUCT#{product_id}"))
    product_id: str
    shop_id: str
    name: str
    text: str

class Title(BaseModel):
    product_id: str
    name: str

@shop.pattern
def titles_in(shop_id: str) -> Query[Title]:
    "Titles."
    return query(Product, Product.shop_id == shop_id).only(Title)
"""
    (hint,) = [one.hint for one in found(text) if one.code == "TW206"]
    (shown,) = re.findall(r"projection=\[.*?\]", hint)
    after = {one.code for one in found(text.replace('GSI("GSI1")', f'GSI("GSI1", {shown})'))}
    assert after.isdisjoint({"TW001", "TW002", "TW206"})
