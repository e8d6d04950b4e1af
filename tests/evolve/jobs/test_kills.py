"""A job that is killed at any request goes on after its last checkpoint, and ends in the same table."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import open_table
from tablewright.client.opening import transport_to
from tablewright.client.settings import SessionOptions
from tablewright.engine import Engine, open_engine
from tablewright.errors import JobError
from tablewright.evolve.jobs import InFile
from tablewright.evolve.jobs.checkpoints import Asked
from tablewright.transport.base import Transport
from tablewright.transport.embedded import EmbeddedTransport
from tablewright.values.types import Item
from tests.evolve.jobs.shelf import TABLE, Between, Label, Split, book, items, label_of, make_table, run

BOOKS = 5
Kept = Callable[[], dict[str, Any]]


class KilledError(Exception):
    """Nothing that this process sends gets anywhere any more."""


def kill_at(number: int, *, after: bool) -> Callable[[int, str, dict[str, Any]], None]:
    """Dies at a request, before it is sent; or right after it was, which the next request finds out."""

    def tell(sent: int, operation: str, request: dict[str, Any]) -> None:
        if sent >= number + after:
            raise KilledError

    return tell


def attempt(engine: Engine, work: Any, number: int, options: dict[str, Any], *, after: bool = False) -> bool:
    """Whether the job came to its end before it was killed."""
    wire = Between(EmbeddedTransport(engine, owned=False), kill_at(number, after=after))
    try:
        run(work, wire, **options)
    except KilledError:
        return False
    return True


@pytest.fixture(params=["table", "file"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    if request.param == "table":
        return dict
    return lambda: {"checkpoints": InFile(tmp_path / "job.json")}


@pytest.mark.parametrize("work", [Label(), Split()])
def test_killed_at_every_request_in_turn(work: Any, kept: Kept) -> None:
    number, ended = 0, False
    wanted = [{**book(n), "label": label_of(book(n))} for n in range(BOOKS)]
    while not ended:
        with open_engine("memory:") as engine:
            make_table(engine, BOOKS)
            ended = attempt(engine, work, number, {**kept(), "clock": lambda: 0.0})
            # A dead runner holds the job until its lease has run out.
            report = run(work, EmbeddedTransport(engine, owned=False), **kept(), clock=lambda: 61.0)
            assert report.finished
            assert report.counts.looked >= BOOKS
            found = [one for one in items(engine) if one["SK"] != {"S": "CARD"}]
            assert found == wanted
            assert run(work, EmbeddedTransport(engine, owned=False), **kept()).nothing_to_change
            number += 1
    assert number > BOOKS


def test_killed_again_and_again_it_still_comes_to_its_end(engine: Engine, kept: Kept) -> None:
    make_table(engine, 30)
    time, kills = 0.0, 0
    while not attempt(engine, Label(), 12, {**kept(), "clock": lambda now=time: now}, after=True):
        time += 61.0
        kills += 1
    assert kills > 1
    assert [one["label"] for one in items(engine)] == [label_of(book(n)) for n in range(30)]


def test_what_is_settled_is_not_looked_at_again(engine: Engine) -> None:
    make_table(engine, 30)
    assert not attempt(engine, Label(), 40, {"clock": lambda: 0.0, "segments": 1})
    wire = Between(EmbeddedTransport(engine, owned=False), lambda *_: None)
    report = run(Label(), wire, segments=1, clock=lambda: 61.0)
    assert report.resumed
    assert report.counts.looked == 30
    assert wire.sent.count("UpdateItem") < 25  # those that are left, and the lease


def test_two_runners_cannot_do_one_job_at_once(engine: Engine, transport: EmbeddedTransport, kept: Kept) -> None:
    make_table(engine, 10)
    refused: list[JobError] = []

    def second(_: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "Scan" and not refused:
            with pytest.raises(JobError, match="Another runner is at 'label books'") as error:
                run(Label(), transport, **kept())
            refused.append(error.value)

    report = run(Label(), Between(transport, second), **kept())
    assert refused
    assert report.counts.written == 10


def test_a_runner_that_was_taken_over_stops(engine: Engine, transport: EmbeddedTransport, kept: Kept) -> None:
    make_table(engine, 30)

    def late(_: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "UpdateItem" and request["Key"]["PK"]["S"].startswith("BOOK#") and not over:
            over.append(1)
            assert not attempt(engine, Label(), 6, {"clock": lambda: 61.0, **kept()})

    over: list[int] = []
    with pytest.raises(JobError, match="taken"):
        run(Label(), Between(transport, late), clock=lambda: 0.0, **kept())
    assert over
    assert run(Label(), transport, clock=lambda: 122.0, **kept()).finished
    assert all("label" in one for one in items(engine))


def test_who_was_away_for_longer_than_a_lease_asks_before_it_writes(
    engine: Engine, transport: EmbeddedTransport, kept: Kept
) -> None:
    """Another run has come to its end meanwhile, and what it left is not touched any more."""
    make_table(engine, 30)
    now = [0.0]

    def away(_: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "Scan" and not now[0]:
            now[0] = 61.0
            assert run(Label(), transport, clock=lambda: 61.0, **kept()).finished
            engine.execute("UpdateItem", {"TableName": TABLE, "Key": key, "UpdateExpression": "REMOVE label"})

    key = {name: book(3)[name] for name in ("PK", "SK")}
    with pytest.raises(JobError, match="taken"):
        run(Label(), Between(transport, away), clock=lambda: now[0], **kept())
    assert [n for n, one in enumerate(items(engine)) if "label" not in one] == [3]


def test_a_job_of_a_dead_runner_is_taken_over_at_once(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 30)
    assert not attempt(engine, Label(), 20, {"clock": lambda: 0.0})
    with pytest.raises(JobError, match=r"Another runner.*60 seconds at the latest, or give take_over=True"):
        run(Label(), transport, clock=lambda: 0.0)
    report = run(Label(), transport, clock=lambda: 0.0, take_over=True)
    assert report.resumed
    assert (report.finished, report.counts.looked) == (True, 30)


def test_a_file_of_a_dead_runner_is_taken_over_at_once(
    engine: Engine, transport: EmbeddedTransport, tmp_path: Path
) -> None:
    make_table(engine, 3)
    path = tmp_path / "job.json"
    assert list(InFile(path).take(Asked("label books", "1", 2, restart=False), "dead", 0.0)) == []
    with pytest.raises(JobError, match=r"Another runner.*60 seconds at the latest, or give take_over=True"):
        run(Label(), transport, clock=lambda: 0.0, checkpoints=InFile(path))
    report = run(Label(), transport, clock=lambda: 0.0, checkpoints=InFile(path), take_over=True)
    assert (report.resumed, report.finished, report.counts.looked) == (True, True, 3)


def test_who_is_taken_over_while_alive_stops(engine: Engine, transport: EmbeddedTransport, kept: Kept) -> None:
    make_table(engine, 30)
    over: list[int] = []

    def take(_: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "UpdateItem" and request["Key"]["PK"]["S"].startswith("BOOK#") and not over:
            over.append(1)
            assert not attempt(engine, Label(), 6, {"clock": lambda: 0.0, "take_over": True, **kept()})

    with pytest.raises(JobError, match="taken"):
        run(Label(), Between(transport, take), clock=lambda: 0.0, **kept())
    assert over
    assert run(Label(), transport, clock=lambda: 0.0, take_over=True, **kept()).finished
    assert all("label" in one for one in items(engine))


def test_a_runner_that_died_while_it_began_is_taken_over(
    engine: Engine, transport: EmbeddedTransport, tmp_path: Path
) -> None:
    make_table(engine, 3)
    (tmp_path / "job.json.beginning").touch()
    with pytest.raises(JobError, match="just beginning"):
        run(Label(), transport, checkpoints=InFile(tmp_path / "job.json"))
    assert run(Label(), transport, checkpoints=InFile(tmp_path / "job.json"), take_over=True).finished


def test_a_checkpoint_of_other_work_is_refused(engine: Engine, transport: EmbeddedTransport, kept: Kept) -> None:
    make_table(engine, 10)
    assert not attempt(engine, Label("1"), 8, {"clock": lambda: 0.0, **kept()})
    with pytest.raises(JobError, match=r"other work.*restart=True"):
        run(Label("2"), transport, clock=lambda: 61.0, **kept())
    with pytest.raises(JobError, match="2 segments, not 3"):
        run(Label("1"), transport, segments=3, clock=lambda: 61.0, **kept())
    report = run(Label("2"), transport, segments=3, restart=True, clock=lambda: 61.0, **kept())
    assert (report.resumed, report.segments, report.counts.looked) == (False, 3, 10)


def test_without_a_number_of_segments_it_goes_on_with_those_it_had(
    engine: Engine, transport: EmbeddedTransport, kept: Kept
) -> None:
    make_table(engine, 10)
    assert not attempt(engine, Label(), 8, {"clock": lambda: 0.0, "segments": 3, **kept()})
    report = run(Label(), transport, segments=None, clock=lambda: 61.0, **kept())
    assert (report.resumed, report.segments) == (True, 3)


def test_a_checkpoint_that_was_left_over_is_not_gone_on_with(engine: Engine, transport: EmbeddedTransport) -> None:
    """A dead runner's last word may arrive after the job was finished."""
    make_table(engine, 10)
    late: list[Item] = []

    def note(_: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "PutItem":
            late.append(request["Item"])

    run(Label(), Between(transport, note))
    for item in late:
        engine.execute("PutItem", {"TableName": TABLE, "Item": item})
    engine.execute("PutItem", {"TableName": TABLE, "Item": book(77)})
    report = run(Label(), transport)
    assert (report.counts.looked, report.counts.written) == (11, 1)


# ------------------------------------------------------------------------------------------ others who write meanwhile

_OTHERS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, BOOKS + 1), st.sampled_from(["rename", "delete", "renew"])),
    max_size=12,
)


@settings(max_examples=settings().max_examples // 3)
@given(others=_OTHERS, killed=st.lists(st.integers(1, 40), max_size=3), in_flight=st.sampled_from([1, 4]))
def test_newer_writes_are_never_lost_and_deleted_items_never_come_back(
    others: list[tuple[int, int, str]], killed: list[int], in_flight: int
) -> None:
    with open_engine("memory:") as engine:
        make_table(engine, BOOKS)
        titles: dict[int, str | None] = {n: f"Book {n}" for n in range(BOOKS)}
        left, clock, sent = list(others), [0.0], [0]

        def write(number: int, kind: str) -> None:
            key = {"PK": book(number)["PK"], "SK": book(number)["SK"]}
            if kind == "delete":
                engine.execute("DeleteItem", {"TableName": TABLE, "Key": key})
                titles[number] = None
                return
            title = f"{kind} {sent[0]}"
            there = engine.execute("GetItem", {"TableName": TABLE, "Key": key}).get("Item")
            if there is None and kind == "rename":
                return
            version = str(int((there or book(number))["version"]["N"]) + 1)
            item = {**(there or book(number)), "title": {"S": title}, "version": {"N": version}}
            engine.execute("PutItem", {"TableName": TABLE, "Item": item})
            titles[number] = title

        def tell(end: int) -> Callable[[int, str, dict[str, Any]], None]:
            def between(number: int, operation: str, request: dict[str, Any]) -> None:
                if number >= end:
                    raise KilledError
                sent[0] += 1
                for one in [one for one in left if one[0] <= sent[0]]:
                    left.remove(one)
                    write(one[1], one[2])

            return between

        for end in [*killed, 10**6]:
            clock[0] += 100.0
            wire = Between(EmbeddedTransport(engine, owned=False), tell(end))
            try:
                run(Label(), wire, in_flight=in_flight, clock=lambda: clock[0])
            except KilledError:
                continue
        clock[0] += 100.0
        for _, number, kind in left:
            write(number, kind)
        run(Label(), EmbeddedTransport(engine, owned=False), clock=lambda: clock[0])
        found = {int(one["PK"]["S"][5:]): one for one in items(engine)}
        assert {n: one["title"]["S"] for n, one in found.items()} == {n: t for n, t in titles.items() if t is not None}
        assert all(one["label"] == label_of(one) for one in found.values())


# ------------------------------------------------------------------------------------------------- as the service does


def test_dynamodb_answers_a_job_as_the_engine_does(dynamodb_local_url: str) -> None:
    name, endpoint = f"Shelf-{uuid.uuid4().hex[:8]}", dynamodb_local_url
    with open_engine("memory:") as scratch:
        make_table(scratch)
        described = scratch.execute("DescribeTable", {"TableName": TABLE})["Table"]
    transport: Transport = transport_to(endpoint, SessionOptions())[0]
    transport.send(
        "CreateTable",
        {
            "TableName": name,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": described["AttributeDefinitions"],
            "KeySchema": described["KeySchema"],
        },
    )
    for number in range(20):
        transport.send("PutItem", {"TableName": name, "Item": book(number)})

    def second(number: int, operation: str, request: dict[str, Any]) -> None:
        if number == 20:
            with pytest.raises(JobError, match="Another runner"):
                run(Label(table=name), transport, clock=lambda: 1.0)
        if number >= 40:
            raise KilledError

    with pytest.raises(KilledError):
        run(Label(table=name), Between(transport, second), clock=lambda: 0.0)
    report = run(Label(table=name), endpoint, clock=lambda: 61.0, in_flight=8)
    assert report.resumed
    assert report.counts.looked == 20
    with open_table(name, endpoint) as table:
        found = table.scan().all()
        assert sorted(one["label"] for one in found) == sorted(f"LABEL Book {n}" for n in range(20))
        assert run(Label(table=name), table).nothing_to_change
    transport.close()
