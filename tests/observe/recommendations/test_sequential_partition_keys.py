"""Keys that count up, keys that are the time, and keys that only look alike."""

import random
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest

from tablewright import Entity, Get, Keys, Query, Table, Unique, get, query
from tablewright.compiler.plan import TablePlan
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.sequential_partition_keys import SequentialPartitionKeys
from tablewright.observe.snapshot import Peak, Place, Snapshot

START = datetime(2026, 11, 1, tzinfo=UTC)
HOURS = [START + timedelta(hours=n) for n in range(30)]


def found(
    keys: list[str], *, requests: float = 1.0, place: str = "", plan: TablePlan | None = None
) -> list[Recommendation]:
    one = Place(newest=keys)
    one.partitions.add(keys)
    one.requests.add_all(dict.fromkeys(keys, requests))
    return list(SequentialPartitionKeys().find(Observed(Snapshot(table="Shop", places={place: one}), plan)))


def test_a_bucket_of_time_is_hot_now() -> None:
    (one,) = found([f"EVENTS#{at:%Y-%m-%dT%H}" for at in HOURS], requests=40)
    assert (one.severity, one.category) == ("warning", "hot-partition")
    assert one.subject == "EVENTS#* of the table"
    assert one.message == "Partition keys EVENTS#* of the table are times: what happens now goes to one partition."
    assert one.details == (
        "30 keys of this form were first written to in their order, from 2026-11-01T00 to 2026-11-02T05, each with 40 requests "
        "on average. A partition bears 1,000 write units and 3,000 read units a second, and that of now takes everything."
    )
    assert one.code == '"EVENTS#*#{shard}"  # a number below 8, by a hash of the item\'s id'


def test_a_model_gives_the_fields_and_the_patterns_that_it_changes() -> None:
    log = Table("Log")

    class Event(Entity, table=log):
        keys = Keys("EVENTS#{day}", "{event_id}")
        day: date
        event_id: str

    class Ticket(Entity, table=log):
        keys = Keys("TICKET#{number}", "TICKET")
        number: int
        customer_id: str

    @log.pattern
    def events_on(day: date) -> Query[Event]:
        return query(Event, Event.day == day)

    @log.pattern
    def ticket(number: int) -> Get[Ticket]:
        return get(Ticket, Ticket.number == number)

    days = [f"EVENTS#{START + timedelta(days=n):%Y-%m-%d}" for n in range(9)]
    (hot,) = found(days, requests=40, plan=log.plan)
    assert 'derive={"shard": Shard("event_id", of=8)}' in (hot.code or "")
    assert hot.breaks == ("events_on()",)
    (number,) = found([f"TICKET#{n}" for n in range(40)], plan=log.plan)
    assert (number.code or "").endswith('keys = Keys("CUSTOMER_ID#{customer_id}", "TICKET#{number}")')
    assert number.breaks == ("ticket()",)


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y%m%d", "%Y-%m-%dT%H:%M:%SZ", "LOG/%Y-%m-%d/all"])
def test_days_however_they_are_written(form: str) -> None:
    (one,) = found([(START + timedelta(days=n)).strftime(form) for n in range(6)], requests=10, place="GSI1")
    assert one.severity == "warning"
    assert one.subject.endswith(" of GSI1")


def test_moments_one_for_each_item() -> None:
    (one,) = found([f"LOG#{int(at.timestamp())}" for at in HOURS])
    assert (one.severity, one.category) == ("info", "best-practice")
    assert one.message == "Partition keys LOG#* of the table are times, one for each item."
    assert one.code is None


def test_numbers_that_count_up() -> None:
    order = list(range(1001, 1061))
    order[10], order[11] = order[11], order[10]  # two writers at once
    (one,) = found([f"ORDER#{n}" for n in order] + [f"USER#{n}" for n in random.Random(1).sample(range(99), 60)])
    assert (one.severity, one.subject) == ("info", "ORDER#* of the table")
    assert one.message == "Partition keys ORDER#* of the table count up."
    assert one.details.startswith("60 keys of this form were first written to in their order, from 1001 to 1060. ")


def test_eight_writers_at_once() -> None:
    chance, order = random.Random(3), list(range(80))
    for at in range(0, 80, 8):
        order[at : at + 8] = chance.sample(order[at : at + 8], 8)
    assert len(found([f"ORDER#{n}" for n in order])) == 1


def test_two_kinds_in_turns() -> None:
    keys = [f"{kind}{n}" for n in range(40) for kind in ("o", "u")]
    assert [one.subject for one in found(keys)] == ["o* of the table", "u* of the table"]


def test_ids_that_are_made_by_chance() -> None:
    chance = random.Random(7)
    assert not found([f"ORDER#{UUID(int=chance.getrandbits(128))}" for _ in range(200)])
    assert not found([f"ORDER#{chance.randrange(10**9)}" for _ in range(200)])
    assert not found([f"ORDER#{chance.getrandbits(64):016x}" for _ in range(200)])


def test_a_key_with_its_owner_is_spread() -> None:
    assert not found([f"TENANT#{'abcdef'[n % 6]}#ORDER#{n}" for n in range(60)])
    assert not found([f"DEVICE#{n % 7}#{at:%Y-%m-%d}" for n, at in enumerate(HOURS)])


def test_numbers_in_order_with_large_gaps_are_no_counter() -> None:
    assert not found([f"ORDER#{n * 5000}" for n in range(1, 40)])


def test_too_few() -> None:
    assert not found([f"ORDER#{n}" for n in range(19)])
    assert not found([f"EVENTS#2026-11-{n:02}" for n in range(1, 5)], requests=10)


def test_nothing() -> None:
    assert not found([])
    assert not found(["", "#", "\ud800"])


def test_markers_of_unique_values_are_nobodys_choice() -> None:
    table = Table("Members")

    class Member(Entity, table=table):
        keys = Keys("{name}", "MEMBER", unique=["handle", Unique("seat", key="SEAT#{seat}")])
        name: str
        handle: str
        seat: int

    markers = [f"{form}{n}" for n in range(60) for form in ("UNIQUE#Member#handle#h", "SEAT#")]
    assert not found(markers, plan=table.plan)
    assert [one.subject for one in found(markers)] == ["SEAT#* of the table"]
    (own,) = found([*markers, *(f"INVOICE#{n}" for n in range(60))], plan=table.plan)
    assert own.subject == "INVOICE#* of the table"


def test_a_bucket_gets_as_many_shards_as_its_writes_need() -> None:
    keys = [f"EVENTS#{at:%Y-%m-%d}" for at in (START + timedelta(days=n) for n in range(10))]
    place = Place(newest=keys, peaks={keys[3]: Peak(writes=5_900), keys[4]: Peak(writes=900)})
    place.requests.add_all(dict.fromkeys(keys, 50.0))
    log = Table("Log")

    class Event(Entity, table=log):
        keys = Keys("EVENTS#{day}", "{at}#{event_id}")
        day: date
        at: datetime
        event_id: str

    for plan, shards in ((None, "a number below 9,"), (log.plan, 'Shard("event_id", of=20)')):
        (one,) = SequentialPartitionKeys().find(Observed(Snapshot(table="Log", places={"": place}), plan))
        assert shards in (one.code or "")
