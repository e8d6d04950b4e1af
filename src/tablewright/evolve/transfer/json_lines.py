"""JSON lines: an object a line, each with fields by name, and with the name of its entity where there are several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tablewright.evolve.transfer.files import InputFile, written_text
from tablewright.evolve.transfer.forms import Form, dumps, loads, natural
from tablewright.evolve.transfer.rows import Problem, Row

ENTITY = "$entity"
"""The member that names the entity of a line."""


class JsonLinesSource:
    """Rows of a file with an object a line."""

    columns = None

    def __init__(self, path: Path) -> None:
        self._file = InputFile(path)
        self.name = str(path)
        self.identity = f"jsonl {self._file.identity}"
        self._file.check()  # what cannot be read is refused before anything is written

    def rows(self) -> Iterator[Row | Problem]:
        """All lines but empty ones."""
        with self._file.opened() as opened:
            for number, line in enumerate(opened, 1):
                if line.strip():
                    yield _row(f"line {number}", line)

    def fraction(self) -> float | None:
        """How much of the file was read."""
        return self._file.fraction()


def _row(place: str, line: bytes) -> Row | Problem:
    twice = _Twice()
    read = parsed(line, twice)
    if read is None:
        return Problem(place, "it is no JSON object", "Write one object a line: {...}")
    if twice.anywhere:
        return Problem(place, "a name stands twice in one object", "Leave one of the two out.", twice.outermost)
    entity = read.pop(ENTITY, None)
    return Row(place, read, entity if isinstance(entity, str) else None)


class _Twice:
    """Makes objects of their members, and notices names that stand twice; JSON readers would take the last of them."""

    def __init__(self) -> None:
        self.anywhere = False
        self.outermost: str | None = None
        """Which of the object that was made last; names within it may be values."""

    def __call__(self, members: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(members)
        self.outermost = None
        if len(made) < len(members):
            names = [name for name, _ in members]
            self.anywhere, self.outermost = True, next(name for name in names if names.count(name) > 1)
        return made


def parsed(line: bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> dict[str, Any] | None:
    """The object of a line; None where there is none."""
    try:
        read = loads(line.decode("utf-8-sig"), pairs)  # of bytes, a reader of JSON would guess what else they may be
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def write_json_lines(
    path: Path, final: Path, forms: Mapping[type, Mapping[str, Form]], rows: Iterable[BaseModel], *, named: bool
) -> int:
    """Writes entities, or views of them; how many. `named` puts the name of its entity into each line."""
    count = 0
    with written_text(path, final) as text:
        for row in rows:
            known = forms.get(type(row))
            values: dict[str, Any] = {ENTITY: type(row).__name__} if named else {}
            if known is None:
                values |= natural(row)
            else:
                values |= {name: form.write(getattr(row, name)) for name, form in known.items()}
            text.write(dumps(values) + "\n")
            count += 1
    return count
