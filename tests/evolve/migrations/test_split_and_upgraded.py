"""Items that are split and have upcasts too: what an upcast takes away is no deletion, and nothing is removed that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tablewright import Entity, Keys, Session, Table, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import SplitItem, UpgradeEntity
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.works.guarding import READ
from tablewright.evolve.migrations.works.splitting import CHANGED
from tablewright.evolve.migrations.works.versions import APART, DROPS
from tablewright.values.types import Item
from tests.evolve.migrations.tables import file, skipped

Cast = Callable[[dict[str, Any]], dict[str, Any]]
LINES = {"1": ["a", "b"], "2": ["c", "d"], "3": []}


def popped(item: dict[str, Any]) -> dict[str, Any]:
    item.pop("lines", None)
    return {"cents": item.pop("euros") * 100, **item}


def made_anew(item: dict[str, Any]) -> dict[str, Any]:
    return {"no": item["no"], "cents": item["euros"] * 100}


def counted(item: dict[str, Any]) -> dict[str, Any]:
    return {"cents": item.pop("euros") * 100 + len(item["lines"]), **item}


def emptied(item: dict[str, Any]) -> dict[str, Any]:
    return {"no": item["no"], "euros": item["cents"] // 100, "lines": []}


def lowered(item: dict[str, Any]) -> dict[str, Any]:
    return {"euros": item.pop("cents") // 100, "lines": [], **item}


def by(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("Line", {"no": item["no"], "number": n, "text": text}) for n, text in enumerate(item["lines"])]


def back(item: dict[str, Any], parts: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    return {"lines": [fields["text"] for _, fields in sorted(parts, key=lambda part: part[1]["number"])]}


STEPS = SplitItem("Invoice", by=by, removes=("lines",), parts=("Line",)), UpgradeEntity("Invoice", was=1)
BACK = SplitItem("Invoice", by=by, removes=("lines",), parts=("Line",), back=back), UpgradeEntity("Invoice", was=1)


def old_model() -> tuple[Table, type[Any]]:
    table = Table("Tab")

    class Invoice(Entity, table=table, schema_version=1):
        keys = Keys("I#{no}", "INVOICE")
        no: str
        lines: list[str]
        euros: int

    return table, Invoice


class Ground:
    """Invoices of the old model, and the new one on them."""

    def __init__(self, engine: Engine, upcast: Cast, downcast: Cast) -> None:
        self.engine = engine
        self.old, self.former = old_model()
        with self.old.open(engine, create=True) as db:
            for no, lines in LINES.items():
                db.create(self.former(no=no, lines=lines, euros=int(no)))
        self.model(upcast, downcast)
        self.first = self.items()

    def model(self, upcast: Cast, downcast: Cast) -> None:
        """The new model, with these casts."""
        self.table = table = Table("Tab")

        class Invoice(Entity, table=table, schema_version=2):
            keys = Keys("I#{no}", "INVOICE")
            no: str
            cents: int

        class Line(Entity, table=table):
            keys = Keys("I#{no}", "LINE#{number:4}")
            no: str
            number: int
            text: str

        table.upcast(Invoice, 1)(upcast)
        table.downcast(Invoice, 2)(downcast)
        self.invoice, self.line = Invoice, Line

    @contextmanager
    def new(self, **options: Any) -> Iterator[Session]:
        with self.table.open(self.engine, create=False, **options) as db:
            yield db

    def lowering(self) -> dict[str, Any]:
        return {"write_versions": {self.invoice: 1}}

    def migrate(self, what: str, *steps: Any, write: bool = True) -> dict[str, int]:
        """What a command leaves."""
        with self.new() as db:
            migrator = Migrator(db, self.table, [file(*(steps or STEPS))], fitting=False)
            if what == "cutover":
                migrator.cutover()
                return {}
            return skipped(getattr(migrator, what)(write=write))

    def items(self) -> dict[tuple[str, str], Item]:
        with self.old.open(self.engine, create=False) as db:
            found = db.send("Scan", {"TableName": "Tab"})["Items"]
        return {(i["PK"]["S"], i["SK"]["S"]): i for i in found if i["PK"]["S"].startswith("I#")}

    def lines(self) -> dict[str, list[str]]:
        """What the parts say."""
        found: dict[str, list[str]] = {item["no"]["S"]: [] for item in self.items().values()}
        for _, item in sorted(self.items().items()):
            if "text" in item:
                found[item["no"]["S"]].append(item["text"]["S"])
        return found

    def marks(self) -> list[str]:
        return [name for item in self.items().values() for name in item if name.startswith("Tablewright")]


@contextmanager
def ground_of(upcast: Cast = popped, downcast: Cast = emptied) -> Iterator[Ground]:
    with open_engine("memory:") as engine:
        yield Ground(engine, upcast, downcast)
        assert engine.verify() == []


def updated(ground: Ground) -> None:
    with ground.new() as db:
        for no in LINES:
            db.update(key(ground.invoice, no=no), set={"cents": 5})


def updated_as_old(ground: Ground) -> None:
    with ground.new(**ground.lowering()) as db:
        for no in LINES:
            db.update(key(ground.invoice, no=no), set={"cents": 500})


def put_as_old(ground: Ground) -> None:
    with ground.new(**ground.lowering()) as db:
        for no in LINES:
            db.put(ground.invoice(no=no, cents=500))


def merely_read(ground: Ground) -> None:
    with ground.new(upgrade_on_read=True) as db:
        for no in LINES:
            db.get(key(ground.invoice, no=no))


@pytest.mark.parametrize("upcast", [popped, made_anew])
@pytest.mark.parametrize("write", [updated, updated_as_old, put_as_old, merely_read])
def test_what_casts_take_away_is_not_deleted(write: Callable[[Ground], None], upcast: Cast) -> None:
    with ground_of(upcast) as ground:
        ground.migrate("run")
        write(ground)
        ground.migrate("run")
        assert ground.lines() == LINES
        merely_read(ground)
        assert ground.migrate("run") == {}
        ground.migrate("cutover")
        assert ground.migrate("retire") == {}
        assert (ground.lines(), ground.marks()) == (LINES, [])
        assert not any("lines" in item for item in ground.items().values())


@pytest.mark.parametrize("steps", [STEPS, BACK])
@pytest.mark.parametrize("write", [updated, updated_as_old, put_as_old, merely_read])
def test_a_rollback_brings_back_what_casts_take_away(write: Callable[[Ground], None], steps: tuple[Any, ...]) -> None:
    with ground_of() as ground:
        ground.migrate("run", *steps)
        write(ground)
        ground.migrate("run", *steps)
        assert ground.migrate("rollback", *steps) == {}
        with ground.old.open(ground.engine, create=False) as db:
            found = {no: db.get(key(ground.former, no=no)).lines for no in LINES}
        assert (found, ground.marks(), ground.items().keys()) == (LINES, [], ground.first.keys())


def test_an_upcast_that_drops_what_is_not_split_yet_is_told() -> None:
    with ground_of() as ground:
        for write in (False, True, True):
            assert ground.migrate("run", write=write) == {DROPS: 3}
        with pytest.raises(ArgumentError, match="not finished"):
            ground.migrate("cutover")
        ground.model(counted, emptied)
        assert ground.migrate("run") == {DROPS: 2}
        ground.model(counted, lowered)
        assert ground.migrate("run") == {}
        ground.migrate("cutover")


def test_what_an_upcast_needs_is_removed_when_items_are_upgraded() -> None:
    with ground_of(counted, lowered) as ground:
        assert ground.migrate("run") == {}
        ground.migrate("cutover")
        with ground.old.open(ground.engine, create=False) as db:
            db.create(ground.former(no="4", lines=["late"], euros=4))
        assert ground.migrate("retire", write=False) == {}
        assert ground.migrate("retire") == {}
        with ground.new() as db:
            assert [db.get(key(ground.invoice, no=no)).cents for no in "1234"] == [102, 202, 300, 401]
        assert (ground.lines(), ground.marks()) == ({**LINES, "4": ["late"]}, [])


def test_without_an_upgrade_what_an_upcast_needs_is_left_and_told() -> None:
    with ground_of(counted, lowered) as ground:
        assert ground.migrate("run", STEPS[0]) == {}
        ground.migrate("cutover", STEPS[0])
        assert ground.migrate("retire", STEPS[0]) == {READ: 3}
        with ground.new() as db:
            assert [db.get(key(ground.invoice, no=no)).cents for no in LINES] == [102, 202, 300]


def test_what_code_of_the_new_model_creates_goes_back_with_its_parts() -> None:
    with ground_of() as ground:
        ground.migrate("run", *BACK)
        with ground.new() as db:
            db.delete(key(ground.invoice, no="1"))
            db.create(ground.invoice(no="1", cents=500))
            db.put(ground.line(no="1", number=1, text="x"))
        ground.migrate("run", *BACK)
        assert ground.migrate("rollback", *BACK) == {}
        with ground.old.open(ground.engine, create=False) as db:
            assert [db.get(key(ground.former, no=no)).lines for no in LINES] == [["a", "x"], ["c", "d"], []]


def test_what_no_function_puts_together_keeps_its_version() -> None:
    with ground_of() as ground:
        ground.migrate("run")
        with ground.new() as db:
            db.delete(key(ground.invoice, no="1"))
            db.create(ground.invoice(no="1", cents=500))
        for _ in range(2):
            assert ground.migrate("rollback") == {CHANGED: 1, APART: 1}
        assert ground.lines()["1"] == ["a", "b"]
        assert ground.migrate("rollback", *BACK) == {}
        with ground.old.open(ground.engine, create=False) as db:
            assert [db.get(key(ground.former, no=no)).lines for no in LINES] == list(LINES.values())
