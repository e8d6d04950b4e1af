"""Rows that refer to what cannot be: each is told of and left, and all others go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright.engine import open_engine
from tablewright.errors import (
    AccessRefused,
    ArgumentError,
    CancellationReason,
    DecodeError,
    RequestRefused,
    ResourceNotFound,
    TransactionCanceled,
)
from tablewright.evolve.moving import BadRow, Frozen, LegacyGet, LegacyQuery, Moving
from tablewright.evolve.moving.backfill import backfill_of
from tablewright.evolve.moving.deriving import Unfit
from tablewright.evolve.moving.gathering import joined_keys
from tablewright.evolve.moving.mapping import Join, Move
from tablewright.evolve.moving.planning import key_schemas
from tablewright.evolve.moving.sides import Place
from tablewright.model.indexes import KeyAttribute
from tablewright.transport.base import Transport
from tablewright.values.wire import from_wire_item, to_wire_item
from tests.evolve.moving.accounts import LIBRARY, ONE, User, accounts, definitions, frozen_moving, joined_moving
from tests.evolve.moving.conftest import Ground, ground_on

JOINED = joined_moving()
NO_REFERENCE = "find= of the join 'profile_row' gives no key of Profiles"
NO_OWNER = "owner= of the join 'profile_row' gives no key of Users"
NO_GROUP = "group= of the frozen 'library' raised KeyError"

Made = Callable[[Moving], Ground]


@pytest.fixture(params=["together", "apart"])
def made(request: pytest.FixtureRequest) -> Iterator[Made]:
    with open_engine("memory:") as one, open_engine("memory:") as two:
        yield lambda moving: ground_on(moving, one, one if request.param == "together" else two, definitions())


@pytest.fixture
def ground(made: Made) -> Ground:
    return made(JOINED)


def a_user(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"u{number}", "name": "Ann", **more}


def bios(ground: Ground) -> dict[str, str | None]:
    found = ground.new.execute("Scan", {"TableName": "Accounts"})["Items"]
    return {item["user_id"]: item.get("bio") for item in map(from_wire_item, found)}


def into_switched(ground: Ground) -> None:
    ground.into("dual", "shadow")
    ground.session.read_one(ONE, "u0", subject="u")
    ground.session.tell()
    ground.into("switched")


@pytest.mark.parametrize("odd", ["", 5, None, True, "x" * 2049, b"secret"], ids=str)
def test_a_reference_that_is_no_key_is_one_row_and_not_the_end(ground: Ground, odd: Any) -> None:
    session = ground.session
    for number in range(3):
        ground.put_legacy("Users", a_user(number, profile=f"p{number}"))
    ground.put_legacy("Profiles", {"id": "p1", "user": "u1", "bio": "baker"})
    ground.put_legacy("Users", a_user(9, profile=odd))
    rows: list[BadRow] = []
    assert session.plan(bad_row=rows.append).problems == {("Users", NO_REFERENCE): 1}
    assert [(row.table, row.key, row.reason) for row in rows] == [("Users", {"id": {"S": "u9"}}, NO_REFERENCE)]

    ground.into("dual")
    for write in (False, True):
        (report,) = session.backfill(write=write, bad_row=rows.append)
        assert (report.counts.written, dict(report.counts.skipped)) == (3, {NO_REFERENCE: 1})
    assert session.repair().settled == 3
    assert bios(ground) == {"u0": None, "u1": "baker", "u2": None}

    found = session.verify(bad_row=rows.append)
    assert (found.unfit, found.differences, found.exit_code) == ({("Users", NO_REFERENCE): 1}, {}, 1)
    assert {row.key["id"]["S"] for row in rows} == {"u9"}
    with pytest.raises(DecodeError, match="gives no key of Profiles"):
        session.read_one(ONE, "u9", subject="u")
    one = session.read_one(ONE, "u1", subject="u")
    assert one is not None
    assert one.bio == "baker"

    written = session.update("Users", {"id": "u9"}, set={"name": "Bob"})
    assert (written.settled, written.reason) == (False, NO_REFERENCE)
    assert session.pending() == {NO_REFERENCE: 1}
    assert session.repair(in_flight=4).failed == {NO_REFERENCE: 1}
    assert session.update("Users", {"id": "u9"}, remove=["profile"]).settled
    assert session.pending() == {}
    assert session.verify().well


def test_a_reference_is_looked_at_by_backfills_of_other_processes(ground: Ground) -> None:
    schemas = ground.session.key_schemas()
    assert schemas == {"Profiles": (KeyAttribute("id"),)}
    work = backfill_of(f"{__name__}:JOINED", "Users", "Accounts", True, schemas)
    assert len(work.beside(to_wire_item(a_user(1, profile="p")))) == 2
    assert work.beside(to_wire_item(a_user(1, profile=5))) == ()
    ground.into("dual")
    (mine,) = ground.session.backfills()
    assert work.identity == mine.identity


@pytest.mark.parametrize(
    ("told", "fits"),
    [
        ({"a": "x" * 2048, "n": 1}, True),
        ({"a": "x", "n": "1"}, False),
        ({"a": b"x", "n": 1}, False),
        ({"a": "x"}, False),
        ({"a": "x", "n": 1, "more": 1}, False),
        ({"a": "x", "n": 1.5}, False),
        ("x", False),
        (None, True),
    ],
    ids=str,
)
def test_what_is_a_key(told: Any, fits: bool) -> None:
    join = Join("Parts", ("a", "n"), find=lambda row: told, owner=lambda row: None, uses=())
    move = Move(table="Users", key=("id",), entity=User, fields={"user_id": "id"}, joins={"part": join})
    moving = Moving("m", table=accounts, moves=[move])
    schemas = {"Parts": (KeyAttribute("a"), KeyAttribute("n", "N"))}
    place = Place(moving, "Accounts", True, lambda: "", lambda: "", schemas=schemas)
    if fits:
        keys = {} if told is None else {"part": to_wire_item(told)}
        assert joined_keys(place, move, {"id": {"S": "1"}}) == keys
        return
    with pytest.raises(Unfit, match="find= of the join 'part' "):
        joined_keys(place, move, {"id": {"S": "1"}})


def test_the_schemas_of_merged_tables_have_the_partition_key_first() -> None:
    walk = key_schemas(Place(JOINED, "Accounts", True, lambda: "", lambda: ""))
    next(walk)
    described = {
        "AttributeDefinitions": [
            {"AttributeName": "a", "AttributeType": "N"},
            {"AttributeName": "other", "AttributeType": "S"},
            {"AttributeName": "b", "AttributeType": "B"},
        ],
        "KeySchema": [{"AttributeName": "b", "KeyType": "RANGE"}, {"AttributeName": "a", "KeyType": "HASH"}],
    }
    with pytest.raises(StopIteration) as stop:
        walk.send({"Table": described})
    assert stop.value.value == {"Profiles": (KeyAttribute("a", "N"), KeyAttribute("b", "B"))}


def of(user: Any) -> dict[str, Any]:
    return {} if user is ... else {"user": user}


ODD_OWNERS = [
    (..., "owner= of the join 'profile_row' raised KeyError"),
    (5, NO_OWNER),
    ("", NO_OWNER),
    (None, NO_OWNER),
    ("x" * 2049, NO_OWNER),
]


@pytest.mark.parametrize(("user", "reason"), ODD_OWNERS, ids=str)
def test_a_joined_row_without_an_owner_never_fails_the_application(ground: Ground, user: Any, reason: str) -> None:
    session = ground.session
    for number in range(2):
        ground.put_legacy("Users", a_user(number, profile="p0"))
    ground.into("dual")
    session.backfill(write=True)
    session.repair()

    odd = {"id": "p0", "bio": "baker", **of(user)}
    written = session.put("Profiles", odd)
    assert (written.item, written.settled, written.reason) == (odd, False, reason)
    assert ground.legacy_items("Profiles") == [odd]
    assert session.pending() == {}
    assert not session.verify(writing=True).well  # what was merged before is another one
    rows: list[BadRow] = []
    assert session.plan(bad_row=rows.append).problems == {("Users", reason): 1}
    assert [(row.table, row.key) for row in rows] == [("Profiles", {"id": {"S": "p0"}})]
    session.mend()
    assert bios(ground) == {"u0": "baker", "u1": "baker"}

    assert session.update("Profiles", {"id": "p0"}, set={"user": "u0", "bio": "cook"}).settled
    assert bios(ground)["u0"] == "cook"
    assert session.put("Profiles", odd).reason == reason  # the owner from before is noted all the same
    assert bios(ground)["u0"] == "baker"
    written = session.delete("Profiles", {"id": "p0"})
    assert (written.item, written.reason, session.pending()) == (None, reason, {})
    session.mend()
    assert bios(ground) == {"u0": None, "u1": None}
    assert session.plan().well
    assert session.verify().well


def test_a_plan_asks_no_table_that_is_not_there(ground: Ground) -> None:
    ground.put_legacy("Profiles", {"id": "p0", "bio": "baker", "user": "u0"})
    ground.legacy.execute("DeleteTable", {"TableName": "Users"})
    assert ground.session.plan().problems == {("Users", "there is no such table"): 1}


def test_a_verification_tells_of_functions_that_fail(ground: Ground) -> None:
    ground.put_legacy("Profiles", {"id": "p0", "bio": "baker"})
    rows: list[BadRow] = []
    found = ground.session.verify(bad_row=rows.append)
    assert found.unfit == {("Users", "owner= of the join 'profile_row' raised KeyError"): 1}
    assert [(row.table, row.key, row.where) for row in rows] == [("Profiles", {"id": {"S": "p0"}}, "Users")]


@pytest.mark.parametrize(("user", "reason"), ODD_OWNERS, ids=str)
def test_once_both_sides_are_read_such_a_row_is_refused(ground: Ground, user: Any, reason: str) -> None:
    ground.put_legacy("Users", a_user(0))
    into_switched(ground)
    with pytest.raises(ArgumentError, match=f"an item of Profiles belongs to cannot be told: {reason}"):
        ground.session.put("Profiles", {"id": "p0", "bio": "baker", **of(user)})
    assert ground.legacy_items("Profiles") == []
    assert ground.session.put("Profiles", {"id": "p0", "bio": "baker", "user": "u0"}).settled


def failing(tenant: str) -> dict[str, LegacyGet]:
    raise KeyError(tenant)


def unreadable(tenant: str) -> dict[str, LegacyGet]:
    return {"books": LegacyGet("Books", {"id": len(tenant)})}


def unsaid(tenant: str) -> dict[str, LegacyQuery]:
    return {"books": LegacyQuery("Books", {"id": 0.1})}


@pytest.mark.parametrize(
    ("frozen", "more", "reason"),
    [
        (LIBRARY, {}, NO_GROUP),
        (LIBRARY, {"tenant": 5}, "group= of the frozen 'library' raised AttributeError"),
        (
            Frozen("library", lambda row: row["id"], failing),
            {},
            "reads= of the frozen 'library' raised KeyError",
        ),
        (
            Frozen("library", lambda row: row["id"], unreadable),
            {},
            "reads= of the frozen 'library' asks for what cannot be asked",
        ),
        (
            Frozen("library", lambda row: row["id"], unsaid),
            {},
            "reads= of the frozen 'library' asks for what cannot be asked",
        ),
    ],
)
def test_what_cannot_be_frozen_is_one_row(made: Made, frozen: Frozen, more: dict[str, Any], reason: str) -> None:
    def reads(tenant: str) -> Any:
        return LIBRARY.reads(tenant) if tenant == "t" else frozen.reads(tenant)

    def group(row: dict[str, Any]) -> str | None:
        return "t" if row.get("tenant") == "t" else frozen.group(row)

    ground = made(frozen_moving(Frozen("library", group, reads)))
    session = ground.session
    ground.put_legacy("Books", {"id": "b1", "tenant": "t"})
    for number in range(3):
        ground.put_legacy("Users", a_user(number, tenant="t"))
    ground.put_legacy("Users", a_user(9, **more))
    assert session.plan().problems == {("Users", reason): 1}
    ground.into("dual")
    session.backfill(write=True)
    repaired = session.repair()
    assert (repaired.settled, repaired.failed) == (3, {reason: 1})
    assert bios(ground) == {"u0": "1 books", "u1": "1 books", "u2": "1 books"}
    assert session.verify().unfit == {("Users", reason): 1}
    written = session.put("Users", a_user(8, **more))
    assert (written.settled, written.reason) == (False, reason)
    assert len(ground.legacy_items("Users")) == 5
    assert session.pending() == {reason: 2}
    for number in (8, 9):
        assert session.put("Users", a_user(number, tenant="t")).settled
    assert session.pending() == {}


SECRET = CancellationReason("ValidationError", "secret")
REFUSALS: list[tuple[str, Exception, str]] = [
    ("GetItem", RequestRefused("secret"), "the service refuses a request that it takes (ValidationException)"),
    (
        "TransactWriteItems",
        TransactionCanceled("secret", reasons=[CancellationReason("None"), SECRET]),
        "the service refuses a request that it takes (TransactionCanceledException)",
    ),
    ("TransactWriteItems", RequestRefused("secret"), "the new table refuses the item"),
]


def refuse(ground: Ground, operation: str, error: Exception) -> Callable[[], None]:
    """Requests of a kind about one user are refused, until it is taken back."""
    wires = list({id(w): w for w in (ground.wire, ground.legacy_wire)}.values())
    before = [wire.inner for wire in wires]
    for wire in wires:
        inner = wire.inner

        class Refusing:
            def send(self, asked: str, request: dict[str, Any], inner: Transport = inner) -> dict[str, Any]:
                said = str(request)
                if asked == operation and "-moving" not in str(request.get("TableName")) and "u3'" in said:
                    raise error
                return inner.send(asked, request)

            def close(self) -> None: ...

        wire.inner = Refusing()

    def back() -> None:
        for wire, inner in zip(wires, before, strict=True):
            wire.inner = inner

    return back


@pytest.mark.parametrize("in_flight", [1, 4])
@pytest.mark.parametrize(("operation", "error", "reason"), REFUSALS, ids=["read", "action", "write"])
def test_a_refusal_of_one_note_is_not_the_end_of_a_repair(
    ground: Ground, operation: str, error: Exception, reason: str, in_flight: int
) -> None:
    for number in range(6):
        ground.put_legacy("Users", a_user(number))
    ground.into("dual")
    ground.session.backfill(write=True)
    back = refuse(ground, operation, error)
    rows: list[BadRow] = []
    repaired = ground.session.repair(in_flight=in_flight, bad_row=rows.append)
    assert (repaired.settled, repaired.failed) == (5, {reason: 1})
    assert [(row.key, row.reason) for row in rows] == [({"id": {"S": "u3"}}, reason)]
    assert ground.session.pending() == {reason: 1}
    back()
    assert ground.session.repair(in_flight=in_flight).settled == 1
    assert ground.session.pending() == {}


def test_a_write_whose_new_side_is_refused_says_so_on_its_note(ground: Ground) -> None:
    ground.into("dual")
    operation, error, reason = REFUSALS[1]
    back = refuse(ground, operation, error)
    with pytest.raises(TransactionCanceled):  # the legacy write itself is refused
        ground.session.put("Users", a_user(3))
    back()
    assert ground.legacy_items("Users") == []
    inner = ground.wire.inner

    class Refusing:
        def send(self, asked: str, request: dict[str, Any]) -> dict[str, Any]:
            if asked == "TransactWriteItems" and "'Accounts'" in str(request):
                raise error
            return inner.send(asked, request)

        def close(self) -> None: ...

    ground.wire.inner = Refusing()
    assert ground.session.put("Users", a_user(3)).reason == reason
    assert ground.session.pending() == {reason: 1}


@pytest.mark.parametrize("error", [ResourceNotFound("away"), AccessRefused("not you")], ids=["away", "refused"])
def test_what_concerns_all_notes_ends_a_repair(ground: Ground, error: Exception) -> None:
    for number in range(6):
        ground.put_legacy("Users", a_user(number))
    ground.into("dual")
    ground.session.backfill(write=True)
    back = refuse(ground, "GetItem", error)
    with pytest.raises(type(error)):
        ground.session.repair()
    back()
    assert ground.session.repair().failed == {}
