"""Tenants cannot reach each other's items, whatever their ids hold, and no text of a caller becomes part of an expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import GSI, Entity, Get, Keys, Query, Table, contains, get, key, query, starts_with
from tablewright.engine import open_engine
from tablewright.errors import CursorError, TablewrightError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.doubles import OnTheWay

tenants = Table("Tenants", indexes=[GSI("GSI1")])


class Doc(Entity, table=tenants):
    keys = Keys("TENANT#{tenant}", "DOC#{folder}#{doc_id}", GSI1=("TENANT#{tenant}#TAG#{tag}", "{doc_id}"))
    tenant: str
    folder: str
    doc_id: str
    tag: str
    note: str = ""


@tenants.pattern
def doc(tenant: str, folder: str, doc_id: str) -> Get[Doc]:
    return get(Doc, Doc.tenant == tenant, Doc.folder == folder, Doc.doc_id == doc_id)


@tenants.pattern
def in_folder(tenant: str, folder: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, Doc.folder == folder)


@tenants.pattern
def all_docs(tenant: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant)


@tenants.pattern
def tagged(tenant: str, tag: str) -> Query[Doc]:
    return query(Doc, Doc.tenant == tenant, Doc.tag == tag)


# Ids that would reach into others' keys if they stood there raw.
NASTY = st.sampled_from(
    [
        "a",
        "a#",
        "a#DOC",
        "a#TAG#x",
        "a#TAG",
        "a$",
        "a%23",
        "a%",
        "TENANT#a",
        "#",
        "a\x00",
        "a ",
        "A",
        "aa",
        "a#DOC#f",
        "x",
    ]
) | st.text(st.sampled_from("a#$%TAG \x00\uffff\U0010ffff"), min_size=1, max_size=5)


# Of three, one begins like another, so that they meet wherever a separator could be mistaken.
MEETING = NASTY.flatmap(lambda one: st.tuples(st.just(one), NASTY.map(lambda more: f"{one}#{more}"), NASTY))
KEYS = MEETING.flatmap(
    lambda ids: st.lists(st.tuples(*[st.sampled_from([*ids, "TAG", "DOC"])] * 4), min_size=2, max_size=8, unique=True)
)


@given(st.one_of(KEYS, st.lists(st.tuples(NASTY, NASTY, NASTY, NASTY), min_size=2, max_size=8, unique=True)))
def test_every_read_stays_with_its_tenant(keys: list[tuple[str, str, str, str]]) -> None:
    with tenants.open("memory:") as db:
        docs = {(t, f, d): Doc(tenant=t, folder=f, doc_id=d, tag=g) for t, f, d, g in keys}
        for one in docs.values():
            db.put(one)
        for (tenant, folder, doc_id), expected in docs.items():
            own = [d for d in docs.values() if d.tenant == tenant]
            tag = expected.tag
            assert db.run(doc, tenant, folder, doc_id) == expected
            assert _ids(db.run(all_docs, tenant)) == _ids(own)
            assert _ids(db.run(in_folder, tenant, folder)) == _ids([d for d in own if d.folder == folder])
            assert _ids(db.run(tagged, tenant, tag)) == _ids([d for d in own if d.tag == tag])


def _ids(found: Any) -> list[tuple[str, str, str]]:
    return sorted((d.tenant, d.folder, d.doc_id) for d in found)


def test_a_cursor_of_one_tenant_is_no_use_to_another() -> None:
    with tenants.open("memory:", cursor_keys=[b"sixteen bytes or more"]) as db:
        for tenant in ("a", "b"):
            for number in range(3):
                db.put(Doc(tenant=tenant, folder="f", doc_id=str(number), tag="t"))
        cursor = db.run(all_docs, "a").page(1).cursor
        assert cursor is not None
        with pytest.raises(CursorError):
            db.run(all_docs, "b").page(1, cursor)


INJECTED = [") OR attribute_exists(PK", "#0", ":0", "SET a = :x", "a = b", "'; DROP TABLE", "size(x)", "PK"]


@pytest.mark.parametrize("text", INJECTED)
def test_no_text_of_a_caller_becomes_part_of_an_expression(text: str) -> None:
    with open_engine("memory:") as engine, tenants.open(engine):
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with tenants.open(wire) as db:
            db.create(Doc(tenant=text, folder=text, doc_id=text, tag=text, note=text))
            target = key(Doc, tenant=text, folder=text, doc_id=text)
            db.update(target, set={"note": text}, when=[Doc.note == text, contains(Doc.note, text)])
            assert _ids(db.run(tagged, text, text)) == [(text, text, text)]
            found = db.execute(query(Doc, Doc.tenant == text).filter(starts_with(Doc.note, text)))
            assert _ids(found) == [(text, text, text)]
            with pytest.raises(TablewrightError):
                db.update(target, set={text: "x"})
            with pytest.raises(TablewrightError):
                db.update(target, remove=[text])
            db.delete(target)
        expressions = list(_expressions(request for _, request in wire.sent))
    assert len(expressions) > 5
    for expression in expressions:
        # Generated placeholders, operators and functions; nothing that a caller wrote.
        words = set(re.findall(r"[A-Za-z_]+", expression))
        assert words <= {
            *("SET", "REMOVE", "AND", "OR", "NOT", "BETWEEN"),
            *("attribute_exists", "attribute_not_exists", "if_not_exists", "contains", "begins_with", "attribute_type"),
        }, expression


def _expressions(requests: Iterator[dict[str, Any]]) -> Iterator[str]:
    for request in requests:
        for name, value in request.items():
            if name.endswith("Expression"):
                yield value
            elif name == "TransactItems":
                yield from _expressions(body for action in value for body in action.values())
