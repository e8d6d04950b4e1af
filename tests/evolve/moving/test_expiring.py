"""Items that expire: time to live takes them from one side sooner than from the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest

from tablewright import Entity, Epoch, Get, Keys, Table, get
from tablewright.engine import Engine, open_engine
from tablewright.evolve.moving import LegacyGet, Move, Moving, MovingSession, Parent, Read, open_moving
from tablewright.values.wire import to_wire_item
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.merchants import START
from tests.evolve.moving.people import old_table

logins = Table("Logins")


class Login(Entity, table=logins, ttl="until"):
    keys = Keys("LOGIN#{login_id}", "LOGIN", unique=["token"])
    login_id: str
    token: str
    until: Annotated[datetime, Epoch("s")] | None = None


@logins.pattern
def login(login_id: str) -> Get[Login]:
    return get(Login, Login.login_id == login_id)


ONE = Read(Login, lambda login_id: LegacyGet("Old", {"id": login_id}), login)


def until(row: dict[str, Any]) -> datetime | None:
    return datetime.fromtimestamp(int(row["until"]), UTC) if "until" in row else None


def logins_moving() -> Moving:
    fields: dict[str, Any] = {"login_id": "id", "token": "id", "until": until}
    move = Move(table="Old", key=("id",), entity=Login, fields=fields, uses=("until",))
    parents = [Parent(Login, Login, {"login_id": "login_id"})]
    return Moving("logins", table=logins, moves=[move], parents=parents)


class Time:
    """One clock for the engine and for sessions."""

    def __init__(self) -> None:
        self.moment = START

    def now(self) -> float:
        return self.moment.timestamp()

    def __call__(self) -> datetime:
        return self.moment

    def pass_(self, **span: float) -> None:
        self.moment += timedelta(**span)


@dataclass
class Ground:
    engine: Engine
    time: Time
    session: MovingSession

    def put(self, name: str, **span: float) -> None:
        """An item of the legacy table, which expires after a time."""
        moment = int((START + timedelta(**span)).timestamp())
        item = to_wire_item({"id": name, **({"until": moment} if span else {})})
        self.engine.execute("PutItem", {"TableName": "Old", "Item": item})

    def written(self) -> int:
        (report,) = self.session.backfill(write=True)
        return report.counts.written

    def ids(self) -> list[str]:
        items = self.engine.execute("Scan", {"TableName": "Logins"})["Items"]
        return sorted(item["login_id"]["S"] for item in items if "login_id" in item)


@pytest.fixture
def ground() -> Iterator[Ground]:
    time = Time()
    with open_engine("memory:", clock=time, sweep_every=None) as engine:
        engine.execute("CreateTable", old_table())
        with open_moving(logins_moving(), engine, clock=time, retry=AT_ONCE) as session:
            session.prepare()
            session.advance("dual")
            made = Ground(engine, time, session)
            made.put("ever")
            made.put("hour", hours=1)
            made.put("over", hours=-1)
            made.put("mistake", days=-2000)
            time.pass_(seconds=11)
            yield made


def test_what_has_expired_is_not_moved(ground: Ground) -> None:
    assert ground.written() == 3
    assert ground.ids() == ["ever", "hour", "mistake"]
    found = ground.session.verify()
    assert found.well, found.text()
    assert (found.entities["Login"].expected, found.entities["Login (token)"].expected) == (3, 3)
    assert ground.written() == 0


def test_what_is_taken_from_the_new_table_first_is_not_missing(ground: Ground) -> None:
    ground.written()
    ground.time.pass_(hours=2)
    assert ground.session.verify().well
    assert ground.engine.sweep() == 1
    assert ground.ids() == ["ever", "mistake"]
    found = ground.session.verify()
    assert found.well, found.text()
    assert ground.written() == 0
    assert ground.session.mend().settled == 0


def test_what_is_taken_from_the_legacy_table_first_has_its_origin(ground: Ground) -> None:
    ground.written()
    ground.time.pass_(hours=2)
    ground.engine.execute("DeleteItem", {"TableName": "Old", "Key": {"id": {"S": "hour"}}})
    found = ground.session.verify()
    assert found.differences == {("a unique marker", "no origin"): 1}  # time to live would leave it
    assert ground.session.mend().well
    ground.session.db.create(Login(login_id="next", token="hour"))


def test_what_lives_on_one_side_alone_differs(ground: Ground) -> None:
    ground.written()
    ground.put("hour", minutes=-1)
    assert ground.session.verify().differences == {("Login", "field until"): 1}
    ground.put("hour", hours=3)
    ground.time.pass_(hours=2)
    ground.engine.sweep()
    assert ground.session.verify().differences == {("Login", "missing"): 1}


def test_shadow_reads_do_not_miss_it(ground: Ground) -> None:
    ground.written()
    for name in ("ever", "hour", "over", "mistake"):
        ground.session.shadow(ONE, name)
    ground.time.pass_(hours=2)
    ground.engine.sweep()
    ground.session.shadow(ONE, "hour")
    report = ground.session.shadow_report()
    assert (report.compared, report.differed) == (5, 0)


hosts = Table("Hosts")


class Host(Entity, table=hosts, ttl="until"):
    keys = Keys("HOST#{host_id}", "HOST")
    host_id: str
    until: Annotated[datetime, Epoch("s")] | None = None


class Guest(Entity, table=hosts):
    keys = Keys("HOST#{host_id}", "GUEST#{guest_id}")
    host_id: str
    guest_id: str


def hosts_moving() -> Moving:
    told: dict[str, Any] = {"host_id": "id", "until": until}
    moves = [
        Move(table="Old", key=("id",), entity=Host, fields=told, uses=("until",)),
        Move(table="Guests", key=("id",), entity=Guest, fields={"host_id": "host", "guest_id": "id"}),
    ]
    return Moving("hosts", table=hosts, moves=moves, parents=[Parent(Guest, Host, {"host_id": "host_id"})])


def test_children_of_what_has_expired_have_their_parent_as_long_as_the_legacy_table_has() -> None:
    time = Time()
    with open_engine("memory:", clock=time, sweep_every=None) as engine:
        for table in ("Old", "Guests"):
            engine.execute("CreateTable", old_table(table))
        with open_moving(hosts_moving(), engine, clock=time, retry=AT_ONCE) as session:
            session.prepare()
            session.advance("dual")
            time.pass_(seconds=11)
            for name, hours in (("over", -1), ("hour", 1)):
                session.put("Old", {"id": name, "until": int((START + timedelta(hours=hours)).timestamp())})
            for name in ("over", "hour", "nobody"):
                session.put("Guests", {"id": name, "host": name})
            assert engine.sweep() == 1
            assert session.verify().differences == {("Guest", "no parent"): 1}
            time.pass_(hours=2)
            assert engine.sweep() == 1
            assert session.verify().differences == {("Guest", "no parent"): 1}
            session.delete("Old", {"id": "hour"})
            assert session.verify().differences == {("Guest", "no parent"): 2}
