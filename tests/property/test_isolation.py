"""Tenants with ids made of separators, bounds, escapes, emoji and each other's prefixes: every read stays with its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tablewright import (
    GSI,
    LSI,
    Bucket,
    Collection,
    Entity,
    Keys,
    Mixed,
    Query,
    Session,
    Shard,
    Table,
    between,
    collect,
    is_in,
    key,
    many,
    one,
    query,
    starts_with,
)
from tablewright.errors import CursorError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import CURSOR_KEYS
from tests.client.doubles import OnTheWay

START = datetime(2026, 1, 31, tzinfo=UTC)
SOON = START + timedelta(days=1)
saas = Table(
    "Saas",
    indexes=[
        GSI("GSI1"),
        GSI("GSI2"),
        GSI("GSI3"),
        GSI("ByPlace", pk=["place_tenant", "place_kind"], sk=["place_name"]),
        LSI("LSI1"),
    ],
)


class Doc(Entity, table=saas):
    """Reached by every kind of key."""

    keys = Keys(
        "TENANT#{tenant}",
        "DOC#{doc}#{part}",
        GSI1=("TENANT#{tenant}#SHARD#{shard}", "DOC#{doc}#{part}"),
        GSI2=("CHANGES#{tenant}", "{updated_at}#{doc}#{part}"),
        GSI3=("DAY#{tenant}#{day}", "{at}#{doc}"),
        ByPlace=(("{tenant}", "{kind}"), ("{doc}",)),
        LSI1="{kind}#{doc}",
        derive={"shard": Shard("doc", of=2), "day": Bucket("at", "day")},
    )
    tenant: str
    doc: str
    part: str = "p"
    kind: str = "k"
    at: datetime = START


class Tenant(Entity, table=saas):
    """The parent."""

    keys = Keys("TENANT#{tenant}", "TENANT", GSI2=("CHANGES#{tenant}", "{updated_at}#TENANT"))
    tenant: str


@dataclass
class Home:
    """A tenant with its documents."""

    tenant: Tenant | None
    docs: list[Doc]


@saas.pattern
def docs(tenant: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant)


@saas.pattern
def parts(tenant: str, doc: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, Doc.doc == doc)


@saas.pattern
def beginning(tenant: str, doc: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, starts_with(Doc.doc, doc))


@saas.pattern
def up_to(tenant: str, doc: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, Doc.doc <= doc)


@saas.pattern
def from_on(tenant: str, doc: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, Doc.doc >= doc)


@saas.pattern
def before(tenant: str, doc: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, Doc.doc < doc)


@saas.pattern
def after(tenant: str, doc: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, Doc.doc > doc)


@saas.pattern
def part_to_part(tenant: str, doc: str, low: str, high: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, Doc.doc == doc, between(Doc.part, low, high))


@saas.pattern
def spread(tenant: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant).via("GSI1")


@saas.pattern
def by_day(tenant: str, since: datetime, until: datetime) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, between(Doc.at, since, until))


@saas.pattern
def placed(tenant: str, kind: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, Doc.kind == kind).via("ByPlace")


@saas.pattern
def local(tenant: str, kind: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, Doc.kind == kind).via("LSI1")


@saas.pattern
def of_some(tenants: list[str]) -> Query[Doc]:
    return query(Doc, is_in(Doc.tenant, tenants))


@saas.pattern
def home(tenant: str) -> Collection[Home]:
    return collect(
        Home,
        tenant=one(query(Tenant, Tenant.tenant == tenant)),
        docs=many(query(Doc, Doc.tenant == tenant)),
    )


@saas.pattern
def everything(tenant: str) -> Mixed[Doc | Tenant]:
    return query(Doc, Doc.tenant == tenant) | query(Tenant, Tenant.tenant == tenant)


def all_changes(tenant: str) -> Mixed[Doc | Tenant]:
    return query(Doc, Doc.tenant == tenant) | query(Tenant, Tenant.tenant == tenant)


Names = set[tuple[str, str, str]]


def names(found: Iterable[Any]) -> list[tuple[str, str, str]]:
    return [(d.tenant, d.doc, d.part) for d in found]


def paged(results: Any) -> list[Any]:
    items, cursor = [], None
    while True:
        page = results.page(2, cursor)
        items += page.items
        cursor = page.cursor
        if cursor is None:
            return items


READS: dict[str, Callable[[Session, str, str], Iterable[Any]]] = {
    "table": lambda db, t, _: db.run(docs, t),
    "pages": lambda db, t, _: paged(db.run(docs, t)),
    "newest first": lambda db, t, _: db.execute(query(Doc, Doc.tenant == t).newest_first()),
    "consistent": lambda db, t, _: db.execute(query(Doc, Doc.tenant == t).consistent()),
    "the first": lambda db, t, _: db.run(docs, t).take(100),
    "a page, filled": lambda db, t, _: db.run(spread, t).page(100, fill=True),
    "shards": lambda db, t, _: db.run(spread, t),
    "pages of shards": lambda db, t, _: paged(db.run(spread, t)),
    "buckets": lambda db, t, _: db.run(by_day, t, START, SOON),
    "pages of buckets": lambda db, t, _: paged(db.run(by_day, t, START, SOON)),
    "native keys": lambda db, t, _: db.run(placed, t, "k"),
    "local index": lambda db, t, _: db.run(local, t, "k"),
    "a list": lambda db, t, _: db.run(of_some, [t]),
    "a list, paged": lambda db, t, _: paged(db.run(of_some, [t, t + "#", t + "$", "TENANT"])),
    "a collection": lambda db, t, _: db.run(home, t).docs,
    "several entities": lambda db, t, _: [x for x in db.run(everything, t) if isinstance(x, Doc)],
    "changes": lambda db, t, _: [c.entity for c in db.changes(Doc, Doc.tenant == t).items],
    "changes of several": lambda db, t, _: [
        c.entity for c in db.changes(all_changes(t)).items if isinstance(c.entity, Doc)
    ],
}
WITH_DOC: dict[str, tuple[Callable[[Session, str, str], Iterable[Any]], Callable[[str, str], bool]]] = {
    "parts": (lambda db, t, d: db.run(parts, t, d), lambda doc, d: doc == d),
    "beginning": (lambda db, t, d: db.run(beginning, t, d), lambda doc, d: doc.startswith(d)),
    "up to": (lambda db, t, d: db.run(up_to, t, d), lambda doc, d: doc.encode() <= d.encode()),
    "from on": (lambda db, t, d: db.run(from_on, t, d), lambda doc, d: doc.encode() >= d.encode()),
    "before": (lambda db, t, d: db.run(before, t, d), lambda doc, d: doc.encode() < d.encode()),
    "after": (lambda db, t, d: db.run(after, t, d), lambda doc, d: doc.encode() > d.encode()),
    "filtered": (
        lambda db, t, d: db.execute(query(Doc, Doc.tenant == t).via("GSI1").filter(starts_with(Doc.doc, d))),
        lambda doc, d: doc.startswith(d),
    ),
}

WILD = st.text(alphabet="a#%$2é😀\x01 ", min_size=1, max_size=4)
IDS = st.one_of(WILD, st.sampled_from(["a", "a#", "a#DOC", "a$", "a%", "a%23", "TENANT#a", "#", "$", "%", "😀"]))
DOCS = st.lists(st.tuples(IDS, IDS, IDS, st.integers(0, 2)), min_size=1, max_size=8)


@given(DOCS, st.lists(IDS, max_size=3))
@settings(max_examples=40, deadline=None)
def test_every_read_reaches_all_of_its_tenant_and_nothing_else(
    drawn: list[tuple[str, str, str, int]], strangers: list[str]
) -> None:
    with saas.open("memory:", cursor_keys=CURSOR_KEYS) as db:
        stored: Names = set()
        for tenant, doc, part, hours in drawn:
            db.put(Doc(tenant=tenant, doc=doc, part=part, at=START + timedelta(hours=12 * hours)))
            stored.add((tenant, doc, part))
        for tenant in {t for t, _, _, _ in drawn}:
            db.put(Tenant(tenant=tenant))
        for tenant in {*(t for t, _, _ in stored), *strangers}:
            mine = {n for n in stored if n[0] == tenant}
            for what, read in READS.items():
                near = {n for n in stored if n[0] in (tenant, tenant + "#", tenant + "$", "TENANT")}
                found = names(read(db, tenant, ""))
                assert sorted(found) == sorted(near if what == "a list, paged" else mine), what
            for _, doc, part in stored:
                for what, (ranged, wanted) in WITH_DOC.items():
                    found = names(ranged(db, tenant, doc))
                    assert sorted(found) == sorted(n for n in mine if wanted(n[1], doc)), what
                found = names(db.run(part_to_part, tenant, doc, part, part + "$"))
                within = [n for n in mine if n[1] == doc and part.encode() <= n[2].encode() <= (part + "$").encode()]
                assert sorted(found) == sorted(within)
                one_of = db.get(key(Doc, tenant=tenant, doc=doc, part=part))
                assert (one_of is not None) is ((tenant, doc, part) in mine)
            assert db.tally(docs(tenant)).count == db.run(spread, tenant).count() == len(mine)


@given(IDS, IDS, st.integers(0, 200), st.integers(1, 255))
@settings(max_examples=60, deadline=None)
def test_cursors_of_others_and_altered_ones_are_refused_before_any_request(
    tenant: str, other: str, place: int, change: int
) -> None:
    assume(tenant != other)
    wire = OnTheWay(EmbeddedTransport.open("memory:"))
    now = START
    with saas.open(wire, create=True, cursor_keys=CURSOR_KEYS, cursor_max_age=60, clock=lambda: now) as db:
        for owner in (tenant, other):
            for number in range(3):
                db.put(Doc(tenant=owner, doc=str(number)))
        cursor = db.run(docs, tenant).page(1).cursor
        merged = db.run(spread, tenant).page(1).cursor
        feed = db.changes(Doc, Doc.tenant == tenant, limit=1).cursor
        feeds = db.changes(all_changes(tenant), limit=1).cursor
        assert cursor is not None
        assert merged is not None
        wire.restart()
        altered = list(cursor.encode())
        altered[place % len(altered)] ^= change
        attempts: list[Callable[[], object]] = [
            lambda: db.run(docs, other).page(1, cursor),
            lambda: db.run(spread, other).page(1, merged),
            lambda: db.run(spread, tenant).page(1, cursor),
            lambda: db.run(of_some, [tenant]).page(1, merged),
            lambda: db.changes(Doc, Doc.tenant == other, since=feed),
            lambda: db.changes(Doc, Doc.tenant == tenant, since=cursor),
            lambda: db.run(docs, tenant).page(1, feed),
            lambda: db.changes(all_changes(other), since=feeds),
            lambda: db.changes(all_changes(tenant), since=feed),
            lambda: db.changes(Doc, Doc.tenant == tenant, since=feeds),
            lambda: db.run(docs, tenant).page(1, bytes(altered).decode("latin-1")),
        ]
        for attempt in attempts:
            with pytest.raises(CursorError):
                attempt()
        now += timedelta(seconds=61)
        for late in (
            lambda: db.run(docs, tenant).page(1, cursor),
            lambda: db.changes(Doc, Doc.tenant == tenant, since=feed),
            lambda: db.changes(all_changes(tenant), since=feeds),
        ):
            with pytest.raises(CursorError, match="expired"):
                late()
        assert wire.sent == []
