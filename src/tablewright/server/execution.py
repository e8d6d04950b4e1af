"""Where calls are carried out: at once, or behind the event loop where they may have to wait for a disk."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol, TypeAlias

from tablewright.engine import Engine
from tablewright.server.calls import Call, Result, outcome, read_body

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
_READER_THREADS = 2  # they compute more than they wait, so that more would only slow down everybody else
_LARGEST_ITEM = 400 * 1024
_LARGEST_PAGE = 1024 * 1024
_LARGEST_DESCRIPTION = 64 * 1024  # but the items of a large table are counted for it now and then
_LARGEST_BATCH = 16 * _LARGEST_PAGE
_MANY_KEYS = 25
_KEY_ENDS = re.compile(rb"\}\s*\}").findall
"""Where the value of a key's last attribute ends, and the key with it."""
_STATES_A_WRITE = re.compile(rb'"Statement"\s*:\s*"(?:\s|\\[nrt])*(?:INSERT|UPDATE|DELETE)\b', re.IGNORECASE).search
_SHARE_OF_WRITING = 0.25
_LONGEST_WAIT = 0.0005
"""How long a group waits for those who wrote with it before: a share of the time that writing took, and no longer than this."""
_QUICK_COMMIT = 0.001
"""A disk that commits faster than this keeps nobody waiting, and a thread would take longer to be told than to commit."""

Answer: TypeAlias = tuple[Call, bytes | None]
_Asked: TypeAlias = tuple[str, Callable[[], dict[str, Any]], str]
_Execute: TypeAlias = Callable[[list[_Asked]], Sequence[Result] | None]


class Execution(Protocol):
    """Carries out calls; each gets its reply sent."""

    def start(self, call: Call) -> None:
        """Carry out a call, now or later."""
        ...

    def start_aside(self, call: Call, work: Callable[[], Result]) -> None:
        """Have work done that may take long, and send what comes of it as the reply to a call."""
        ...

    def hurry(self) -> None:
        """Send replies that are slow on purpose now, and from now on at once."""
        ...

    def close(self, *, give_up: bool) -> None:
        """Wait for what was asked for, or, where nobody waits for it any more, only for what is under way."""
        ...


def make_execution(engine: Engine, loop: asyncio.AbstractEventLoop, max_group: int) -> Execution:
    """What suits the engine."""
    return AtOnce(engine, loop) if engine.in_memory else BehindTheLoop(engine, loop, max_group)


class AtOnce:
    """For tables in memory: little waits, and a thread would only cost time.

    Writes that arrive in one turn of the loop are carried out at its end, with one commit for all. Reads that may look
    at much more than they find have a few threads of their own, so that the others go on meanwhile.
    """

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        self._engine = engine
        self._loop = loop
        self._turn: list[Call] = []
        self._others: ThreadPoolExecutor | None = None
        self._readers: ThreadPoolExecutor | None = None
        self._slow: dict[int, tuple[asyncio.TimerHandle, Answer]] = {}
        self._hurries = False

    def start(self, call: Call) -> None:
        """Carry out a call now, with the others of this turn, or aside where it may take long."""
        if self._engine.is_at_fault:
            self.start_aside(call, lambda: _carry_out(self._engine, call))
            return
        weighs = _HEAVY.get(call.operation)
        if weighs is not None and (size := weighs(call.body)):
            self._start_reading(call, size)
        elif call.operation in _WRITES:
            if not self._turn:
                self._loop.call_soon(self._end_turn)
            self._turn.append(call)
        else:
            call.connection.send(outcome(call, _carry_out(self._engine, call)), close=call.closes)

    def start_aside(self, call: Call, work: Callable[[], Result]) -> None:
        """Have work done that may take long, and send what comes of it as the reply to a call."""
        if self._others is None:
            self._others = ThreadPoolExecutor(_OTHER_THREADS, thread_name_prefix="tablewright-other")
        self._others.submit(self._do_aside, call, work)

    def hurry(self) -> None:
        """Send replies that are slow on purpose now, and from now on at once."""
        self._hurries = True
        slow, self._slow = self._slow, {}
        for timer, answer in slow.values():
            timer.cancel()
            _send([answer])

    def close(self, *, give_up: bool) -> None:
        """Wait for what was asked for, or, where nobody waits for it any more, only for what is under way."""
        self.hurry()
        self._end_turn()
        for pool in (self._readers, self._others):
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=give_up)

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, []
        _send(_write(self._engine, turn))

    def _start_reading(self, call: Call, size: int) -> None:
        if self._readers is None:
            self._readers = ThreadPoolExecutor(_READER_THREADS, thread_name_prefix="tablewright-reader")
        call.connection.expect(size)
        self._readers.submit(self._read, call)

    def _read(self, call: Call) -> None:
        self._answer([(call, outcome(call, _carry_out(self._engine, call)))])

    def _do_aside(self, call: Call, work: Callable[[], Result]) -> None:
        with self._engine.faults.deferring() as delay:
            try:
                result = work()
            except Exception as error:
                result = error
        answer = call, outcome(call, result)
        if delay.seconds:
            self._loop.call_soon_threadsafe(self._answer_later, answer, delay.seconds)
        else:
            self._answer([answer])

    def _answer(self, answers: list[Answer]) -> None:
        self._loop.call_soon_threadsafe(_send, answers)

    def _answer_later(self, answer: Answer, seconds: float) -> None:
        """A slow reply holds up its own connection, and no thread."""
        if self._hurries:
            _send([answer])
            return
        number = id(answer)
        self._slow[number] = self._loop.call_later(seconds, self._end_delay, number), answer

    def _end_delay(self, number: int) -> None:
        _send([self._slow.pop(number)[1]])


class BehindTheLoop(AtOnce):
    """For tables in a file. Most reads are answered at once: they find their pages in memory, and wait for no writer.

    Writes go to one thread. Those that arrive while it waits for the disk are carried out together next, with one
    commit for all, so that many connections share the price of durability. As long as the disk is quick and nobody
    else writes, they are carried out here instead, those of one turn of the loop together. Work on whole tables, which
    may take long, has threads of its own.
    """

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop, max_group: int) -> None:
        super().__init__(engine, loop)
        self._max_group = max_group
        self._queue: SimpleQueue[Call | None] = SimpleQueue()
        self._usual = 1  # how many write together
        self._patience = 0.0
        self._until = 0.0  # when a turn that waits for others has waited long enough; 0 if none does
        self._under_way = 0  # writes that the thread has, or will have
        self._writer = Thread(target=self._write, name="tablewright-writer", daemon=True)
        self._writer.start()

    def start(self, call: Call) -> None:
        """Carry out a call, now or later."""
        if call.operation in _WRITES or call.operation in _READS:
            super().start(call)
        else:
            self.start_aside(call, lambda: _carry_out(self._engine, call))

    def close(self, *, give_up: bool) -> None:
        """Wait for what was asked for, or, where nobody waits for it any more, only for what is under way."""
        self._hand_over()
        while give_up and not self._queue.empty():
            with suppress(Empty):  # the writer may have been faster
                self._queue.get_nowait()
        self._queue.put(None)
        self._writer.join()
        super().close(give_up=give_up)

    def _end_turn(self) -> None:
        if not self._turn:
            return
        if self._under_way or self._engine.commit_seconds > _QUICK_COMMIT:
            self._hand_over()
            return
        began = time.perf_counter()
        if len(self._turn) < self._usual:
            # Who was answered with the last group is about to write again, as in _next_group().
            self._until = self._until or began + self._patience
            if began < self._until:
                self._loop.call_soon(self._end_turn)
                return
        self._until = 0.0
        turn, self._turn = self._turn[: self._max_group], self._turn[self._max_group :]
        answers = _written(self._engine.execute_at_once, turn)
        if answers is None:  # somebody else is writing
            self._turn = [*turn, *self._turn]
            self._hand_over()
            return
        self._note_group(len(turn), time.perf_counter() - began)
        if self._turn:
            self._loop.call_soon(self._end_turn)
        _send(answers)

    def _hand_over(self) -> None:
        """Leave the writes of this turn to the thread."""
        turn, self._turn, self._until = self._turn, [], 0.0
        self._under_way += len(turn)
        for call in turn:
            self._queue.put(call)

    def _take_back(self, answers: list[Answer]) -> None:
        self._under_way -= len(answers)
        _send(answers)

    def _write(self) -> None:
        """The writing thread: everything that is there goes into one group."""
        last = False
        while not last:
            group, last = self._next_group()
            if group:
                began = time.perf_counter()
                answers = _write(self._engine, group)
                self._note_group(len(group), time.perf_counter() - began)
                self._loop.call_soon_threadsafe(self._take_back, answers)

    def _next_group(self) -> tuple[list[Call], bool]:
        """What waits to be written, at least one, and whether it is the last.

        Who was answered with the last group writes again at once, as a rule, but a little later than those who were
        not in it. So a smaller group than the last ones waits for a moment: one commit for all is worth more.
        """
        call = self._queue.get()
        group: list[Call] = []
        until = 0.0
        while call is not None:
            group.append(call)
            if len(group) >= self._max_group:
                break
            try:
                call = self._queue.get_nowait()
            except Empty:
                if len(group) >= self._usual:
                    break
                until = until or time.perf_counter() + self._patience
                try:
                    call = self._queue.get(timeout=max(0.0, until - time.perf_counter()))
                except Empty:
                    break
        return group, call is None

    def _note_group(self, size: int, seconds: float) -> None:
        self._usual = max(size, self._usual * 9 // 10)
        self._patience = min(seconds * _SHARE_OF_WRITING, _LONGEST_WAIT)


def _write(engine: Engine, group: list[Call]) -> list[Answer]:
    answers = _written(engine.execute_together, group)
    assert answers is not None
    return answers


def _written(execute: _Execute, group: list[Call]) -> list[Answer] | None:
    """The replies to writes that are carried out together; None where they are not."""
    results = execute([(one.operation, partial(read_body, one.body), one.region) for one in group])
    if results is None:
        return None
    return [(one, outcome(one, result)) for one, result in zip(group, results, strict=True)]


def _send(answers: list[Answer]) -> None:
    for call, data in answers:
        call.connection.send(data, close=call.closes)
        call.connection.resume()


def _carry_out(engine: Engine, call: Call) -> Result:
    try:
        return engine.answer(call.operation, read_body(call.body), region=call.region)
    except Exception as error:
        return error


# How large the reply to a read may become that may take long; 0 for one that does not. They look at a body as it is, since
# it is read where it is carried out: who hides what he asks behind escapes is only answered elsewhere.


def _weigh_query(body: bytes) -> int:
    return _LARGEST_PAGE if b"FilterExpression" in body or b"QueryFilter" in body else 0


def _weigh_description(body: bytes) -> int:
    return _LARGEST_DESCRIPTION


def _weigh_scan(body: bytes) -> int:
    return _LARGEST_PAGE


def _weigh_statement(body: bytes) -> int:
    return _LARGEST_PAGE if _STATES_A_WRITE(body) is None else 0


def _weigh_batch(body: bytes) -> int:
    keys = len(_KEY_ENDS(body))
    return min(keys * _LARGEST_ITEM, _LARGEST_BATCH) if keys >= _MANY_KEYS else 0


_HEAVY: Mapping[str, Callable[[bytes], int]] = {
    "BatchGetItem": _weigh_batch,
    "DescribeTable": _weigh_description,
    "ExecuteStatement": _weigh_statement,
    "Query": _weigh_query,
    "Scan": _weigh_scan,
}
