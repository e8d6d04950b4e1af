"""Generated ids sort by time of creation and never repeat."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tablewright import ulid, uuid7
from tablewright.model import ids


def test_ulids_of_one_process_are_strictly_increasing() -> None:
    made = [ulid() for _ in range(2000)]
    assert made == sorted(set(made))
    assert all(len(u) == 26 and set(u) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ") for u in made)


def test_ulids_of_several_threads_never_repeat() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = [u for chunk in pool.map(lambda _: [ulid() for _ in range(500)], range(4)) for u in chunk]
    assert len(set(made)) == 2000


def test_a_ulid_begins_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "_last_ulid", (0, 0))
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_000 * 1_000_000)
    first = ulid()
    monkeypatch.setattr(time, "time_ns", lambda: 1_600_000_000_000 * 1_000_000)  # the clock was set back
    assert ulid() > first
    number = 0
    for letter in first[:10]:
        number = number * 32 + "0123456789ABCDEFGHJKMNPQRSTVWXYZ".index(letter)
    assert number == 1_700_000_000_000


def test_uuids_of_version_7_begin_with_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_000 * 1_000_000)
    one, other = uuid7(), uuid7()
    assert (one.version, one.variant) == (7, "specified in RFC 4122")
    assert one.int >> 80 == 1_700_000_000_000
    assert one != other
