"""Where calls are carried out: at once, or behind the event loop where they may have to wait for a disk."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Protocol, TypeAlias

from tablewright.engine import Engine
from tablewright.server.calls import Call, Result, outcome

_READS = frozenset(
    {
        "BatchGetItem",
        "DescribeEndpoints",
        "DescribeLimits",
        "DescribeStream",
        "DescribeTable",
        "DescribeTimeToLive",
        "GetItem",
        "GetRecords",
        "GetShardIterator",
        "ListStreams",
        "ListTables",
        "ListTagsOfResource",
        "Query",
        "Scan",
        "TransactGetItems",
    }
)
_WRITES = frozenset(
    {
        "BatchExecuteStatement",
        "BatchWriteItem",
        "DeleteItem",
        "ExecuteStatement",
        "ExecuteTransaction",
        "PutItem",
        "TransactWriteItems",
        "UpdateItem",
    }
)
_OTHER_THREADS = 64

Answer: TypeAlias = tuple[Call, bytes | None]


class Execution(Protocol):
    """Carries out calls; each gets its reply sent."""

    def start(self, call: Call) -> None:
        """Carry out a call, now or later."""
        ...

    def close(self, *, give_up: bool) -> None:
        """Wait for what was asked for, or, where nobody waits for it any more, only for what is under way."""
        ...


def make_execution(engine: Engine, loop: asyncio.AbstractEventLoop, max_group: int) -> Execution:
    """What suits the engine."""
    return AtOnce(engine, loop) if engine.in_memory else BehindTheLoop(engine, loop, max_group)


class AtOnce:
    """For tables in memory: nothing waits, and a thread would only cost time.

    Writes that arrive in one turn of the loop are carried out at its end, with one commit for all.
    """

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        self._engine = engine
        self._loop = loop
        self._turn: list[Call] = []
        self._others: ThreadPoolExecutor | None = None

    def start(self, call: Call) -> None:
        """Carry out a call now, or with the others of this turn, unless a fault may make it wait."""
        if self._engine.is_at_fault:
            self._start_aside(call)
        elif call.operation in _WRITES and not _is_select(call):
            if not self._turn:
                self._loop.call_soon(self._end_turn)
            self._turn.append(call)
        else:
            call.connection.send(outcome(call, _carry_out(self._engine, call)), close=call.closes)

    def close(self, *, give_up: bool) -> None:
        """Wait for what was asked for, or, where nobody waits for it any more, only for what is under way."""
        self._end_turn()
        if self._others is not None:
            self._others.shutdown(wait=True, cancel_futures=give_up)

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, []
        _send(_write(self._engine, turn))

    def _start_aside(self, call: Call) -> None:
        if self._others is None:
            self._others = ThreadPoolExecutor(_OTHER_THREADS, thread_name_prefix="tablewright-other")
        self._others.submit(self._carry_out_aside, call)

    def _carry_out_aside(self, call: Call) -> None:
        self._answer([(call, outcome(call, _carry_out(self._engine, call)))])

    def _answer(self, answers: list[Answer]) -> None:
        self._loop.call_soon_threadsafe(_send, answers)


class BehindTheLoop(AtOnce):
    """For tables in a file. Reads are answered at once: they find their pages in memory, and wait for no writer.

    Writes go to one thread. Those that arrive while it waits for the disk are carried out together next, with one
    commit for all, so that many connections share the price of durability. Work on whole tables, which may take
    long, has threads of its own.
    """

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop, max_group: int) -> None:
        super().__init__(engine, loop)
        self._max_group = max_group
        self._queue: SimpleQueue[Call | None] = SimpleQueue()
        self._writer = Thread(target=self._write, name="tablewright-writer", daemon=True)
        self._writer.start()

    def start(self, call: Call) -> None:
        """Carry out a call, now or later."""
        if call.operation in _WRITES or call.operation in _READS:
            super().start(call)
        else:
            self._start_aside(call)

    def close(self, *, give_up: bool) -> None:
        """Wait for what was asked for, or, where nobody waits for it any more, only for what is under way."""
        self._end_turn()
        while give_up and not self._queue.empty():
            with suppress(Empty):  # the writer may have been faster
                self._queue.get_nowait()
        self._queue.put(None)
        self._writer.join()
        super().close(give_up=give_up)

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, []
        for call in turn:
            self._queue.put(call)

    def _write(self) -> None:
        """The writing thread: everything that is there goes into one group."""
        last = False
        while not last:
            group, last = self._next_group()
            if group:
                self._answer(_write(self._engine, group))

    def _next_group(self) -> tuple[list[Call], bool]:
        """What waits to be written, at least one, and whether it is the last."""
        call = self._queue.get()
        group: list[Call] = []
        while call is not None:
            group.append(call)
            if len(group) >= self._max_group:
                return group, False
            try:
                call = self._queue.get_nowait()
            except Empty:
                return group, False
        return group, True


def _write(engine: Engine, group: list[Call]) -> list[Answer]:
    results = engine.execute_together([(one.operation, one.request, one.region) for one in group])
    return [(one, outcome(one, result)) for one, result in zip(group, results, strict=True)]


def _send(answers: list[Answer]) -> None:
    for call, data in answers:
        call.connection.send(data, close=call.closes)
        call.connection.resume()


def _carry_out(engine: Engine, call: Call) -> Result:
    try:
        return engine.answer(call.operation, call.request, region=call.region)
    except Exception as error:
        return error


def _is_select(call: Call) -> bool:
    if call.operation != "ExecuteStatement":
        return False
    statement = call.request.get("Statement")
    return isinstance(statement, str) and statement.lstrip()[:6].upper() == "SELECT"
