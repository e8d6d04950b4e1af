"""What any code sent to an engine, also code that knows nothing of sessions: boto3's clients, or programs behind a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tablewright.client.metering import Meter, Sent
from tablewright.engine import Engine
from tablewright.engine.faults import Watched
from tablewright.model.results import Capacity


@contextmanager
def record_requests(engine: Engine) -> Iterator[Meter]:
    """`with record_requests(engine) as meter:` — every request that the engine gets meanwhile, whoever sends it.

    The meter is what `db.measure()` gives, for `assert_requests` and `assert_capacity`; capacity is counted whether or
    not the request asks for it. Requests count in the order in which they were answered.
    """
    meter = Meter()

    def note(watched: Watched) -> None:
        units = sum(report.get("CapacityUnits", 0.0) for report in watched.consumed)
        capacity = Capacity(write=units) if watched.is_write else Capacity(read=units)
        index = watched.request.get("IndexName")
        error = None if watched.error is None else watched.error.code
        meter.requests.append(Sent(watched.operation, index if isinstance(index, str) else None, capacity, error))

    with engine.faults.watch(note):
        yield meter
