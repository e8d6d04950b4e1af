"""Imports: rows are built into entities, looked up or written in groups, many groups at once, and reported in order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path

from msgspec import Struct, field

from tablewright.client.session import Session
from tablewright.compiler.wirecodec import format_datetime
from tablewright.errors import ArgumentError
from tablewright.evolve.transfer.building import Builder, Built
from tablewright.evolve.transfer.checkpoint import load_checkpoint, save_checkpoint
from tablewright.evolve.transfer.mapping import EntityMapping
from tablewright.evolve.transfer.placing import GROUP, Placed, Placing
from tablewright.evolve.transfer.progress import Progress
from tablewright.evolve.transfer.rows import Problem, Row, Source
from tablewright.evolve.transfer.unique_values import UniqueValues
from tablewright.model.entity import did_you_mean
from tablewright.table import Table

_SAVED_EVERY = 1.0
"""Seconds between two checkpoints."""


class ImportOptions(Struct, frozen=True, kw_only=True):
    """How an import is done."""

    write: bool = False
    """Whether anything is written; else it is only counted what would be."""
    replace: bool = False
    """Whether items that are there and differ are replaced; else they are left as they are."""
    workers: int = 8
    """How many requests are under way at once."""
    checkpoint: Path | None = None
    """The file that says how far it is, to go on after a kill."""


class Imported(Struct, kw_only=True):
    """What became of the rows. In a dry run: what would become of them."""

    source: str
    written: bool
    rows: int = 0
    new: int = 0
    same: int = 0
    """Entities that are there already, just so."""
    different: int = 0
    """Entities that are there already with other values, and were left as they are."""
    replaced: int = 0
    passed: int = 0
    """Rows that are items of other entities, or of the library's own."""
    bad: int = 0
    """Rows that were not taken."""
    unused: tuple[str, ...] = ()
    """Columns that no field comes from."""
    problems: list[Problem] = field(default_factory=list)
    """The first of what is wrong with rows."""

    @property
    def changed(self) -> int:
        """How many items were written."""
        return self.new + self.replaced

    @property
    def well(self) -> bool:
        """Whether every row is in the table now, or would be."""
        return not self.bad and not self.different


KEPT = 1_000
"""Problems that a report keeps."""


def import_rows(
    db: Session,
    table: Table,
    source: Source,
    entity: str | None = None,
    mapping: Mapping[str, EntityMapping] | None = None,
    options: ImportOptions | None = None,
    *,
    progress: Callable[[str], object] | None = None,
    problem: Callable[[Problem], object] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Imported:
    """Brings the rows of a source into the table as entities.

    A row that is wrong is told to `problem` and left out. In a dry run, which is what happens unless `options.write`, the
    table is only read. Two rows of one key are found wherever they stand: the first one counts.
    """
    options, mapping = options or ImportOptions(), mapping or {}
    builder = Builder(table, entity, mapping, format_datetime(datetime.now(UTC)), db.decode)
    report = Imported(source=source.name, written=options.write, unused=_unused(builder, source, entity, mapping))
    checkpoint = load_checkpoint(options.checkpoint, _identity(db, source, entity, mapping, options))
    telling = Progress(progress, clock, "row")
    saved = clock()
    unique = UniqueValues()

    def judged(rows: Iterator[Row | Problem]) -> Iterator[tuple[int, list[Built]]]:
        """Groups of entities to write, with the number of rows up to their end."""
        while some := list(islice(rows, GROUP)):
            group: list[Built] = []
            for row in some:
                report.rows += 1
                built = [row] if isinstance(row, Problem) else builder.build(row)
                if isinstance(built, Built):
                    group.append(built)
                elif isinstance(built, list):
                    _note(report, built, problem)
                else:
                    report.passed += 1
            yield report.rows, group if report.rows > checkpoint.done else []

    def finish(number: int, placed: list[Placed]) -> None:
        nonlocal saved
        for one in placed:
            refused = one.problem if one.claims is None else unique.judge(one.claims)
            if refused is not None:
                if options.write:
                    checkpoint.refused.append(refused)
                _note(report, [refused], problem)
            else:
                setattr(report, one.outcome, getattr(report, one.outcome) + 1)
        checkpoint.done = max(checkpoint.done, number)
        telling.step(number, source.fraction())
        if options.write and clock() - saved >= _SAVED_EVERY:
            saved = clock()
            checkpoint.counts = {name: getattr(report, name) for name in ("new", "same", "different", "replaced")}
            save_checkpoint(options.checkpoint, checkpoint)

    for name, count in checkpoint.counts.items():
        setattr(report, name, count)
    for refused in checkpoint.refused:
        _note(report, [refused], problem)
    placing = Placing(db, write=options.write, replace=options.replace)
    with ThreadPoolExecutor(options.workers, thread_name_prefix="tablewright-import") as threads:
        under_way: deque[tuple[int, Future[list[Placed]]]] = deque()
        for number, group in judged(source.rows()):
            under_way.append((number, threads.submit(copy_context().run, placing.place, group)))
            if len(under_way) >= 2 * options.workers:
                first, future = under_way.popleft()
                finish(first, future.result())
        for number, future in under_way:
            finish(number, future.result())
    if options.checkpoint is not None:
        options.checkpoint.unlink(missing_ok=True)
    if source.columns is None:  # each row has its own
        report.unused = builder.unused
    return report


def _note(report: Imported, found: list[Problem], problem: Callable[[Problem], object] | None) -> None:
    report.bad += 1
    for one in found:
        if len(report.problems) < KEPT:
            report.problems.append(one)
        if problem is not None:
            problem(one)


def _identity(
    db: Session, source: Source, entity: str | None, mapping: Mapping[str, EntityMapping], options: ImportOptions
) -> str:
    """What a checkpoint is bound to."""
    if options.checkpoint is None:
        return ""
    if source.identity is None:
        raise ArgumentError(
            f"{source.name} does not keep its rows in an order, so that no checkpoint can say where to go on.",
            hint="Leave it out. The same import again goes on too: what is there already is left as it is.",
        )
    said = sorted((name, one.text()) for name, one in mapping.items())
    told = f"{source.identity} {db.table_name} {entity} {options.replace} {options.write} {said}"
    return sha256(told.encode()).hexdigest()


def _unused(
    builder: Builder, source: Source, entity: str | None, mapping: Mapping[str, EntityMapping]
) -> tuple[str, ...]:
    """Columns that no field comes from; a column that a field should come from and that is not there is refused."""
    if source.columns is None or entity is None:
        return ()
    plan, _ = builder.plan(entity)
    said = mapping.get(entity, EntityMapping())
    for name, origin in said.origins.items():
        if origin.column is not None and origin.column not in source.columns:
            raise ArgumentError(
                f"{source.name} has no column {origin.column!r}, which {entity}.{name} should come from."
                f"{did_you_mean(origin.column, source.columns)}",
                field=name,
            )
    used = said.used(plan.fields)
    return () if used is None else tuple(name for name in source.columns if name not in used)
