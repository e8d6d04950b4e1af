"""Partition keys that count up, or that are the time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import combinations

from msgspec import Struct

from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design
from tablewright.lint.keyfacts import fields, is_id
from tablewright.observe.hotkeys import busiest, shards_for, spread
from tablewright.observe.judging import called as tell
from tablewright.observe.judging import design_of, in_code, owners, share_of
from tablewright.observe.markers import is_marker
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import TABLE, Place
from tablewright.observe.telling import place as called
from tablewright.wording import counted

_KEYS = 20
_TIMES = 5
"""Keys that are written as a time are known by their looks, and need fewer."""
_IN_ORDER = 0.9
"""Of all pairs of keys: several writers at once make no perfect order."""
_DENSE = 100
"""Numbers that count up leave at most so large gaps on average."""
_LONGEST = 100
_SHARDS = 8
_SHARED = 2.0
"""Requests to a key from which on it is a bucket that many things lie in."""
_SECONDS = (1_000_000_000, 2_500_000_000)
"""From 2001 to 2049."""
_ISO = r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-[0-3]\d(?:[T ][0-2]\d(?::?[0-5]\d(?::?[0-5]\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?"
_PIECES = re.compile(
    rf"(?P<time>{_ISO})(?![0-9A-Za-z])|(?P<number>[0-9]{{1,30}})|(?P<word>[A-Za-z]+)|(?P<between>[^0-9A-Za-z]+)"
)
_COMPACT = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])?(?:[0-5]\d){0,2}")


class _Row(Struct, frozen=True):
    """Keys of one form, in the order in which they were first written to: only one piece of them varies."""

    before: str
    after: str
    """What stands around that piece."""
    kind: str
    """ "time" or "number"."""
    first: str
    last: str
    keys: tuple[str, ...]

    @property
    def form(self) -> str:
        """The keys, with a star in the place of what varies."""
        return f"{self.before}*{self.after}"


class SequentialPartitionKeys(Rule):
    """Partition keys count up, or are the time.

    A key that is a time, such as `EVENTS#2026-11-16`, takes every write of that hour or day: one partition is hot, and all
    others rest. It bears 1,000 write units and 3,000 read units a second, however large the table is. A number that counts up
    heats nothing by itself, since DynamoDB spreads keys by a hash; but whatever hands the numbers out is one item that
    everybody writes, and whoever knows one key knows the others.

    It fires when partition keys of one form were first written to in their order, nine of ten pairs of them, and nothing else in
    them varies: 20 numbers without large gaps (a note), or five times. Those are a warning where several requests went to each, as
    with a bucket, and a note where each item has a time of its own. Keys of markers of unique values follow these values, and are
    nobody's choice.

    Put something before the time that many share, such as the device or the tenant, or a shard after it: Shard(...) in
    Keys(derive=...). Take random ids, or ids that begin with who owns them, in the place of a counter.

    > Partition keys EVENTS#* of the table are times: what happens now goes to one partition.
    """

    name = "sequential-partition-keys"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        design = design_of(seen)
        for name, place in sorted(seen.snapshot.places.items()):
            chosen = [key for key in place.newest if name != TABLE or not is_marker(seen.plan, key)]
            for row in _rows(chosen):
                paths = [] if design is None else owners(design, name or None, row.keys[-1])
                path = busiest(seen.snapshot, paths)[0] if paths else None
                yield _recommendation(name, place, row, None if design is None or path is None else (design, path))


def _recommendation(name: str, place: Place, row: _Row, model: tuple[Design, KeyPath] | None) -> Recommendation:
    number = len(row.keys)
    each = sum(known.count - known.error for known in place.requests.of(row.keys)) / number
    bucket = row.kind == "time" and each >= _SHARED
    subject = f"{row.form} of {called(name)}"
    code: str | None
    breaks: tuple[str, ...] = ()
    figures = (
        f"{counted(number, 'key')} of this form were first written to in their order, from {row.first} to {row.last}"
    )
    if bucket:
        message = f"Partition keys {row.form} of {called(name)} are times: what happens now goes to one partition."
        details = (
            f"{figures}, each with {counted(round(each, 1), 'request')} on average. A partition bears "
            "1,000 write units and 3,000 read units a second, and that of now takes everything."
        )
        action = "Put what many share before the time, such as a device or tenant, or spread each time over shards, which reads then ask together."
        peak = max((place.peaks[key].writes for key in row.keys if key in place.peaks), default=0.0)
        shards = max(_SHARDS, shards_for(peak, None if model is None else model[1]))
        way = None if model is None else spread(*model, shards)
        code = f"{in_code(row.form + '#{shard}')}  # a number below {shards}, by a hash of the item's id"
        if model is not None:
            code, breaks = (way.code, tell(way.wider)) if way is not None else (None, ())
    elif row.kind == "time":
        message = f"Partition keys {row.form} of {called(name)} are times, one for each item."
        details = f"{figures}. Each lies in a partition of its own, so that no query can ask for a span of time."
        action = (
            "Let the partition say whose it is, and put the time into the sort key, where it can be asked for by range."
        )
        code, breaks = _owned(model)
    else:
        message = f"Partition keys {row.form} of {called(name)} count up."
        details = (
            f"{figures}. That heats no partition by itself, since keys are spread by a hash; but whatever hands the numbers out is "
            "written by everybody who creates one, and keys can be guessed."
        )
        action = "Take a random id (uuid4) or let the key begin with its owner; keep a number for people as a field beside it."
        code, breaks = _owned(model)
    return Recommendation(
        rule=SequentialPartitionKeys.name,
        severity="warning" if bucket else "info",
        category="hot-partition" if bucket else "best-practice",
        subject=subject,
        message=message,
        details=details,
        action=action,
        code=code,
        affected=(called(name),) if model is None else (called(name), model[1].plan.name),
        breaks=breaks,
        evidence={"keys": number, "kind": row.kind, "requests_each": each},
        impact=share_of(number, len(place.newest)) if bucket else 0.0,
        effort=3,
    )


def _owned(model: tuple[Design, KeyPath] | None) -> tuple[str | None, tuple[str, ...]]:
    """Keys that begin with whose it is, where the entity has a field that says so; and the patterns that do not know that field."""
    if model is None:
        return None, ()
    design, path = model
    taken = {*fields(path.pk), *fields(path.sk)}
    owner = next((name for name in path.plan.sources if name not in taken and is_id(path.plan, name)), None)
    reads = [read for read in design.reads_of(path.plan, path.index_name) if owner is None or owner not in read.known]
    if owner is None or len(path.pk) != 1 or path.index_name is not None:
        return None, tell(reads)
    code = f"keys = Keys({in_code(f'{owner.upper()}#{{{owner}}}')}, {in_code(str(path.pk[0]))})"
    return f"# {path.plan.name}; whatever else its keys say stays as it is\n{code}", tell(reads)


# ----------------------------------------------------------------------------------------------------- keys in a row


def _rows(newest: Iterable[str]) -> Iterator[_Row]:
    """Rows of keys that are alike but for one number or time, which goes up."""
    groups: dict[tuple[str, ...], list[list[tuple[str, str]]]] = {}
    for key in dict.fromkeys(newest):
        pieces = [(str(m.lastgroup), m[0]) for m in _PIECES.finditer(key)]
        first = next((text for kind, text in pieces if kind == "word"), "")
        shape = tuple(text if kind == "between" else kind for kind, text in pieces)
        groups.setdefault((first, *shape), []).append(pieces)
    for keys in groups.values():
        varying = [at for at in range(len(keys[0])) if len({pieces[at] for pieces in keys}) > 1]
        if len(varying) == 1:
            found = _row(keys, varying[0])
            if found is not None:
                yield found


def _row(keys: list[list[tuple[str, str]]], at: int) -> _Row | None:
    texts = [pieces[at][1] for pieces in keys]
    kind = keys[0][at][0]
    if kind == "number" and _are_times(texts):
        kind = "time"
    if kind not in ("time", "number") or len(texts) < (_TIMES if kind == "time" else _KEYS):
        return None
    order: list[tuple[int, str]] = [(0, text) if keys[0][at][0] == "time" else (int(text), "") for text in texts]
    rising = sum(after > before for before, after in combinations(order, 2))
    if rising < _IN_ORDER * (len(texts) * (len(texts) - 1) / 2):
        return None
    if kind == "number":
        numbers = [int(text) for text in texts]
        if max(numbers) - min(numbers) > _DENSE * len(numbers):
            return None
    before, after = ("".join(text for _, text in part) for part in (keys[0][:at], keys[0][at + 1 :]))
    if len(before) + len(after) > _LONGEST:
        return None  # nobody writes such a template
    return _Row(before, after, kind, texts[0], texts[-1], tuple("".join(text for _, text in pieces) for pieces in keys))


def _are_times(texts: list[str]) -> bool:
    """Whether numbers are times: seconds or milliseconds since 1970, or days and hours without hyphens."""
    if all(_COMPACT.fullmatch(text) for text in texts):
        return True
    low, high = _SECONDS
    return any(all(low * unit <= int(text) < high * unit for text in texts) for unit in (1, 1000))
