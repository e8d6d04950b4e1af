"""A sync call over HTTP ends when its time is over, whether the server keeps silent or dawdles."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

import pytest

from tablewright import Entity, Keys, ReadCache, RetryPolicy, Table, key
from tablewright.errors import DeadlineError, NetworkError, OutcomeUnknownError
from tablewright.transport.http.address import Address, Proxy
from tablewright.transport.http.credentials import MADE_UP, Fixed
from tablewright.transport.http.route import Route
from tablewright.transport.http.sync import HttpTransport
from tests.transport.http.conftest import Authority
from tests.transport.http.rogue import PATIENT, Rogue, Turn, http, read_message

places = Table("Places")
LIMIT = 0.1
NOW_OR_NEVER = RetryPolicy(max_retries=0)


class Place(Entity, table=places):
    keys = Keys("PLACE#{name}", "PLACE")
    name: str
    visits: int = 0


def late(server: Rogue) -> Turn:
    """Answers, but too late."""

    def turn(sock: socket.socket) -> bool:
        server.closing.wait(2.0)
        sock.sendall(http(b"{}"))
        return True

    return turn


def dripping(server: Rogue) -> Turn:
    """Answers byte by byte, each of them soon."""

    def turn(sock: socket.socket) -> bool:
        for byte in http(b"{}"):
            sock.sendall(bytes([byte]))
            server.closing.wait(0.02)
        return True

    return turn


SLOW = pytest.mark.parametrize("slow", [late, dripping], ids=["late", "dripping"])


@SLOW
@pytest.mark.parametrize("cached", [False, True], ids=["plain", "cached"])
def test_a_read_is_given_up(slow: Callable[[Rogue], Turn], cached: bool) -> None:
    with Rogue() as server:
        server.turns = [slow(server)]
        options = {"cache": ReadCache()} if cached else {}
        with places.open(server.url, timeout=LIMIT, create=False, **options) as db, pytest.raises(DeadlineError):
            db.get(key(Place, name="a"))
        assert len(server.requests) == 1


@SLOW
def test_a_write_may_have_happened(slow: Callable[[Rogue], Turn]) -> None:
    with Rogue() as server:
        server.turns = [slow(server)]
        with places.open(server.url, timeout=LIMIT, create=False) as db, pytest.raises(OutcomeUnknownError) as caught:
            db.update(key(Place, name="a"), add={"visits": 1})
        assert isinstance(caught.value.__cause__, DeadlineError)


@SLOW
def test_with_tls_too(slow: Callable[[Rogue], Turn], authority: Authority) -> None:
    with Rogue(tls=authority.server) as server:
        server.turns = [slow(server)]
        route = Route.find(Address.parse(server.url), {}, str(authority.bundle))
        transport = HttpTransport(route, "us-east-1", Fixed(MADE_UP), PATIENT)
        with pytest.raises(NetworkError, match="no reply in time"):
            transport.read_in_time("GetItem", {}, None, time.monotonic() + 0.5)


def test_a_request_that_nobody_takes_was_not_sent() -> None:
    class Deaf(Rogue):
        def handle(self, sock: socket.socket) -> bool:
            self.closing.wait(2.0)
            return bool(read_message(sock))

    with Deaf() as server:
        transport = transport_to(server.url)
        with pytest.raises(NetworkError) as caught:
            transport.read_in_time("PutItem", {"long": "x" * 30_000_000}, None, time.monotonic() + LIMIT)
        assert not caught.value.sent
        transport.close()


def test_a_proxy_that_dawdles_is_given_up(authority: Authority) -> None:
    with Rogue() as proxy:
        proxy.turns = [dripping(proxy)]
        address = Address.parse("https://127.0.0.1:1")
        route = Route(address, Proxy("127.0.0.1", proxy.port), Route.find(address, {}, str(authority.bundle)).tls)
        transport = HttpTransport(route, "us-east-1", Fixed(MADE_UP), PATIENT)
        with pytest.raises(NetworkError, match="No connection") as caught:
            transport.read_in_time("GetItem", {}, None, time.monotonic() + LIMIT)
        assert isinstance(caught.value.__cause__, TimeoutError)


def test_afterwards_a_connection_is_as_patient_as_before() -> None:
    with Rogue() as server:
        transport = transport_to(server.url)
        transport.read_in_time("GetItem", {}, None, time.monotonic() + LIMIT)
        server.turns = [lambda sock: bool(server.closing.wait(2 * LIMIT) or sock.sendall(http(b'{"late": 1}')) or True)]
        assert transport.send("GetItem", {}) == {"late": 1}
        assert server.connections == 1
        transport.close()


def test_time_that_is_over_sends_nothing() -> None:
    with Rogue() as server:
        transport = transport_to(server.url)
        with pytest.raises(NetworkError) as caught:
            transport.read_in_time("GetItem", {}, None, time.monotonic())
        assert not caught.value.sent
        assert server.requests == []


def test_with_time_enough_nothing_is_different() -> None:
    with Rogue() as server, places.open(server.url, timeout=60.0, retry=NOW_OR_NEVER, create=False) as db:
        assert db.get(key(Place, name="a")) is None
        assert db.get(key(Place, name="b")) is None
        assert server.connections == 1


def transport_to(url: str) -> HttpTransport:
    return HttpTransport(Route(Address.parse(url)), "us-east-1", Fixed(MADE_UP), PATIENT)
