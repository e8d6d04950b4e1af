"""Several requests of one thread in one transaction: what they write is committed at once."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tablewright.engine.storage.transaction import Transaction

T = TypeVar("T")


class NotSharedError(Exception):
    """One of several tasks cannot share the others' transaction: each gets its own."""


class Sharing:
    """Lends a transaction to all writes of the thread that asked for it. Only one is ever under way."""

    __slots__ = ("_lent", "_write")

    def __init__(self, write: Callable[[Callable[[Transaction], Any]], Any]) -> None:
        """`write` runs work in a transaction and commits it."""
        self._write = write
        self._lent: tuple[int, Transaction] | None = None

    def here(self) -> Transaction | None:
        """The transaction that this thread's writes share, if there is one."""
        lent = self._lent
        return lent[1] if lent is not None and lent[0] == threading.get_ident() else None

    def run(self, tasks: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Run tasks so that one commit covers all that they write; what a task raises stands in its place.

        Where one fails after its first write, or changes the catalogue, nobody shares: each runs again by itself.
        """
        if len(tasks) > 1:
            try:
                return self.run_shared(tasks, self._write)
            except NotSharedError:
                pass
            except Exception as error:
                return [error for _ in tasks]
        return [attempt(task) for task in tasks]

    def run_shared(
        self, tasks: Sequence[Callable[[], T]], write: Callable[[Callable[[Transaction], Any]], Any]
    ) -> list[T | Exception]:
        """The same with one commit in any case, by `write`; NotSharedError, and nothing is done, where that cannot be."""

        def work(transaction: Transaction) -> list[T | Exception]:
            self._lent = (threading.get_ident(), transaction)
            wrote = False
            try:
                outcomes: list[T | Exception] = []
                for task in tasks:
                    transaction.wrote = False
                    outcome = attempt(task)
                    if isinstance(outcome, Exception) and (
                        transaction.wrote or isinstance(outcome, (sqlite3.Error, NotSharedError))
                    ):
                        raise NotSharedError
                    outcomes.append(outcome)
                    wrote = wrote or transaction.wrote
            finally:
                self._lent = None
                # If any task wrote, a failure has to be rolled back.
                transaction.wrote = transaction.wrote or wrote
            return outcomes

        shared: list[T | Exception] = write(work)
        return shared


def attempt(task: Callable[[], T]) -> T | Exception:
    """What a task returns or raises."""
    try:
        return task()
    except Exception as error:
        return error
