"""Keys built by hand: exact inverses, order, closed ranges, no collisions, and refusals."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import ArgumentError, KeyTooLongError, KeyValueError, MissingKeyPartError
from tablewright.keybuilding import (
    KeyPair,
    adjacency_keys,
    all_shard_keys,
    composite_key,
    distributed_key,
    entity_key,
    get_shard_number,
    gsi_key,
    hierarchical_key,
    hierarchical_multi_key,
    key_range,
    multi_attribute_key,
    multi_tenant_key,
    parse_composite_key,
    parse_entity_key,
    parse_hierarchical_key,
    sharded_write,
    time_bucket,
    time_series_key,
    time_series_multi_key,
    ttl_timestamp,
    validate_multi_attribute_key,
)

NASTY = st.sampled_from('#$%&!" \x00\x1f\x7f-019aAzZ~.:|\u00e9\ud7ff\ue000\uffff\U00010000\U0010ffff')
PART = st.text(NASTY | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
PARTS = st.lists(PART, min_size=1, max_size=4)
WORD = st.from_regex(r"[A-Z][A-Z0-9_.-]{0,5}", fullmatch=True)
SEPARATOR = st.sampled_from(["#", "|", "::", "-", "/"])
MOMENT = st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))


@given(PARTS, SEPARATOR)
def test_a_composite_key_is_cut_into_its_parts(parts: list[str], separator: str) -> None:
    key = composite_key(parts, separator=separator)
    assert parse_composite_key(key, separator=separator) == tuple(parts)
    assert key.count(separator) == len(parts) - 1


@given(PARTS, PARTS)
def test_composite_keys_sort_as_their_parts_do(one: list[str], other: list[str]) -> None:
    keys = composite_key(one).encode(), composite_key(other).encode()
    assert (keys[0] < keys[1]) == (one < other)
    assert (keys[0] == keys[1]) == (one == other)


@given(PARTS, PARTS)
def test_a_range_holds_a_path_and_what_lies_below_it_and_nothing_else(path: list[str], other: list[str]) -> None:
    for depth in range(1, len(path) + 1):
        below = key_range(hierarchical_key(path[:depth]))
        assert below.low is not None
        assert below.high is not None
        assert hierarchical_key(path) in below
        assert (hierarchical_key(other) in below) == (other[:depth] == path[:depth])
        assert parse_hierarchical_key(below.low) == tuple(path[:depth])


def test_neighbours_that_begin_alike_are_not_in_a_range() -> None:
    assert hierarchical_key(["SURVEY", "10"]) not in key_range(hierarchical_key(["SURVEY", "1"]))


@given(WORD, PART, WORD, PART)
def test_entity_keys_read_back_and_never_meet(kind: str, name: str, kind2: str, name2: str) -> None:
    key = entity_key(kind, name)
    assert parse_entity_key(key) == (kind, name)
    assert (key == entity_key(kind2, name2)) == ((kind, name) == (kind2, name2))


def test_an_entity_key_that_was_made_elsewhere_is_split_at_its_first_separator() -> None:
    assert parse_entity_key("USER#a#b") == ("USER", "a#b")
    assert parse_entity_key(entity_key("USER", "a#b")) == ("USER", "a#b")


def test_an_entity_key_is_readable() -> None:
    assert entity_key("USER", "alice") == "USER#alice"
    assert entity_key("TENANT", "a#SURVEY") == "TENANT#a%23SURVEY"


@given(WORD, PART, WORD, PART)
def test_an_edge_is_the_opposite_one_when_its_ends_are_exchanged(a: str, b: str, c: str, d: str) -> None:
    source, target = entity_key(a, b), entity_key(c, d)
    edge = adjacency_keys(source, target)
    assert edge == KeyPair(source, target)
    assert adjacency_keys(target, source) == edge.reversed()


@given(st.tuples(WORD, WORD, PART), st.tuples(WORD, WORD, PART))
def test_index_values_differ_by_index_type_and_value(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert (gsi_key(*one) == gsi_key(*other)) == (one == other)
    assert parse_composite_key(gsi_key(*one)) == one


# --------------------------------------------------------------------------------------------------------- shards


@given(PARTS, st.integers(1, 1000), PART)
def test_a_shard_is_one_of_those_that_reads_ask(parts: list[str], count: int, item: str) -> None:
    base = composite_key(parts)
    every = all_shard_keys(base, count)
    key = distributed_key(base, count, item_id=item)
    assert len(set(every)) == count
    assert every[get_shard_number(key)] == key == distributed_key(base, count, item_id=item)


@given(PARTS, PARTS, st.integers(0, 9), st.integers(0, 9))
def test_shards_of_different_keys_never_meet(one: list[str], other: list[str], n: int, m: int) -> None:
    keys = [all_shard_keys(composite_key(p), 10)[s] for p, s in ((one, n), (other, m))]
    assert (keys[0] == keys[1]) == ((one, n) == (other, m))


def _always(share: float) -> Callable[[], float]:
    return lambda: share


def test_without_an_item_the_shard_is_random() -> None:
    assert [get_shard_number(distributed_key("V", 4, random=_always(r))) for r in (0.0, 0.3, 0.99, 1.0)] == [
        0,
        1,
        3,
        3,
    ]
    assert len({distributed_key("V", 1000) for _ in range(50)}) > 1


def test_more_shards_keep_the_keys_that_there_were() -> None:
    assert all_shard_keys("V", 100)[:10] == all_shard_keys("V", 10)


def test_a_sharded_write_tells_its_shard() -> None:
    for position in (0.0, 0.5, 0.9):
        pk, shard = sharded_write("COUNTER#views", 8, random=_always(position))
        assert shard == get_shard_number(pk) == int(position * 8)


@pytest.mark.parametrize("key", ["USER#5", "SHARD#5", "V#SHARD#05", "V#SHARD#", "V#SHARD#1000", "V#SHARD#x", "V"])
def test_a_key_without_a_shard_is_told(key: str) -> None:
    with pytest.raises(KeyValueError):
        get_shard_number(key)


# ---------------------------------------------------------------------------------------------------------- times


@pytest.mark.parametrize(
    ("by", "bucket"), [("hour", "2025-12-02T14"), ("day", "2025-12-02"), ("month", "2025-12"), ("year", "2025")]
)
def test_buckets_are_in_utc(by: Any, bucket: str) -> None:
    moment = datetime(2025, 12, 2, 16, 30, tzinfo=timezone(timedelta(hours=2)))
    assert time_bucket(moment, by) == bucket
    assert time_series_key(moment, by, of="SENSOR#s1") == f"SENSOR#s1#{bucket}"


@given(st.lists(MOMENT, min_size=2, max_size=2), st.sampled_from(["hour", "day", "month", "year"]))
def test_buckets_follow_time(moments: list[datetime], by: Any) -> None:
    for one, other in pairwise(sorted(moments)):
        assert time_bucket(one, by) <= time_bucket(other, by)


@given(MOMENT)
def test_expiry_is_in_whole_seconds(moment: datetime) -> None:
    seconds = ttl_timestamp(moment)
    assert type(seconds) is int
    assert 0 <= (moment - datetime.fromtimestamp(0, UTC)).total_seconds() - seconds < 1.001


# ------------------------------------------------------------------------------------------------ several attributes


def test_values_for_several_attributes() -> None:
    assert multi_attribute_key(["t", 5, Decimal("1.5"), b"x"]) == ["t", 5, Decimal("1.5"), b"x"]
    assert multi_tenant_key("t", "c") == ["t", "c"]
    assert multi_tenant_key("t", "c", "d") == ["t", "c", "d"]
    assert hierarchical_multi_key("DE") == ["DE"]
    assert hierarchical_multi_key("DE", "BE", "B", "10115") == ["DE", "BE", "B", "10115"]
    moment = datetime(2025, 1, 1, microsecond=1999, tzinfo=UTC)
    assert time_series_multi_key("c", moment) == ["c", 1735689600001]
    assert time_series_multi_key("c", moment, "s") == ["c", 1735689600001, "s"]


def test_a_missing_level_does_not_let_the_next_one_slide_into_its_place() -> None:
    with pytest.raises(MissingKeyPartError, match="Level 2 is missing") as refused:
        hierarchical_multi_key("DE", None, "Berlin")
    assert refused.value.field == "level2"


def test_values_are_checked_against_their_definition() -> None:
    definition: Any = [("tenant", "S"), ("year", "N")]
    assert validate_multi_attribute_key(["t", 2025], definition) == ["t", 2025]
    assert validate_multi_attribute_key(["t"], definition, sort=True) == ["t"]
    with pytest.raises(KeyValueError, match="at most 2 values, and 3 were given"):
        validate_multi_attribute_key(["t", 1, 2], definition)
    with pytest.raises(MissingKeyPartError, match="year is missing"):
        validate_multi_attribute_key(["t"], definition)
    with pytest.raises(KeyValueError, match="at 1 is for year, which holds a number, not str"):
        validate_multi_attribute_key(["t", "2025"], definition)


# -------------------------------------------------------------------------------------------------------- refusals

NAIVE = datetime(2025, 1, 1)
MOMENT_1 = datetime(2025, 1, 1, tzinfo=UTC)
WRONG: dict[str, Callable[[], object]] = {
    "no parts": lambda: composite_key([]),
    "a text for parts": lambda: composite_key("ab"),
    "an empty part": lambda: composite_key(["a", ""]),
    "a number as part": lambda: composite_key([1]),  # type: ignore[list-item]
    "half a surrogate": lambda: composite_key(["\ud800"]),
    "a letter as separator": lambda: composite_key(["a"], separator="2"),
    "a percent separator": lambda: composite_key(["a"], separator="%"),
    "no separator": lambda: composite_key(["a"], separator=""),
    "a foreign key": lambda: parse_composite_key("a#b c"),
    "a bad escape": lambda: parse_composite_key("a%2G"),
    "an empty key": lambda: parse_composite_key(""),
    "no text": lambda: parse_composite_key(None),  # type: ignore[arg-type]
    "an entity key without a separator": lambda: parse_entity_key("USER"),
    "an entity key without an id": lambda: parse_entity_key("USER#"),
    "a type with a separator": lambda: entity_key("USER#X", "a"),
    "an empty type": lambda: entity_key("", "a"),
    "an empty id": lambda: entity_key("USER", ""),
    "an edge to nowhere": lambda: adjacency_keys("USER#a", ""),
    "an edge to raw text": lambda: adjacency_keys("USER#a", "b c"),
    "an index with a separator": lambda: gsi_key("GSI#1", "EMAIL", "a"),
    "a range of raw text": lambda: key_range("a$"),
    "no shards": lambda: distributed_key("V", 0),
    "half a shard": lambda: distributed_key("V", 1.5),  # type: ignore[arg-type]
    "too many shards": lambda: all_shard_keys("V", 1001),
    "an empty item": lambda: distributed_key("V", 2, item_id=""),
    "a raw base": lambda: all_shard_keys("a b", 2),
    "another granularity": lambda: time_bucket(MOMENT_1, "week"),  # type: ignore[arg-type]
    "a series of nobody": lambda: time_series_key(MOMENT_1, "day", of=""),
    "a naive moment": lambda: time_bucket(NAIVE, "day"),
    "a naive expiry": lambda: ttl_timestamp(NAIVE),
    "a number as expiry": lambda: ttl_timestamp(1_700_000_000),  # type: ignore[arg-type]
    "no values": lambda: multi_attribute_key([]),
    "five values": lambda: multi_attribute_key(["a"] * 5),
    "an empty value": lambda: multi_attribute_key(["a", ""]),
    "a bool": lambda: multi_attribute_key([True]),
    "a float": lambda: multi_attribute_key([1.5]),  # type: ignore[list-item]
    "a number of 39 digits": lambda: multi_attribute_key([10**38 + 1]),
    "an unknown tag": lambda: validate_multi_attribute_key(["a"], [("a", "X")]),  # type: ignore[list-item]
    "no definition": lambda: validate_multi_attribute_key(["a"], []),
    "no tenant": lambda: multi_tenant_key("", "c"),
    "a number as level": lambda: hierarchical_multi_key("a", 2),  # type: ignore[arg-type]
    "an empty category": lambda: time_series_multi_key("", MOMENT_1),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_refused(name: str) -> None:
    with pytest.raises((KeyValueError, ArgumentError)):
        WRONG[name]()


@pytest.mark.parametrize(
    ("make", "limit"), [(lambda n: composite_key(["x" * n]), 2048), (lambda n: hierarchical_key(["x" * n]), 1024)]
)
def test_keys_have_the_length_that_the_service_takes(make: Callable[[int], str], limit: int) -> None:
    assert len(make(limit)) == limit
    with pytest.raises(KeyTooLongError):
        make(limit + 1)
