"""Connections shared: by threads, by tasks, by event loops and across a fork; and what cancelling does to them."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tablewright.errors import ConfigError, NetworkError, TablewrightError
from tablewright.server import serve_in_thread
from tablewright.transport.http.address import Address
from tablewright.transport.http.aio import AsyncHttpTransport
from tablewright.transport.http.credentials import MADE_UP, Fixed
from tablewright.transport.http.route import Route
from tablewright.transport.http.sync import HttpTransport
from tests.transport.http.rogue import PATIENT, QUICK, Rogue, answer, drop, http, read_message


def sync_transport(url: str, **options: Any) -> HttpTransport:
    return HttpTransport(Route(Address.parse(url)), "us-east-1", Fixed(MADE_UP), **options)


def async_transport(url: str, **options: Any) -> AsyncHttpTransport:
    return AsyncHttpTransport(Route(Address.parse(url)), "us-east-1", Fixed(MADE_UP), **options)


class Echo(Rogue):
    """A server whose every answer is its request."""

    def handle(self, sock: socket.socket) -> bool:
        message = read_message(sock)
        if message:
            sock.sendall(http(message.partition(b"\r\n\r\n")[2]))
        return bool(message)


TABLE = {
    "TableName": "Things",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
}


# -------------------------------------------------------------------------------------------------------- threads


def test_threads_share_a_transport_and_nobody_gets_anothers_reply() -> None:
    with Echo() as server:
        transport = sync_transport(server.url, max_connections=4)

        def work(thread: int) -> None:
            for number in range(50):
                request = {"thread": thread, "number": number}
                assert transport.send("GetItem", request) == request

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(work, range(8)))
        assert len(transport._idle) <= 4
        transport.close()
        assert transport._idle == []


def test_a_forked_child_does_not_use_its_parents_connections() -> None:
    with Echo() as server:
        transport = sync_transport(server.url)
        transport.send("GetItem", {"who": "parent"})
        child = os.fork()
        if child == 0:
            try:
                right = transport.send("GetItem", {"who": "child"}) == {"who": "child"}
            except TablewrightError:
                right = False
            os._exit(0 if right else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert transport.send("GetItem", {"who": "parent"}) == {"who": "parent"}
        assert server.connections == 2
        transport.close()


# ---------------------------------------------------------------------------------------------------------- tasks


def test_a_thousand_requests_at_once_start_no_thread() -> None:
    with serve_in_thread() as server:
        server.engine.execute("CreateTable", TABLE)
        server.engine.execute("PutItem", {"TableName": "Things", "Item": {"PK": {"S": "a"}}})
        before = threading.active_count()
        most = 0

        async def get(transport: AsyncHttpTransport) -> Any:
            nonlocal most
            found = await transport.send("GetItem", {"TableName": "Things", "Key": {"PK": {"S": "a"}}})
            most = max(most, threading.active_count())
            return found

        async def work() -> None:
            for url in (server.url, server.url.replace("127.0.0.1", "localhost")):
                transport = async_transport(url, max_connections=20)
                found = await asyncio.gather(*(get(transport) for _ in range(1000)))
                assert found == [{"Item": {"PK": {"S": "a"}}}] * 1000
                assert transport._pool is not None
                assert len(transport._pool.opened) <= 20
                await transport.close()

        asyncio.run(work())
        assert most == before


def test_no_more_connections_are_made_than_allowed_and_all_get_their_turn() -> None:
    with Echo() as server:

        async def work() -> None:
            transport = async_transport(server.url, max_connections=3)
            found = await asyncio.gather(*(transport.send("GetItem", {"n": n}) for n in range(100)))
            assert found == [{"n": n} for n in range(100)]
            await transport.close()

        asyncio.run(work())
        assert server.connections == 3


def test_a_cancelled_request_leaves_nothing_behind() -> None:
    """Neither its reply on a connection that is used again, nor a place that is never given back."""
    released = threading.Event()

    def late(sock: socket.socket) -> bool:
        released.wait(5)
        return answer({"Item": {"PK": {"S": "of the cancelled one"}}})(sock)

    with Rogue(late, late) as server:

        async def work() -> None:
            transport = async_transport(server.url, max_connections=2)
            under_way = [asyncio.create_task(transport.send("GetItem", {})) for _ in range(2)]
            while len(server.requests) < 2:
                await asyncio.sleep(0.01)
            in_line = [asyncio.create_task(transport.send("GetItem", {})) for _ in range(4)]
            await asyncio.sleep(0)
            for task in (*under_way, in_line[0], in_line[2]):
                task.cancel()
            assert await asyncio.gather(*in_line[1::2]) == [{}, {}]
            results = await asyncio.gather(*under_way, in_line[0], in_line[2], return_exceptions=True)
            assert all(isinstance(r, asyncio.CancelledError) for r in results)
            released.set()
            assert await asyncio.gather(*(transport.send("GetItem", {}) for _ in range(10))) == [{}] * 10
            await transport.close()

        asyncio.run(work())


def test_cancelling_at_any_moment_keeps_replies_and_places_apart() -> None:
    """Tasks are cancelled after 0, 1, 2 … turns of the loop, so that each await in the way is hit."""
    with Echo() as server:

        async def work() -> None:
            transport = async_transport(server.url, max_connections=2)
            for turns in range(40):
                tasks = [asyncio.create_task(transport.send("GetItem", {"n": n})) for n in range(5)]
                for _ in range(turns):
                    await asyncio.sleep(0)
                tasks[turns % 5].cancel()
                for n, result in enumerate(await asyncio.gather(*tasks, return_exceptions=True)):
                    assert result == {"n": n} or (n == turns % 5 and isinstance(result, asyncio.CancelledError))
            assert transport._pool is not None
            assert transport._pool._slots <= 2
            assert not transport._pool._line
            await transport.close()

        asyncio.run(work())


def test_failed_connections_give_their_places_back() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"

    async def work() -> None:
        transport = async_transport(url, max_connections=2)
        results = await asyncio.gather(*(transport.send("GetItem", {}) for _ in range(20)), return_exceptions=True)
        assert [type(r) for r in results] == [NetworkError] * 20
        assert transport._pool is not None
        assert transport._pool._slots == 0
        await transport.close()

    asyncio.run(work())


def test_broken_connections_give_their_places_back() -> None:
    with Rogue(*[drop] * 10) as server:

        async def work() -> None:
            transport = async_transport(server.url, max_connections=2)
            results = await asyncio.gather(*(transport.send("GetItem", {}) for _ in range(20)), return_exceptions=True)
            assert [type(r) for r in results].count(NetworkError) == 10
            assert results.count({}) == 10
            await transport.close()
            assert transport._pool is not None
            assert transport._pool._idle == []

        asyncio.run(work())


def test_idle_connections_that_end_are_let_go() -> None:
    with Rogue(answer({}, Connection="keep-alive")) as server:

        async def work() -> None:
            transport = async_transport(server.url)
            await transport.send("GetItem", {})
            server._sockets[0].shutdown(socket.SHUT_RDWR)
            pool = transport._pool
            assert pool is not None
            while pool.opened:
                await asyncio.sleep(0.01)
            assert (pool._slots, pool._idle) == (0, [])
            assert await transport.send("GetItem", {}) == {}
            await transport.close()

        asyncio.run(work())


def test_a_transport_works_in_one_event_loop_after_another() -> None:
    with Echo() as server:
        transport = async_transport(server.url)

        async def work(n: int) -> None:
            assert await transport.send("GetItem", {"n": n}) == {"n": n}
            assert transport._pool is not None
            await transport._pool.close()

        for n in range(3):
            asyncio.run(work(n))
        assert server.connections == 3


def test_closing_fails_what_is_under_way_and_leaves_no_warning() -> None:
    with Rogue() as server:
        server.turns = [server.silence]

        async def work() -> None:
            transport = async_transport(server.url, timeouts=PATIENT)
            task = asyncio.create_task(transport.send("GetItem", {}))
            while not server.requests:
                await asyncio.sleep(0.01)
            await transport.close()
            with pytest.raises(NetworkError) as caught:
                await task
            assert caught.value.sent is True

        asyncio.run(work(), debug=True)
        gc.collect()


def test_closing_sends_nothing_that_waits_in_line() -> None:
    with Rogue() as server:
        server.turns = [server.silence]

        async def work() -> None:
            transport = async_transport(server.url, timeouts=PATIENT, max_connections=1)
            tasks = [asyncio.create_task(transport.send("GetItem", {})) for _ in range(3)]
            while not server.requests:
                await asyncio.sleep(0.01)
            await transport.close()
            under_way, *waiting = await asyncio.gather(*tasks, return_exceptions=True)
            assert isinstance(under_way, NetworkError)
            assert [str(error) for error in waiting] == ["This session is closed. Open the table again."] * 2
            assert transport._pool is not None
            assert transport._pool.opened == set()

        asyncio.run(work(), debug=True)
        gc.collect()
        assert (len(server.requests), server.connections) == (1, 1)


def test_closing_gives_up_a_connection_that_is_being_made() -> None:
    with Rogue() as server:

        async def work() -> None:
            transport = async_transport(server.url, timeouts=PATIENT)
            task = asyncio.create_task(transport.send("GetItem", {}))
            while transport._pool is None or not transport._pool._slots:
                await asyncio.sleep(0)
            await transport.close()
            with pytest.raises(ConfigError, match="closed"):
                await task
            while transport._pool.opened:
                await asyncio.sleep(0)

        asyncio.run(work(), debug=True)
        gc.collect()
        assert server.requests == []


def test_time_limits_are_each_requests_own() -> None:
    with Rogue() as server:
        server.turns = [server.silence]

        async def work() -> None:
            transport = async_transport(server.url, timeouts=QUICK)
            stuck = asyncio.create_task(transport.send("GetItem", {}))
            while not server.requests:
                await asyncio.sleep(0.01)
            until = time.monotonic() + 0.3
            while time.monotonic() < until:
                assert await transport.send("GetItem", {}) == {}
                await asyncio.sleep(0.02)
            with pytest.raises(NetworkError, match="in time"):
                await stuck
            await transport.close()

        asyncio.run(work())


def test_uvloop_works_as_well() -> None:
    uvloop = pytest.importorskip("uvloop")
    with Echo() as server:

        async def work() -> None:
            transport = async_transport(server.url, max_connections=5)
            large = {"text": "x" * 1_000_000}
            requests = [{"n": n} for n in range(50)] + [large]
            assert await asyncio.gather(*(transport.send("GetItem", r) for r in requests)) == requests
            await transport.close()

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(work())


def test_requests_of_one_transport_are_json() -> None:
    with Echo() as server:
        transport = sync_transport(server.url)
        request = {"Item": {"text": {"S": "\u2028 ünï 😀"}, "n": {"N": "1"}}}
        assert transport.send("PutItem", json.loads(json.dumps(request))) == request
        transport.close()


def test_a_connection_that_comes_back_while_the_session_is_closed_is_closed_too() -> None:
    """One thread found the session open, another one closed it, and then the first gave its connection back."""
    with Rogue() as server:
        transport = sync_transport(server.url)

        class Late(list[Any]):
            def append(self, connection: Any) -> None:
                transport.close()
                super().append(connection)

        transport._idle = Late()
        assert transport.send("GetItem", {}) == {}
        assert transport._idle == []
