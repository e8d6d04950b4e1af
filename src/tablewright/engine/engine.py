"""The engine's face: requests in, responses or DynamoDB's errors out."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

from tablewright.engine.backfill import Filler, backfill, is_filling
from tablewright.engine.clock import Clock, SystemClock
from tablewright.engine.context import LOCAL, Context
from tablewright.engine.operations import LOADED, OPERATIONS, UNSUPPORTED
from tablewright.engine.storage import Database, StaleSchemaError, Synchronous, open_database
from tablewright.engine.ttl import Sweeper, has_expiries, sweep
from tablewright.engine.validation.shapes import check_shape
from tablewright.engine.validation.wording import Malformed, refusal
from tablewright.errors import (
    ConditionalCheckFailed,
    ConfigError,
    RequestRefused,
    ServiceError,
    StorageError,
    ValidationError,
)
from tablewright.later import later
from tablewright.values import dumps
from tablewright.wording import nearest

if TYPE_CHECKING:
    from tablewright.engine.faults import Faults
    from tablewright.engine.storage import verify
    from tablewright.engine.storage.verify import Problem
    from tablewright.engine.transfer import Exported, Imported
else:
    later(globals(), "tablewright.engine.storage", "verify")

_Asked: TypeAlias = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
AskedTogether: TypeAlias = tuple[str, _Asked, str]
"""An operation, its request or what gives it, and a region."""

_ATTEMPTS = 10
_REGIONS = 64
_ELSEWHERE = r"aws(:.*)?|[A-Za-z][A-Za-z0-9+.-]+:/.*"
"""Names of AWS and URLs, which may have lost a slash as paths; the letter of a drive is neither."""
_making_faults = threading.Lock()


class Engine:
    """An embedded DynamoDB. Safe to use from many threads; a file may be open in several processes at once.

    Requests and responses are dicts in the shape of DynamoDB's JSON API, with binary values as base64 text. The
    engine keeps nothing of a request and gives away nothing of its own.
    """

    __slots__ = ("_at_fault", "_context", "_database", "_elsewhere", "_faults", "_spliced")

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        sweep_every: float | None = None,
        buckets: Path | None = None,
        backfills: bool = True,
    ) -> None:
        self._database = database
        sweeper = None if sweep_every is None else Sweeper(database, clock, sweep_every)
        if sweeper is not None and has_expiries(database):
            sweeper.start()
        filler = Filler(database) if backfills else None
        if filler is not None and any(map(is_filling, database.catalogue.tables.values())):
            filler.start()
        self._context = Context(database, clock, sweeper=sweeper, buckets=buckets, filler=filler)
        self._elsewhere: dict[str, Context] = {}
        self._spliced: dict[str, Context] = {}
        self._faults: Faults | None = None
        self._at_fault: Faults | None = None

    def execute(
        self, operation: str, request: Mapping[str, Any], *, region: str = LOCAL, faultless: bool = False
    ) -> dict[str, Any]:
        """Answer one request; raises ServiceError for what DynamoDB would refuse, StorageError for the file.

        The region shows in the ARNs of the answer and nowhere else: all regions share the same tables. `faultless`
        passes by faults on demand.
        """
        if self._at_fault is not None and not faultless:
            return self._at_fault.around(self._without_faults, operation, request, region)
        return self._carry_out(self._context if region == LOCAL else self._in(region), operation, request)

    def answer(self, operation: str, request: Mapping[str, Any], *, region: str = LOCAL) -> bytes:
        """As `execute`, with the answer in JSON: items that nobody has to look into go from storage into it as they are."""
        if self._at_fault is not None:
            return dumps(self.execute(operation, request, region=region))
        context = self._spliced.get(region)
        if context is None:
            context = self._context.elsewhere(region, splices=True)
            if len(self._spliced) < _REGIONS:
                self._spliced[region] = context
        return dumps(self._carry_out(context, operation, request))

    def _carry_out(self, context: Context, operation: str, request: _Asked) -> dict[str, Any]:
        if callable(request):
            request = request()
        try:
            action, shape = LOADED[operation]
        except KeyError:
            meant = None if operation in UNSUPPORTED else nearest(str(operation), OPERATIONS, cutoff=0.75)
            raise RequestRefused(
                f"The operation {operation} is not {'supported by the engine' if operation in UNSUPPORTED else 'known'}.",
                wire_name="UnknownOperationException",
                operation=operation,
                hint=f"{'' if meant is None else f'Did you mean {meant}? '}The engine answers {', '.join(sorted(OPERATIONS))}.",
            ) from None
        try:
            check_shape(shape, request)
            catalogue = self._database.catalogue
            for _ in range(_ATTEMPTS):
                seen = catalogue.version
                try:
                    return action(context, request)
                except StaleSchemaError:
                    # Tables changed under the request; look again and start over.
                    self._database.refresh()
                except ConditionalCheckFailed:
                    raise  # which the stored item decided
                except (ServiceError, ValidationError):
                    # The table may be another one by now: another process may have made it anew.
                    self._database.refresh()
                    if catalogue.version == seen:
                        raise
        except UnicodeEncodeError as error:
            raise RequestRefused(
                "The request holds a lone surrogate, which is no valid text.",
                wire_name="SerializationException",
                operation=operation,
            ) from error
        except RecursionError as error:
            raise RequestRefused(
                "The request is nested too deeply.", wire_name="SerializationException", operation=operation
            ) from error
        except (ValidationError, Malformed) as error:
            raise refusal(operation, error, request) from error
        raise StorageError("The tables kept changing while the request was being answered.", operation=operation)

    def _without_faults(self, operation: str, request: Mapping[str, Any], region: str) -> dict[str, Any]:
        return self.execute(operation, request, region=region, faultless=True)

    def execute_together(self, calls: Sequence[AskedTogether]) -> list[dict[str, Any] | Exception]:
        """Answer several requests (operation, request, region) whose writes share one commit.

        They are as independent as requests from different threads: one that fails takes nobody along. An error stands
        where its answer would. In place of a request there may be a function that gives it when its turn comes.
        """
        if self._at_fault is not None:
            # A fault behind a write must not undo it for the sake of the others.
            return [self._attempt(*call) for call in calls]
        return self._database.together(self._tasks(calls))

    def execute_at_once(self, calls: Sequence[AskedTogether]) -> list[dict[str, Any] | Exception] | None:
        """The same for one who must not wait for other threads or processes; None, and nothing is done, where that would
        be necessary."""
        if self._at_fault is not None:
            return None
        return self._database.together_at_once(self._tasks(calls))

    def _tasks(self, calls: Sequence[AskedTogether]) -> list[Callable[[], dict[str, Any]]]:
        return [
            partial(self._carry_out, self._context if region == LOCAL else self._in(region), operation, request)
            for operation, request, region in calls
        ]

    @property
    def commit_seconds(self) -> float:
        """How long a commit took lately; infinite as long as nobody knows."""
        return self._database.commit_seconds

    def _attempt(self, operation: str, request: _Asked, region: str) -> dict[str, Any] | Exception:
        try:
            return self.execute(operation, request() if callable(request) else request, region=region)
        except Exception as error:
            return error

    def _in(self, region: str) -> Context:
        context = self._elsewhere.get(region)
        if context is None:
            context = self._context.elsewhere(region, splices=False)
            if len(self._elsewhere) < _REGIONS:
                self._elsewhere[region] = context
        return context

    @property
    def in_memory(self) -> bool:
        """Whether the tables live in memory, so that no request ever waits for a disk."""
        return self._database.in_memory

    @property
    def clock(self) -> Clock:
        """What tells this engine the time."""
        return self._context.clock

    @property
    def faults(self) -> Faults:
        """Faults on demand: `with engine.faults.inject(Throttle(table="Shop", every=3))`."""
        if self._faults is None:
            from tablewright.engine.faults import Faults

            with _making_faults:  # two threads must not inject into two of them
                if self._faults is None:
                    self._faults = Faults(self._database, self._context.clock, self._switch)
        return self._faults

    @property
    def is_at_fault(self) -> bool:
        """Whether faults are at work, so that an answer may be slow or lost."""
        return self._at_fault is not None

    def _switch(self, faults: Faults | None) -> None:
        self._at_fault = faults

    def sweep(self, limit: int | None = None) -> int:
        """Delete items whose time to live is over, `limit` at most, and say how many there were.

        An engine does this by itself every so often; tests do it when it suits them.
        """
        return sweep(self._database, self._context.clock, limit)

    def backfill(self, limit: int | None = None) -> int:
        """Fill indexes that are being created, and find out when items expire where that was switched on for a table with
        items, looking at `limit` items at most; says how many there were.

        An engine does this by itself, unless it was opened with `backfills=False`.
        """
        return backfill(self._database, limit)

    def reset(self) -> None:
        """Forget everything: tables, protected ones too, streams, backups, idempotency tokens. For test suites."""
        self._database.alter(lambda transaction: transaction.remove_everything())

    def export_table(self, name: str, folder: str | os.PathLike[str]) -> Exported:
        """Write what a table holds below a folder, in the layout of DynamoDB's own exports.

        All items are of one moment; writes go on meanwhile, unless the tables live in memory.
        """
        from tablewright.engine.transfer.folders import export_to

        return export_to(self._context, name, Path(folder))

    def import_table(
        self,
        folder: str | os.PathLike[str],
        name: str | None = None,
        definition: Mapping[str, Any] | None = None,
    ) -> Imported:
        """Make a table from an export, or from files of items in DynamoDB JSON or CSV, packed with gzip or not.

        What `export_table` wrote says itself what the table is like; for other files `definition` does, as a
        CreateTable request. `name` gives the table another name.
        """
        from tablewright.engine.transfer.folders import import_from

        return import_from(self._context, Path(folder), name, definition)

    def verify(self) -> list[Problem]:
        """Check everything that is stored: checksums, keys, sizes and indexes. An empty list means all is well."""
        with self._database.snapshot() as connection:
            return verify.verify(connection, self._database.catalogue)

    def close(self) -> None:
        """Wait for writes under way, then let go of the file. Closing twice is allowed."""
        for background in (self._context.sweeper, self._context.filler):
            if background is not None:
                background.stop()
        self._database.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_engine(
    target: str | os.PathLike[str],
    *,
    synchronous: Synchronous = "FULL",
    clock: Clock | None = None,
    sweep_every: float | None = 60.0,
    buckets: str | os.PathLike[str] | None = None,
    backfills: bool = True,
) -> Engine:
    """Open "memory:" or a file, which is created if it is not there.

    With `synchronous="FULL"` an acknowledged write survives a power cut; "NORMAL" is faster and may lose the last
    ones, but never damages the file. Items whose time to live is over are deleted every `sweep_every` seconds by a
    thread, which runs only if a table has such items; None leaves that to `sweep()`. The folder `buckets` stands for S3:
    exports and imports by request find their buckets in it. A new index of a large table in a file is filled by a thread
    while it has the status CREATING, and time to live is ENABLING until a thread has looked at all items; with
    `backfills=False` both wait for `backfill()` wherever a table has items. Text that was meant for another place, such as
    "memory", "aws:eu-west-1" or a URL, is refused; a file of such a name can be given as "./memory" or as a Path.
    """
    if synchronous not in ("FULL", "NORMAL"):
        raise ConfigError(f"synchronous is {synchronous!r}; it can be 'FULL' or 'NORMAL'.")
    path = os.fspath(target)
    if not path or path == ":memory:":
        raise ConfigError(f"The engine cannot open {path!r}.", hint="Give it a file path, or 'memory:'.")
    if isinstance(target, str):
        _refuse_mistaken_file(target)
    if sweep_every is not None and not sweep_every > 0:
        raise ConfigError(f"sweep_every is {sweep_every!r}; it can be a number of seconds above zero, or None.")
    clock = clock or SystemClock()
    return Engine(
        open_database(path, synchronous, clock),
        clock,
        sweep_every=sweep_every,
        buckets=None if buckets is None else Path(buckets),
        backfills=backfills,
    )


def _refuse_mistaken_file(target: str) -> None:
    """Names that would make a file, but were surely meant for something else."""
    if target == "memory":
        raise ConfigError(
            "The engine would make a file named 'memory'.",
            hint="Did you mean 'memory:'? A file of that name can be given as './memory'.",
        )
    if re.fullmatch(_ELSEWHERE, target, re.IGNORECASE | re.DOTALL):
        kind = "a name of AWS" if target.lower().startswith("aws") else "a URL"
        raise ConfigError(
            f"The engine keeps tables in a file or in memory, and was given {kind}.",
            hint="Give it a file path, or 'memory:'. The tables at AWS or a server are opened with open_table() or Table.open(); "
            "a file of that name can be given with ./ before it.",
        )
