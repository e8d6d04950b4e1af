"""The flag: stable per subject, growing, killed at once; kept in the ledger, a file or memory."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import ArgumentError, ConcurrentModificationError, ConfigError, NetworkError
from tablewright.evolve.moving import FileFlags, Flag, FlagStore, MemoryFlags, open_moving
from tablewright.evolve.moving.flags import READS
from tests.evolve.moving.conftest import Ground
from tests.evolve.moving.merchants import REVIEWS


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(0, 100), st.integers(0, 100))
def test_who_is_in_stays_in(subject: str, some: int, more: int) -> None:
    some, more = sorted((some, more))
    assert Flag(some).on(subject) == Flag(some).on(subject)
    assert Flag(more).on(subject) or not Flag(some).on(subject)
    assert Flag(100).on(subject)
    assert not Flag(0).on(subject)
    assert not Flag(100, killed=True).on(subject)


@pytest.mark.parametrize("percent", [10, 50])
def test_about_so_many_are_in(percent: int) -> None:
    inside = sum(Flag(percent).on(f"user-{n}") for n in range(10_000))
    assert abs(inside - percent * 100) < 200


def test_the_assignment_is_the_same_for_ever() -> None:
    assert [n for n in range(40) if Flag(10).on(f"user-{n}")] == [1, 4, 15, 18, 36]


@pytest.mark.parametrize("wrong", [-1, 101, True])
def test_a_wrong_percentage_is_refused(wrong: int) -> None:
    with pytest.raises(ArgumentError):
        Flag(wrong)


def test_a_file_of_flags(tmp_path: Path) -> None:
    flags: FlagStore = FileFlags(tmp_path / "flags.json")
    assert flags.get(READS) is None
    flags.set(READS, Flag(50))
    assert FileFlags(tmp_path / "flags.json").get(READS) == Flag(50)
    (tmp_path / "flags.json").write_text("no flags")
    with pytest.raises(ConfigError):
        flags.get(READS)


def test_nothing_stops_a_kill(ground: Ground, tmp_path: Path) -> None:
    switched(ground)
    file = tmp_path / "flags.json"
    session = open_moving(ground.moving, ground.wire, clock=ground.clock, flags=FileFlags(file))
    session.switch(50)
    file.write_text("no flags")
    with pytest.raises(ConfigError, match="holds no flags"):
        session.switch(10)
    session.kill()
    assert session.flag() == Flag(0, killed=True)
    session.switch(10)
    assert session.flag() == Flag(10)


def switched(ground: Ground) -> None:
    ground.fill(3, 2)
    ground.into("dual", "shadow")
    ground.session.read(REVIEWS, "m1", subject="u")
    ground.session.tell()
    ground.into("switched")


def reads_new(ground: Ground, subject: str) -> bool:
    before = len(ground.wire.sent)
    ground.session.read(REVIEWS, "m1", subject=subject)
    return any(request.get("TableName") == "Market" for _, request in ground.wire.sent[before:])


def test_reads_follow_the_flag(ground: Ground) -> None:
    switched(ground)
    assert not reads_new(ground, "user-1")
    ground.session.switch(10)
    ground.hold()
    assert [n for n in range(40) if reads_new(ground, f"user-{n}")] == [1, 4, 15, 18, 36]
    ground.session.switch(100)
    ground.hold()
    assert reads_new(ground, "user-1")


def test_the_kill_switch(ground: Ground) -> None:
    switched(ground)
    ground.session.switch(100)
    ground.hold()
    assert reads_new(ground, "user-1")
    ground.session.kill()
    ground.clock.pass_(seconds=5)
    assert not reads_new(ground, "user-1")
    assert ground.session.progress().whole_since is None
    ground.clock.pass_(days=40)
    assert ground.session.verify().well
    with pytest.raises(ArgumentError, match="not all reads are switched"):
        ground.session.advance("new")
    ground.session.switch(100)  # the safety period begins anew
    with pytest.raises(ArgumentError, match=r"safety period lasts 30 days more"):
        ground.session.advance("new")


def test_reads_are_switched_in_their_phase_only(ground: Ground) -> None:
    with pytest.raises(ArgumentError, match="in the phase 'switched' only"):
        ground.session.switch(10)
    ground.session.kill()  # this works always
    assert ground.session.flag().killed


def test_a_store_of_the_users_own(ground: Ground) -> None:
    switched(ground)
    flags = MemoryFlags()
    session = open_moving(ground.moving, ground.wire, clock=ground.clock, flags=flags)
    session.switch(100)
    assert flags.get(READS) == Flag(100)
    assert ground.session.flag() == Flag(0)
    session.kill()
    assert flags.get(READS) == Flag(100, killed=True)


def test_a_flag_that_cannot_be_read_for_a_while(ground: Ground) -> None:
    switched(ground)
    ground.session.switch(100)
    ground.hold()
    assert reads_new(ground, "u")
    ground.clock.pass_(seconds=6)
    ground.wire.refuse = {len(ground.wire.sent): ConfigError("away")}
    assert reads_new(ground, "u")  # a little longer
    ground.clock.pass_(seconds=6)
    ground.wire.refuse = {len(ground.wire.sent): ConfigError("away")}
    with pytest.raises(ConfigError):
        reads_new(ground, "u")


def killed_within(ground: Ground, percent: int) -> int:
    """Somebody kills before each request of a switch in turn; the kills that have to stand do. How many there were."""
    wire, other = ground.wire, ground.open()
    for number in range(20):
        ground.session.switch(10)
        start, done = len(wire.sent), list[str]()

        def kill(done: list[str] = done) -> None:
            wire.before.clear()
            done.append("x")
            other.kill()

        wire.before = {start + number: kill}
        with suppress(ConcurrentModificationError):
            ground.session.switch(percent)
        wire.before.clear()
        if not done:
            return number
        # One that came before the flag was read is there to be ended.
        assert ground.session.flag().killed == (number > 0), number
        if ground.session.flag().killed:
            assert ground.session.flag().percent in (10, percent)
    raise AssertionError("a switch has no end")


@pytest.mark.parametrize("percent", [0, 50, 100])
def test_a_kill_stands_over_a_switch_under_way(ground: Ground, percent: int) -> None:
    switched(ground)
    assert killed_within(ground, percent) >= 4


def test_a_second_kill_stands_over_whoever_ends_the_first(ground: Ground) -> None:
    switched(ground)
    ground.session.switch(100)
    ground.session.kill()
    other, start = ground.open(), len(ground.wire.sent)

    def kill() -> None:
        ground.wire.before.clear()
        other.kill()

    ground.wire.before = {start + 1: kill}
    with pytest.raises(ConcurrentModificationError, match="kill switch"):
        ground.session.switch(100)
    assert ground.session.flag() == Flag(100, killed=True)
    ground.session.switch(100)
    assert ground.session.flag() == Flag(100)


def test_a_kill_is_not_passed_over_by_the_last_phase(ground: Ground) -> None:
    """Not even where the kill has come no further than the flag."""
    switched(ground)
    ground.session.switch(100)
    ground.clock.pass_(days=31)
    assert ground.session.verify().well
    wire, other = ground.wire, ground.open()
    for number in range(20):
        start, done = len(wire.sent), list[str]()

        def kill(start: int = start, number: int = number, done: list[str] = done) -> None:
            wire.before.clear()
            done.append("x")
            wire.refuse = {start + number + 3: ConfigError("away")}  # what follows the flag
            with pytest.raises(ConfigError):
                other.kill()
            wire.refuse = {}

        wire.before = {start + number: kill}
        if number < 4:
            with pytest.raises((ConcurrentModificationError, ArgumentError)):
                ground.session.advance("new")
            assert done
            assert ground.session.flag().killed
            assert ground.session.progress().phase == "switched"
            item = ground.legacy.execute("GetItem", {"TableName": ground.moving.ledger, "Key": FLAG})["Item"]
            ground.legacy.execute("PutItem", {"TableName": ground.moving.ledger, "Item": item | {"killed": NO}})
        else:
            ground.session.advance("new")
            assert not done
            return


FLAG, NO = {"id": {"S": f"{READS}#market"}}, {"BOOL": False}


def test_a_kill_is_not_stopped_by_who_else_changes_the_record(ground: Ground) -> None:
    switched(ground)
    ground.session.switch(100)
    other, start = ground.open(), len(ground.wire.sent)

    def verify() -> None:
        ground.wire.before.clear()
        assert other.verify().well

    ground.wire.before = {start + 2: verify}  # after the record was read
    assert ground.session.kill().whole_since is None
    assert ground.session.progress().verified_at is not None


def test_a_flag_of_an_older_process_is_read_and_changed(ground: Ground) -> None:
    switched(ground)
    item = {"id": {"S": f"{READS}#market"}, "percent": {"N": "30"}, "killed": {"BOOL": False}}
    ground.legacy.execute("PutItem", {"TableName": ground.moving.ledger, "Item": item})
    assert ground.session.flag() == Flag(30)
    ground.session.switch(50)
    assert ground.session.flag() == Flag(50)
    ground.legacy.execute("PutItem", {"TableName": ground.moving.ledger, "Item": item})
    ground.session.kill()
    assert ground.session.flag() == Flag(30, killed=True)


class Away(MemoryFlags):
    """A store that cannot be read."""

    def get(self, name: str) -> Flag | None:
        raise ConnectionError("redis://user:secret@host")


class ReadOnly(MemoryFlags):
    """A store that cannot be written."""

    def set(self, name: str, flag: Flag) -> None:
        raise ConnectionError("redis://user:secret@host")


def test_a_store_of_the_users_own_that_cannot_be_written(ground: Ground) -> None:
    switched(ground)
    session = open_moving(ground.moving, ground.wire, clock=ground.clock, flags=ReadOnly())
    for change in (session.kill, lambda: session.switch(10), lambda: session.switch(100)):
        with pytest.raises(NetworkError, match=r"does not answer: ConnectionError\.") as told:
            change()
        assert "secret" not in str(told.value)
    assert session.progress().whole_since is None


def test_a_store_of_the_users_own_that_fails_for_a_while(ground: Ground) -> None:
    switched(ground)
    flags = MemoryFlags()
    session = open_moving(ground.moving, ground.wire, clock=ground.clock, flags=flags)
    session.switch(100)
    session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "one"})
    flags.__class__ = Away
    ground.clock.pass_(seconds=6)
    session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "two"})  # a little longer
    ground.clock.pass_(seconds=6)
    with pytest.raises(NetworkError, match=r"does not answer: ConnectionError\.") as told:
        session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "three"})
    assert "secret" not in str(told.value)
    session.kill()
    flags.__class__ = MemoryFlags
    assert session.flag().killed


def test_a_store_of_the_users_own_is_looked_at_again(ground: Ground) -> None:
    switched(ground)
    flags = MemoryFlags()
    session = open_moving(ground.moving, ground.wire, clock=ground.clock, flags=flags)
    session.switch(10)
    start = len(ground.wire.sent)
    ground.wire.before = {start + 1: lambda: flags.set(READS, Flag(10, killed=True))}
    with pytest.raises(ConcurrentModificationError):
        session.switch(50)
    assert flags.get(READS) == Flag(10, killed=True)
