"""What a test suite asks of a server: a fresh start, time that passes, expiry now; and only where that was allowed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, OffsetClock, open_engine
from tablewright.engine.faults import SlowReply, Throttle
from tablewright.errors import ConfigError
from tablewright.server import Server, serve_in_thread
from tests.server.wire import TABLE, Reply, Wire, exchange, key

PATHS = ["clock", "faults", "reset", "sweep"]
TTL = {
    "TableName": TABLE["TableName"],
    "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"},
}


def errand(server: Server, name: str, body: Any = None, *, method: str = "POST", head_only: bool = False) -> Reply:
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"{method} /_tablewright/{name} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n"
    with Wire(server.url) as wire:
        wire.send(head.encode() + data)
        return wire.receive(head_only=head_only)


@pytest.fixture(params=["memory", "file"])
def willing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A server of its own engine that was started for a test suite."""
    target = "memory:" if request.param == "memory" else str(tmp_path / "tables.db")
    with serve_in_thread(target, allow_reset=True) as server:
        server.engine.execute("CreateTable", TABLE)
        yield server


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("method", ["POST", "GET"])
def test_a_server_that_was_not_asked_to_says_what_it_needs(server: Server, name: str, method: str) -> None:
    reply = errand(server, name, method=method)
    assert reply.status in (400, 404)
    assert "started with --allow-reset" in reply.json["message"]
    assert server.engine.execute("ListTables", {})["TableNames"] == ["Things"]


@pytest.mark.parametrize("name", PATHS)
def test_another_method_is_told_to_post(willing: Server, name: str) -> None:
    reply = errand(willing, name, method="GET")
    assert (reply.status, reply.json["message"]) == (404, f"/_tablewright/{name} wants the method POST.")
    assert errand(willing, name, method="HEAD", head_only=True).headers["content-length"] == str(len(reply.body))


@pytest.mark.parametrize("name", PATHS)
def test_web_pages_may_not(willing: Server, name: str) -> None:
    page = exchange(
        willing.url,
        f"POST /_tablewright/{name} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a.example\r\nContent-Length: 0\r\n\r\n".encode(),
    )
    assert (page.status, page.error) == (400, "AccessDeniedException")


def test_reset_ends_faults_and_moved_time(willing: Server) -> None:
    before = errand(willing, "clock").json["Now"]
    errand(willing, "clock", {"Move": 90_000})
    willing.engine.faults.inject(Throttle())
    assert errand(willing, "reset").json == {"TableNames": ["Things"]}
    assert willing.engine.faults.active == ()
    assert errand(willing, "clock").json["Now"] < before + 80_000


def test_time_passes_and_items_expire_when_they_are_told_to(willing: Server) -> None:
    with Wire(willing.url) as wire:
        assert wire.call("UpdateTimeToLive", TTL).status == 200
        now = errand(willing, "clock").json["Now"]
        put = {"TableName": TABLE["TableName"], "Item": key("a") | {"until": {"N": str(int(now) + 3600)}}}
        assert wire.call("PutItem", put).status == 200
        assert errand(willing, "sweep").json == {"Deleted": 0}
        assert errand(willing, "clock", {"Move": 3700}).json["Now"] >= now + 3700
        assert errand(willing, "sweep").json == {"Deleted": 1}
        assert wire.call("Scan", {"TableName": TABLE["TableName"]}).json["Count"] == 0


@pytest.mark.parametrize(
    "move", [10**400, -(10**400), 1e308, 3e11, -1e11], ids=["vast", "vast back", "float", "year 11476", "year -1142"]
)
def test_time_stays_within_the_years_that_can_be_told(willing: Server, move: float) -> None:
    reply = errand(willing, "clock", {"Move": move})
    assert (reply.status, "years 1970 to 9999" in reply.json["message"]) == (400, True)
    with Wire(willing.url) as wire:
        stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}
        assert wire.call("CreateTable", TABLE | stream | {"TableName": "Streamed"}).status == 200


def test_time_goes_to_both_ends_of_those_years(willing: Server) -> None:
    stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}
    with Wire(willing.url) as wire:
        for number, moment in enumerate((1.0, 253_402_214_300.0)):
            now = errand(willing, "clock").json["Now"]
            assert errand(willing, "clock", {"Move": moment - now}).status == 200
            assert wire.call("CreateTable", TABLE | stream | {"TableName": f"End{number}"}).status == 200


@pytest.mark.parametrize(
    ("name", "body", "says"),
    [
        ("clock", {"Move": "3600"}, "a number of seconds"),
        ("clock", {"Move": True}, "a number of seconds"),
        ("clock", {"move": 1}, "no member 'move'; it has Move"),
        ("sweep", {"Limit": 1}, "no member 'Limit'; it has none"),
    ],
    ids=["text", "truth", "other name", "none"],
)
def test_wrong_errands_are_refused(willing: Server, name: str, body: Any, says: str) -> None:
    reply = errand(willing, name, body)
    assert reply.status == 400
    assert says in reply.json["message"]


@pytest.mark.parametrize("name", ["rest", "Reset", "reset/", "%72eset", ""])
def test_a_path_that_there_is_not_is_told_which_there_are(willing: Server, server: Server, name: str) -> None:
    for one in (willing, server):
        reply = errand(one, name, {})
        assert (reply.status, reply.error) == (404, "UnknownOperationException")
        for path in PATHS:
            assert f"/_tablewright/{path}" in reply.json["message"]


@pytest.mark.parametrize("body", [b"nonsense", b"[]", b"\xff", b"[" * 100_000], ids=["word", "list", "byte", "deep"])
@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("clock", ', such as {"Move": 3600}'),
        ("faults", ', such as {"Faults": ["throttle:every=3"]}'),
        ("reset", ""),
        ("sweep", ""),
    ],
)
def test_a_body_that_cannot_be_read_is_told_what_is_wanted(
    willing: Server, name: str, example: str, body: bytes
) -> None:
    reply = errand(willing, name, body)
    assert (reply.status, reply.error) == (400, "SerializationException")
    assert reply.json["Message"] == f"/_tablewright/{name} wants an empty body or a JSON object{example}."
    assert willing.engine.execute("ListTables", {})["TableNames"] == ["Things"]


def test_the_machines_own_clock_is_not_moved() -> None:
    with open_engine("memory:") as engine, serve_in_thread(engine, allow_reset=True) as server:
        assert "cannot be moved" in errand(server, "clock", {"Move": 1}).json["message"]
        assert errand(server, "clock").json["Now"] > 0


def test_an_offset_clock_goes_on(tmp_path: Path) -> None:
    clock = OffsetClock()
    with open_engine(tmp_path / "tables.db", clock=clock) as engine:
        before = engine.clock.now()
        clock.move(1000)
        assert before + 1000 <= engine.clock.now() < before + 1900
        clock.restore()
        assert engine.clock.now() < before + 900


# ------------------------------------------------------------------------------------------------- another engine


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[list[Engine]]:
    """One in memory, one in a file, each with one table of another name."""
    with open_engine("memory:") as first, open_engine(tmp_path / "other.db", synchronous="NORMAL") as second:
        for number, engine in enumerate((first, second)):
            engine.execute("CreateTable", TABLE | {"TableName": f"Table{number}"})
        yield [first, second]


def test_a_server_goes_on_with_another_engine(engines: list[Engine]) -> None:
    with serve_in_thread(engines[0]) as server, Wire(server.url) as wire:
        for number in (0, 1, 0, 1):
            server.switch(engines[number])
            assert server.engine is engines[number]
            assert wire.call("ListTables").json["TableNames"] == [f"Table{number}"]
            assert wire.call("PutItem", {"TableName": f"Table{number}", "Item": key("a")}).status == 200
        assert engines[0].execute("Scan", {"TableName": "Table0"})["Count"] == 1


def test_what_is_under_way_is_finished_first(engines: list[Engine]) -> None:
    with serve_in_thread(engines[0]) as server, Wire(server.url) as wire:
        noticed = threading.Event()

        def wait(_seconds: float) -> None:
            noticed.set()

        engines[0].faults.inject(SlowReply(seconds=1, sleep=wait))
        replies: list[Reply] = []
        asking = threading.Thread(
            target=lambda: replies.append(wire.call("PutItem", {"TableName": "Table0", "Item": key("a")}))
        )
        asking.start()
        assert noticed.wait(10)
        server.switch(engines[1])
        asking.join()
        assert [reply.status for reply in replies] == [200]


def test_an_engine_of_the_servers_own_is_not_exchanged(engines: list[Engine]) -> None:
    with serve_in_thread("memory:") as server, pytest.raises(ConfigError, match="cannot serve another engine"):
        server.switch(engines[0])
