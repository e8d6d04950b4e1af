"""The command from start to stop: it says when it is ready, and what it acknowledged is in the file afterwards."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from tablewright.engine import open_engine
from tablewright.engine.faults import SlowReply
from tablewright.server import serve_in_thread
from tests.server.wire import TABLE, Wire, key, message


@contextmanager
def command(*arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server of its own process, and its URL."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tablewright", "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().split()[-1]
    finally:
        process.kill()
        process.communicate()


def test_the_ready_line_and_file(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    with command("--ready-file", str(ready)) as (process, url):
        with Wire(url) as wire:
            assert wire.call("ListTables").json == {"TableNames": []}
        assert ready.read_text() == f"{url}\n"
        assert [path.name for path in tmp_path.iterdir()] == ["ready"]
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=10) == ("", "")
        assert process.returncode == 0


def test_keys_come_from_the_environment() -> None:
    keys = {"AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "SK"}
    with command("--verify-signatures", **keys) as (_, url), Wire(url) as wire:
        assert wire.call("ListTables").error == "MissingAuthenticationTokenException"


@pytest.mark.parametrize("moment", range(3))
def test_nothing_acknowledged_is_lost_when_it_is_told_to_stop(tmp_path: Path, moment: int) -> None:
    file = tmp_path / "tables.db"
    acknowledged: list[list[int]] = [[] for _ in range(8)]
    enough = threading.Event()

    def write(url: str, writer: int) -> None:
        try:
            with Wire(url) as wire:
                for number in range(100_000):
                    wire.send(message("PutItem", {"TableName": "Things", "Item": key(f"w{writer}", number)}))
                    if wire.receive().status != 200:
                        return
                    acknowledged[writer].append(number)
                    if len(acknowledged[writer]) > 20 + 15 * moment:
                        enough.set()
        except (EOFError, OSError):
            return

    with command(str(file)) as (process, url):
        with Wire(url) as wire:
            assert wire.call("CreateTable", TABLE).status == 200
        writers = [threading.Thread(target=write, args=(url, writer)) for writer in range(8)]
        for writer in writers:
            writer.start()
        assert enough.wait(20)
        process.send_signal(signal.SIGTERM)
        for writer in writers:
            writer.join()
        assert process.wait(10) == 0
    with open_engine(file) as engine:
        assert engine.verify() == []
        for number, numbers in enumerate(acknowledged):
            names = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": f"w{number}"}}}
            items = engine.execute("Query", {"TableName": "Things", **names})["Items"]
            stored = {int(item["sk"]["N"]) for item in items}
            assert stored >= set(numbers)
            # At most the one that was under way is there besides.
            assert len(stored) - len(numbers) <= 1


def test_a_request_under_way_is_answered_before_the_stop() -> None:
    with serve_in_thread("memory:", stop_seconds=5.0) as server, Wire(server.url) as wire, Wire(server.url) as idle:
        assert idle.call("ListTables").status == 200
        with server.engine.faults.inject(SlowReply(seconds=0.2)):
            wire.send(message("ListTables"))
            threading.Event().wait(0.05)
            server.stop()
            assert wire.receive().status == 200
        assert wire.is_closed()
        assert idle.is_closed()


def is_acknowledged(wire: Wire) -> bool:
    """Whether the server answers before it closes the connection."""
    try:
        acknowledged = wire.receive().status == 200
    except (EOFError, ConnectionResetError):
        return False
    assert wire.is_closed()
    return acknowledged


@pytest.mark.parametrize("tables", ["memory", "file"])
@pytest.mark.parametrize("taken_back", [False, True], ids=["at work", "taken back"])
def test_slow_replies_are_sent_at_once_when_the_server_stops(tmp_path: Path, tables: str, taken_back: bool) -> None:
    target = "memory:" if tables == "memory" else tmp_path / "tables.db"
    waiting = threading.Event()

    class Counted(SlowReply):
        def count(self) -> None:
            super().count()
            if self.fired == 60:
                waiting.set()

    with open_engine(target, synchronous="NORMAL") as engine:
        engine.execute("CreateTable", TABLE)
        with ExitStack() as stack:
            server = stack.enter_context(serve_in_thread(engine, stop_seconds=60.0))
            wires = [stack.enter_context(Wire(server.url)) for _ in range(100)]
            engine.faults.inject(Counted(seconds=40))
            # More than wait at the same time.
            for number, wire in enumerate(wires):
                wire.send(message("PutItem", {"TableName": "Things", "Item": key("slow", number)}))
            assert waiting.wait(20)
            if taken_back:
                engine.faults.clear()
            server.stop()
            answered = [number for number, wire in enumerate(wires) if is_acknowledged(wire)]
        engine.faults.clear()
        assert len(answered) >= 60
        stored = engine.execute("Scan", {"TableName": "Things"})["Items"]
        assert {int(item["sk"]["N"]) for item in stored} >= set(answered)
        # The engine goes on as before.
        waited: list[float] = []
        with engine.faults.inject(SlowReply(seconds=1, sleep=waited.append)):
            engine.execute("GetItem", {"TableName": "Things", "Key": key("slow", 1)})
        assert waited == [1]


def test_a_client_that_never_reads_does_not_prevent_the_stop() -> None:
    with serve_in_thread("memory:", stop_seconds=0.1) as server:
        server.engine.execute("CreateTable", TABLE)
        for number in range(10):
            item = key("big", number) | {"t": {"S": "x" * 390_000}}
            server.engine.execute("PutItem", {"TableName": "Things", "Item": item})
        with Wire(server.url) as wire:
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            wire.send(message("Scan", {"TableName": "Things"}) * 20)
            threading.Event().wait(0.1)
            server.stop()
            # Leaving the block waits for the thread.


def test_a_locked_file_does_not_hold_the_stop_for_every_write_that_waits(tmp_path: Path) -> None:
    file = tmp_path / "tables.db"
    with open_engine(file) as engine:
        engine.execute("CreateTable", TABLE)
        with closing(sqlite3.connect(file, isolation_level=None)) as foreign, ExitStack() as stack:
            server = stack.enter_context(serve_in_thread(engine, stop_seconds=0.1, max_group=1))
            wires = [stack.enter_context(Wire(server.url)) for _ in range(5)]
            foreign.execute("BEGIN IMMEDIATE")
            for number, wire in enumerate(wires):
                wire.send(message("PutItem", {"TableName": "Things", "Item": key("late", number)}))
            threading.Event().wait(0.1)
            server.stop()
            assert all(wire.is_closed() for wire in wires)
            threading.Event().wait(0.1)
            foreign.execute("ROLLBACK")
        # Only the one that waited for the lock was under way; nobody was told of any.
        assert engine.execute("Scan", {"TableName": "Things", "Select": "COUNT"})["Count"] <= 1


def test_an_engine_that_was_given_stays_open() -> None:
    with open_engine("memory:") as engine:
        with serve_in_thread(engine) as server, Wire(server.url) as wire:
            assert wire.call("CreateTable", TABLE).status == 200
        assert engine.execute("ListTables", {})["TableNames"] == ["Things"]
        with serve_in_thread(engine) as server, Wire(server.url) as wire:
            assert wire.call("ListTables").json["TableNames"] == ["Things"]


def test_a_file_is_served_by_name(tmp_path: Path) -> None:
    with serve_in_thread(tmp_path / "tables.db") as server, Wire(server.url) as wire:
        assert wire.call("CreateTable", TABLE).status == 200
    with serve_in_thread(str(tmp_path / "tables.db")) as server, Wire(server.url) as wire:
        assert wire.call("ListTables").json["TableNames"] == ["Things"]
