"""An open table for the tests, in memory and on DynamoDB Local, and a tenant in it with a survey of its own."""

from collections.abc import Iterator
from itertools import count

import pytest

from examples.places import PLACES, open_at
from examples.surveyor.model import surveyor
from examples.surveyor.store import Surveyor
from tablewright import Session

_tenants = count(1)


@pytest.fixture(scope="module", params=PLACES)
def db(request: pytest.FixtureRequest) -> Iterator[Session]:
    """A table that the tests of a module share; each of them has a tenant of its own."""
    with open_at(request.param, surveyor, request) as opened:
        yield opened


@pytest.fixture
def store(db: Session) -> Surveyor:
    """A tenant that has nothing yet."""
    return Surveyor(db, f"tenant-{next(_tenants)}")


@pytest.fixture
def house(store: Surveyor) -> Surveyor:
    """A tenant with the survey "s1" of ann: roof (tiles with tile and nail, gutter), walls (bricks), cellar."""
    store.create_survey("12 Elm Street", "ann", survey_id="s1", editors=["bob"], viewers=["cleo"])
    for name, position in (("roof", 10), ("walls", 2), ("cellar", 30)):
        store.add_section("s1", name, position, section_id=name)
    store.add_element("s1", "roof", "Tiles", 2, element_id="tiles")
    store.add_element("s1", "roof", "Gutter", 1, element_id="gutter")
    store.add_element("s1", "walls", "Bricks", 1, element_id="bricks")
    store.add_component("s1", "roof", "tiles", "Tile", 11, component_id="tile")
    store.add_component("s1", "roof", "tiles", "Nail", 3, component_id="nail")
    return store
