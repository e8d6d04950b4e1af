"""What is said about code of the old model beside that of the new one holds on the engine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tablewright import key
from tablewright.errors import (
    AlreadyExistsError,
    DecodeError,
    FieldTypeError,
    ImmutableFieldError,
    UnknownEntityTypeError,
)
from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.comparing import compare_models
from tests.evolve.differences.models import changed, described, loaded

MODEL = """
from decimal import Decimal
from typing import Annotated, Any, Literal
from pydantic import BaseModel, Field
from tablewright import GSI, Entity, Get, Keys, Mixed, NaturalKey, Query, SoftDelete, Table, Unique, get, query

shop = Table("Shop", indexes=[GSI("GSI1")])

class Line(BaseModel):
    sku: str

class Order(Entity, table=shop):
    keys = Keys("ORDER#{number}", "ORDER", GSI1=("MAIL#{mail}", "ORDER"), unique=["mail"])
    number: str
    mail: str
    value: int = 0
    line: Line | None = None

class Part(Entity, table=shop):
    keys = Keys("ORDER#{number}", "PART#{part}")
    number: str
    part: str

@shop.pattern
def by_mail(mail: str) -> Query[Order]:
    return query(Order, Order.mail == mail)

@shop.pattern
def whole(number: str) -> Mixed[Order | Part]:
    return query(Order, Order.number == number) | query(Part, Part.number == number)
"""
VALUE = "    value: int = 0\n"


def differences(old: str, new: str) -> dict[str, Change]:
    return {change.kind: change for change in compare_models(described(old), described(new)).changes}


def at(path: Path, text: str) -> Any:
    return loaded(text).shop.open(str(path / "shop.db"))


def order(text: str, **values: Any) -> Any:
    return loaded(text).Order(**{"number": "1", "mail": "Ann@example.com", **values})


def first(text: str) -> Any:
    return key(loaded(text).Order, number="1")


FAILS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "int to Decimal": ("int", "Decimal", {"value": "1.5"}),
    "a choice more": ('Literal["a"]', 'Literal["a", "b"]', {"value": "b"}),
    "choice to text": ('Literal["a"]', "str", {"value": "b"}),
    "None": ("str", "str | None", {"value": None}),
    "None, left out": ("str", "str | None = None", {}),
    "one type more": ("int", "int | str", {"value": "b"}),
    "anything": ("int", "Any", {"value": "b"}),
    "inside a list": ('list[Literal["a"]]', 'list[Literal["a", "b"]]', {"value": ["b"]}),
    "left out, where None was stored": ("str | None", "str | None = None", {}),
    "an empty set, left out": ("set[str]", "set[str] = set()", {}),
}
GOES_ON: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a default": ("str", 'str = "a"', {}),
    "a field more": ("str", "str\n    more: int = 1", {"value": "a", "more": 2}),
    "a field more, left out": ("str", "str\n    more: int | None = None", {"value": "a"}),
}


@pytest.mark.parametrize("case", FAILS)
def test_readers_of_the_old_model_fail_at_what_is_new(case: str, tmp_path: Path) -> None:
    before, after, values = FAILS[case]
    old, new = (changed(MODEL, [(VALUE, f"    value: {kind}\n")]) for kind in (before, after))
    found = compare_models(described(old), described(new))
    assert found.impact == "breaking"
    assert any("readers of the old model fail" in change.text for change in found.changes)
    assert [step.action for step in found.steps] == ["deploy-writers", "write-new"]
    assert found.steps[0].text.endswith("Nothing writes yet what the old one cannot read: Order.value.")
    with at(tmp_path, new) as db:
        db.create(order(new, **values))
    with at(tmp_path, old) as db, pytest.raises(DecodeError):
        db.get(first(old))


@pytest.mark.parametrize("case", GOES_ON)
def test_what_is_additive_leaves_old_code_going(case: str, tmp_path: Path) -> None:
    before, after, values = GOES_ON[case]
    old, new = (changed(MODEL, [(VALUE, f"    value: {kind}\n")]) for kind in (before, after))
    assert compare_models(described(old), described(new)).impact == "additive"
    with at(tmp_path, new) as db:
        made = db.create(order(new, **values))
    with at(tmp_path, old) as db:
        db.put(db.get(first(old)))
    with at(tmp_path, new) as db:
        assert db.get(first(new)) == made


def test_writers_of_the_old_model_refuse_what_is_beyond_their_limits(tmp_path: Path) -> None:
    old, new = (changed(MODEL, [(VALUE, f"    value: Annotated[int, Field(le={most})]\n")]) for most in (1, 9))
    change = differences(old, new)["field-widened"]
    assert (change.impact, change.readers_first) == ("breaking", True)
    assert "writers of the old model refuse to store such an item again" in change.text
    with at(tmp_path, new) as db:
        db.create(order(new, value=5))
    with at(tmp_path, old) as db:
        read = db.get(first(old))
        assert read.value == 5
        with pytest.raises(FieldTypeError):
            db.put(read)


def test_writers_of_the_old_model_drop_new_parts_of_records(tmp_path: Path) -> None:
    new = changed(MODEL, [("    sku: str\n", "    sku: str\n    count: int = 1\n")])
    change = differences(MODEL, new)["field-widened"]
    assert "writers of the old model drop the new parts" in change.text
    assert change.readers_first
    with at(tmp_path, new) as db:
        db.create(order(new, line=loaded(new).Line(sku="s", count=7)))
    with at(tmp_path, MODEL) as db:
        read = db.get(first(MODEL))
        read.line = loaded(MODEL).Line(sku="t")
        db.put(read)
    with at(tmp_path, new) as db:
        assert db.get(first(new)).line.count == 1


def test_readers_of_the_old_model_fail_at_tombstones(tmp_path: Path) -> None:
    new = changed(
        MODEL, [("class Order(Entity, table=shop)", "class Order(Entity, table=shop, soft_delete=SoftDelete())")]
    )
    change = differences(MODEL, new)["soft-delete-added"]
    assert (change.impact, change.readers_first) == ("breaking", True)
    assert "purge()" in change.remedy
    with at(tmp_path, new) as db:
        db.create(order(new))
        db.delete(first(new))
    with at(tmp_path, MODEL) as db:
        with pytest.raises(DecodeError):
            db.get(first(MODEL))
        with pytest.raises(AlreadyExistsError):
            db.create(order(MODEL))
    with at(tmp_path, new) as db:
        db.purge(first(new))
    with at(tmp_path, MODEL) as db:
        assert db.get(first(MODEL)) is None


def test_readers_of_the_old_model_fail_at_items_without_a_field_that_is_gone(tmp_path: Path) -> None:
    old = changed(MODEL, [(VALUE, "    value: int\n")])
    new = changed(MODEL, [(VALUE, "")])
    assert "readers of the old model fail at items without it" in differences(old, new)["field-removed"].text
    with at(tmp_path, new) as db:
        db.create(order(new))
    with at(tmp_path, old) as db, pytest.raises(DecodeError):
        db.get(first(old))


SHELF = """
class Packing(Entity, table=shop):
    keys = Keys("ORDER#{number}", "PACKING")
    number: str
"""


def test_readers_of_the_old_model_fail_at_new_entities_between_theirs(tmp_path: Path) -> None:
    new = MODEL + SHELF
    change = differences(MODEL, new)["entity-added"]
    assert (change.impact, change.patterns, change.readers_first) == ("breaking", ("whole",), True)
    with at(tmp_path, new) as db:
        db.create(order(new))
        db.create(loaded(new).Packing(number="1"))
        db.create(loaded(new).Part(number="1", part="1"))
    with at(tmp_path, MODEL) as db, pytest.raises(UnknownEntityTypeError):
        list(db.run(loaded(MODEL).whole, "1"))


def test_new_entities_elsewhere_are_additive(tmp_path: Path) -> None:
    for new in (
        MODEL + SHELF.replace("ORDER#{number}", "PACKING#{number}"),
        MODEL + SHELF.replace('"PACKING")', '"ZZZ")'),
    ):
        assert differences(MODEL, new)["entity-added"].impact == "additive"
    skipping = "Part.number == number)).skipping_unknown()"
    text = changed(
        MODEL,
        [
            ("Part.number == number)\n", skipping + "\n"),
            ("    return query(Order, Order.number", "    return (query(Order, Order.number"),
        ],
    )
    assert differences(text, text + SHELF)["entity-added"].impact == "additive"


def test_another_default_is_seen_where_a_value_is_missing(tmp_path: Path) -> None:
    new = changed(MODEL, [(VALUE, "    value: int = 5\n")])
    change = differences(MODEL, new)["default-changed"]
    assert change.impact == "breaking"
    (step,) = compare_models(described(MODEL), described(new)).steps
    assert (step.action, step.text) == ("backfill-before", change.remedy)
    lacking = changed(MODEL, [(VALUE, "")])
    with at(tmp_path, lacking) as db:
        db.create(order(lacking))
    with at(tmp_path, MODEL) as db:
        assert db.get(first(MODEL)).value == 0
    with at(tmp_path, new) as db:
        assert db.get(first(new)).value == 5
    with at(tmp_path, MODEL) as db:
        db.put(db.get(first(MODEL)))  # as the step says
    with at(tmp_path, new) as db:
        assert db.get(first(new)).value == 0


def test_another_default_in_place_of_none_cannot_be_filled_before(tmp_path: Path) -> None:
    old, new = (changed(MODEL, [(VALUE, f"    value: int | None = {default}\n")]) for default in ("None", "5"))
    (step,) = compare_models(described(old), described(new)).steps
    assert step.action == "decide"
    assert "Add a new field beside it" in step.text
    with at(tmp_path, old) as db:
        db.put(db.create(order(old)))
    with at(tmp_path, new) as db:
        assert db.get(first(new)).value == 5


def test_the_same_number_of_another_type_is_no_other_default() -> None:
    new = changed(MODEL, [(VALUE, "    value: Decimal = Decimal('0.0')\n")])
    assert set(differences(MODEL, new)) == {"field-widened"}


def natural(field: str) -> str:
    """The model with a field of orders in lower case."""
    (before,) = re.findall(rf"class Order.*?    {field}: str\n", MODEL, re.DOTALL)
    return changed(MODEL, [(before, before.replace(f"{field}: str", f"{field}: NaturalKey"))])


def test_another_form_in_the_primary_key_is_another_key(tmp_path: Path) -> None:
    new = natural("number")
    found = compare_models(described(MODEL), described(new))
    assert {c.kind: c.impact for c in found.changes} == {"key-changed": "breaking", "pattern-misses-items": "breaking"}
    assert not any(step.action == "backfill" for step in found.steps)
    with at(tmp_path, MODEL) as db:
        db.create(order(MODEL, number="A1"))
    with at(tmp_path, new) as db:
        assert db.get(key(loaded(new).Order, number="A1")) is None
        (item,) = db.scan_for_maintenance(loaded(new).Order)
        with pytest.raises(ImmutableFieldError):
            db.put(item)


def test_another_form_in_an_index_and_in_markers_is_settled_with_the_field(tmp_path: Path) -> None:
    new = natural("mail")
    found = compare_models(described(MODEL), described(new))
    assert {(c.kind, c.impact, c.follows) for c in found.changes} == {
        ("field-normalised", "breaking", ""),
        ("index-keys-changed", "breaking", "Order.mail"),
        ("unique-key-changed", "breaking", "Order.mail"),
        ("pattern-misses-items", "breaking", ""),
    }
    (step,) = found.steps
    assert (step.action, step.subject) == ("decide", "Order.mail")
    with at(tmp_path, MODEL) as db:
        db.create(order(MODEL))
    with at(tmp_path, new) as db:
        assert list(db.run(loaded(new).by_mail, "Ann@example.com")) == []
        db.create(order(new, number="2"))  # the marker of the old model does not hold it


def test_another_form_of_a_plain_field_is_filled(tmp_path: Path) -> None:
    before = changed(MODEL, [(VALUE, "    value: str\n")])
    after = changed(
        before,
        [
            ("    value: str\n", "    value: Annotated[str, StringConstraints(to_lower=True)]\n"),
            ("import BaseModel, Field", "import BaseModel, Field, StringConstraints"),
        ],
    )
    found = compare_models(described(before), described(after))
    assert {c.kind: c.impact for c in found.changes} == {"field-normalised": "backfill"}
    assert [step.action for step in found.steps] == ["deploy-writers", "backfill"]
    with at(tmp_path, before) as db:
        db.create(order(before, value="Ann"))
    with at(tmp_path, after) as db:
        assert db.get(first(after)).value == "Ann"
        db.put(db.get(first(after)))
        assert db.get(first(after)).value == "ann"


def test_a_rule_that_only_refuses_is_no_other_key() -> None:
    new = changed(MODEL, [("    mail: str", '    mail: Annotated[str, Field(pattern="@")]')])
    assert {c.kind: c.impact for c in differences(MODEL, new).values()} == {"field-narrowed": "backfill"}


def test_a_pattern_that_misses_old_items_breaks(tmp_path: Path) -> None:
    new = changed(MODEL, [('"PART#{part}"', '"P#{part}"')])
    found = differences(MODEL, new)
    change = found["pattern-misses-items"]
    assert (change.impact, change.patterns) == ("breaking", ("whole",))
    assert change.text.startswith("misses items of Part that the old model wrote")
    assert "pattern-served-otherwise" not in found
    with at(tmp_path, MODEL) as db:
        db.create(loaded(MODEL).Part(number="1", part="1"))
    with at(tmp_path, new) as db:
        assert list(db.run(loaded(new).whole, "1")) == []


def test_a_pattern_that_fails_at_old_items_breaks(tmp_path: Path) -> None:
    new = changed(MODEL, [("class Order(Entity, table=shop)", 'class Order(Entity, table=shop, type="O")')])
    change = differences(MODEL, new)["type-changed"]
    assert (change.impact, change.patterns) == ("breaking", ("by_mail", "whole"))
    changes = compare_models(described(MODEL), described(new)).changes
    fails = [c.patterns[0] for c in changes if c.kind == "pattern-misses-items" and c.text.startswith("fails at")]
    assert fails == ["by_mail", "whole"]
    with at(tmp_path, MODEL) as db:
        db.create(order(MODEL))
    with at(tmp_path, new) as db, pytest.raises(UnknownEntityTypeError):
        list(db.run(loaded(new).by_mail, "Ann@example.com"))


def test_a_version_does_not_lock_out_writers_of_the_old_model(tmp_path: Path) -> None:
    new = changed(MODEL, [("class Order(Entity, table=shop)", "class Order(Entity, table=shop, version=True)")])
    change = differences(MODEL, new)["version-added"]
    assert "which items that are there lack and writers of the old model do not raise" in change.text
    with at(tmp_path, new) as db:
        db.create(order(new))
    with at(tmp_path, new) as later, at(tmp_path, MODEL) as db:
        read = later.get(first(new))
        db.put(order(MODEL, value=7))
        read.mail = "bob@example.com"
        assert later.put(read).value == 0  # and no conflict
