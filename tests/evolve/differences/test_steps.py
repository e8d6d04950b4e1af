"""The steps are carried out on the engine: at each of them, no reader of any model in use misses an item."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.errors import TablewrightError
from tablewright.evolve.differences.comparing import Differences, compare_models
from tablewright.evolve.differences.steps import Step
from tests.evolve.differences.models import described, loaded

FIELDS = ("b", "c", "d")


def model(places: dict[str, str], indexes: set[str], fields: str = "") -> str:
    """A model whose items are found by some fields, each on an index of its own."""
    keys = "".join(f', {index}=("{field.upper()}#{{{field}}}", "{{a}}")' for field, index in places.items())
    patterns = "".join(
        f"""
@things.pattern
def by_{field}({field}: str) -> Query[Thing]:
    return query(Thing, Thing.{field} == {field}).via("{index}")
"""
        for field, index in places.items()
    )
    return f"""
from decimal import Decimal
from typing import Literal
from tablewright import GSI, Entity, Keys, Query, Table, query

things = Table("Things", indexes=[{", ".join(f'GSI("{name}")' for name in sorted(indexes | set(places.values())))}])

class Thing(Entity, table=things):
    keys = Keys("THING#{{a}}", "THING"{keys})
    a: str
    b: str
    c: str
    d: str
{fields}
{patterns}"""


def pattern_of(text: str, name: str) -> str:
    (found,) = re.findall(rf"@things.pattern\ndef {name}\(.*\n.*\n", text)
    return str(found)


def in_between(old: str, new: str, step: Step) -> str:
    """The model that the step describes: the new one, with what it says beside it."""
    text = new
    kept = step.text.partition(" beside it ")[2]
    for index in re.findall(r'GSI\("(\w+)"\) in the table as it was', kept):
        text = text.replace("indexes=[", f'indexes=[GSI("{index}"), ')
    for keys in re.findall(r"(\w+=\(\"[^)]*\"\)) in the keys of Thing", kept):
        text = text.replace('"THING"', f'"THING", {keys}', 1)
    for name in re.findall(r"(\w+)\(\) as it was", kept):
        text += "\n" + pattern_of(old, name)
    for name, index in re.findall(r'(\w+)\(\) reads \.via\("(\w+)"\) as before', kept):
        now = pattern_of(new, name)
        text = text.replace(now, re.sub(r'\.via\("\w+"\)', f'.via("{index}")', now))
    for name in re.findall(r"Thing\.(\w+) may be missing, and is always given", kept):
        text = re.sub(rf"    {name}: ([^=\n]+)\n", rf"    {name}: \1 | None = None\n", text)
    for name in re.findall(r"Thing\.(\w+) keeps its type", kept):
        (was,) = re.findall(rf"    {name}: .*\n", old)
        text = re.sub(rf"    {name}: .*\n", lambda _, was=was: was, text)
    for name in re.findall(r"Thing\.(\w+), which may be missing, and is written as before", kept):
        (kind,) = re.findall(rf"    {name}: ([^=\n]+)", old)
        text = text.replace("    a: str\n", f"    a: str\n    {name}: {kind} | None = None\n", 1)
    return text


def switched(text: str, step: Step) -> str:
    """The same with readers switched."""
    for name, index in re.findall(r"(\w+)\(\) to (GSI\d)", step.text):
        now = pattern_of(text, name)
        text = text.replace(now, re.sub(r'\.via\("\w+"\)', f'.via("{index}")', now))
    return text


class World:
    """A table, and the code that runs beside it at a time."""

    def __init__(self, path: Path, old: str, new: str, values: dict[str, Any], fitting: dict[str, Any]) -> None:
        self.path = str(path)
        self.old, self.new = old, new
        self.values = values
        self.fitting = fitting
        """What code writes that knows of the new model."""
        self.idle = set(described(new).patterns) - set(described(old).patterns)
        """Patterns that nobody uses yet."""
        self.made = 0
        with loaded(old).things.open(self.path) as db:
            db.ensure_table()
        self.use(old)

    def session(self, text: str) -> Any:
        return loaded(text).things.open(self.path, create=False)

    def given(self, text: str) -> dict[str, Any]:
        values = self.values | ({} if text == self.old else self.fitting)
        return {name: value for name, value in values.items() if name in loaded(text).Thing.model_fields}

    def use(self, *texts: str) -> None:
        """All of this code writes, twice; then everything must be found by all of it."""
        for text in texts:
            self.made += 1
            with self.session(text) as db:
                db.put(db.create(loaded(text).Thing(**{**self.given(text), "a": f"{self.made:03}"})))
        everything = [f"{n:03}" for n in range(1, self.made + 1)]
        for text in texts:
            with self.session(text) as db:
                for name, pattern in loaded(text).things.patterns.items():
                    if name not in self.idle:
                        found = [thing.a for thing in db.run(pattern, self.values[name[-1]])]
                        assert found == everything, f"{name}() misses {set(everything) - set(found)}: {text}"

    def walk(self, steps: Iterable[Step]) -> None:
        """Carries out the steps, with code of the models before and after each deployment side by side."""
        running = self.old
        for step in steps:
            after = self.carry_out(step, running)
            if after != running:
                self.use(running, after)  # a deployment reaches some before others
            running = after
            self.use(running)
        if running != self.new:
            self.use(running, self.new)
        self.use(self.new)

    def carry_out(self, step: Step, running: str) -> str:
        """Carries out one step; the code that runs from then on."""
        match step.action:
            case "create-index":
                with self.session(self.new) as db:
                    db.add_missing_indexes()
            case "deploy-both":
                return in_between(self.old, self.new, step)
            case "deploy-writers" | "deploy-new":
                return self.new
            case "backfill" | "settle":
                self.write_all_again(running)
            case "switch-readers":
                self.idle = set(re.findall(r"(\w+)\(\) to something else", step.text))
                return switched(running, step)
            case "drop-index":
                with self.session(self.new) as db:
                    delete = {"Delete": {"IndexName": step.subject}}
                    db.send("UpdateTable", {"TableName": "Things", "GlobalSecondaryIndexUpdates": [delete]})
            case "remove-attributes":
                self.remove(step.text.rpartition(": ")[2].rstrip(".").split(", "))
            case "write-new":
                self.fitting = self.fitting | {"g": Decimal("1.5")}
            case other:
                raise AssertionError(other)
        return running

    def write_all_again(self, text: str) -> None:
        with self.session(text) as db:
            for thing in list(db.scan_for_maintenance(loaded(text).Thing)):
                for name, value in self.given(text).items():
                    if getattr(thing, name) != value:
                        setattr(thing, name, value)
                db.put(thing)

    def items(self) -> list[dict[str, Any]]:
        with self.session(self.new) as db:
            found: list[dict[str, Any]] = db.send("Scan", {"TableName": "Things"})["Items"]
        return found

    def remove(self, names: list[str]) -> None:
        with self.session(self.new) as db:
            for item in self.items():
                key = {name: item[name] for name in ("PK", "SK")}
                expression = f"REMOVE {', '.join(names)}"
                db.send("UpdateItem", {"TableName": "Things", "Key": key, "UpdateExpression": expression})


def compared(old: str, new: str) -> Differences:
    return compare_models(described(old), described(new))


VALUES = {"b": "one", "c": "two", "d": "three"}
MOVED = (model({"b": "GSI1", "c": "GSI2"}, set()), model({"b": "GSI1", "c": "GSI3"}, set()))


def test_a_move_to_another_index(tmp_path: Path) -> None:
    old, new = MOVED
    found = compared(old, new)
    assert [step.action for step in found.steps] == [
        "create-index",
        "deploy-both",
        "backfill",
        "switch-readers",
        "deploy-new",
        "drop-index",
        "remove-attributes",
    ]
    text = found.steps[1].text
    assert 'GSI("GSI2") in the table as it was, GSI2=("C#{c}", "{a}") in the keys of Thing' in text
    assert 'by_c() reads .via("GSI2") as before' in text
    world = World(tmp_path / "things.db", old, new, VALUES, {})
    world.walk(found.steps)
    assert {name for item in world.items() for name in item if name.startswith("GSI")} == {
        "GSI1PK",
        "GSI1SK",
        "GSI3PK",
        "GSI3SK",
    }


def test_without_a_model_that_has_both_readers_miss_items(tmp_path: Path) -> None:
    old, new = MOVED
    steps = [step for step in compared(old, new).steps if step.action == "create-index"]
    with pytest.raises(AssertionError, match=r"by_c\(\) misses"):
        World(tmp_path / "things.db", old, new, VALUES, {}).walk(steps)


@pytest.mark.parametrize(
    ("first", "then"),
    [("switch-readers", "backfill"), ("deploy-new", "switch-readers"), ("drop-index", "switch-readers")],
)
def test_in_another_order_readers_miss_items_or_fail(first: str, then: str, tmp_path: Path) -> None:
    old, new = MOVED
    steps = list(compared(old, new).steps)
    actions = [step.action for step in steps]
    steps.insert(actions.index(then), steps.pop(actions.index(first)))
    with pytest.raises((AssertionError, TablewrightError)):
        World(tmp_path / "things.db", old, new, VALUES, {}).walk(steps)


def test_keys_that_leave_an_index_are_removed_last(tmp_path: Path) -> None:
    old, new = model({"b": "GSI1"}, set()), model({"b": "GSI2"}, {"GSI1"})
    found = compared(old, new)
    actions = [step.action for step in found.steps]
    assert actions[-1] == "remove-attributes"
    assert "drop-index" not in actions
    World(tmp_path / "things.db", old, new, VALUES, {}).walk(found.steps)


OLD_FIELDS = """    e: str
    f: Literal["x", "y"]
    g: int
    h: str | None = None
"""
NEW_FIELDS = """    f: Literal["x"]
    g: Decimal
    h: str
    i: int
"""


def test_fields_come_go_and_change_in_one_go(tmp_path: Path) -> None:
    old, new = model({"b": "GSI1"}, set(), OLD_FIELDS), model({"b": "GSI2"}, set(), NEW_FIELDS)
    found = compared(old, new)
    assert [step.action for step in found.steps] == [
        "create-index",
        "deploy-both",
        "write-new",
        "settle",
        "settle",
        "backfill",
        "switch-readers",
        "deploy-new",
        "drop-index",
        "remove-attributes",
    ]
    world = World(
        tmp_path / "things.db", old, new, {**VALUES, "e": "e", "f": "y", "g": 1}, {"f": "x", "h": "h", "i": 1}
    )
    world.walk(found.steps)
    last = world.items()[-1]
    assert "e" not in last
    assert last["g"] == {"N": "1.5"}


PLACES = st.dictionaries(st.sampled_from(FIELDS), st.sampled_from(["GSI1", "GSI2", "GSI3", "GSI4"]), min_size=1).filter(
    lambda places: len(set(places.values())) == len(places)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)
@given(PLACES, PLACES, st.sets(st.sampled_from(["GSI1", "GSI2", "GSI3", "GSI4"])))
def test_any_move_between_indexes(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, str], after: dict[str, str], kept: set[str]
) -> None:
    old, new = model(before, kept), model(after, kept)
    found = compared(old, new)
    if any(step.action == "decide" for step in found.steps):
        shared = {i for f, i in after.items() for g, j in before.items() if i == j and f != g}
        assert shared, "only an index that gets other keys needs another way"
        return
    World(tmp_path_factory.mktemp("moved") / "things.db", old, new, VALUES, {}).walk(found.steps)
