"""Index keys and markers of unique values that are made of an attribute with two forms: whatever code of either model writes, in
any order, each says what its item says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tablewright import key
from tablewright.engine import Engine, open_engine
from tablewright.errors import NotFoundError, UniqueViolationError
from tablewright.evolve.differences.describing import describe_model
from tablewright.evolve.migrations import MergeAttributes, MoveEntity, RenameAttribute, SplitAttribute
from tablewright.evolve.migrations.files import MigrationFile
from tablewright.evolve.migrations.generating import steps_between
from tablewright.evolve.migrations.migrator import Migrator, Told
from tablewright.evolve.migrations.step import Question
from tablewright.evolve.migrations.ways_out import way_out
from tablewright.values.types import Item
from tests.evolve.differences.models import changed, loaded
from tests.evolve.migrations.tables import Shop, Through, file, shop, skipped, written

OLD = """
from tablewright import GSI, Entity, Keys, Table

people = Table("People", indexes=[GSI("GSI1")])

class Person(Entity, table=people):
    keys = Keys("PERSON#{number}", "P", GSI1=("TEAM#{team}", "MAIL#{mail}"), unique=["mail"])
    number: str
    team: str = "a"
    mail: str | None = None
"""
STORED = [("class Person(Entity, table=people)", 'class Person(Entity, table=people, stored={"mail": "%s"})')]
NAMED = [("MAIL#{mail}", "MAIL#{email}"), ('unique=["mail"]', 'unique=["email"]'), ("    mail:", "    email:")]
MOVED = ('Keys("PERSON#{number}"', 'Keys("HUMAN#{number}"')
MOVE = MoveEntity("Person", was=("PERSON#{number}", "P"))


class Form:
    """How one model calls and stores what may be a mail address."""

    def __init__(self, field: str, attribute: str, replacements: Sequence[tuple[str, str]]) -> None:
        self.field, self.attribute, self.replacements = field, attribute, list(replacements)


def stored_as(attribute: str) -> Form:
    return Form("mail", attribute, [(before, after % attribute) for before, after in STORED])


RENAMES: dict[str, tuple[Form, Form, Any]] = {
    "stored": (stored_as("m"), stored_as("ml"), {}),
    "named": (Form("mail", "mail", []), Form("email", "email", NAMED), {}),
    "stored as it is called": (stored_as("m"), Form("mail", "mail", []), {"field": "mail"}),
}


class People:
    """A table with two models on it, and what should be in it."""

    def __init__(self, engine: Engine, kind: str, wins: Any, moved: str) -> None:
        self.engine = engine
        self.was, self.now, more = RENAMES[kind]
        self.moved = moved
        places = [] if moved == "no" else [MOVED]
        self.modules = {
            "old": loaded(changed(OLD, self.was.replacements)),
            "new": loaded(changed(changed(OLD, self.now.replacements), places)),
        }
        self.sessions = {
            side: module.people.open(engine, create=side == "old") for side, module in self.modules.items()
        }
        self.sessions["new"]._driver.sleep = lambda seconds: None
        self.wins = wins
        rename = RenameAttribute("Person", self.was.attribute, to=self.now.attribute, wins=wins, **more)
        self.files: tuple[MigrationFile, ...] = {
            "no": (file(rename),),
            "in one file": (file(rename, MOVE),),
            "before": (file(MOVE), file(rename, name="0002_rename", digest="two")),
            "behind": (file(rename), file(MOVE, name="0002_move", digest="two")),
        }[moved]
        self.noted: dict[str, str | None] = {}
        self.seen: dict[str, dict[str, str | None]] = {"old": {}, "new": {}}
        self.teams: dict[str, str] = {}
        self.writer: dict[str, str] = {}
        self.gone_over: set[str] = set()

    def migrator(self) -> Migrator:
        return Migrator(self.sessions["new"], self.modules["new"].people, self.files, job={"segments": 1})

    # --------------------------------------------------------------------------------------------- applications

    def act(self, side: str, verb: str, number: str, value: str | None) -> None:
        """One call of an application, unless it would be one that nobody can decide about."""
        other = "new" if side == "old" else "old"
        if self.moved != "no" and (
            self.writer.get(number, side) != side or (side == "old" and number in self.gone_over)
        ):
            return
        session, person = self.sessions[side], self.modules[side].Person
        form = self.was if side == "old" else self.now
        mail = None if value is None else f"{number}-{value}"
        there = number in self.teams
        if verb == "create" and not there:
            try:
                session.create(person(number=number, **{form.field: mail}))
            except UniqueViolationError:  # what is gone under one key has its values until the other one is
                assert self.moved != "no"
                return
            self.noted[number], self.seen[other][number] = None, None
            self.seen[side][number], self.teams[number] = mail, "a"
        elif verb in ("mail", "put") and there:
            if self.wins is None and self.seen[other][number] != self.noted[number]:
                return
            try:
                if verb == "mail":
                    session.update(key(person, number=number), set={form.field: mail})
                else:
                    session.put(person(number=number, team=self.teams[number], **{form.field: mail}))
            except NotFoundError:  # under the key that this one knows there is nothing yet
                return
            except UniqueViolationError:  # the old key has it, which the new one had given up
                assert self.moved != "no"
                return
            self.seen[side][number] = mail
        elif verb == "team" and there:
            try:
                session.update(key(person, number=number), set={"team": value or "z"})
            except NotFoundError:
                return
            self.teams[number] = value or "z"
        elif verb == "delete" and there:
            try:
                session.delete(key(person, number=number))
            except NotFoundError:
                return
            del self.teams[number]
        else:
            return
        self.writer[number] = side

    def settle(self) -> None:
        """What a pass makes of it."""
        for number in self.teams:
            old, new, noted = self.seen["old"][number], self.seen["new"][number], self.noted[number]
            both = noted not in (old, new)
            right = (old if self.wins == "old" else new) if both else old if old != noted else new
            self.noted[number] = self.seen["old"][number] = self.seen["new"][number] = right
        self.gone_over |= {number for number, who in self.writer.items() if who == "new"}
        self.writer.clear()

    # --------------------------------------------------------------------------------------------- what is there

    def stored(self) -> list[Item]:
        items: list[Item] = self.engine.execute("Scan", {"TableName": "People"})["Items"]
        return items

    def check(self, forms: Sequence[Form], head: str | None) -> None:
        """Everything of the items, as it should be by what was written."""
        people = [i for i in self.stored() if i.get("Type") == {"S": "Person"} and "TablewrightCopyOf" not in i]
        assert {i["number"]["S"] for i in people} == self.teams.keys()
        holds: dict[tuple[str, str], Any] = {}
        for item in people:
            number = item["number"]["S"]
            mail, team = self.noted[number], self.teams[number]
            for form in (self.was, self.now):
                there = item.get(form.attribute, {}).get("S")
                assert there == (mail if form in forms else None)
                if form in forms and mail is not None:
                    holds[form.field, mail] = {"PK": item["PK"], "SK": item["SK"]}
            keys = [item.get(name, {}).get("S") for name in ("GSI1PK", "GSI1SK")]
            assert keys == ([None, None] if mail is None else [f"TEAM#{team}", f"MAIL#{mail}"])
            assert head is None or item["PK"]["S"].startswith(head)
        markers = [i for i in self.stored() if i.get("Type") == {"S": "Unique"}]
        found = {tuple(i["PK"]["S"].split("#")[2:]): i["UniqueOwner"]["M"] for i in markers}
        assert found == holds


@contextmanager
def people(kind: str, wins: Any = None, moved: str = "no") -> Iterator[People]:
    with open_engine("memory:") as engine:
        made = People(engine, kind, wins, moved)
        with made.sessions["old"], made.sessions["new"]:
            yield made


OP = st.tuples(
    st.sampled_from(["old", "new"]),
    st.sampled_from(["create", "mail", "mail", "put", "team", "delete", "pass"]),
    st.sampled_from(["0", "1"]),
    st.sampled_from([None, "x", "y", "z"]),
)


TAKEN_AWAY = [("old", "delete", "0", None), ("new", "create", "0", "x"), ("old", "team", "0", None)]
"""Keys of an item that code of the other model has made, which lacks what they are made of."""
THE_OTHER_WAY = [("new", "delete", "0", None), ("old", "create", "0", "x"), ("new", "team", "0", None)]


@settings(max_examples=settings().max_examples // 4)
@example([], TAKEN_AWAY, "named", None, "no", False)
@example([], THE_OTHER_WAY, "named", None, "no", True)
@given(
    st.lists(OP, max_size=14),
    st.lists(OP, max_size=4),
    st.sampled_from(sorted(RENAMES)),
    st.sampled_from([None, "old", "new"]),
    st.sampled_from(["no", "no", "in one file", "before", "behind"]),
    st.booleans(),
)
def test_whatever_either_model_writes_keys_and_markers_say_the_same(
    ops: list[Any], late: list[Any], kind: str, wins: Any, moved: str, undone: bool
) -> None:
    with people(kind, wins, moved) as ground:
        for number in "012":
            ground.act("old", "create", number, "x")
        _passed(ground)
        for side, verb, number, value in ops:
            if verb == "pass":
                _passed(ground)
            else:
                ground.act(side, verb, number, value)
        _passed(ground)
        for one in ground.files:
            ground.migrator().cutover(one.name)
        for side, verb, number, value in late:
            ground.act(side, verb, number, value)
        for _ in ground.files:
            migrator = ground.migrator()
            told = migrator.rollback(write=True) if undone else migrator.retire(write=True)
            assert skipped(told) == {}
        ground.settle()
        head = None if moved == "no" else "PERSON#" if undone else "HUMAN#"
        ground.check([ground.was if undone else ground.now], head)
        assert not any(name.startswith("Tablewright") for item in ground.stored() for name in item)


def _passed(ground: People) -> None:
    """One pass is enough."""
    assert skipped(ground.migrator().run(write=True)) == {}
    ground.settle()
    ground.check([ground.was, ground.now], None)
    assert _left(ground.migrator().verify()) == 0
    assert _left(ground.migrator().run(write=True)) == 0


def _left(told: tuple[Told, ...]) -> int:
    return sum(one.outcome.left for one in told)


# --------------------------------------------------------------------------------------------- one at a time

STATES = 'GSI1=("STATE#{state}#{buyer}", "ORDER#{number}"))'
PLAIN = 'GSI1=("BUYER#{buyer}", "ORDER#{number}"))'
BY_BUYER = "query(Order, Order.buyer == buyer)"


def stored(attribute: str) -> list[tuple[str, str]]:
    """Orders that are found by their state, which is stored like this."""
    return [
        (PLAIN, STATES),
        (BY_BUYER, 'query(Order, Order.state == "paid", Order.buyer == buyer)'),
        ("class Order(Entity, table=shop)", f'class Order(Entity, table=shop, stored={{"state": "{attribute}"}})'),
    ]


def set_by(ground: Shop, side: str, **values: Any) -> None:
    session, module = (ground.old, ground.old_module) if side == "old" else (ground.new, ground.new_module)
    session.update(key(module.Order, number="1"), set=values)


def index_key(ground: Shop) -> str | None:
    (found,) = [i.get("GSI1PK", {}).get("S") for i in ground.items() if i["Type"] == {"S": "Order"}]
    return found


@pytest.mark.parametrize("end", ["run", "retire", "rollback"])
def test_a_key_that_code_made_of_the_form_that_it_knows_follows_the_other_one(end: str) -> None:
    with shop(*stored("st"), before=stored("s")) as ground:
        ground.old.create(ground.old_module.Order(number="1", buyer="ann"))
        migrator = ground.migrator(file(RenameAttribute("Order", "s", to="st")))
        migrator.run(write=True)
        migrator.cutover()
        set_by(ground, "old", state="paid")
        set_by(ground, "new", buyer="bob")
        assert index_key(ground) == "STATE#open#bob"
        assert _left(migrator.verify()) == 1
        assert skipped(getattr(migrator, end)(write=True)) == {}
        assert index_key(ground) == "STATE#paid#bob"
        assert _left(migrator.verify()) == 0


@pytest.mark.parametrize("wins", ["old", "new"])
def test_the_key_of_who_wins_stays(wins: Any) -> None:
    with shop(*stored("st"), before=stored("s")) as ground:
        ground.old.create(ground.old_module.Order(number="1", buyer="ann"))
        migrator = ground.migrator(file(RenameAttribute("Order", "s", to="st", wins=wins)))
        migrator.run(write=True)
        for side in ("old", "new") if wins == "old" else ("new", "old"):
            set_by(ground, side, state=f"by {side}")
        assert skipped(migrator.run(write=True)) == {}
        assert index_key(ground) == f"STATE#by%20{wins}#ann"


def test_a_key_that_is_wrong_is_found_although_both_forms_agree() -> None:
    with shop(*stored("st"), before=stored("s")) as ground:
        ground.old.create(ground.old_module.Order(number="1", buyer="ann"))
        migrator = ground.migrator(file(RenameAttribute("Order", "s", to="st")))
        migrator.run(write=True)
        (item,) = ground.items()
        ground.old.send("PutItem", {"TableName": "Shop", "Item": {**item, "GSI1PK": {"S": "STATE#lost#ann"}}})
        assert _left(migrator.verify()) == 1
        assert written(migrator.run(write=True)) == 1
        assert index_key(ground) == "STATE#open#ann"


def same(value: Any) -> Any:
    return value


@pytest.mark.parametrize("end", ["run", "retire", "rollback"])
@pytest.mark.parametrize(
    "step",
    [
        SplitAttribute("Order", "s", into=("st",), by=same, back=same),
        MergeAttributes("Order", ("s",), into="st", by=same, back=same),
    ],
)
def test_keys_of_what_a_function_makes_follow(step: Any, end: str) -> None:
    with shop(*stored("st"), before=stored("s")) as ground:
        ground.old.create(ground.old_module.Order(number="1", buyer="ann"))
        migrator = ground.migrator(file(step))
        migrator.run(write=True)
        migrator.cutover()
        set_by(ground, "old", state="paid")
        set_by(ground, "new", buyer="bob")
        assert skipped(getattr(migrator, end)(write=True)) == {}
        assert index_key(ground) == "STATE#paid#bob"


YEARS = ('    day: str = "2026-01-01"\n', "    year: str\n    rest: str\n")
UNIQUE = (PLAIN, f'{PLAIN[:-1]}, unique=["rest"])')
OWN_KEY = (PLAIN, f'{PLAIN[:-1]}, unique=[Unique("rest", key="DAY#{{rest}}")])')


def apart(day: str) -> tuple[str, str]:
    year, _, rest = day.partition("-")
    return year, rest


def together(year: str, rest: str) -> str:
    return f"{year}-{rest}"


def test_values_of_what_is_made_are_given_up_with_what_they_were_made_of() -> None:
    with shop(UNIQUE, YEARS) as ground:
        migrator = ground.migrator(file(SplitAttribute("Order", "day", into=("year", "rest"), by=apart, back=together)))
        for number in "01":
            ground.old.create(ground.old_module.Order(number=number, buyer="ann", day=f"2026-{number}"))
        for first, second in (("0", "1"), ("1", "9")):  # what the second gives up, the first takes
            for number, day in (("1", second), ("0", first)):
                module = ground.old_module
                ground.old.update(key(module.Order, number=number), set={"day": f"2026-{day}"})
            assert skipped(migrator.run(write=True)) == {}
            assert _marked(ground) == {f"UNIQUE#Order#rest#{first}", f"UNIQUE#Order#rest#{second}"}
            assert _left(migrator.run(write=True)) == 0
        assert skipped(migrator.rollback(write=True)) == {}
        assert _marked(ground) == set()


def test_markers_that_the_old_model_may_have_made_stay() -> None:
    was = (PLAIN, f'{PLAIN[:-1]}, unique=[Unique("day", key="DAY#{{day}}")])')
    imported = ("import GSI,", "import GSI, Unique,")
    with shop(imported, OWN_KEY, YEARS, before=[imported, was]) as ground:
        migrator = ground.migrator(file(SplitAttribute("Order", "day", into=("year", "rest"), by=apart, back=together)))
        ground.old.create(ground.old_module.Order(number="0", buyer="ann", day="2026-1"))
        migrator.run(write=True)
        assert _marked(ground) == {"DAY#1", "DAY#2026-1"}
        migrator.rollback(write=True)
        assert "DAY#2026-1" in _marked(ground)


def test_two_that_come_to_hold_one_value_are_foreseen() -> None:
    step = SplitAttribute("Order", "day", into=("year", "rest"), by=apart, back=together)
    with shop(UNIQUE, YEARS) as ground:
        for number, day in (("0", "2025-1"), ("1", "2026-1"), ("2", "2026-2")):
            ground.old.create(ground.old_module.Order(number=number, buyer="ann", day=day))
        foreseen = ground.migrator(file(step)).run(write=False)
        told = ground.migrator(file(step)).run(write=True)
        held = "another item holds its value of rest, which is unique"
        assert skipped(foreseen) == skipped(told) == {held: 1}
        assert {way_out(one, held) for one in told} == {"Give one of the two items another value."}
        assert written(foreseen) == written(told)


def _marked(ground: Shop) -> set[str]:
    return {item["PK"]["S"] for item in ground.items() if "Owner" in item or item["Type"]["S"] not in ("Order", "Note")}


def test_values_that_two_items_hold_by_the_rules_of_two_models_are_told() -> None:
    with people("named") as ground:
        ground.act("old", "create", "0", "x")
        _passed(ground)
        old, new = ground.modules["old"].Person, ground.modules["new"].Person
        ground.sessions["old"].create(old(number="7", mail="same"))
        ground.sessions["new"].create(new(number="8", email="same"))
        told = ground.migrator().run(write=True)
        assert skipped(told)
        assert all(reason.startswith("another item holds its value of ") for reason in skipped(told))
        assert _left(ground.migrator().verify()) > 0
        ground.sessions["new"].update(key(new, number="8"), set={"email": "other"})
        assert skipped(ground.migrator().run(write=True)) == {}
        assert _left(ground.migrator().verify()) == 0
        with pytest.raises(UniqueViolationError):
            ground.sessions["old"].create(old(number="9", mail="other"))


def test_what_is_deleted_by_code_that_knows_one_rule_is_free_by_both() -> None:
    with people("named") as ground:
        ground.act("old", "create", "0", "x")
        _passed(ground)
        ground.act("old", "delete", "0", None)
        assert _left(ground.migrator().verify()) == 1
        _passed(ground)


def test_the_questions_of_a_unique_field_say_what_keeps_it_unique() -> None:
    def steps(old: Form, new: Form) -> list[Any]:
        tables = [loaded(changed(OLD, form.replacements)).people for form in (old, new)]
        return list(steps_between(*map(describe_model, tables))[0])

    was, now, _ = RENAMES["named"]
    asked = [step for step in steps(was, now) if isinstance(step, Question)]
    (unique,) = [one for one in asked if "unique email" in one.asks]
    (renamed,) = [one for one in asked if "is it the same under another name" in one.asks]
    assert unique.answers.startswith(
        "nothing, if it was renamed, which RenameAttribute below makes the markers for too; else"
    )
    assert "field=" not in renamed.answers
    assert (
        "field=" in next(s for s in steps(stored_as("m"), now) if isinstance(s, Question) and "name?" in s.asks).answers
    )
    was, now, _ = RENAMES["stored as it is called"]
    assert steps(was, now) == [RenameAttribute("Person", "m", to="mail", field="mail")]


@pytest.mark.parametrize("apart", [False, True], ids=["one file", "two files"])
@pytest.mark.parametrize("end", ["retire", "rollback"])
def test_a_key_of_two_attributes_is_never_made_of_one_alone(apart: bool, end: str) -> None:
    steps = RenameAttribute("Order", "s", to="st"), RenameAttribute("Order", "b", to="buyer")
    files = [file(steps[0]), file(steps[1], name="0002_second", digest="two")] if apart else [file(*steps)]
    old = [*stored("s")[:2], (stored("s")[2][0], stored("s")[2][1].replace('"s"}', '"s", "buyer": "b"}'))]
    with shop(*stored("st"), before=old) as ground:
        ground.old.create(ground.old_module.Order(number="1", buyer="ann"))
        if apart:
            assert written(ground.migrator(*files).run(write=True, to="0001_change")) == 1
            assert index_key(ground) == "STATE#open#ann"
        ground.migrator(*files).run(write=True)
        seen: list[str | None] = []

        def look(count: int) -> None:
            seen.append(index_key(ground))

        set_by(ground, "old", state="paid")
        set_by(ground, "new", buyer="bob")
        session = ground.opened(lambda inner: Through(inner, lambda count: None, look))
        assert skipped(ground.migrator(*files, session=session).run(write=True)) == {}
        for one in files:
            ground.migrator(*files).cutover(one.name)
        for _ in files:
            assert skipped(getattr(ground.migrator(*files, session=session), end)(write=True)) == {}
        assert set(seen) == {"STATE#open#bob", "STATE#paid#bob"}
        assert index_key(ground) == "STATE#paid#bob"
