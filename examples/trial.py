"""Tries the patterns of an example: each is compared with a plain search through the same items.

The tests of the examples use it. A `Case` says what a pattern is asked and, in plain Python, what it must find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import BaseModel

from tablewright import Entity, Session, Table
from tablewright.model.pattern import Pattern

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def hours(count: float) -> datetime:
    """So many hours after a certain noon."""
    return NOON + timedelta(hours=count)


@dataclass(frozen=True)
class Case:
    """A pattern with arguments; which of the items it must find, in which order, with how many requests."""

    pattern: Pattern[..., Any]
    arguments: tuple[Any, ...]
    among: type[Entity] | tuple[type[Entity], ...]
    holds: Callable[[Any], bool]
    order: Callable[[Any], Any] | None = None
    newest_first: bool = False
    requests: int = 1

    def __str__(self) -> str:
        return f"{self.pattern.name}-{len(self.arguments)}"

    def expected(self, items: Iterable[Entity]) -> list[Entity]:
        """What a plain search finds; in the order of the items where none is said."""
        found = [item for item in items if isinstance(item, self.among) and self.holds(item)]
        return sorted(found, key=self.order, reverse=self.newest_first) if self.order is not None else found


@contextmanager
def filled(table: Table, items: Iterable[Entity], where: str = "memory:") -> Iterator[Session]:
    """The table with these items in it, each written a second after the one before."""
    moments = (NOON + timedelta(seconds=number) for number in range(1_000_000))
    name = f"trial-{uuid4().hex}"
    with table.open(where, create=True, clock=lambda: next(moments), table_name=name) as db:
        for item in items:
            db.create(item)
        yield db


def asked(db: Session, case: Case) -> tuple[list[Any], int]:
    """What the pattern finds, whatever form it has, and how many requests it takes."""
    with db.measure() as meter:
        answer = db.run(case.pattern, *case.arguments)
        found = list(_items(answer))
    return found, len(meter.requests)


def sent(db: Session, case: Case) -> list[tuple[str, str | None, float]]:
    """The requests that the pattern takes: operation, index, read units."""
    with db.measure() as meter:
        list(_items(db.run(case.pattern, *case.arguments)))
    return [(request.operation, request.index, request.capacity.read) for request in meter.requests]


def taken(db: Session, call: Callable[[], object]) -> str:
    """The requests that a call takes, each with its index and its units: "Query/GSI1 0.5, TransactWriteItems 6"."""
    with db.measure() as meter:
        call()
    return ", ".join(
        f"{r.operation}{'' if r.index is None else f'/{r.index}'} {r.capacity.read + r.capacity.write:g}"
        for r in meter.requests
    )


def methods_of(store: type) -> set[str]:
    """What an application can be asked to do."""
    return {name for name in dir(store) if not name.startswith("_") and callable(getattr(store, name))}


def _items(answer: Any) -> Iterator[Any]:
    if answer is None:
        return
    if isinstance(answer, BaseModel):
        yield answer
    elif is_dataclass(answer):
        for field in fields(answer):
            yield from _items(getattr(answer, field.name))
    else:
        yield from answer


def check(db: Session, case: Case, items: Iterable[Entity]) -> None:
    """Fails unless the pattern finds exactly what the plain search does; a case must have something to find."""
    expected = case.expected(items)
    found, requests = asked(db, case)
    assert expected, f"{case}: there is nothing to find"
    if found and not isinstance(found[0], Entity):  # a view
        expected = [type(found[0]).model_validate(item.model_dump()) for item in expected]
    if isinstance(case.among, tuple) and case.order is None:
        found, expected = sorted(found, key=repr), sorted(expected, key=repr)
    assert found == expected
    assert requests == case.requests


def check_readme(table: Table, path: Path) -> None:
    """Fails unless the README shows every key template, and every pattern with its request."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for entity in table.entities.values():
        row = next((line for line in lines if line.startswith(f"| {entity.__name__} |")), "")
        keys = entity.keys
        shown = [keys.pk, keys.sk, *(text for index in keys.indexes.values() for text in index.pk + index.sk)]
        assert [text for text in shown if f"`{text}`" not in row] == [], entity.__name__
    for name, pattern in table.patterns.items():
        request = table.explain(pattern)[0]
        call = f"| `{name}({', '.join(pattern.parameters.names)})` | {request.operation} {request.index or ''}".rstrip()
        assert any(call in line for line in lines), call
