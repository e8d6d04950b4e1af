"""Parquet, by pyarrow: columns with types of their own where Parquet has them, and texts as in CSV for everything else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from tablewright.errors import ArgumentError, not_installed
from tablewright.evolve.transfer.cells import write_cell
from tablewright.evolve.transfer.files import InputFile
from tablewright.evolve.transfer.forms import Form
from tablewright.evolve.transfer.rows import Problem, Row
from tablewright.model.entity import Entity

_GROUP = 5_000
"""Rows that are in memory at once, and in a row group of the file."""
_AS_TEXT = b"tablewright.as_text"
"""What the metadata of a column has where its texts are to be read as cells of CSV."""


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise not_installed("Parquet needs pyarrow, which is not installed.", "parquet") from None
    return pyarrow


class ParquetSource:
    """Rows of a Parquet file."""

    def __init__(self, path: Path) -> None:
        self._path, self._arrow = path, _pyarrow()
        self.name = str(path)
        self.identity = f"parquet {InputFile(path).identity}"
        self._read = 0
        with self._opened() as opened:
            schema = opened.schema_arrow
            self._rows = opened.metadata.num_rows
        self.columns: tuple[str, ...] = tuple(schema.names)
        twice = sorted({name for name in self.columns if self.columns.count(name) > 1})
        if twice:
            raise ArgumentError(f"{path} has two columns of one name: {twice[0]!r}.", hint="Rename one of them.")
        self._texts = frozenset(one.name for one in schema if _AS_TEXT in (one.metadata or {}))
        for _ in self.rows():
            pass  # what cannot be read is refused before anything is written

    def _opened(self) -> Any:
        try:
            return self._arrow.parquet.ParquetFile(self._path)
        except (self._arrow.ArrowException, OSError):
            raise ArgumentError(f"{self._path} is no Parquet file.", hint="Say what it is with --format.") from None

    def rows(self) -> Iterator[Row | Problem]:
        """All rows, a part of the file at a time."""
        self._read = 0
        with self._opened() as opened:
            for part in self._parts(opened):
                for values in part:
                    self._read += 1
                    yield Row(f"row {self._read}", values, texts=self._texts)

    def _parts(self, opened: Any) -> Iterator[list[dict[str, Any]]]:
        try:
            maps = {one.name: read for one in opened.schema_arrow if (read := _maps(self._arrow, one.type)) is not None}
            for part in opened.iter_batches(_GROUP):
                rows = part.to_pylist()
                for row in rows if maps else ():
                    row.update({name: read(row[name]) for name, read in maps.items()})
                yield rows
        except (self._arrow.ArrowException, OSError, ValueError) as error:
            raise ArgumentError(
                f"{self._path}, after row {self._read}, cannot be read: {type(error).__name__}.",
                hint="It is damaged, or has times that are finer than microseconds: write those as texts.",
            ) from None

    def fraction(self) -> float | None:
        """How much of the file was read."""
        return self._read / self._rows if self._rows else None


def _maps(arrow: Any, kind: Any) -> Callable[[Any], Any] | None:
    """What makes dicts of the maps in values of a type, which come as lists of pairs; None where there are no maps. One in which a key
    stands twice, or whose keys are lists or structs, stays a list, which no field takes for a dict."""
    types = arrow.types
    if types.is_map(kind):
        if types.is_nested(kind.key_type):
            return None
        inside = _maps(arrow, kind.item_type) or _as_it_is
        return lambda pairs: pairs if pairs is None or _twice(pairs) else {key: inside(value) for key, value in pairs}
    if types.is_struct(kind):
        members = {one.name: read for one in kind if (read := _maps(arrow, one.type)) is not None}
        return (
            (lambda held: held and held | {name: read(held[name]) for name, read in members.items()})
            if members
            else None
        )
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        each = _maps(arrow, kind.value_type)
        return None if each is None else lambda held: held and [each(value) for value in held]
    return None


def _as_it_is(value: Any) -> Any:
    return value


def _twice(pairs: list[tuple[Any, Any]]) -> bool:
    return len({key for key, _ in pairs}) < len(pairs)


class _Column(Struct, frozen=True, eq=False):
    """One column: its type, whether it holds texts as in CSV, and what goes into it."""

    type: Any
    text: bool
    value: Callable[[Any], Any]


def _column(arrow: Any, form: Form, *, as_text: bool) -> _Column:
    leaf = form.leaf
    types = {
        str: arrow.string(),
        int: arrow.int64(),
        bool: arrow.bool_(),
        float: arrow.float64(),
        bytes: arrow.binary(),
        date: arrow.date32(),
        datetime: arrow.timestamp("us", "UTC"),
    }
    if as_text or leaf is None or leaf.kind not in types:
        return _Column(arrow.string(), True, lambda value: write_cell(form, value))
    kind, own = types[leaf.kind], leaf.kind in (bytes, date, datetime)
    if form.many:
        return _Column(arrow.list_(kind), False, list if own else form.write)
    return _Column(kind, False, (lambda value: value) if own else form.write)


def write_parquet(path: Path, forms: dict[str, Form], entities: Iterable[Entity], as_text: Collection[str] = ()) -> int:
    """Writes entities of one kind; how many. `as_text` names fields that are written as texts."""
    arrow, count = _pyarrow(), 0
    columns = {name: _column(arrow, form, as_text=name in as_text) for name, form in forms.items()}
    schema = arrow.schema(
        [arrow.field(name, c.type, metadata={_AS_TEXT: b"1"} if c.text else None) for name, c in columns.items()]
    )
    rows = iter(entities)
    with arrow.parquet.ParquetWriter(path, schema) as writer:
        while part := list(islice(rows, _GROUP)):
            arrays = [_array(arrow, name, column, part) for name, column in columns.items()]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
            count += len(part)
    return count


def _array(arrow: Any, name: str, column: _Column, part: list[Entity]) -> Any:
    values = [getattr(entity, name) for entity in part]
    try:
        return arrow.array([None if value is None else column.value(value) for value in values], type=column.type)
    except (arrow.ArrowException, OverflowError, ValueError):
        raise ArgumentError(
            f"A value of {name} does not fit into a column of {column.type}; nothing was written.",
            field=name,
            hint=f"Write it as text: --as-text {name}.",
        ) from None
