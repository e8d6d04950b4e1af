"""What was observed: merged in any order it comes to the same, nothing is shared, and files hold it all."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tablewright.client.calls import Call
from tablewright.errors import ArgumentError
from tablewright.observe.collector import Collector
from tablewright.observe.sketches.distinct import Distinct
from tablewright.observe.sketches.heavy import Heavy
from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.observe.snapshot import (
    FORMS,
    NEWEST,
    OTHER,
    PEAKS,
    SHAPES,
    SPANS,
    WEEK,
    BillingMode,
    FieldUse,
    Minute,
    Peak,
    Place,
    ReadyUnits,
    Snapshot,
    Thresholds,
    Traffic,
    joined,
    merged,
)

S = TypeVar("S", bound=msgspec.Struct)

# --------------------------------------------------------------------------------------------- drawing observations
# A structure is drawn from its annotations, so that a field that is added later is drawn too, and must be merged.


class Drawing:
    """Values of any annotated type. Fractions are halves, which add up exactly in any order."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def struct(self, kind: type[S]) -> S:
        return kind(**{name: self.of(hint) for name, hint in get_type_hints(kind, include_extras=True).items()})

    def of(self, hint: Any) -> Any:
        own: dict[Any, Callable[[], Any]] = {
            int: lambda: self.random.randrange(1, 40),
            float: lambda: self.random.randrange(1, 80) / 2,
            str: lambda: self.random.choice("aaabc"),
            Quantiles: self.quantiles,
            Heavy: self.heavy,
            Distinct: self.distinct,
            Snapshot: self.snapshot,
            Peak: lambda: Peak(self.of(float), self.of(float)),  # of one minute, where no order of merging matters
        }
        if hint in own:
            return own[hint]()
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            return self.struct(hint)
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self.of(arguments[0])
        if origin is UnionType:
            return self.of(self.random.choice([a for a in arguments if a is not type(None)]))
        if origin is dict:
            return {self.of(arguments[0]): self.of(arguments[1]) for _ in range(self.random.randrange(3))}
        if origin is list:
            return [self.of(arguments[0]) for _ in range(self.random.randrange(4))]
        raise NotImplementedError(f"{hint} is not drawn yet")

    def quantiles(self) -> Quantiles:
        found = Quantiles()
        found.add(self.of(list[float]))
        return found

    def heavy(self) -> Heavy:
        found = Heavy(32)
        found.add_all(self.of(dict[str, float]))
        return found

    def distinct(self) -> Distinct:
        found = Distinct()
        found.add(self.of(list[str]))
        return found

    def snapshot(self) -> Snapshot:
        traffic = {t.shape: t for t in self.of(list[Traffic])}
        starts = [self.random.randrange(1000) for _ in range(self.random.randrange(4))]
        whole = {name: self.of(hint) for name, hint in get_type_hints(Snapshot).items() if name not in _OWN}
        return Snapshot(
            **whole,
            table="shop",
            traffic=[traffic[shape] for shape in sorted(traffic)],
            spans=joined((since / 2, since / 2 + self.random.randrange(1, 9)) for since in starts),
            sample=self.random.randrange(1, 5) / 4,
            runs=[f"run {next(_RUNS)}"],
        )


_RUNS = itertools.count()
_OWN = ("format", "table", "traffic", "spans", "sample", "runs")

seeds = st.integers(0, 2**32)
snapshots = seeds.map(lambda seed: Drawing(seed).snapshot())
some_examples = settings(max_examples=max(20, settings().max_examples // 4))


def in_all(first: Snapshot, *more: Snapshot) -> Snapshot:
    return merged([first, *more])


def check_same(one: Snapshot, other: Snapshot) -> None:
    """Equal but for the share that was sampled, an average, which is rounded."""
    assert one.sample == pytest.approx(other.sample)
    assert msgspec.structs.replace(one, sample=other.sample) == other


# --------------------------------------------------------------------------------------------------------- merging


@some_examples
@given(snapshots, snapshots, snapshots)
def test_any_order_of_merging_comes_to_the_same(a: Snapshot, b: Snapshot, c: Snapshot) -> None:
    whole = in_all(a, b, c)

    check_same(whole, in_all(a, in_all(b, c)))
    check_same(whole, in_all(c, b, a))
    check_same(in_all(a, a), a)


@some_examples
@given(snapshots, snapshots)
def test_merging_changes_nothing_of_the_other_then_or_later(a: Snapshot, b: Snapshot) -> None:
    before = deepcopy(b)
    a.merge(b)
    assert b == before

    # Had they anything in common, it would now be there twice.
    a.merge(msgspec.structs.replace(deepcopy(a), runs=["another"]))
    assert b == before


@some_examples
@given(snapshots, snapshots)
def test_totals_are_exact(a: Snapshot, b: Snapshot) -> None:
    whole = in_all(a, b)

    assert whole.requests == a.requests + b.requests
    assert whole.processes == a.processes + b.processes
    for name in ("retries", "read_units", "write_units", "returned", "scanned", "after_read"):
        assert total(whole, name) == total(a, name) + total(b, name)
    assert sum(t.latency.count for t in whole.traffic) == sum(t.latency.count for s in (a, b) for t in s.traffic)
    for name, place in whole.places.items():
        parts = [s.places[name] for s in (a, b) if name in s.places]
        assert place.requests.total == sum(part.requests.total for part in parts)
        assert place.partitions.estimate >= max(part.partitions.estimate for part in parts)
    assert sum(m.requests for m in whole.minutes.values()) == sum(
        m.requests for s in (a, b) for m in s.minutes.values()
    )


def total(snapshot: Snapshot, name: str) -> float:
    return sum(getattr(traffic, name) for traffic in snapshot.traffic)


@pytest.mark.parametrize("kind", [Traffic, Place, Minute, FieldUse], ids=lambda kind: kind.__name__)
def test_merged_into_an_empty_one_nothing_is_forgotten(kind: type[msgspec.Struct]) -> None:
    for seed in range(20):
        theirs = Drawing(seed).struct(kind)
        if isinstance(theirs, Traffic):
            # A shape is what two have in common already.
            mine: Any = Traffic.of(theirs.shape)
        else:
            mine = kind()
        mine.merge(theirs)
        assert mine == theirs


def test_merged_into_an_empty_one_every_part_of_a_snapshot_is_there() -> None:
    for seed in range(20):
        theirs = Drawing(seed).snapshot()
        mine = Snapshot(table="shop", processes=0, thresholds=theirs.thresholds)
        mine.merge(theirs)
        if not theirs.requests:
            mine.sample = theirs.sample  # nobody asked, so neither share is the right one
        assert mine == theirs


def test_of_different_tables_nothing_is_merged() -> None:
    mine = Snapshot(table="shop")
    with pytest.raises(ArgumentError, match="observed of blog cannot be added to what was observed of shop"):
        mine.merge(Snapshot(table="blog", unhandled={"X": 1}))
    assert mine == Snapshot(table="shop")


def test_busiest_seconds_are_added_up_since_they_may_have_been_the_same() -> None:
    a = Snapshot(table="t", places={"": Place(peaks={"p": Peak(10, 1)})}, minutes={5: Minute(peak_reads=10)})
    b = Snapshot(table="t", places={"": Place(peaks={"p": Peak(20, 2)})}, minutes={5: Minute(peak_reads=20)})
    whole = in_all(a, b)

    assert whole.places[""].peaks == {"p": Peak(30, 3)}
    late = Snapshot(table="t", places={"": Place(peaks={"p": Peak(25, 9, read_minute=7, write_minute=7)})})
    assert merged([whole, late]).places[""].peaks == {"p": Peak(30, 9, write_minute=7)}
    assert whole.minutes[5].peak_reads == 30


def test_the_share_that_was_sampled_goes_by_requests_and_the_lower_thresholds_hold() -> None:
    a = Snapshot(table="t", sample=1.0, traffic=[Traffic(operation="Scan", requests=1)], thresholds=Thresholds(50, 200))
    b = Snapshot(table="t", sample=0.2, traffic=[Traffic(operation="Scan", requests=3)], thresholds=Thresholds(80, 90))
    whole = in_all(a, b)

    assert whole.sample == pytest.approx(0.4)
    assert whole.thresholds == Thresholds(50, 90)
    assert in_all(Snapshot(table="t", sample=0.5), Snapshot(table="t", sample=0.2)).sample == 0.2


def test_how_a_table_is_paid_for_is_believed_of_who_learnt_it_last() -> None:
    ready = {"": ReadyUnits(5, 5)}
    unknown, before, after = BillingMode(at=9), BillingMode("provisioned", ready, at=1), BillingMode("on-demand", at=2)
    found = [Snapshot(table="t", billing=billing) for billing in (before, unknown, after)]

    assert in_all(*found).billing == in_all(*reversed(found)).billing == after
    whole = in_all(found[1], found[0])
    assert whole.billing == before
    again = Snapshot(table="t", billing=BillingMode("on-demand", at=1))
    assert in_all(again, found[0]).billing == in_all(found[0], again).billing
    assert whole.billing.ready is not ready


def test_first_and_last_request_and_last_use() -> None:
    a = Snapshot(table="t", traffic=[Traffic(operation="Query", first=5, last=7)], places={"i": Place(last_used=7)})
    b = Snapshot(table="t", traffic=[Traffic(operation="Query", first=3, last=4)], places={"i": Place(last_used=4)})
    never = Snapshot(table="t", traffic=[Traffic(operation="Query")], places={"i": Place()})
    [query] = in_all(a, never, b).traffic

    assert (query.first, query.last) == (3, 7)
    assert in_all(never, b, a).places["i"].last_used == 7


# ------------------------------------------------------------------------------------------------ bounds and spans


def test_however_many_are_merged_it_stays_small() -> None:
    whole = Snapshot(table="t")
    for n in range(12):
        keys = [f"{n} {number}" for number in range(250)]
        place = Place(peaks={key: Peak(reads=i, writes=n) for i, key in enumerate(keys)}, newest=keys)
        place.requests.add_all(dict.fromkeys(keys, 1.0))
        whole.merge(
            Snapshot(
                table="t",
                traffic=[
                    Traffic(operation="Query", pattern=key, requests=1, overwritten=heavy(keys)) for key in keys[:99]
                ],
                places={"": place},
                minutes={number: Minute(requests=1) for number in range(n * 900, n * 900 + 900, 2)},
                key_forms={"User": {key: i + 1 for i, key in enumerate(keys)}},
                spans=[(n * 1e6 + 10.0 * i, n * 1e6 + 10.0 * i + 1) for i in range(100)],
            )
        )

    assert len(whole.traffic) == SHAPES + 1
    [other] = whole.of(OTHER)
    assert (whole.requests, other.requests) == (12 * 99, 12 * 99 - SHAPES)
    assert other.overwritten.total == other.requests * 250
    assert len(other.overwritten.counts) <= 64
    place = whole.places[""]
    assert len(place.requests.counts) <= 2 * place.requests.capacity
    assert place.requests.total == 3_000
    assert len(place.peaks) == PEAKS
    assert next(iter(place.peaks.items())) == ("11 249", Peak(249, 11))
    assert len(place.newest) == 250 <= NEWEST
    assert (min(whole.minutes), max(whole.minutes)) == (max(whole.minutes) - WEEK + 2, 10_798)
    assert len(whole.key_forms["User"]) == FORMS
    assert min(whole.key_forms["User"].values()) > 240
    assert len(whole.spans) == SPANS
    assert len(msgspec.json.encode(whole)) < 4_000_000


def heavy(keys: list[str]) -> Heavy:
    found = Heavy(32)
    found.add_all(dict.fromkeys(keys, 1.0))
    return found


def test_of_rows_of_new_keys_the_longer_one_is_kept_and_only_its_end() -> None:
    short, long = Place(newest=["x", "y"]), Place(newest=[f"{n:03d}" for n in range(NEWEST + 5)])
    short.merge(long)

    assert short.newest == long.newest[5:]
    assert short.newest is not long.newest


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)).map(lambda s: (s[0] / 2, (s[0] + s[1]) / 2))))
@example([])
@example([(1.0, 5.0), (2.0, 3.0), (5.0, 6.0), (8.0, 9.0)])
def test_spans_are_in_order_and_apart_and_hold_every_moment(spans: list[tuple[float, float]]) -> None:
    found = joined(spans)

    assert all(a[1] < b[0] for a, b in pairwise(found))
    for quarter in range(300):
        moment = quarter / 4
        assert any(a <= moment <= b for a, b in spans) == any(a <= moment <= b for a, b in found)
    assert joined(found) == found


def test_of_very_many_spans_the_narrowest_gaps_are_closed() -> None:
    found = joined([(0.0, 1.0), *((float(n * n), n * n + 1.0) for n in range(2, 5_000))])

    assert len(found) == SPANS
    assert found[0] == (0.0, 4_800**2 + 1.0)
    assert found[1] == (4_801**2, 4_801**2 + 1.0)
    assert found[-1] == (4_999**2, 4_999**2 + 1.0)


# ------------------------------------------------------------------------------------------------------------ files


@settings(some_examples, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(snapshots)
def test_what_is_saved_is_what_is_loaded(tmp_path: Path, snapshot: Snapshot) -> None:
    path = tmp_path / "observed.json"
    snapshot.save(path)

    assert Snapshot.load(path) == snapshot
    assert [file.name for file in tmp_path.iterdir()] == ["observed.json"]


def test_an_empty_one_is_saved_and_loaded(tmp_path: Path) -> None:
    empty = Snapshot(table="t", traffic=[Traffic(operation="Scan")], places={"": Place()})
    empty.save(tmp_path / "observed.json")

    assert Snapshot.load(str(tmp_path / "observed.json")) == empty


def test_what_cannot_be_saved_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "observed.json"
    Snapshot(table="t").save(path)
    with pytest.raises(UnicodeEncodeError):
        Snapshot(table="\ud800").save(path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        Snapshot(table="t").save(tmp_path / "folder")

    assert Snapshot.load(path) == Snapshot(table="t")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder", "observed.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes there")
def test_only_the_owner_may_read_a_file_that_names_partition_keys(tmp_path: Path) -> None:
    Snapshot(table="t").save(tmp_path / "observed.json")

    assert (tmp_path / "observed.json").stat().st_mode & 0o077 == 0


def test_a_file_that_was_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "observed.json"
    Drawing(7).snapshot().save(path)
    whole = path.read_bytes()
    for end in {0, 1, 5, len(whole) // 2, len(whole) - 1, *range(0, len(whole), 97)}:
        path.write_bytes(whole[:end])
        with pytest.raises(ArgumentError, match="holds no observations"):
            Snapshot.load(path)


@pytest.mark.parametrize(
    "content",
    [
        b'{"table": "t"}',
        b'{"format": 1}',
        b'{"format": "1", "table": "t"}',
        b'{"format": 1, "table": "t", "processes": null}',
        b'{"format": 1, "table": "t", "places": {"": {"partitions": {"registers": "AAAA"}}}}',
        b'{"format": 1, "table": "t", "minutes": {"x": {}}}',
        b'{"format": 1, "table": "\xff"}',
        b'{"format": 1, "more": ' + b"[" * 100_000,
        b"[]",
        b"\x80\x81",
    ],
    ids=range(10),
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)

    with pytest.raises(ArgumentError, match=r"other\.json holds no observations") as caught:
        Snapshot.load(path)
    assert "Snapshot.save()" in str(caught.value.hint)


def test_a_file_of_a_newer_format_says_so(tmp_path: Path) -> None:
    path = tmp_path / "newer.json"
    # Of a newer format nothing but its number can be relied on.
    path.write_bytes(b'{"format": 2, "table": {"name": "t"}}')
    with pytest.raises(ArgumentError, match="in format 2, and this version reads format 1") as caught:
        Snapshot.load(path)
    assert caught.value.hint == "Update tablewright."

    path.write_bytes(b'{"format": 0, "table": "t"}')
    with pytest.raises(ArgumentError, match="in format 0") as caught:
        Snapshot.load(path)
    assert caught.value.hint == "Observe the table anew."


def test_fields_that_a_later_version_of_the_same_format_adds_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "later.json"
    path.write_bytes(b'{"format": 1, "table": "t", "weather": {"sunny": [true]}}')

    assert Snapshot.load(path) == Snapshot(table="t")


def test_files_and_snapshots_are_merged_and_none_is_changed(tmp_path: Path) -> None:
    parts = [Drawing(seed).snapshot() for seed in range(3)]
    before = deepcopy(parts)
    parts[0].save(tmp_path / "a.json")
    parts[1].save(tmp_path / "b.json")

    check_same(merged([tmp_path / "a.json", str(tmp_path / "b.json"), parts[2]]), in_all(*parts))
    assert parts == before
    alone = merged(parts[:1])
    assert alone == parts[0]
    alone.merge(parts[1])
    assert parts == before


def test_of_one_collector_the_last_snapshot_counts(tmp_path: Path) -> None:
    early = Snapshot(table="shop", runs=["a"], spans=[(0, 10)], traffic=[Traffic(operation="Query", requests=3)])
    late = Snapshot(table="shop", runs=["a"], spans=[(0, 20)], traffic=[Traffic(operation="Query", requests=5)])
    other = Snapshot(table="shop", runs=["b"], spans=[(0, 20)], traffic=[Traffic(operation="Query", requests=7)])

    assert merged([early, other, late]).requests == 12 == merged([late, early, other]).requests
    whole = merged([early, other])
    with pytest.raises(ArgumentError, match="would be counted twice"):
        whole.merge(late)
    with pytest.raises(ArgumentError, match="would be counted twice"):
        merged([whole, late])
    assert whole.requests == 10


def test_the_last_snapshot_is_known_whatever_the_clock_says() -> None:
    now = [2_000.0]
    collector = Collector(clock=lambda: now[0])
    watcher = collector.watch("shop", "PK", "SK", {})
    call, taken = Call("GetItem", {"Key": {"PK": {"S": "P"}, "SK": {"S": "S"}}}), []
    for later in (0.0, 100.0, -5.0, 0.0):
        now[0] += later
        watcher.answered(call, {}, watcher.timer(), 0, measured=False)
        taken.append(collector.snapshot())

    assert [one.requests for one in taken] == [1, 2, 3, 4]
    for order in itertools.permutations(taken):
        assert merged(order).requests == 4


def test_of_nothing_there_is_nothing_to_merge() -> None:
    with pytest.raises(ArgumentError, match="no observations to merge"):
        merged([])
