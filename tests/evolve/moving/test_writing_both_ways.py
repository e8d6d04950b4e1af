"""One deployment for both: a function that writes legacy items, chosen by the phase, while the last phase begins."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tablewright import Session
from tablewright.errors import ArgumentError
from tablewright.evolve.moving import AsyncMovingSession, MovingSession, open_moving_async
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.people import Person, people_moving, person
from tests.evolve.moving.way_back import Ground, back, grounds


@pytest.fixture(params=["together", "apart"])
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    """In the phase switched again, with the last one about to begin."""
    for made in grounds(request.param):
        with made.open() as session:
            back(made, session)
            made.clock.pass_(seconds=20)
            while not session.restore_legacy().nothing:
                pass
            session.switch(100)
            assert session.verify().well
            session.advance("new")
        yield made


def by_new(db: Session) -> None:
    raise AssertionError("the phase was another one")


def test_what_was_begun_before_is_ended(ground: Ground) -> None:
    def by_legacy(session: MovingSession) -> None:
        session.put("Old", {"id": "1", "mail": "first"})
        ground.clock.pass_(seconds=11)
        assert session.put("Old", {"id": "2", "mail": "second"}).settled
        assert session.delete("Old", {"id": "3"}).settled

    with ground.open() as session:
        session.write(legacy=by_legacy, new=by_new)
        found = [session.db.run(person, number) for number in "123"]
        assert [each and each.mail for each in found] == ["first", "second", None]
        with pytest.raises(ArgumentError, match="written no more in the phase 'new'"):
            session.put("Old", {"id": "2", "mail": "late"})
        assert session.verify().well


def test_it_goes_over_nothing_that_was_written_since(ground: Ground) -> None:
    def by_legacy(session: MovingSession) -> None:
        ground.clock.pass_(seconds=11)
        alone.db.put(Person(person_id="1", mail="m1", name="newer"))
        session.update("Old", {"id": "1"}, set={"mail": "second"})

    with ground.open() as session, ground.open() as alone:
        session.write(legacy=by_legacy, new=by_new)
        assert session.db.run(person, "1") == Person(person_id="1", mail="second", name="newer")


def test_the_same_for_asyncio(ground: Ground) -> None:
    async def by_legacy(session: AsyncMovingSession) -> bool:
        ground.clock.pass_(seconds=11)
        return (await session.put("Old", {"id": "2", "mail": "second"})).settled

    async def by_new(db: object) -> bool:
        raise AssertionError("the phase was another one")

    async def scenario() -> None:
        beside = None if ground.legacy is ground.new else ground.legacy
        opened = open_moving_async(people_moving(), ground.new, legacy=beside, clock=ground.clock, retry=AT_ONCE)
        async with opened as session:
            assert await session.write(legacy=by_legacy, new=by_new)
            with pytest.raises(ArgumentError, match="written no more in the phase 'new'"):
                await session.put("Old", {"id": "2", "mail": "late"})

    asyncio.run(scenario())
