"""Migration files that are made from two models: their text, what they ask, and what they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import (
    AddIndex,
    ChangeKey,
    DropIndex,
    FillKeys,
    MoveEntity,
    Question,
    RemoveAttributes,
    RemoveKeys,
    RenameAttribute,
    ToMultiAttributeKeys,
    UpgradeEntity,
)
from tablewright.evolve.migrations.files import next_path, read_file, read_files
from tablewright.evolve.migrations.generating import steps_between
from tablewright.evolve.migrations.printing import printed
from tablewright.evolve.migrations.step import Step
from tests.evolve.differences.models import changed, described
from tests.evolve.migrations.tables import OLD, file, shop, skipped, written

NEW = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]'),
    (
        'Keys("ORDER#{number}", "ORDER", GSI1=("BUYER#{buyer}", "ORDER#{number}"))',
        'Keys("SALE#{number}", "SALE", GSI1=("BUYER#{buyer}", "ORDER#{number}"), GSI2=("STATE#{status}", "{day}#{number}"))',
    ),
    ('    state: str = "open"\n', '    status: str = "open"\n'),
]

GOLDEN = '''"""Orders by status: from the model main:shop/model.py to the one beside this folder.

- breaking: Order.state is gone; items keep the attribute 'state', which nobody reads. Was it renamed to status, which
  is new and has the same type?
- breaking: Order has another primary key, SALE#{number} / SALE instead of ORDER#{number} / ORDER: items lie under the
  old one
- breaking: order() misses items of Order that the old model wrote, and readers of that one do so with new items. It
  is another request: GetItem table: PK = SALE#{number} AND SK = SALE (one item or none), instead of GetItem table: PK
  = ORDER#{number} AND SK = ORDER (one item or none)
- backfill: GSI2 is new; items that are there lack its keys
- backfill: Order on GSI2 is new: STATE#{status} / {day}#{number}; items enter the index when they are next written
"""

from tablewright.evolve.migrations import AddIndex, FillKeys, Migration, MoveEntity, Question, RemoveAttributes

migration = Migration(
    [
        Question(
            "Order.state is gone and Order.status is new: is it the same under another name?",
            answers=(
                "RenameAttribute of Order from state to status in front of the other steps, and no RemoveAttributes "
                "for it; or nothing, if they have nothing to do with each other"
            ),
        ),
        AddIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",)),
        FillKeys("Order", "GSI2"),
        MoveEntity("Order", was=("ORDER#{number}", "ORDER")),
        RemoveAttributes("Order", ("state",)),
    ]
)
'''


def text_of(replacements: list[tuple[str, str]]) -> str:
    steps, changes = steps_between(described(OLD), described(changed(OLD, replacements)))
    return printed("orders_by_status", "main:shop/model.py", steps, changes)


def steps_of(*replacements: tuple[str, str], old: str = OLD) -> list[Step]:
    return list(steps_between(described(old), described(changed(old, list(replacements))))[0])


def test_the_text_of_a_migration() -> None:
    assert text_of(NEW) == GOLDEN
    compile(GOLDEN, "migration", "exec")


def test_a_file_is_read_asked_and_run(tmp_path: Path) -> None:
    path = next_path(tmp_path, "Orders: by status!")
    assert path.name == "0001_orders_by_status.py"
    path.write_text(text_of(NEW))
    with shop(*NEW) as ground:
        ground.fill(3)
        before = ground.items()
        asking = ground.migrator(read_file(path))
        assert asking.status()[0].questions == 1
        with pytest.raises(ArgumentError, match="is it the same under another name"):
            asking.run(write=True)
        assert ground.items() == before
        text = path.read_text()
        question = text[text.index("        Question(") : text.index("        AddIndex")]
        answer = '        RenameAttribute("Order", "state", to="status"),\n'
        text = text.replace(question, answer).replace("Question, RemoveAttributes", "RenameAttribute")
        path.write_text(text.replace('        RemoveAttributes("Order", ("state",)),\n', ""))
        answered = ground.migrator(*read_files(tmp_path))
        assert skipped(answered.run(write=True)) == {}
        answered.cutover()
        assert skipped(answered.retire(write=True)) == {}
        assert written(answered.verify()) == 0
        orders = list(ground.new.run(ground.new_module.orders_of, "b0"))
        assert [(o.number, o.status) for o in orders] == [("0", "s0"), ("2", "s2")]
        assert ground.new.run(ground.new_module.order, "1").status == "s1"
    assert next_path(tmp_path, "more").name == "0002_more.py"


def test_each_difference_has_its_step_or_its_question() -> None:
    order = 'Keys("ORDER#{number}", "ORDER", GSI1=("BUYER#{buyer}", "ORDER#{number}"))'
    renamed = steps_of(
        ("class Order(Entity, table=shop):", 'class Order(Entity, table=shop, stored={"state": "status"}):')
    )
    assert [type(step) for step in renamed] == [RenameAttribute]
    (gone,) = steps_of(('    day: str = "2026-01-01"\n', ""))
    assert gone == RemoveAttributes("Order", ("day",))
    (upgraded,) = steps_of(("class Order(Entity, table=shop):", "class Order(Entity, table=shop, schema_version=2):"))
    assert upgraded == UpgradeEntity("Order", was=1)
    asked, moved = steps_of((order, order.replace('"ORDER", GSI1', '"SALE", GSI1')))
    assert isinstance(asked, Question)
    assert moved == ChangeKey("Order", ("ORDER#{number}", "ORDER"), copies=False)
    (partition,) = steps_of((order, order.replace('"ORDER#{number}", "ORDER", GSI1', '"SALE#{number}", "ORDER", GSI1')))
    assert partition == MoveEntity("Order", ("ORDER#{number}", "ORDER"))
    in_place, filled = steps_of((order, order.replace("BUYER#", "CUSTOMER#")))
    assert isinstance(in_place, Question)
    assert filled == FillKeys("Order", "GSI1", was=("BUYER#{buyer}", "ORDER#{number}"))
    (required,) = steps_of(('    day: str = "2026-01-01"\n', '    day: str = "2026-01-01"\n    region: str\n'))
    assert isinstance(required, Question)
    assert "Order.region" in required.asks
    (unique,) = steps_of((order, order.replace("))", '), unique=["buyer"])')))
    assert isinstance(unique, Question)
    without = (
        "@shop.pattern\ndef orders_of(buyer: str) -> Query[Order]:\n    return query(Order, Order.buyer == buyer)\n"
    )
    dropped = steps_of(('indexes=[GSI("GSI1")]', ""), (', GSI1=("BUYER#{buyer}", "ORDER#{number}")', ""), (without, ""))
    assert [type(step) for step in dropped] == [DropIndex, RemoveKeys]
    assert steps_of(("def notes_of(number: str)", "def notes_of(number: str) ")) == []


UPCAST = """
@shop.upcast(Order, 1)
def renamed(item: dict[str, object]) -> dict[str, object]:
    return {**item, "status": item.pop("state"), "region": "north"}
"""


def test_what_upcasts_answer_is_not_asked() -> None:
    shape = [
        ('    state: str = "open"\n', "    status: str\n    region: str\n"),
        ('    day: str = "2026-01-01"\n', "    day: int = 0\n"),
    ]
    asked = [step for step in steps_of(*shape) if isinstance(step, Question)]
    assert len(asked) == 2
    raised = ("class Order(Entity, table=shop):", "class Order(Entity, table=shop, schema_version=2):")
    assert sum(isinstance(step, Question) for step in steps_of(*shape, raised)) == 2, (
        "a version without functions says nothing"
    )
    last = "return query(Note, Note.number == number)\n"
    assert steps_of(*shape, raised, (last, last + UPCAST)) == [UpgradeEntity("Order", was=1)]
    stored = (raised[0], 'class Order(Entity, table=shop, schema_version=2, stored={"state": "status"}):')
    assert [type(step) for step in steps_of(stored)] == [RenameAttribute, UpgradeEntity]
    assert steps_of(stored, (last, last + UPCAST)) == [UpgradeEntity("Order", was=1)]


def test_fields_of_one_type_are_one_question() -> None:
    asked, removed = steps_of(
        ('    state: str = "open"\n    day: str = "2026-01-01"\n', '    status: str\n    date: str = ""\n')
    )
    assert isinstance(asked, Question)
    assert asked.asks == (
        "Order.state and Order.day are gone and Order.status and Order.date are new: which of them are the same under another name?"
    )
    assert asked.answers.startswith(
        "RenameAttribute of Order from state or day to status or date for each that is, none of them in two steps,"
    )
    assert "or nothing, if no item lacks it" in asked.answers
    assert removed == RemoveAttributes("Order", ("day", "state"))


def test_what_a_new_entity_may_be_made_of_is_not_removed_unasked() -> None:
    day = """
class Day(Entity, table=shop):
    keys = Keys("ORDER#{number}", "DAY#{day}")
    number: str
    day: str

@shop.pattern
def order("""
    asked, removed = steps_of(('    day: str = "2026-01-01"\n', ""), ("\n@shop.pattern\ndef order(", day))
    assert isinstance(asked, Question)
    assert asked.asks == "Order keeps day no more, and Day is new: are items of it made of what day held?"
    assert asked.answers.startswith(
        "SplitItem of Order with removes= for what they are made of, and no RemoveAttributes"
    )
    assert removed == RemoveAttributes("Order", ("day",))


TWO = """
from tablewright import Entity, Keys, Table

shop = Table("Shop")

class Person(Entity, table=shop):
    keys = Keys("PERSON#{name}", "PERSON")
    name: str
    mail: str = ""

class Bill(Entity, table=shop, schema_version=1):
    keys = Keys("BILL#{no}", "BILL")
    no: str
    lines: list[str]
    euros: int
"""
PARTS = """
class Line(Entity, table=shop):
    keys = Keys("BILL#{no}", "LINE#{number:4}")
    no: str
    number: int

@shop.upcast(Bill, 1)
def cents(item: dict[str, object]) -> dict[str, object]:
    return item
"""


def test_it_is_asked_of_the_entity_whose_key_the_new_one_has_also_where_upcasts_are() -> None:
    shape = [
        ('    mail: str = ""\n', ""),
        ("    lines: list[str]\n    euros: int\n", "    cents: int = 0\n"),
        ("schema_version=1", "schema_version=2"),
    ]
    old, new = (described(text) for text in (TWO, changed(TWO, shape) + PARTS))
    upgraded, removed, asked = steps_between(old, new)[0]
    assert (upgraded, removed) == (UpgradeEntity("Bill", was=1), RemoveAttributes("Person", ("mail",)))
    assert isinstance(asked, Question)
    assert asked.asks.startswith("Bill keeps euros and lines no more, and Line is new")
    assert "which no upcast takes away then; RemoveAttributes for what is only to go" in asked.answers


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            [RenameAttribute("Order", "state", to="status"), RenameAttribute("Order", "state", to="phase")],
            r'"phase"\) both take away state of Order',
        ),
        (
            [RenameAttribute("Order", "state", to="status"), RenameAttribute("Order", "day", to="status")],
            "both make status of Order",
        ),
        (
            [RemoveAttributes("Order", ("day", "state")), RenameAttribute("Order", "state", to="status")],
            "removes state, which RenameAttribute",
        ),
    ],
)
def test_answers_that_contradict_each_other_are_refused(steps: list[Step], said: str) -> None:
    with shop() as ground:
        ground.fill(2)
        before = ground.items()
        for write in (False, True):
            with pytest.raises(ArgumentError, match=f"contradicts itself: .*{said}"):
                ground.migrator(file(*steps)).run(write=write)
        assert ground.items() == before
        elsewhere = [RenameAttribute("Order", "state", to="status"), RenameAttribute("Note", "state", to="status")]
        assert file(*elsewhere).migration.contradiction() is None


@given(st.lists(st.text(alphabet="a'\"\\ \n\t\x7fé\u2028{}", min_size=1), min_size=1, max_size=3), st.text(min_size=1))
def test_names_stand_in_a_file_as_they_are(names: list[str], long: str) -> None:
    steps = [
        RemoveAttributes("Order", tuple(names)),
        RenameAttribute("Order", names[0], to=f"{long}  {names[-1] * 99}"),
    ]
    module: dict[str, Any] = {}
    exec(printed("names", "old.py", steps, []), module)
    assert list(module["migration"].steps) == steps


def test_a_concatenated_index_becomes_one_of_several_attributes() -> None:
    old = changed(OLD, [('GSI1=("BUYER#{buyer}", "ORDER#{number}")', 'GSI1=("BUYER#{buyer}", "{day}#{number}")')])
    (step,) = steps_of(
        ('indexes=[GSI("GSI1")]', 'indexes=[GSI("ByBuyer", pk="BuyerCopy", sk=["DayCopy", "NumberCopy"])]'),
        ('GSI1=("BUYER#{buyer}", "{day}#{number}")', 'ByBuyer=("{buyer}", ["{day}", "{number}"])'),
        old=old,
    )
    assert step == ToMultiAttributeKeys(
        ("Order",),
        AddIndex("ByBuyer", pk=("BuyerCopy (S)",), sk=("DayCopy (S)", "NumberCopy (S)")),
        instead_of=DropIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",)),
        was=(("BUYER#{buyer}", "{day}#{number}"),),
    )
    text = printed("buyers", "old.py", [step], [])
    compile(text, "migration", "exec")
    assert text == printed("buyers", "old.py", [step], [])


STEPS = "from tablewright.evolve.migrations import *\ndef f(n):\n    return n, n\n"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"0001_a.py": "migration = 1"}, "has no `migration`"),
        ({"0001_a.py": "x ="}, "cannot be read: SyntaxError"),
        ({"0001_a.py": "import sys\nsys.exit(3)"}, "cannot be read: line 2: SystemExit: 3"),
        (
            {
                "0001_a.py": f"{STEPS}migration = Migration([\n    FillKeys('P', 'G'),\n    SplitAttribute('P', 'n', into=('a', 'b'), by=f)])"
            },
            r"cannot be read: line 6, SplitAttribute\(\): TypeError: Missing required argument 'back'",
        ),
        ({"first.py": ""}, "not named as a migration is"),
        ({"0001_a.py": "", "0001_b.py": ""}, "Two migrations have the number 0001"),
    ],
)
def test_files_that_are_none(tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ArgumentError, match=said):
        read_files(tmp_path)


def test_what_lies_there_and_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin").mkdir()
    (tmp_path / "latin" / "0001_a.py").write_bytes(b'"""Stra\xdfe"""')
    (tmp_path / "folder" / "0001_a.py").mkdir(parents=True)
    (tmp_path / "dangling").mkdir()
    (tmp_path / "dangling" / "0001_a.py").symlink_to(tmp_path / "gone.py")
    for name in ("latin", "folder", "dangling"):
        with pytest.raises(ArgumentError, match=r"The migration .*0001_a\.py cannot be read"):
            read_files(tmp_path / name)


def test_a_file_says_how_it_is_encoded(tmp_path: Path) -> None:
    text = '"""Straße"""\nfrom tablewright.evolve.migrations import *\nmigration = Migration([RemoveAttributes("A", ("ß",))])\n'
    forms = [text.encode(), text.encode("utf-8-sig"), b"# coding: latin-1\n" + text.encode("latin-1")]
    digests = set()
    for number, form in enumerate(forms):
        path = tmp_path / f"000{number}_a.py"
        path.write_bytes(form)
        read = read_file(path)
        assert read.migration.steps == (RemoveAttributes("A", ("ß",)),)
        digests.add(read.digest)
    assert len(digests) == 1


def test_names_of_files_have_an_end(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="400 characters is too long"):
        next_path(tmp_path, "a" * 400)
