"""A data-access layer that was written for a model: its own tests pass, type checkers and ruff find nothing."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright import cli
from tablewright.errors import ArgumentError
from tests.support.type_checks import ROOT

EXAMPLES = ROOT / "examples"
ODD = '''
from typing import Literal

from pydantic import BaseModel

from tablewright import GSI, Entity, Get, Keys, Mixed, Query, Table, get, is_in, query

fleet = Table("Fleet", indexes=[GSI("GSI1")])

class Plate(BaseModel):
    model: str

class Items(Entity, table=fleet):
    """Settings, of which there are only one."""
    keys = Keys("ITEMS", "ITEMS")
    model: str

class Car(Entity, table=fleet, version=True):
    keys = Keys("CAR#{model}#{year:4}", "CAR#{number:6}", GSI1=("STATE#{state}", "{year:4}#{model}#{number:6}"))
    model: str
    year: int
    number: int
    state: Literal["new", "it's used"]

class Trip(Entity, table=fleet):
    keys = Keys("CAR#{model}#{year:4}", "TRIP#{trip_id}")
    model: str
    year: int
    trip_id: str

@fleet.pattern
def get_car(model: str, year: int, number: int) -> Get[Car]:
    return get(Car, Car.model == model, Car.year == year, Car.number == number)

@fleet.pattern
def cars_in(states: list[Literal["new", "it's used"]]) -> Query[Car]:
    return query(Car, is_in(Car.state, states))

@fleet.pattern
def plates(year: int, model: str) -> Query[Plate]:
    "Only \\"plates\\"."
    return query(Car, Car.model == model, Car.year == year).only(Plate)

@fleet.pattern
def all_of_model(model: str, year: int) -> Mixed[Car | Trip]:
    return query(Car, Car.model == model, Car.year == year) | query(Trip, Trip.model == model, Trip.year == year)

@fleet.change
def sell(c: Car, state: Literal["new", "it's used"]) -> None:
    c.state = state
'''

BASE = """
from tablewright import Entity, Keys, Table

sites = Table("Sites")

class Site(Entity, table=sites):
    keys = Keys("SITE#{site_id}", "SITE")
    site_id: str
    name: str
"""
SPREAD = """
from tablewright import Entity, Get, Keys, get

from .base import Site, sites

class Survey(Entity, table=sites):
    keys = Keys("SITE#{site_id}", "SURVEY#{survey_id}")
    site_id: str
    survey_id: str
    title: str

@sites.pattern
def site(site_id: str) -> Get[Site]:
    return get(Site, Site.site_id == site_id)

@sites.pattern
def survey(site_id: str, survey_id: str) -> Get[Survey]:
    return get(Survey, Survey.site_id == site_id, Survey.survey_id == survey_id)
"""


LAYERS = ("shop_dal", "shop_async", "odd_dal", "odd_async", "surveying/dal")


def write(model: str, to: Path, *more: str) -> str:
    result = CliRunner().invoke(cli.app, ["dal", model, "--to", str(to), *more])
    if result.exception is not None:
        raise result.exception
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Layers of an example, also for asyncio, of a model in several files, and of a model with odd names."""
    folder = tmp_path_factory.mktemp("layers")
    (folder / "shop_model.py").write_text(
        (EXAMPLES / "shop" / "model.py").read_text(encoding="utf-8"), encoding="utf-8"
    )
    write(str(folder / "shop_model.py"), folder / "shop_dal")
    write(str(folder / "shop_model.py"), folder / "shop_async", "--async")
    (folder / "odd_model.py").write_text(ODD, encoding="utf-8")
    write(str(folder / "odd_model.py"), folder / "odd_dal")
    write(str(folder / "odd_model.py"), folder / "odd_async", "--async")
    package = folder / "surveying"
    package.mkdir()
    for file, text in {"__init__.py": "", "base.py": BASE, "model.py": SPREAD}.items():
        (package / file).write_text(text, encoding="utf-8")
    write(str(package / "model.py"), package / "dal")
    return folder


def tool(folder: Path, *arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_its_own_tests_pass(folder: Path) -> None:
    tool(folder, "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", *LAYERS)


def test_mypy_and_ruff_find_nothing(folder: Path) -> None:
    cache = str(ROOT / ".mypy_cache")
    tool(folder, "mypy", "--strict", "--cache-dir", cache, *LAYERS)
    tool(folder, "ruff", "check", "--no-cache", "--isolated", "--line-length", "120", "--extend-ignore", "I", *LAYERS)


def test_one_function_for_each_pattern_and_change(folder: Path) -> None:
    text = (folder / "shop_dal" / "data_access" / "order.py").read_text(encoding="utf-8")
    for line in (
        "def orders_of(db: Session, *, username: str, since: datetime | None = None) -> Results[shop_model.Order]:",
        "def order(db: Session, *, order_id: str) -> shop_model.Order | None:",
        "def ship(db: Session, target: Key[shop_model.Order], *, tracking: str) -> shop_model.Order:",
        "def create_order(db: Session, entity: shop_model.Order) -> shop_model.Order:",
        "def to_item(entity: shop_model.Order) -> Item:",
    ):
        assert line in text
    handlers = (folder / "shop_dal" / "api" / "order.py").read_text(encoding="utf-8")
    assert "found.page(request.limit, request.cursor)" in handlers


def test_one_that_is_awaited(folder: Path) -> None:
    text = (folder / "shop_async" / "data_access" / "order.py").read_text(encoding="utf-8")
    for line in (
        "def orders_of(",
        ") -> AsyncResults[shop_model.Order]:",
        "async def order(db: AsyncSession, *, order_id: str) -> shop_model.Order | None:",
        "async def ship(db: AsyncSession, target: Key[shop_model.Order], *, tracking: str) -> shop_model.Order:",
        "    return await db.create(entity)",
    ):
        assert f"\n{line}\n" in text
    assert not (folder / "shop_async" / "tests" / "conftest.py").exists()


def test_names_that_are_taken_give_way(folder: Path) -> None:
    car = (folder / "odd_dal" / "data_access" / "car.py").read_text(encoding="utf-8")
    assert "def get_car(" in car
    assert "def get_car_by_key(" in car
    assert (folder / "odd_dal" / "data_access" / "items_entity.py").is_file()


@pytest.mark.full
def test_a_changed_model_fails_the_tests_of_the_layer(tmp_path: Path) -> None:
    """So that the tests that were written are worth something."""
    (tmp_path / "odd_model.py").write_text(ODD, encoding="utf-8")
    write(str(tmp_path / "odd_model.py"), tmp_path / "layer")
    broken = (tmp_path / "layer" / "data_access" / "car.py").read_text(encoding="utf-8")
    broken = broken.replace("return db.create(entity)", "return entity")
    (tmp_path / "layer" / "data_access" / "car.py").write_text(broken, encoding="utf-8")
    with pytest.raises(AssertionError, match="test_created_once_and_read_again"):
        tool(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", "layer")


def test_parameters_that_would_meet_are_told(tmp_path: Path) -> None:
    (tmp_path / "meeting_model.py").write_text(BASE.replace("site_id", "target"), encoding="utf-8")
    with pytest.raises(ArgumentError, match="Site has 'target', which functions of the layer have for something else"):
        write(str(tmp_path / "meeting_model.py"), tmp_path / "layer")
    assert not (tmp_path / "layer").exists()


def test_a_layer_that_nobody_touched_follows_its_model(tmp_path: Path) -> None:
    model = tmp_path / "odd_model.py"
    model.write_text(ODD, encoding="utf-8")
    write(str(model), tmp_path / "layer")
    keys = tmp_path / "layer" / "data_access" / "keys.py"
    assert "journey_id" not in keys.read_text(encoding="utf-8")
    model.write_text(ODD.replace("trip_id", "journey_id"), encoding="utf-8")
    write(str(model), tmp_path / "layer")
    assert "journey_id" in keys.read_text(encoding="utf-8")


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "odd_model.py").write_text(ODD, encoding="utf-8")
    write(str(tmp_path / "odd_model.py"), tmp_path / "layer")
    edited = tmp_path / "layer" / "data_access" / "keys.py"
    edited.write_text("# mine\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match="would be written over"):
        write(str(tmp_path / "odd_model.py"), tmp_path / "layer")
    assert edited.read_text(encoding="utf-8") == "# mine\n"
    write(str(tmp_path / "odd_model.py"), tmp_path / "layer", "--force")
    assert "def car_key(" in edited.read_text(encoding="utf-8")
