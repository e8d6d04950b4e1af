"""What was observed as a page for Prometheus, in its text format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Protocol, TypedDict

from tablewright.observe.snapshot import Snapshot, Traffic, merged

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histogram of durations, in seconds."""
OK: Final = "ok"
"""The outcome of requests that went well; of others it is the code of their error."""


class Observes(Protocol):
    """Who can tell what was observed, such as a collector."""

    def snapshot(self) -> Snapshot:
        """What was observed until now."""
        ...


class Answer(TypedDict):
    """A page, with the names that responses of Starlette and FastAPI give to its parts."""

    content: str
    media_type: str


def answer(*observers: Observes) -> Answer:
    """The page of all these, to be answered where Prometheus asks: in FastAPI, `Response(**answer(collector))`."""
    return {"content": text(*(observer.snapshot() for observer in observers)), "media_type": CONTENT_TYPE}


def text(*snapshots: Snapshot) -> str:
    """The page of what was observed of these tables. Partition keys are not in it.

    Requests are told apart by table, operation, index, pattern, entity and, if writes need them, those; several snapshots of one table
    are told together. Counts begin at zero with each collector and each
    reset, as counters of Prometheus may. The histogram knows its bounds within two percent; its sum and its count are exact.
    """
    by_table: dict[str, list[Snapshot]] = {}
    for snapshot in snapshots:
        by_table.setdefault(snapshot.table, []).append(snapshot)
    tables = [some[0] if len(some) == 1 else merged(some) for some in by_table.values()]
    shapes = [(_labels(snapshot, traffic), traffic) for snapshot in tables for traffic in snapshot.traffic]
    lines = [line for name, kind, about, samples in _families(shapes) for line in _family(name, kind, about, samples)]
    return "".join(f"{line}\n" for line in lines)


_Labels = Mapping[str, str]
_Sample = tuple[str, _Labels, float]
"""What follows the name of the family, the labels, and the value."""


def _labels(snapshot: Snapshot, traffic: Traffic) -> _Labels:
    named = {
        "table": snapshot.table,
        "operation": traffic.operation,
        "index": traffic.index,
        "pattern": traffic.pattern,
        "entity": traffic.entity,
        "write": traffic.write,
    }
    return {name: value for name, value in named.items() if value}


def _families(shapes: list[tuple[_Labels, Traffic]]) -> Iterator[tuple[str, str, str, Iterable[_Sample]]]:
    yield "tablewright_requests_total", "counter", "Requests by their outcome.", _requests(shapes)
    for name, about in _SUMS.items():
        samples: Iterable[_Sample] = [("", labels, getattr(traffic, name)) for labels, traffic in shapes]
        yield f"tablewright_{name}_total", "counter", about, samples
    yield "tablewright_request_duration_seconds", "histogram", "How long requests took.", _durations(shapes)


_SUMS = {
    "retries": "Attempts after the first of a request.",
    "read_units": "Read units that were consumed.",
    "write_units": "Write units that were consumed.",
    "returned": "Items that came back.",
    "scanned": "Items that were looked at.",
    "slow": "Requests beyond the threshold for the time that they take.",
    "costly": "Requests beyond the threshold for the units that they consume.",
}


def _requests(shapes: list[tuple[_Labels, Traffic]]) -> Iterator[_Sample]:
    for labels, traffic in shapes:
        yield "", {**labels, "outcome": OK}, traffic.requests - sum(traffic.failures.values())
        for code, times in sorted(traffic.failures.items()):
            yield "", {**labels, "outcome": code}, times


def _durations(shapes: list[tuple[_Labels, Traffic]]) -> Iterator[_Sample]:
    for labels, traffic in shapes:
        latency = traffic.latency
        for bound in BOUNDS:
            yield "_bucket", {**labels, "le": _number(bound)}, latency.at_most(bound)
        yield "_bucket", {**labels, "le": "+Inf"}, latency.count
        yield "_sum", labels, latency.total
        yield "_count", labels, latency.count


def _family(name: str, kind: str, about: str, samples: Iterable[_Sample]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for suffix, labels, value in samples:
        named = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{name}{suffix}{{{named}}} {_number(value)}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
