"""Everything that a model can declare is compared, or is said here not to matter; and each has a mutation that shows."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import (
    GSI,
    LSI,
    Bucket,
    Deployment,
    Relationship,
    Shard,
    ShardedCounter,
    SoftDelete,
    Unique,
)
from tablewright.evolve.differences.comparing import compare_models
from tablewright.evolve.differences.showing import shown
from tablewright.model.aggregates import Hanging
from tablewright.model.change import ChangePlan
from tablewright.model.entity import EntityOptions
from tablewright.model.hooks import Hooks
from tablewright.model.keys import Keys
from tablewright.model.operations import Collection, Get, Mixed, Query
from tablewright.model.sealing import Compressed, Encrypted, Offloaded
from tablewright.model.table import TableModel
from tests.evolve.differences.models import compared, described

MODEL = """
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated
from pydantic import AfterValidator, BaseModel, field_validator
from tablewright import (
    GSI, LSI, Aggregate, AttributeNames, Bucket, Collection, Compressed, Deployment, Encrypted, Entity, Epoch,
    FolderStore, Get, Keys, KeyStyle, KmsKey, Mixed, NaturalKey, Node, Offloaded, Provisioned, Query, Relationship,
    Shard, ShardedCounter, SoftDelete, Table, Unique, Warm, after_write, attr, before_create, child, children, collect, get,
    many, number, one, query, require, sparse,
)

class Cipher:
    def encrypt(self, plaintext, context): return "k", plaintext
    def decrypt(self, key_id, ciphertext, context): return ciphertext

class OtherCipher(Cipher):
    pass

desk = Table(
    "Desk",
    indexes=[GSI("GSI1"), GSI("GSI2", projection=["title"]), LSI("LSI1")],
    stream="NEW_IMAGE",
    deployment=Deployment(tags={"team": "desk"}),
)

class Phone(BaseModel):
    number: str

class Mail(BaseModel):
    address: str

class Board(Entity, table=desk, type="B", schema_version=1, lock="updated_at", soft_delete=SoftDelete(feed="GSI1")):
    keys = Keys("BOARD#{board}", "BOARD", GSI1=("DAY#{day}", "{opened}#{board}"), derive={"day": Bucket("opened", "day")})
    board: NaturalKey
    title: str
    opened: datetime
    cards: int = 0
    done_cards: int = 0
    contact: Phone | Mail | None = None

    @field_validator("title")
    @classmethod
    def not_blank(cls, title: str) -> str:
        assert title.strip()
        return title

    @before_create
    def tidy(self) -> None:
        self.title = self.title.strip()

class Card(Entity, table=desk, version=True, nested="data", flat=["rank"]):
    keys = Keys("BOARD#{board}", "CARD#{card}", LSI1="RANK#{rank:4}", unique=[Unique("board", "name")])
    board: NaturalKey
    card: str
    name: str
    rank: int = 0
    board_title: str = ""
    done: bool = False
    secret: Annotated[str, Encrypted(Cipher())] = ""
    text: Annotated[str, Compressed()] = ""
    scan: Annotated[bytes, Offloaded(FolderStore("scans"))] = b""
    expires: Annotated[datetime, Epoch("s")] | None = None

class Cover(Entity, table=desk):
    keys = Keys("BOARD#{board}", "COVER")
    board: NaturalKey
    picture: Annotated[str, AfterValidator(lambda v: v.strip())] = ""

class Person(Entity, table=desk, timestamps=False, stored={"nick": "n"}):
    keys = Keys("PERSON#{person}", "PERSON")
    person: str
    nick: str = ""
    age: int = 0

class Member(Entity, table=desk):
    keys = Keys("BOARD#{board}", "MEMBER#{person}")
    board: NaturalKey
    person: str

class Membership(Entity, table=desk):
    keys = Keys("PERSON#{person}", "BOARD#{board}")
    board: NaturalKey
    person: str

class Views(Entity, table=desk):
    keys = Keys("VIEWS#{board}", "{shard:2}")
    board: str
    shard: int
    views: int = 0

counter = ShardedCounter(Views.shard, Views.views, of=8)

class CardTitle(BaseModel):
    name: str
    rank: int

class Page(BaseModel):
    board: Board | None
    cards: list[Card]

@desk.pattern
def cards_of(board: str, only_done: bool = False) -> Query[Card]:
    found = query(Card, Card.board == board).filter(Card.rank > 0).per_page(20)
    return found.filter(Card.done == True) if only_done else found

@desk.pattern
def all_cards(board: str) -> Query[Card]:
    return query(Card, Card.board == board)

@desk.pattern
def by_rank(board: str) -> Query[Card]:
    return query(Card, Card.board == board).via("LSI1").sorted_by(Card.rank)

@desk.pattern
def titles_of(board: str) -> Query[CardTitle]:
    return query(Card, Card.board == board).only(CardTitle)

@desk.pattern
def board(board: str) -> Get[Board]:
    return get(Board, Board.board == board).consistent()

@desk.pattern
def page(board: str) -> Collection[Page]:
    return collect(
        Page, board=one(query(Board, Board.board == board)), cards=many(query(Card, Card.board == board))
    )

@desk.pattern
def things(board: str) -> Mixed[Card | Cover]:
    return (query(Card, Card.board == board) | query(Cover, Cover.board == board)).skipping_unknown()

@desk.change
def finish(card: Card, by: int = 1) -> None:
    require(card.done == False)
    card.done = True
    card.rank = card.rank + by

class Whole(Aggregate[Board]):
    cards: list[Card] = children(order_by="rank", count="cards", count_if={"done_cards": lambda card: card.done})
    cover: Cover | None = child()

desk.relate(
    Relationship(Board, Card, "1:N", "item collection", reason="read together"),
    Relationship(Card, Board, "1:N", "shallow duplication", copies={"board_title": "title"}, found_by=all_cards),
    Relationship(
        Board, Person, "M:N", "adjacency list", via=Member, source_fields=("board",), target_fields=("person",),
        mirror=Membership,
    ),
    Relationship(Person, Board, "1:N", "normalised"),
)
"""
Case = tuple[list[tuple[str, str]], dict[str, str]]
CASES: dict[str, Case] = {
    "Table.name": ([('"Desk"', '"Desk2"')], {"table-renamed": "breaking"}),
    "Table.indexes": ([('LSI("LSI1")]', 'LSI("LSI1"), GSI("GSI3")]')], {"index-added": "additive"}),
    "Table.names": ([('stream="NEW_IMAGE"', 'stream="NEW_IMAGE", names=AttributeNames(version="V")')], {"setting-changed": "breaking"}),
    "Table.pk": ([('stream="NEW_IMAGE"', 'stream="NEW_IMAGE", pk="hash"')], {"table-key-changed": "breaking", "index-changed": "breaking", "pattern-served-otherwise": "additive"}),
    "Table.sk": ([('stream="NEW_IMAGE"', 'stream="NEW_IMAGE", sk="range"')], {"table-key-changed": "breaking", "pattern-served-otherwise": "additive"}),
    "Table.stream": ([('stream="NEW_IMAGE"', 'stream="KEYS_ONLY"')], {"stream-changed": "breaking"}),
    "Deployment.billing": ([("tags=", "billing=Provisioned(read=5, write=5), tags=")], {"deployment-changed": "additive"}),
    "Deployment.warm": ([("tags=", "warm=Warm(read=20_000, write=5_000), tags=")], {"deployment-changed": "additive"}),
    "Deployment.recovery": ([("tags=", "recovery=False, tags=")], {"protection-lost": "additive"}),
    "Deployment.deletion_protection": ([("tags=", "deletion_protection=False, tags=")], {"protection-lost": "additive"}),
    "Deployment.retain": ([("tags=", "retain=False, tags=")], {"protection-lost": "additive"}),
    "Deployment.encryption": ([("tags=", 'encryption=KmsKey("alias/desk"), tags=')], {"encryption-changed": "breaking"}),
    "Deployment.table_class": ([("tags=", 'table_class="STANDARD_INFREQUENT_ACCESS", tags=')], {"deployment-changed": "additive"}),
    "Deployment.contributor_insights": ([("tags=", "contributor_insights=True, tags=")], {"deployment-changed": "additive"}),
    "Deployment.alarms": ([("tags=", "alarms=None, tags=")], {"protection-lost": "additive"}),
    "Deployment.tags": ([('"team": "desk"', '"team": "chair"')], {"deployment-changed": "additive"}),
    "GSI.name": ([('GSI("GSI2"', 'GSI("GSI4", pk="GSI2PK", sk="GSI2SK"')], {"index-added": "additive", "index-removed": "additive"}),
    "GSI.pk": ([('GSI("GSI2"', 'GSI("GSI2", pk="p"')], {"index-changed": "breaking"}),
    "GSI.sk": ([('GSI("GSI2"', 'GSI("GSI2", sk=number("GSI2SK")')], {"index-changed": "breaking"}),
    "GSI.projection": ([('projection=["title"]', 'projection="ALL"')], {"index-changed": "breaking"}),
    "LSI.name": ([('LSI("LSI1")', 'LSI("LSI9", sk="LSI1SK")'), ("LSI1=", "LSI9="), ('via("LSI1")', 'via("LSI9")')], {"index-added": "breaking", "index-removed": "breaking", "index-keys-added": "backfill", "pattern-served-otherwise": "backfill"}),
    "LSI.sk": ([('LSI("LSI1")', 'LSI("LSI1", sk="s")')], {"index-changed": "breaking", "pattern-served-otherwise": "backfill"}),
    "LSI.projection": ([('LSI("LSI1")', 'LSI("LSI1", projection="KEYS_ONLY")')], {"index-changed": "breaking"}),
    "EntityOptions.type": ([('type="B"', 'type="Board"')], {"type-changed": "breaking", "pattern-misses-items": "breaking"}),
    "EntityOptions.version": ([("version=True, nested", "nested")], {"version-removed": "breaking"}),
    "EntityOptions.schema_version": ([("schema_version=1", "schema_version=2")], {"schema-version-changed": "backfill"}),
    "EntityOptions.ttl": ([("version=True, nested", 'version=True, ttl="expires", nested'), ('flat=["rank"]', 'flat=["rank", "expires"]')], {"ttl-added": "additive", "stored-name-changed": "breaking"}),
    "EntityOptions.nested": ([('nested="data"', 'nested="more"')], {"stored-name-changed": "breaking"}),
    "EntityOptions.flat": ([('flat=["rank"]', 'flat=["rank", "done"]')], {"stored-name-changed": "breaking"}),
    "EntityOptions.stored": ([('{"nick": "n"}', '{"nick": "nn"}')], {"stored-name-changed": "breaking"}),
    "EntityOptions.timestamps": ([("timestamps=False, ", "")], {"timestamps-added": "additive"}),
    "EntityOptions.soft_delete": ([(', soft_delete=SoftDelete(feed="GSI1")', "")], {"soft-delete-removed": "breaking", "table-ttl-changed": "breaking"}),
    "SoftDelete.keep": ([('SoftDelete(feed="GSI1")', 'SoftDelete(timedelta(days=1), "GSI1")')], {"soft-delete-changed": "backfill"}),
    "SoftDelete.feed": ([('SoftDelete(feed="GSI1")', "SoftDelete()")], {"soft-delete-changed": "backfill"}),
    "EntityOptions.lock": ([('lock="updated_at", ', "")], {"lock-removed": "breaking"}),
    "Keys.pk": ([('"PERSON#{person}", "PERSON"', '"HUMAN#{person}", "PERSON"')], {"key-changed": "breaking"}),
    "Keys.sk": ([('"PERSON#{person}", "PERSON"', '"PERSON#{person}", "HUMAN"')], {"key-changed": "breaking"}),
    "Keys.unique": ([(', unique=[Unique("board", "name")]', "")], {"unique-removed": "additive"}),
    "Keys.indexes": ([('LSI1="RANK#{rank:4}"', 'LSI1="R#{rank:4}"')], {"index-keys-changed": "breaking", "pattern-misses-items": "breaking"}),
    "Keys.derive": ([("Bucket(", "Shard("), ('"opened", "day"', '"board", of=4')], {"index-keys-changed": "breaking"}),
    "Bucket.field": ([("    opened: datetime", "    opened: datetime\n    closed: datetime | None = None"), ('Bucket("opened"', 'Bucket("closed"')], {"field-added": "additive", "index-keys-changed": "breaking"}),
    "Bucket.by": ([('"opened", "day"', '"opened", "month"')], {"index-keys-changed": "breaking"}),
    "Unique.fields": ([('Unique("board", "name")', 'Unique("name")')], {"unique-scope-changed": "backfill"}),
    "Unique.fields, more of them": ([('Unique("board", "name")', 'Unique("board", "name", "rank")')], {"unique-scope-changed": "backfill"}),
    "Unique.key": ([('Unique("board", "name")', 'Unique("board", "name", key="NAME#{board}#{name}")')], {"unique-key-changed": "breaking"}),
    "how a field is written in keys": ([("    board: str\n    shard", "    board: int\n    shard")], {"field-type-changed": "breaking", "key-changed": "breaking"}),
    "a rule of a field in keys": ([("    board: NaturalKey\n    picture", "    board: str\n    picture")], {"key-changed": "breaking", "pattern-misses-items": "breaking"}),
    "Compressed": ([("Annotated[str, Compressed()]", "str")], {"field-sealing-changed": "breaking"}),
    "Encrypted.cipher": ([("Encrypted(Cipher())", "Encrypted(OtherCipher())")], {"field-sealing-changed": "breaking"}),
    "Offloaded.store": ([('FolderStore("scans")', 'FolderStore("pictures")')], {"field-sealing-changed": "breaking"}),
    "a validator": ([("assert title.strip()", "assert title")], {"validators-changed": "backfill"}),
    "a validator in Annotated": ([("lambda v: v.strip()", "lambda v: v.lower()")], {"field-narrowed": "backfill"}),
    "one record of several": ([("    address: str\n", "    address: str\n    name: str\n")], {"field-narrowed": "backfill", "field-widened": "breaking"}),
    "one record more": ([("Phone | Mail | None", "Phone | Mail | CardTitle | None"), ("class Phone", "class CardTitle(BaseModel):\n    name: str\n    rank: int\n\nclass Phone")], {"field-widened": "breaking"}),
    "Hooks": ([("self.title = self.title.strip()", "self.title = self.title.lower()")], {"hooks-changed": "additive"}),
    "ShardedCounter.of": ([("of=8", "of=4")], {"counter-shards-removed": "breaking"}),
    "ShardedCounter.of, more": ([("of=8", "of=16")], {"counter-shards-added": "additive"}),
    "ShardedCounter.count": ([("    views: int = 0", "    views: int = 0\n    clicks: int = 0"), ("Views.views,", "Views.clicks,")], {"field-added": "additive", "counter-added": "additive", "counter-removed": "breaking"}),
    "Query.conditions": ([("query(Card, Card.board == board).only", 'query(Card, Card.board == board, Card.card >= "b").only')], {"pattern-selects-otherwise": "breaking", "pattern-served-otherwise": "breaking"}),
    "Query.filters": ([("filter(Card.rank > 0)", "filter(Card.rank > 1)")], {"pattern-selects-otherwise": "breaking"}),
    "Query.index": ([('.via("LSI1").sorted_by(Card.rank)', "")], {"pattern-order-changed": "breaking", "pattern-served-otherwise": "breaking"}),
    "Query.descending": ([(".sorted_by(Card.rank)", ".sorted_by(Card.rank).newest_first()")], {"pattern-order-changed": "breaking", "pattern-served-otherwise": "breaking"}),
    "Query.page_limit": ([("per_page(20)", "per_page(50)")], {"pattern-page-changed": "additive"}),
    "Query.view": ([("    name: str\n    rank: int\n\nclass Page", "    name: str\n\nclass Page")], {"pattern-result-changed": "breaking"}),
    "Query.view, more of it": ([("    name: str\n    rank: int\n\nclass Page", "    name: str\n    rank: int\n    done: bool\n\nclass Page")], {"pattern-result-extended": "additive"}),
    "Query.parameters": ([("only_done: bool = False", "only_done: bool = True")], {"pattern-default-changed": "breaking", "pattern-selects-otherwise": "breaking"}),
    "Get.strong": ([(".consistent()", "")], {"pattern-consistency-changed": "breaking"}),
    "Collection.parts": ([("board=one(query(Board, Board.board == board)), ", ""), ("    board: Board | None\n    cards: list[Card]", "    cards: list[Card]")], {"pattern-result-changed": "breaking", "pattern-selects-otherwise": "breaking", "pattern-served-otherwise": "breaking"}),
    "Mixed.queries": ([("query(Cover, Cover.board == board)).", "query(Member, Member.board == board))."), ("Mixed[Card | Cover]", "Mixed[Card | Member]")], {"pattern-result-changed": "breaking", "pattern-selects-otherwise": "breaking", "pattern-served-otherwise": "breaking"}),
    "Mixed.skips_unknown": ([(".skipping_unknown()", "")], {"pattern-unknown-items": "breaking"}),
    "ChangePlan.actions": ([("card.done = True", "card.done = True\n    card.text = ''")], {"change-does-otherwise": "additive"}),
    "ChangePlan.actions, others": ([("card.done = True", "card.text = ''")], {"change-does-otherwise": "breaking"}),
    "ChangePlan.conditions": ([("require(card.done == False)", "require(card.rank == 0)")], {"change-requires-more": "breaking"}),
    "ChangePlan.conditions, fewer": ([("    require(card.done == False)\n", "")], {"change-requires-less": "additive"}),
    "ChangePlan.parameters": ([("by: int = 1", "by: int = 2")], {"change-default-changed": "breaking"}),
    "Hanging.many": ([("cover: Cover | None = child()", "cover: list[Cover] = children()")], {"branch-changed": "breaking"}),
    "Hanging.by": ([("    picture:", "    home: NaturalKey = 'x'\n    picture:"), ('"BOARD#{board}", "COVER"', '"BOARD#{home}", "COVER#{board}"'), ("Cover.board ==", "Cover.home =="), ("= child()", '= child(by={"home": "board"})')], {"field-added": "additive", "key-changed": "breaking", "pattern-selects-otherwise": "breaking", "pattern-misses-items": "breaking", "branch-hangs-otherwise": "breaking"}),
    "names in code": ([('class Cover(Entity, table=desk)', 'class Front(Entity, table=desk, type="Cover", stored={"home": "board"})'), ("    board: NaturalKey\n    picture:", "    home: NaturalKey\n    picture:"), ('"BOARD#{board}", "COVER"', '"BOARD#{home}", "COVER"'), ("query(Cover, Cover.board ==", "query(Front, Front.home =="), ("cover: Cover | None = child()", 'cover: Front | None = child(by={"home": "board"})'), ("Mixed[Card | Cover]", "Mixed[Card | Front]")], {"entity-renamed": "additive", "field-renamed": "additive", "pattern-result-changed": "breaking", "pattern-served-otherwise": "breaking"}),
    "Hanging.order_by": ([('order_by="rank"', 'order_by="name"')], {"branch-order-changed": "breaking"}),
    "Hanging.counts": ([('count="cards", ', "")], {"count-removed": "breaking"}),
    "Hanging.counts, others": ([("lambda card: card.done", "lambda card: not card.done")], {"count-changed": "backfill"}),
    "a branch gone": ([("    cover: Cover | None = child()\n", "")], {"branch-removed": "breaking"}),
    "a branch more": ([("    cover: Cover | None = child()\n", "    cover: Cover | None = child()\n    members: list[Member] = children()\n")], {"branch-added": "breaking"}),
    "an aggregate renamed": ([("class Whole(", "class All(")], {"aggregate-added": "additive", "aggregate-removed": "breaking"}),
    "Relationship.source": ([('Relationship(Person, Board, "1:N", "normalised")', 'Relationship(Cover, Board, "1:N", "normalised")')], {"relationship-added": "additive", "relationship-removed": "additive"}),
    "Relationship.target": ([('Relationship(Person, Board, "1:N", "normalised")', 'Relationship(Person, Cover, "1:N", "normalised")')], {"relationship-added": "additive", "relationship-removed": "additive"}),
    "Relationship.cardinality": ([('Relationship(Person, Board, "1:N"', 'Relationship(Person, Board, "M:N"')], {"cardinality-changed": "additive"}),
    "Relationship.cardinality, fewer": ([('Relationship(Person, Board, "1:N"', 'Relationship(Person, Board, "1:1"')], {"cardinality-changed": "backfill"}),
    "Relationship.strategy": ([('"item collection", reason', '"normalised", reason')], {"relationship-stored-otherwise": "breaking"}),
    "Relationship.field": ([('"1:N", "normalised")', '"1:N", "normalised", field="nick")')], {"relationship-stored-otherwise": "breaking"}),
    "Relationship.copies": ([('{"board_title": "title"}', '{"board_title": "title", "name": "title"}')], {"copies-added": "backfill"}),
    "Relationship.by": ([("    card: str\n", "    card: str\n    home: NaturalKey = 'x'\n"), ("found_by=all_cards", 'by={"home": "board"}, found_by=all_cards')], {"field-added": "additive", "copies-by-changed": "backfill"}),
    "Relationship.found_by": ([("found_by=all_cards", "found_by=by_rank")], {"copies-found-otherwise": "additive"}),
    "Relationship.via": ([("via=Member,", "via=Membership,"), ("mirror=Membership,", "mirror=Member,")], {"relationship-stored-otherwise": "breaking", "mirror-removed": "breaking", "mirror-added": "backfill"}),
    "Relationship.source_fields": ([('source_fields=("board",)', 'source_fields={"other": "board"}'), ("    person: str\n\nclass", "    person: str\n    other: NaturalKey = 'x'\n\nclass"), ('Keys("BOARD#{board}", "MEMBER#{person}")', 'Keys("BOARD#{other}", "MEMBER#{person}#{board}")'), ('"PERSON#{person}", "BOARD#{board}"', '"PERSON#{person}", "BOARD#{other}#{board}"')], {"field-added": "additive", "key-changed": "breaking", "relationship-ends-changed": "breaking"}),
    "Relationship.mirror": ([("        mirror=Membership,\n", ""), ('"MEMBER#{person}")', '"MEMBER#{person}", GSI2=("PERSON#{person}", "MEMBER#{board}"))'), ('GSI("GSI2", projection=["title"])', 'GSI("GSI2")')], {"mirror-removed": "breaking", "index-keys-added": "backfill", "index-changed": "breaking"}),
    "a relationship with copies gone": ([('    Relationship(Card, Board, "1:N", "shallow duplication", copies={"board_title": "title"}, found_by=all_cards),\n', "")], {"relationship-removed": "breaking"}),
}  # fmt: skip
NOT_COMPARED = {
    "Table.key_style": "compared as settings, in its own test: another style is another model throughout",
    "Table.deployment": "by its own parts",
    "Keys.more": "the same as Keys.indexes",
    "Shard.fields": "with Keys.derive",
    "Shard.of": "with Keys.derive",
    "ShardedCounter.shard": "part of the key, which is compared",
    "Compressed.above": "values of any size can be read",
    "Compressed.level": "values of any level can be read",
    "Encrypted.plain": "what can be read besides; what is written is the same",
    "Offloaded.above": "values of any size can be read",
    "Hooks.before_create": "one hook stands for all",
    "Hooks.before_put": "one hook stands for all",
    "Hooks.before_update": "one hook stands for all",
    "Hooks.before_delete": "one hook stands for all",
    "Hooks.after_write": "one hook stands for all",
    "Query.entity": "the result",
    "Query.order": "what is relied on; the order itself is compared",
    "Query.strong": "with Get.strong",
    "Get.entity": "the result",
    "Get.conditions": "with Query.conditions",
    "Get.filters": "with Query.filters",
    "Get.index": "with Query.index",
    "Get.view": "with Query.view",
    "Collection.make": "the result's annotation",
    "Collection.strong": "with Get.strong",
    "Mixed.strong": "with Get.strong",
    "Relationship.target_fields": "with Relationship.source_fields",
    "Relationship.reason": "for people only",
}


def declarable() -> Iterator[str]:
    """Everything that a model can declare, by the class that takes it."""
    for kind in (TableModel, GSI, LSI, Keys, Unique, Shard, ShardedCounter):
        for name in list(inspect.signature(kind.__init__).parameters)[1:]:
            yield f"{'Table' if kind is TableModel else kind.__name__}.{name}"
    structs: tuple[Any, ...] = (
        Deployment, EntityOptions, SoftDelete, Bucket, Compressed, Encrypted, Offloaded, Hooks, Query, Get, Collection,
        Mixed, ChangePlan, Hanging, Relationship,
    )  # fmt: skip
    for kind in structs:
        for name in kind.__struct_fields__:
            if name not in ("pattern", "arguments", "compiled"):
                yield f"{kind.__name__}.{name}"


def test_everything_that_can_be_declared_has_a_mutation() -> None:
    missing = [name for name in declarable() if name not in CASES and name not in NOT_COMPARED]
    assert missing == []


def test_a_model_with_everything_does_not_differ_from_itself() -> None:
    assert compare_models(described(MODEL), described(MODEL)).changes == ()


@pytest.mark.parametrize("case", CASES)
def test_each_declaration_shows(case: str) -> None:
    replacements, expected = CASES[case]
    found = compared(MODEL, replacements)
    assert {change.kind: change.impact for change in found.changes} == expected, shown(found)


ADOPTED = """
from tablewright import Entity, Keys, KeyStyle, Table
old = Table("Old", key_style=KeyStyle.adopted("|"))

class Thing(Entity, table=old):
    keys = Keys("THING{id}", "THING")
    id: str
"""


def test_another_key_style_shows() -> None:
    (change,) = compared(ADOPTED, [('adopted("|")', 'adopted("/")')]).changes
    assert (change.kind, change.impact) == ("setting-changed", "breaking")


def steps(*replacements: tuple[str, str]) -> list[tuple[str, str]]:
    return [(step.action, step.subject) for step in compared(MODEL, list(replacements)).steps]


def test_expiry_starts_when_items_are_filled_and_stops_before_anything_else() -> None:
    ttl = ("version=True, nested", 'version=True, ttl="expires", nested')
    flat = ('flat=["rank"]', 'flat=["rank", "expires"]')
    kept = ("timestamps=False, ", "")
    hard = (', soft_delete=SoftDelete(feed="GSI1")', "")
    assert [step for step in steps(ttl, flat, kept) if step[0].endswith("expiry")] == [
        ("stop-expiry", "ExpiresAt"),
        ("start-expiry", "expires"),
    ]
    assert ("stop-expiry", "ExpiresAt") in steps(hard)


def test_a_mirror_is_filled_before_readers_rely_on_it() -> None:
    index = ('"MEMBER#{person}")', '"MEMBER#{person}", GSI1=("PERSON#{person}", "MEMBER#{board}"))')
    alone = described(MODEL.replace("        mirror=Membership,\n", "").replace(*index))
    both = described(MODEL.replace(*index))
    found = compare_models(alone, both)
    assert {change.kind: change.impact for change in found.changes} == {"mirror-added": "backfill"}
    assert [(step.action, step.subject) for step in found.steps] == [("deploy-writers", "Desk"), ("backfill", "Member")]


def test_another_scope_of_a_unique_rule_is_claimed_anew() -> None:
    found = steps(('Unique("board", "name")', 'Unique("name")'))
    assert found == [
        ("deploy-both", "Desk"),
        ("claim", "Card: unique name"),
        ("deploy-new", "Desk"),
        ("delete-markers", "Card: unique name"),
    ]
