"""How far a part of a migration is, kept in the item of its history, by whoever holds the lock: it needs no lease of its own."""

from __future__ import annotations

import msgspec

from tablewright.client.calls import Steps
from tablewright.evolve.jobs.checkpoints import Asked, Held, Segment
from tablewright.evolve.jobs.counting import Counts
from tablewright.evolve.migrations.history import History
from tablewright.values.types import Item

MAX_SEGMENTS = 64
"""All of them are kept in one item."""


class InHistory:
    """Checkpoints of one part. Who has lost the lock keeps nothing any more, and who takes it goes on at once."""

    def __init__(self, history: History, part: int, identity: str, segments: int) -> None:
        """`part` is its number in the step; `identity` is another one each time that a migration comes to it. `segments`: where
        nobody says."""
        self._history = history
        self._part = part
        self._identity = identity
        self._segments = segments

    def take(self, asked: Asked, owner: str, now: float) -> Steps[Held]:
        """Goes on where the same part was left, or begins it."""
        found = None if asked.restart else (yield from self._history.job(self._part))
        if found is not None and found["identity"]["S"] == self._identity:
            number = int(found["segments"]["N"])
            if asked.segments in (None, number):
                segments = tuple(_segment(found, segment) for segment in range(number))
                return Held(asked.name, owner, self._identity, segments, number, resumed=True)
        number = asked.segments or self._segments
        yield from self._history.begin(self._part, self._identity, number)
        return Held(asked.name, owner, self._identity, tuple(map(Segment, range(number))), number)

    def load(self, held: Held, number: int) -> Steps[Segment]:
        """How far a segment is by now."""
        found = yield from self._history.job(self._part)
        return Segment(number) if found is None else _segment(found, number)

    def renew(self, held: Held, now: float) -> Steps[None]:
        """A sign of life is one of the migration."""
        yield from self._history.renew()

    def save(self, held: Held, segment: Segment) -> Steps[None]:
        """How far a segment is."""
        counts = msgspec.json.encode(segment.counts).decode()
        state: Item = {"done": {"BOOL": segment.done}, "counts": {"S": counts}}
        if segment.start is not None:
            state["start"] = {"M": segment.start}
        yield from self._history.reach(self._part, segment.number, state)

    def release(self, held: Held) -> Steps[None]:
        """The lock is given up by who took it."""
        return
        yield

    def finish(self, held: Held) -> Steps[None]:
        """Nothing of it is kept."""
        yield from self._history.end(self._part)


def _segment(job: Item, number: int) -> Segment:
    found = job["states"]["M"].get(str(number), {}).get("M")
    if found is None:
        return Segment(number)
    counts = msgspec.json.decode(found["counts"]["S"], type=Counts)
    return Segment(number, found.get("start", {}).get("M"), found["done"]["BOOL"], counts)
