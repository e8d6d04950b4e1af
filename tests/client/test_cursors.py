"""Cursors: worthless for anything but the very read that made them, and refused before anything is sent."""

from __future__ import annotations

import builtins
import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import Session
from tablewright.client.cursors import CursorSeal
from tablewright.errors import ConfigError, CursorError
from tests.client.conftest import Laboratory
from tests.client.lab import Ticket, lab, ticket, tickets_due, tickets_in, tickets_of

OLD, NEW = b"an old key of sixteen bytes or more", b"a new key of sixteen bytes or more"
POSITION = {"PK": {"S": "TENANT#t"}, "SK": {"S": "TICKET#1"}, "N": {"N": "12"}, "B": {"B": "AAE="}}


@pytest.fixture(params=[True, False], ids=["encrypted", "signed"])
def encrypt(request: pytest.FixtureRequest) -> bool:
    """Both kinds of cursors."""
    chosen: bool = request.param
    return chosen


def test_a_cursor_comes_back_as_it_went(encrypt: bool) -> None:
    seal = CursorSeal([NEW], encrypt=encrypt)
    assert seal.open("here", seal.seal("here", POSITION)) == POSITION
    assert seal.open("here", seal.seal("here", [3, None])) == [3, None]


def test_a_cursor_is_text_for_an_address(encrypt: bool) -> None:
    cursor = CursorSeal([NEW], encrypt=encrypt).seal("here", POSITION)
    assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_every_changed_character_is_noticed(encrypt: bool) -> None:
    seal = CursorSeal([NEW], encrypt=encrypt)
    cursor = seal.seal("here", POSITION)
    for place in range(len(cursor)):
        for other in "Aa0_":
            if cursor[place] != other:
                with pytest.raises(CursorError):
                    seal.open("here", cursor[:place] + other + cursor[place + 1 :])


@pytest.mark.parametrize("change", ["{}=", "{} ", " {}", "{}A", "{}\n", "!{}", "{}é", "{}{}"])
def test_another_spelling_of_a_cursor_is_refused(encrypt: bool, change: str) -> None:
    seal = CursorSeal([NEW], encrypt=encrypt)
    cursor = seal.seal("here", POSITION)
    with pytest.raises(CursorError):
        seal.open("here", change.format(cursor, cursor))


@given(st.one_of(st.text(), st.binary(), st.integers(), st.none()))
def test_nonsense_is_refused(nonsense: Any) -> None:
    with pytest.raises(CursorError):
        CursorSeal([NEW]).open("here", nonsense)


def test_another_read_is_refused(encrypt: bool) -> None:
    seal = CursorSeal([NEW], encrypt=encrypt)
    with pytest.raises(CursorError, match="belongs to another read"):
        seal.open("there", seal.seal("here", POSITION))


def test_keys_rotate(encrypt: bool) -> None:
    before, after = CursorSeal([OLD], encrypt=encrypt), CursorSeal([NEW, OLD], encrypt=encrypt)
    assert after.open("here", before.seal("here", POSITION)) == POSITION
    with pytest.raises(CursorError):
        before.open("here", after.seal("here", POSITION))
    with pytest.raises(CursorError):
        CursorSeal([NEW], encrypt=encrypt).open("here", before.seal("here", POSITION))


def test_cursors_expire(encrypt: bool) -> None:
    time = 1000.0
    seal = CursorSeal([NEW], encrypt=encrypt, max_age=60, now=lambda: time)
    cursor = seal.seal("here", POSITION)
    time = 1060.0
    assert seal.open("here", cursor) == POSITION
    time = 1061.5
    with pytest.raises(CursorError, match="expired"):
        seal.open("here", cursor)


def test_an_encrypted_cursor_shows_nothing_and_a_signed_one_is_no_substitute() -> None:
    encrypted, signed = CursorSeal([NEW], encrypt=True), CursorSeal([NEW], encrypt=False)
    import base64

    def shown(cursor: str) -> bytes:
        return base64.urlsafe_b64decode(cursor + "==")

    assert b"TENANT#t" in shown(signed.seal("here", POSITION))
    assert b"TENANT#t" not in shown(encrypted.seal("here", POSITION))
    assert encrypted.seal("here", POSITION) != encrypted.seal("here", POSITION)
    with pytest.raises(CursorError):
        encrypted.open("here", signed.seal("here", POSITION))


def test_encryption_is_the_rule_where_it_is_possible() -> None:
    seal = CursorSeal([NEW])
    assert CursorSeal([NEW], encrypt=True).open("here", seal.seal("here", 1)) == 1


def test_without_cryptography_cursors_are_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def fake(name: str, *more: Any, **named: Any) -> Any:
        if name.startswith("cryptography"):
            raise ImportError(name)
        return real(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", fake)
    seal = CursorSeal([NEW])
    assert CursorSeal([NEW], encrypt=False).open("here", seal.seal("here", 1)) == 1
    with pytest.raises(ConfigError, match="cryptography"):
        CursorSeal([NEW], encrypt=True)


def test_a_key_of_the_process_warns_once_and_serves_all_its_sessions(caplog: pytest.LogCaptureFixture) -> None:
    seal = CursorSeal()
    with caplog.at_level(logging.WARNING, "tablewright"):
        first = seal.seal("here", 1)
        second = seal.seal("here", 2)
    assert len(caplog.records) == 1
    assert (seal.open("here", first), seal.open("here", second)) == (1, 2)
    assert CursorSeal().open("here", first) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"keys": [b"short"]},
        {"keys": NEW},
        {"keys": ["a text of sixteen characters"]},
        {"keys": [NEW], "max_age": 0},
        {"encrypt": True},
    ],
    ids=str,
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        CursorSeal(**wrong)


# ------------------------------------------------------------------------------------------------ in a session


def fill(db: Session) -> None:
    for number in range(6):
        db.create(Ticket(tenant_id="t", ticket_id=f"{number}", rank=number, due_at=datetime(2026, 1, 1, tzinfo=UTC)))


def test_a_cursor_continues_its_read_only(laboratory: Laboratory) -> None:
    db = laboratory.db
    fill(db)
    day = datetime(2026, 1, 1, tzinfo=UTC)
    cursor = db.run(tickets_in, "NEW").page(2).cursor
    days = db.run(tickets_due, day, day + timedelta(days=1)).page(2).cursor
    assert cursor is not None
    assert days is not None
    laboratory.wire.restart()
    for results, wrong in (
        (db.run(tickets_in, "OPEN"), cursor),
        (db.run(tickets_in, "NEW", 1), cursor),
        (db.run(tickets_of, "t"), cursor),
        (db.run(tickets_in, "NEW"), days),
        (db.run(tickets_due, day, day + timedelta(days=2)), days),
    ):
        with pytest.raises(CursorError):
            results.page(2, wrong)
    assert laboratory.wire.sent == []
    assert [t.ticket_id for t in db.run(tickets_in, "NEW").page(2, cursor)] == ["2", "3"]
    assert [t.ticket_id for t in db.run(tickets_due, day, day + timedelta(days=1)).page(9, days)] == [
        "2",
        "3",
        "4",
        "5",
    ]


def test_a_cursor_belongs_to_its_table_and_tenant(tmp_path: Any) -> None:
    path = tmp_path / "lab.db"
    with lab.open(path, cursor_keys=[NEW], tenant="one") as db:
        fill(db)
        cursor = db.run(tickets_in, "NEW").page(2).cursor
    for options in ({"tenant": "two"}, {}, {"tenant": "one", "table_name": "Another"}):
        with lab.open(path, cursor_keys=[NEW], **options) as db, db.measure() as meter:  # type: ignore[arg-type]
            with pytest.raises(CursorError):
                db.run(tickets_in, "NEW").page(2, cursor)
            assert meter.requests == []
    with lab.open(path, cursor_keys=[OLD, NEW], tenant="one") as db:
        assert len(db.run(tickets_in, "NEW").page(2, cursor)) == 2


def test_cursors_expire_by_the_clock_of_the_session() -> None:
    time = datetime(2026, 1, 1, tzinfo=UTC)
    with lab.open("memory:", cursor_keys=[NEW], cursor_max_age=60.0, clock=lambda: time) as db:
        fill(db)
        cursor = db.run(tickets_in, "NEW").page(2).cursor
        time += timedelta(seconds=61)
        with pytest.raises(CursorError, match="expired"):
            db.run(tickets_in, "NEW").page(2, cursor)


def test_first_makes_no_cursor(caplog: pytest.LogCaptureFixture) -> None:
    with lab.open("memory:") as db:
        fill(db)
        first = db.run(tickets_in, "NEW").first()
    assert first is not None
    assert caplog.records == []
    assert ticket("t", "1").entity is Ticket
