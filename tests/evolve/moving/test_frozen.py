"""What moves read beside their items, times of single parts, defaults and remarks, and splits of any size."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright import Entity, Keys, Query, Table, query
from tablewright.client.calls import Call
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError, ConfigError
from tablewright.evolve.moving import (
    Default,
    Frozen,
    FrozenItems,
    LegacyGet,
    LegacyQuery,
    LegacyScan,
    Made,
    Move,
    Moving,
    Read,
    Remark,
    freezing,
    open_moving_async,
)
from tablewright.evolve.moving.deriving import State, derived
from tablewright.evolve.moving.guarding import BYTES, fits, together
from tablewright.evolve.moving.repairing import Repairing
from tablewright.values.wire import from_wire_item
from tests.evolve.moving.conftest import Ground, ground_on

menus = Table("Menus")


class Guest(Entity, table=menus):
    keys = Keys("GUEST#{guest_id}", "GUEST")
    guest_id: str
    dishes: list[str]
    seen_at: datetime


class Order(Entity, table=menus):
    keys = Keys("GUEST#{guest_id}", "ORDER#{number:4}")
    guest_id: str
    number: int
    words: str = ""


class House(Entity, table=menus):
    keys = Keys("HOUSE#{house_id}", "HOUSE")
    house_id: str
    stars: int


def dishes_of(house: str) -> dict[str, LegacyQuery]:
    return {"dishes": LegacyQuery("Dishes", {"house": house})}


def split(item: dict[str, Any]) -> Iterator[Entity | Made | Remark]:
    menu = item["menu"]
    assert isinstance(menu, FrozenItems)
    yield Guest(guest_id=item["id"], dishes=[d["name"] for d in menu.items["dishes"]], seen_at=menu.taken_at)
    for number, order in enumerate(item.get("orders", [])):
        if order is None:
            yield Remark("an order is empty")
            continue
        when = datetime(2020, 1, 1 + number % 28, tzinfo=UTC)
        yield Made(Order(guest_id=item["id"], number=number, words=order), created=when)


def menus_moving(**more: Any) -> Moving:
    return Moving(
        "menus",
        table=menus,
        moves=[
            Move(
                table="Guests",
                key=("id",),
                split=split,
                makes=(Guest, Order),
                uses=("house", "orders"),
                frozen=(Frozen("menu", lambda item: item.get("house"), dishes_of),),
                created=lambda item: datetime(2019, 1, 1, tzinfo=UTC),
            ),
            Move(
                table="Houses",
                key=("id",),
                entity=House,
                fields={"house_id": "id", "stars": Default("stars", 3)},
            ),
        ],
        **more,
    )


def definitions() -> list[dict[str, Any]]:
    def table(name: str, *keys: str) -> dict[str, Any]:
        return {
            "TableName": name,
            "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in keys],
            "KeySchema": [
                {"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
            ],
            "BillingMode": "PAY_PER_REQUEST",
        }

    return [table("Guests", "id"), table("Houses", "id"), table("Dishes", "house", "name")]


@pytest.fixture(params=["together", "apart"])
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    with open_engine("memory:") as one, open_engine("memory:") as two:
        yield ground_on(menus_moving(), one, one if request.param == "together" else two, definitions())


def stored(ground: Ground, kind: str) -> list[dict[str, Any]]:
    items = [from_wire_item(i) for i in ground.new.execute("Scan", {"TableName": "Menus"})["Items"]]
    return sorted((i for i in items if i["Type"] == kind), key=lambda i: str(i))


def test_what_is_frozen_stays_what_it_was(ground: Ground) -> None:
    ground.put_legacy("Dishes", {"house": "h", "name": "soup"})
    ground.put_legacy("Guests", {"id": "ann", "house": "h"})
    before = ground.legacy.execute("Scan", {"TableName": "menus-moving"})["Count"]
    assert ground.session.plan().made == {"Guest": 1}
    assert ground.legacy.execute("Scan", {"TableName": "menus-moving"})["Count"] == before  # a plan keeps nothing
    ground.into("dual")
    ground.backfill()
    ground.session.repair()
    ground.put_legacy("Dishes", {"house": "h", "name": "pie"})
    ground.clock.pass_(days=1)
    other = ground.open()  # another process, which has read nothing yet
    assert other.put("Guests", {"id": "bob", "house": "h"}).settled
    guests = stored(ground, "Guest")
    assert [g["dishes"] for g in guests] == [["soup"], ["soup"]]
    assert len({g["seen_at"] for g in guests}) == 1
    assert ground.session.verify().well, ground.session.verify().text()


def test_it_is_read_once_for_each_group(ground: Ground) -> None:
    for number in range(5):
        ground.put_legacy("Guests", {"id": f"g{number}", "house": f"h{number % 2}"})
    ground.into("dual")
    ground.backfill()
    sent = ground.legacy_wire.sent
    sent.clear()
    assert ground.session.repair().settled == 5
    assert sum(operation == "Query" for operation, _ in sent) == 2
    before = stored(ground, "Guest")
    assert ground.backfill()["written"] == 0  # the same state was settled already
    assert ground.session.repair().settled == 0
    assert stored(ground, "Guest") == before


def test_the_first_who_freezes_is_right(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes at once, with a library of several parts: the second takes what the first kept, and leaves nothing."""
    monkeypatch.setattr(freezing, "PART", 64)
    for number in range(50):
        ground.put_legacy("Dishes", {"house": "h", "name": f"dish {number * 7919 % 10007}"})
    ground.into("dual")
    other = ground.open()
    asked = freezing._asked

    def late(frozen: Frozen, group: str) -> Any:
        read = yield from asked(frozen, group)
        monkeypatch.setattr(freezing, "_asked", asked)
        ground.put_legacy("Dishes", {"house": "h", "name": "a later dish"})
        assert other.put("Guests", {"id": "first", "house": "h"}).settled
        return read

    monkeypatch.setattr(freezing, "_asked", late)
    assert ground.session.put("Guests", {"id": "second", "house": "h"}).settled
    guests = stored(ground, "Guest")
    assert [len(g["dishes"]) for g in guests] == [51, 51]
    kept = ground.legacy.execute("Scan", {"TableName": "menus-moving"})["Items"]
    heads = [i for i in kept if i["id"]["S"].startswith("frozen#") and "parts" in i]
    assert len(heads) == 1
    assert len([i for i in kept if "data" in i]) == int(heads[0]["parts"]["N"]) > 1
    assert ground.open().verify().well  # another one reads the parts


HOUSE_AND_TIME = [("house", "HASH"), ("at", "RANGE")]


def test_a_scan_finds_what_is_in_no_index(ground: Ground) -> None:
    """On several pages; an index of times lacks dishes without one."""
    filler = "x" * 100_000
    for number in range(30):
        timed = {"at": f"{number:02}"} if number % 2 else {}
        ground.put_legacy("Dishes", {"house": f"h{number % 3}", "name": f"dish {number:02}", "filler": filler, **timed})
    request = {"IndexName": "ByTime", "KeySchema": [{"AttributeName": n, "KeyType": t} for n, t in HOUSE_AND_TIME]}
    ground.legacy.execute(
        "UpdateTable",
        {
            "TableName": "Dishes",
            "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n, _ in HOUSE_AND_TIME],
            "GlobalSecondaryIndexUpdates": [{"Create": {**request, "Projection": {"ProjectionType": "ALL"}}}],
        },
    )

    def found(asked: LegacyScan | LegacyQuery) -> list[str]:
        steps = asked.items()
        try:
            step = next(steps)
            while True:
                call = step.call
                assert isinstance(call, Call)
                assert call.request.get("ConsistentRead", False) is isinstance(asked, LegacyScan)
                step = steps.send(ground.legacy.execute(call.operation, call.request))
        except StopIteration as stop:
            return sorted(item["name"]["S"] for item in stop.value)

    assert found(LegacyScan("Dishes", {"house": "h1"})) == [f"dish {number:02}" for number in range(1, 30, 3)]
    assert found(LegacyScan("Dishes")) == found(LegacyScan("Dishes", {})) == [f"dish {n:02}" for n in range(30)]
    assert found(LegacyQuery("Dishes", {"house": "h1"}, index="ByTime")) == [f"dish {n:02}" for n in range(1, 30, 6)]


def test_parts_have_times_of_their_own(ground: Ground) -> None:
    ground.into("dual")
    ground.session.put("Guests", {"id": "ann", "house": "h", "orders": ["tea", None, "cake"]})
    assert [o["CreatedAt"][:10] for o in stored(ground, "Order")] == ["2020-01-01", "2020-01-03"]
    assert stored(ground, "Guest")[0]["CreatedAt"][:10] == "2019-01-01"
    found = ground.session.verify()
    assert found.well
    assert found.remarks == {("Guests", "an order is empty"): 1}
    assert "Guests: an order is empty, 1 time (remark)" in found.text()


@menus.pattern
def orders_over(guest_id: str, least: int) -> Query[Order]:
    """What a guest ordered, from a number on."""
    return query(Order, Order.guest_id == guest_id, Order.number >= least)


OVER = Read(
    Order,
    lambda guest_id, least: LegacyGet("Guests", {"id": guest_id}),
    orders_over,
    keep=lambda order, guest_id, least: order.number >= least,
)


def test_reads_keep_what_is_meant(ground: Ground) -> None:
    """One legacy item holds more than a read asks for; both sides are asked for the same."""
    ground.into("dual")
    ground.session.put("Guests", {"id": "ann", "house": "h", "orders": ["tea", "cake", "pie"]})
    ground.into("shadow")
    assert [o.words for o in ground.session.read(OVER, "ann", 1, subject="ann")] == ["cake", "pie"]
    report = ground.session.shadow_report()
    assert (report.compared, report.differed) == (1, 0), report.text()


def test_the_same_for_asyncio(ground: Ground) -> None:
    ground.put_legacy("Dishes", {"house": "h", "name": "soup"})
    ground.into("dual")
    other = None if ground.legacy is ground.new else ground.legacy

    async def scenario() -> None:
        async with open_moving_async(ground.moving, ground.new, legacy=other, clock=ground.clock) as session:
            assert (await session.put("Guests", {"id": "ann", "house": "h"})).settled

    asyncio.run(scenario())
    assert stored(ground, "Guest")[0]["dishes"] == ["soup"]
    assert ground.session.verify().well


def test_defaults_are_counted(ground: Ground) -> None:
    for number in range(3):
        ground.put_legacy("Houses", {"id": f"h{number}", **({"stars": 5} if number else {})})
    plan = ground.session.plan(sample=None)
    assert plan.remarks == {("Houses", "no 'stars', so that the default is taken"): 1}
    assert plan.well
    assert "(remark)" in plan.text()
    ground.into("dual")
    ground.backfill()
    ground.session.repair()
    assert [h["stars"] for h in stored(ground, "House")] == [3, 5, 5]


def test_more_keys_than_an_item_of_the_ledger_could_list(ground: Ground) -> None:
    orders, guest = [f"{number}" for number in range(800)], "g" * 600
    ground.put_legacy("Guests", {"id": guest, "house": "h", "orders": orders})
    ground.into("dual")
    ground.backfill()
    assert ground.session.repair().settled == 1
    assert ground.session.verify().entities["Order"].found == 800
    assert ground.session.update("Guests", {"id": guest}, set={"orders": orders[:7]}).settled
    assert len(stored(ground, "Order")) == 7
    assert ground.session.verify().well


@pytest.mark.parametrize("before", [0, 1, 2])
def test_overtaken_between_two_transactions(ground: Ground, before: int) -> None:
    """A newer state is written while an older one is half-way: none of the older one is left."""
    ground.into("dual")
    other, sent = ground.open(), 0
    inner = ground.wire.inner

    class Way:
        def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            nonlocal sent
            if operation == "TransactWriteItems" and "'Menus'" in str(request):
                sent += 1
                if sent == before + 1:
                    newer = {"id": "ann", "house": "h", "orders": [f"new {n}" for n in range(220)]}
                    assert other.put("Guests", newer).settled
            return inner.send(operation, request)

        def close(self) -> None: ...

    ground.wire.inner = Way()
    older = {"id": "ann", "house": "h", "orders": [f"old {n}" for n in range(250)]}
    ground.session.put("Guests", older)
    ground.session.repair()
    assert {o["words"].split()[0] for o in stored(ground, "Order")} == {"new"}
    assert len(stored(ground, "Order")) == 220
    assert ground.session.verify().well, ground.session.verify().text()


def test_parts_that_together_are_too_large_for_a_transaction(ground: Ground) -> None:
    actions: list[dict[str, Any]] = [{"Put": {"Item": {"a": {"S": "x" * 100_000}}}} for _ in range(90)]
    assert not fits(actions)
    some = list(together([], actions))
    assert [a for part in some for a in part] == actions
    assert all(fits(part) for part in some)
    assert sum(len(a["Put"]["Item"]["a"]["S"]) for a in some[0]) <= BYTES
    assert list(together([{"ConditionCheck": {}}], [])) == [[]]  # the guards alone are still tried


def test_repair_keeps_its_pace_and_tells(ground: Ground) -> None:
    for number in range(6):
        ground.put_legacy("Guests", {"id": f"g{number}", "house": "h", "orders": ["tea"] * 40})
    ground.into("dual")
    ground.backfill()
    slept: list[float] = []
    now = [0.0]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    for way in ground.session._ways.values():
        way.sleep = sleep
    ground.session._meanwhile.timer = lambda: now[0]
    told: list[Repairing] = []
    assert ground.session.repair(max_write_units=100, progress=told.append).settled == 6
    assert [t.settled for t in told] == [1, 2, 3, 4, 5, 6]
    units = told[-1].write_units
    assert units > 6 * 41 * 2
    assert sum(slept) >= units / 100 * 0.8  # the last ones need not be waited for
    with pytest.raises(ArgumentError, match="above 0"):
        ground.session.repair(max_write_units=0)


def test_names_of_what_is_frozen() -> None:
    frozen = Frozen("house", lambda item: None, dishes_of)
    with pytest.raises(ConfigError, match="or like an attribute"):
        Moving("m", table=menus, moves=[Move(**{**_GUESTS, "uses": ("house",), "frozen": (frozen,)})])
    alone = Move(**{**_GUESTS, "split": _plain, "frozen": (frozen,)})
    moving = Moving("m", table=menus, moves=[alone])
    made = derived(moving, alone, State({"id": {"S": "1"}}), "2026-01-01T00:00:00.000000Z")
    assert [part.entity for part in made.parts] == ["House"]


def _plain(item: dict[str, Any]) -> Iterator[Entity]:
    assert item["house"] is None  # no group
    yield House(house_id=item["id"], stars=1)


_GUESTS: dict[str, Any] = {"table": "Guests", "key": ("id",), "split": split, "makes": (Guest, Order, House)}
