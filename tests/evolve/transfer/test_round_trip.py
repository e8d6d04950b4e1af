"""What an export writes, an import reads: the same entities, whatever their values and the format."""

from __future__ import annotations

import string
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.errors import ArgumentError
from tablewright.evolve.transfer.exporting import Format, export_rows
from tablewright.evolve.transfer.importing import ImportOptions, import_rows
from tablewright.evolve.transfer.mapping import EntityMapping
from tablewright.evolve.transfer.selecting import of_entity
from tablewright.evolve.transfer.sources import find_source
from tests.evolve.transfer.models import Colour, Level, Line, Thing, everything

_TRICKY = st.sampled_from(
    ["", "\\N", "\\E", "\\\\N", "null", "1", '"', '{"$dynamodb": 1}', 'a,b\r\n"c"', "\x00", "a\rb", "é😀", "=1+1", " "]
)
TEXTS = st.one_of(st.text(max_size=8), _TRICKY)
AMOUNTS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=4)
MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)).map(lambda t: t.replace(tzinfo=UTC))
LONGS = st.integers(-(2**63), 2**63 - 1)
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(-(10**30), 10**30), AMOUNTS, TEXTS, st.binary(max_size=4))
LINES = st.builds(
    Line,
    sku=TEXTS,
    count=st.integers(0, 9),
    price=AMOUNTS,
    raw=st.binary(max_size=5),
    tags=st.none() | st.sets(TEXTS.filter(bool), min_size=1, max_size=2),
)
NAMES = st.text(string.ascii_letters + "$", min_size=1, max_size=9) | st.just("$dynamodb")
THINGS = st.builds(
    Thing,
    thing_id=st.uuids().map(str),
    made_at=MOMENTS,
    colour=st.sampled_from(Colour),
    level=st.sampled_from(Level),
    kind=st.sampled_from(["a", "b"]),
    mixed=st.sampled_from([1, "1"]),
    text=TEXTS,
    note=st.none() | TEXTS,
    remark=st.none() | TEXTS,
    count=LONGS,
    perhaps=st.none() | LONGS,
    ratio=st.floats(-1e30, 1e30).map(lambda x: round(x, 9)),
    amount=AMOUNTS,
    flag=st.booleans(),
    day=st.none() | st.dates(),
    at=st.none() | st.times(),
    lasts=st.none() | st.timedeltas(timedelta(0), timedelta(days=99)),
    uid=st.none() | st.uuids(),
    raw=st.binary(max_size=9),
    expires=st.none() | MOMENTS.map(lambda t: t.replace(microsecond=0)),
    tags=st.sets(TEXTS.filter(bool), max_size=3),
    numbers=st.none() | st.frozensets(LONGS, min_size=1, max_size=3),
    blobs=st.sets(st.binary(min_size=1, max_size=4), max_size=2),
    amounts=st.lists(AMOUNTS, max_size=3),
    pair=st.none() | st.tuples(st.integers(0, 9), TEXTS),
    either=st.integers(-9, 9) | TEXTS,
    lines=st.lists(LINES, max_size=2),
    line=st.none() | LINES,
    by_day=st.dictionaries(st.dates(), st.integers(0, 9), max_size=2),
    anything=st.dictionaries(
        NAMES, PLAIN | st.lists(PLAIN, max_size=2) | st.sets(st.integers(0, 99), min_size=1, max_size=2), max_size=2
    ),
)


KINDS: dict[str, Format] = {".csv": "csv", ".jsonl": "jsonl", ".jsonl.gz": "jsonl", ".parquet": "parquet"}


def there_and_back(things: list[Any], folder: Path, *endings: str, as_text: tuple[str, ...] = ()) -> list[Any]:
    """The things after a way through a file of each ending, into another table each."""
    with everything.open("memory:") as db:
        for thing in things:
            db.put(thing)
        before = sorted(db.scan_for_maintenance(Thing), key=lambda t: t.thing_id)
        for ending in endings:
            chosen = of_entity(everything, "Thing")
            path = folder / f"things{ending}"
            done = export_rows(db, chosen, path, KINDS[ending], as_text=as_text, force=True)
            assert done.rows == len(things)
    after: list[Any] = []
    for ending in endings:
        with everything.open("memory:") as db:
            source = find_source(str(folder / f"things{ending}"), KINDS[ending], EntityMapping())
            report = import_rows(db, everything, source, "Thing", options=ImportOptions(write=True, workers=1))
            assert (report.new, report.problems) == (len(things), [])
            after = sorted(db.scan_for_maintenance(Thing), key=lambda t: t.thing_id)
            assert import_rows(db, everything, source, "Thing", options=ImportOptions(workers=1)).same == len(things)
        assert [_typed(t) for t in after] == [_typed(t) for t in before]
    return after


def _typed(value: Any) -> Any:
    """A value with the types in it, so that 1, True and Decimal(1) differ."""
    if isinstance(value, Thing | Line):
        return {name: _typed(v) for name, v in vars(value).items() if not name.startswith("__")}
    if isinstance(value, dict):
        return {(_typed(k)): _typed(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(_typed, value)]
    if isinstance(value, set | frozenset):
        return type(value).__name__, frozenset(map(_typed, value))
    return type(value).__name__, value


@settings(max_examples=settings().max_examples // 3)
@given(things=st.lists(THINGS, max_size=2, unique_by=lambda t: t.thing_id))
def test_every_type_comes_back(tmp_path_factory: pytest.TempPathFactory, things: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("files")
    there_and_back(things, folder, ".csv", ".jsonl", ".parquet")


def test_packed_files_come_back_too(tmp_path: Path) -> None:
    there_and_back([Thing(thing_id="t", made_at=datetime(2025, 1, 1, tzinfo=UTC))], tmp_path, ".jsonl.gz")


def test_a_number_that_parquet_has_no_column_for(tmp_path: Path) -> None:
    large = Thing(thing_id="t", made_at=datetime(2025, 1, 1, tzinfo=UTC), count=10**30, amount=Decimal("1E+90"))
    with pytest.raises(ArgumentError, match=r"A value of count does not fit.*--as-text count"):
        there_and_back([large], tmp_path, ".parquet")
    assert list(tmp_path.iterdir()) == []
    (back,) = there_and_back([large], tmp_path, ".parquet", as_text=("count",))
    assert back.count == 10**30
