"""What a server bears: sizes, slow clients, many clients. Whoever goes too far is given up, and nobody else notices."""

from __future__ import annotations

import gzip
import json
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tablewright.engine import open_engine
from tablewright.server import Server, serve_in_thread
from tests.server.wire import TABLE, Wire, key, message

QUICK = {"head_seconds": 0.1, "body_seconds": 0.15, "idle_seconds": 0.2, "write_seconds": 0.2}


@pytest.fixture
def hasty() -> Iterator[Server]:
    """A server with little patience."""
    with serve_in_thread("memory:", **QUICK) as server:
        server.engine.execute("CreateTable", TABLE)
        yield server
        with Wire(server.url) as wire:
            assert wire.call("ListTables").status == 200


def test_a_body_over_the_limit_is_refused_before_it_is_sent(hasty: Server) -> None:
    with Wire(hasty.url) as wire:
        wire.send(message("ListTables", body=b"", Content_Length=str(16 * 1024 * 1024 + 1)))
        reply = wire.receive()
        assert (reply.status, reply.error, reply.headers["connection"]) == (413, "RequestEntityTooLarge", "close")


def test_a_client_that_sends_too_much_gets_its_answer() -> None:
    with serve_in_thread("memory:", max_body=100_000) as server, Wire(server.url) as wire:
        wire.send(message("ListTables", body=b" " * 3_000_000))
        assert wire.receive().status == 413
        assert wire.is_closed()


def test_a_chunked_body_over_the_limit_is_refused() -> None:
    with serve_in_thread("memory:", max_body=100_000) as server, Wire(server.url) as wire:
        wire.send(message("ListTables", body=b"", Content_Length="", Transfer_Encoding="chunked"))
        wire.send(b"8000\r\n" + b" " * 0x8000 + b"\r\n")
        wire.send((b"8000\r\n" + b" " * 0x8000 + b"\r\n") * 3)
        assert wire.receive().status == 413


def test_trailers_without_end_are_refused() -> None:
    with serve_in_thread("memory:") as server, Wire(server.url) as wire:
        wire.send(message("ListTables", body=b"", Content_Length="", Transfer_Encoding="chunked"))
        wire.send(b"2\r\n{}\r\n0\r\n" + b"Trailer: x\r\n" * 10_000)
        assert wire.receive().status == 431


def test_a_body_at_the_limit_is_read() -> None:
    with serve_in_thread("memory:") as server, Wire(server.url) as wire:
        body = b"{" + b" " * (16 * 1024 * 1024 - 2) + b"}"
        assert wire.call("ListTables", body=body).status == 200


def test_all_bodies_together_have_a_limit() -> None:
    with serve_in_thread("memory:", max_bodies=100_000) as server, Wire(server.url) as one, Wire(server.url) as other:
        one.send(message("ListTables", body=b"{" + b" " * 69_998 + b"}")[:-1])
        time.sleep(0.05)
        other.send(message("ListTables", body=b"{" + b" " * 69_998 + b"}"))
        assert other.receive().error == "ServiceUnavailable"
        one.send(b"}")
        assert one.receive().status == 200
        with Wire(server.url) as third:
            assert third.call("ListTables", body=b"{" + b" " * 69_998 + b"}").status == 200


def big(name: str, *, packed: bool = False) -> bytes:
    """A write of some 70 KB."""
    body = json.dumps({"TableName": "Things", "Item": key(name) | {"t": {"S": "x" * 70_000}}}).encode()
    if packed:
        return message("PutItem", body=gzip.compress(body), Content_Encoding="gzip")
    return message("PutItem", body=body)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_bodies_that_wait_for_a_locked_file_count_as_well(tmp_path: Path, packed: bool) -> None:
    file = tmp_path / "tables.db"
    with open_engine(file) as engine:
        engine.execute("CreateTable", TABLE)
    with serve_in_thread(file, max_bodies=200_000) as server, ExitStack() as stack:
        wires = [stack.enter_context(Wire(server.url, timeout=30)) for _ in range(4)]
        assert wires[0].call("PutItem", {"TableName": "Things", "Item": key("small")}).status == 200
        with closing(sqlite3.connect(file, isolation_level=None)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            for number, wire in enumerate(wires[:2]):
                wire.send(big(str(number), packed=packed))
            # A pipelined one waits on its connection.
            wires[0].send(message("ListTables", body=b"{" + b" " * 50_000 + b"}"))
            time.sleep(0.1)
            wires[2].send(big("2", packed=packed))
            refused = wires[2].receive()
            assert (refused.status, refused.error) == (503, "ServiceUnavailable")
            # What is small is served still.
            get = {"TableName": "Things", "Key": key("small")}
            assert wires[3].call("GetItem", get).json == {"Item": key("small")}
            foreign.execute("ROLLBACK")
        assert [wire.receive().status for wire in (wires[0], wires[0], wires[1])] == [200, 200, 200]
        assert wires[3].call("GetItem", {"TableName": "Things", "Key": key("2")}).json == {}
        for number in range(5):
            wires[3].send(big(f"later {number}", packed=packed))
            assert wires[3].receive().status == 200


def test_bodies_of_clients_that_went_away_do_not_count(tmp_path: Path) -> None:
    file = tmp_path / "tables.db"
    with open_engine(file) as engine:
        engine.execute("CreateTable", TABLE)
    with serve_in_thread(file, max_bodies=400_000) as server:
        with closing(sqlite3.connect(file, isolation_level=None)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            for number in range(2):
                with Wire(server.url) as gone:
                    gone.send(big(f"done {number}") + big(f"waiting {number}") + big("half")[:-1])
                    time.sleep(0.05)
            foreign.execute("ROLLBACK")
        for _ in range(100):
            with Wire(server.url, timeout=30) as wire:
                wire.send(big("a") + big("b") + big("c") + big("d"))
                if all(wire.receive().status == 200 for _ in range(4)):
                    return
            time.sleep(0.02)
        pytest.fail("Their room is not given to others.")


@pytest.mark.parametrize("part", ["path", "value", "name", "many"])
def test_a_huge_head_is_refused(hasty: Server, part: str) -> None:
    start = {
        "path": b"POST /" + b"a" * 500_000,
        "value": b"POST / HTTP/1.1\r\nX: " + b"a" * 500_000,
        "name": b"POST / HTTP/1.1\r\n" + b"a" * 500_000,
        "many": b"POST / HTTP/1.1\r\n" + b"X: y\r\n" * 100_000,
    }[part]
    with Wire(hasty.url) as wire:
        wire.send(start)
        assert wire.receive().status == 431


@pytest.mark.parametrize("sent", [b"", b"POST / HT", message("ListTables")[:-1]], ids=["nothing", "head", "body"])
def test_a_request_that_does_not_arrive_is_given_up(hasty: Server, sent: bytes) -> None:
    with Wire(hasty.url) as wire:
        wire.send(sent)
        if sent:
            assert (wire.receive().status) == 408
        assert wire.is_closed()


def test_a_request_in_drops_is_given_up(hasty: Server) -> None:
    """Each drop comes in time; the whole does not."""
    with Wire(hasty.url) as wire:
        wire.send(b"POST / HTTP/1.1\r\nX: ")
        wire.socket.settimeout(0.01)
        for _ in range(100):
            wire.send(b"X")
            try:
                assert wire.receive().status == 408
            except TimeoutError:
                continue
            return
        pytest.fail("It was listened to for a second.")


def test_an_idle_connection_is_closed(hasty: Server) -> None:
    with Wire(hasty.url) as wire:
        assert wire.call("ListTables").status == 200
        assert wire.is_closed()


def test_a_client_that_does_not_read_is_given_up(hasty: Server) -> None:
    for number in range(20):
        hasty.engine.execute(
            "PutItem", {"TableName": "Things", "Item": key("big", number) | {"t": {"S": "x" * 390_000}}}
        )
    with Wire(hasty.url) as wire:
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        scan = message("Scan", {"TableName": "Things"})
        sent = 0
        try:
            for _ in range(100):
                wire.socket.settimeout(0.2)
                wire.send(scan * 400)
                sent += 400
        except OSError:
            pass
        # It neither reads requests without end nor keeps their answers.
        assert sent < 40_000


def many_large(server: Server) -> tuple[bytes, int]:
    """A request whose reply has some 8 MB."""
    for number in range(25):
        item = key("large", number) | {"t": {"S": "x" * 330_000}}
        server.engine.execute("PutItem", {"TableName": "Things", "Item": item})
    keys = [key("large", number) for number in range(25)]
    return message("BatchGetItem", {"RequestItems": {"Things": {"Keys": keys}}}), 8_000_000


def silent(stack: ExitStack, server: Server) -> Wire:
    """A client that reads nothing unless it is told to."""
    wire = stack.enter_context(Wire(server.url))
    wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    return wire


def test_replies_that_nobody_reads_have_a_limit_together() -> None:
    """Whoever reads nothing is given up, and others get what they ask for: at once if it is small."""
    with serve_in_thread("memory:", max_replies=20_000_000, head_seconds=0.4) as server, ExitStack() as stack:
        server.engine.execute("CreateTable", TABLE)
        large, size = many_large(server)
        shared = server._connections
        idle = [silent(stack, server) for _ in range(12)]
        for wire in idle:
            wire.send(large * 3)
        most = 0
        with Wire(server.url) as other:
            for number in range(40):
                most = max(most, shared.unsent)
                get = {"TableName": "Things", "Key": key("large", number)}
                assert other.call("GetItem", get).status == 200
                time.sleep(0.005)
            other.send(large)
            assert len(other.receive().raw) > size
        assert size < most < 20_000_000 + 26 * 400 * 1024
        for _ in range(1000):
            if len(shared.open) <= 7:
                break
            time.sleep(0.005)
        # Those who are left hold no more than there is room for.
        assert len(shared.open) <= 7
        assert shared.unsent <= 20_000_000 + 26 * 400 * 1024


def test_who_reads_is_served_though_others_wait() -> None:
    with serve_in_thread("memory:", max_replies=20_000_000) as server, ExitStack() as stack:
        server.engine.execute("CreateTable", TABLE)
        large, size = many_large(server)
        wires = [stack.enter_context(Wire(server.url, timeout=30)) for _ in range(8)]
        found: list[int] = []

        def read(wire: Wire) -> None:
            wire.send(large * 2)
            found.extend(len(wire.receive().raw) for _ in range(2))

        threads = [threading.Thread(target=read, args=(wire,)) for wire in wires]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 16
        assert min(found) > size


def test_a_client_that_waits_for_room_is_not_idle() -> None:
    """Replies that others do not read take all the room; who waits meanwhile is answered when they are gone."""
    with serve_in_thread("memory:", max_replies=1_000_000, body_seconds=0.4) as server, ExitStack() as stack:
        server.engine.execute("CreateTable", TABLE)
        large, size = many_large(server)
        first, second = silent(stack, server), stack.enter_context(Wire(server.url, timeout=30))
        first.send(large)
        time.sleep(0.1)
        second.send(large)
        assert len(second.receive().raw) > size
        assert len(server._connections.open) == 1


def test_connections_beyond_the_limit_are_refused() -> None:
    with serve_in_thread("memory:", max_connections=3) as server:
        with ExitStack() as stack:
            wires = [stack.enter_context(Wire(server.url)) for _ in range(3)]
            assert [wire.call("ListTables").status for wire in wires] == [200, 200, 200]
            with Wire(server.url) as refused:
                assert refused.receive().error == "ServiceUnavailable"
                assert refused.is_closed()
            assert [wire.call("ListTables").status for wire in wires] == [200, 200, 200]
        for _ in range(100):
            with Wire(server.url) as wire:
                wire.send(message("ListTables"))
                if wire.receive().status == 200:
                    return
            time.sleep(0.01)
        pytest.fail("Places that were given up are not given to others.")


def test_a_slow_client_does_not_hold_up_others(hasty: Server) -> None:
    with ExitStack() as stack:
        for _ in range(50):
            slow = stack.enter_context(Wire(hasty.url))
            slow.send(b"POST / HTTP/1.1\r\nHost: local")
        with Wire(hasty.url) as wire:
            assert [wire.call("ListTables").status for _ in range(20)] == [200] * 20
