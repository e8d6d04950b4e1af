"""What may have been meant is asked, what callers do not notice is additive, and what is said to do holds on the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tablewright import key
from tablewright.errors import UniqueViolationError
from tablewright.evolve.differences.comparing import Differences, compare_models
from tablewright.evolve.differences.showing import shown
from tests.evolve.differences.models import changed, described, loaded

MODEL = """
from decimal import Decimal
from enum import StrEnum
from typing import Literal
from tablewright import (
    GSI, Alarms, Deployment, Entity, Get, Keys, KmsKey, Query, Table, Unique, get, query, require,
)

class Kind(StrEnum):
    CAT = "cat"

vets = Table("Vets", indexes=[GSI("GSI1")], deployment=Deployment())

class Owner(Entity, table=vets):
    keys = Keys("OWNER#{owner}", "OWNER", GSI1=("TOWN#{town}", "{owner}"), unique=[Unique("town", "phone")])
    owner: str
    town: str
    phone: str
    age: int | None = None

class Pet(Entity, table=vets):
    keys = Keys("OWNER#{owner}", "PET#{kind}#{pet}")
    owner: str
    kind: Literal["cat", "dog"]
    pet: str

@vets.pattern
def pets(owner: str, kind: Literal["cat", "dog"] = "cat") -> Query[Pet]:
    return query(Pet, Pet.owner == owner, Pet.kind == kind)

@vets.pattern
def owners_in(town: str) -> Query[Owner]:
    return query(Owner, Owner.town == town)

@vets.change
def move(owner: Owner, phone: str, age: int | None = None) -> None:
    owner.phone = phone
    owner.age = age
"""


def compared(*replacements: tuple[str, str]) -> Differences:
    return compare_models(described(MODEL), described(changed(MODEL, list(replacements))))


def kinds(found: Differences) -> dict[str, str]:
    return {change.kind: change.impact for change in found.changes}


RENAMED = [
    ("phone: str\n    age", "mobile: str\n    age"),
    ('"phone")', '"mobile")'),
    ("owner.phone =", "owner.mobile ="),
]


def test_a_field_of_the_same_type_may_be_the_old_one_renamed() -> None:
    found = compared(*RENAMED)
    (gone,) = [change for change in found.changes if change.kind == "field-removed"]
    assert gone.text.endswith("Was it renamed to mobile, which is new and has the same type?")
    assert 'class Owner(Entity, table=..., stored={"mobile": "phone"})' in gone.remedy
    assert found.steps[0].text.startswith("Renamed? If so, keep the attribute")
    assert "has the same type? [field-removed]" in shown(found)


def test_a_renamed_field_that_does_as_it_is_told_is_the_same(tmp_path: Path) -> None:
    stored = ("class Owner(Entity, table=vets)", 'class Owner(Entity, table=vets, stored={"mobile": "phone"})')
    found = compared(*RENAMED, stored)
    (rule,) = [change for change in found.changes if change.kind == "unique-key-changed"]
    kept = 'Unique("town", "mobile", key="UNIQUE#Owner#town+phone#{town}#{mobile}")'
    assert kept in rule.remedy
    replacements = [*RENAMED, stored, ('Unique("town", "mobile")', kept)]
    assert kinds(compared(*replacements)) == {"field-renamed": "additive"}
    new: Any = loaded(changed(MODEL, replacements))
    old: Any = loaded(MODEL)
    with old.vets.open(str(tmp_path / "vets.db")) as db:
        db.create(old.Owner(owner="1", town="here", phone="7"))
    with new.vets.open(str(tmp_path / "vets.db")) as db:
        assert db.get(key(new.Owner, owner="1")).mobile == "7"
        with pytest.raises(UniqueViolationError):
            db.create(new.Owner(owner="2", town="here", mobile="7"))


def test_a_field_of_another_type_is_no_new_name() -> None:
    found = compared(
        ("    phone: str\n", "    mobile: int\n"),
        ('"phone")', '"mobile")'),
        ("owner.phone = phone", "owner.town = phone"),
    )
    (gone,) = [change for change in found.changes if change.kind == "field-removed"]
    assert "renamed" not in gone.text


def test_several_fields_that_may_be_meant_are_all_named() -> None:
    found = compared(*RENAMED, ("    age: int", "    landline: str\n    age: int"))
    (gone,) = [change for change in found.changes if change.kind == "field-removed"]
    assert "renamed to mobile or landline" in gone.text


def test_no_two_fields_are_taken_for_one() -> None:
    old = """
from tablewright import Entity, Keys, Table
shop = Table("Shop")
class Item(Entity, table=shop, schema_version=1):
    keys = Keys("ITEM#{number}", "ITEM")
    number: str
    name: str
    address: str
    weight: str
"""
    came = {"    name: str\n": "    first: str\n", "    address: str\n    weight: str\n": "    last: str\n"}
    new = changed(old, list(came.items()))
    remedies = [c.remedy for c in compare_models(described(old), described(new)).changes if c.kind == "field-removed"]
    assert ['stored={"first": "name"}' in remedies[0], 'stored={"last": "address"}' in remedies[1]] == [True, True]
    assert remedies[2].startswith(
        "If so, keep the attribute in the stored= of that one, and compare again. If not: keep it until"
    )
    upcast = "@shop.upcast(Item, 1)\ndef shaped(item):\n    return {'first': item['name'], 'last': item['address']}\n"
    answered = compare_models(described(old), described(new.replace("schema_version=1", "schema_version=2") + upcast))
    assert [c.text for c in answered.changes if c.kind == "field-removed"] == [
        "is gone; whether items of older versions keep its attribute is for their upcast to say"
    ] * 3
    assert not [step for step in answered.steps if step.action in ("decide", "remove-attributes")]


def test_an_entity_that_looks_the_same_may_be_the_old_one_renamed() -> None:
    found = compared(
        ("class Pet(", "class Animal("),
        ("Query[Pet]", "Query[Animal]"),
        ("query(Pet, Pet.owner == owner, Pet.kind", "query(Animal, Animal.owner == owner, Animal.kind"),
    )
    (gone,) = [change for change in found.changes if change.kind == "entity-removed"]
    assert gone.text.endswith("Was it renamed to Animal, which is new and looks the same?")
    assert 'class Animal(Entity, table=..., type="Pet")' in gone.remedy
    assert "it asks for Animal.kind = kind, Animal.owner = owner and no longer for Pet.kind = kind" in shown(found)


WIDER = {
    "a choice more": [('kind: Literal["cat", "dog"] = "cat"', 'kind: Literal["cat", "dog", "emu"] = "cat"'), ('    kind: Literal["cat", "dog"]\n', '    kind: Literal["cat", "dog", "emu"]\n')],
    "any text": [('kind: Literal["cat", "dog"] = "cat"', 'kind: str = "cat"'), ('    kind: Literal["cat", "dog"]\n', "    kind: str\n")],
}  # fmt: skip


@pytest.mark.parametrize("case", WIDER)
def test_a_parameter_that_takes_more_is_additive_for_callers(case: str) -> None:
    found = compared(*WIDER[case])
    assert kinds(found) == {"field-widened": "breaking", "pattern-parameters-widened": "additive"}
    (change,) = [c for c in found.changes if c.kind == "pattern-parameters-widened"]
    assert change.patterns == ("pets",)


def test_a_parameter_of_a_change_that_takes_more_is_additive() -> None:
    found = compared(("age: int | None", "age: int | str | None"))
    assert kinds(found) == {"field-widened": "breaking", "change-parameters-widened": "additive"}


NARROWER = {
    "a choice less": [('kind: Literal["cat", "dog"] = "cat"', 'kind: Literal["cat"] = "cat"')],
    "another kind of choice": [('kind: Literal["cat", "dog"] = "cat"', "kind: Kind = Kind.CAT")],
}  # fmt: skip


@pytest.mark.parametrize("case", NARROWER)
def test_a_parameter_that_takes_less_breaks_callers(case: str) -> None:
    found = compared(*NARROWER[case])
    (change,) = [c for c in found.changes if c.kind == "pattern-parameters-changed"]
    assert (change.impact, change.remedy) == ("breaking", "Declare a new pattern for them.")


def test_a_number_of_another_type_is_another_argument() -> None:
    found = compared(("age: int | None", "age: Decimal | None"))
    assert kinds(found) == {"field-widened": "breaking", "change-parameters-changed": "breaking"}


def test_the_deployment_has_a_section_of_its_own() -> None:
    found = compared(
        ("Deployment()", "Deployment(recovery=False, deletion_protection=False, retain=False, alarms=None)")
    )
    lines = shown(found).splitlines()
    assert lines[0] == "Deployment:"
    assert [line for line in lines if "[protection-lost, additive]" in line] == [
        "  the deployment keeps no copies to restore the table from, to any point of time. [protection-lost, additive]",
        "  the deployment no longer protects the table against deletion. [protection-lost, additive]",
        "  the deployment deletes the table with its stack, or when the stack replaces it. [protection-lost, additive]",
        "  the deployment has no alarms any more. [protection-lost, additive]",
    ]


def test_a_key_of_ones_own_is_allowed_before_it_is_used_and_kept_after() -> None:
    own = changed(MODEL, [("Deployment()", 'Deployment(encryption=KmsKey("alias/vets"))')])
    came = compare_models(described(MODEL), described(own))
    assert kinds(came) == {"encryption-changed": "breaking"}
    assert [(step.action, "alias/vets" in step.text) for step in came.steps] == [("grant", True)]
    went = compare_models(described(own), described(MODEL))
    assert kinds(went) == {"protection-lost": "additive"}
    assert "Keep the key alias/vets" in went.changes[0].remedy


def test_other_markers_do_not_hold_what_old_ones_claim(tmp_path: Path) -> None:
    text = changed(MODEL, [('Unique("town", "phone")', 'Unique("town", "phone", key="PHONE#{town}#{phone}")')])
    found = compare_models(described(MODEL), described(text))
    assert kinds(found) == {"unique-key-changed": "breaking"}
    assert [step.action for step in found.steps] == ["claim", "delete-markers"]
    old, new = loaded(MODEL), loaded(text)
    with old.vets.open(str(tmp_path / "vets.db")) as db:
        db.create(old.Owner(owner="1", town="here", phone="7"))
    with new.vets.open(str(tmp_path / "vets.db")) as db:
        db.create(new.Owner(owner="2", town="here", phone="7"))
        db.claim_unique(key(new.Owner, owner="2"))
        with pytest.raises(UniqueViolationError):
            db.claim_unique(key(new.Owner, owner="1"))


def test_a_rule_is_kept_beside_one_of_another_scope_until_that_is_claimed(tmp_path: Path) -> None:
    text = changed(MODEL, [('Unique("town", "phone")', 'Unique("phone")')])
    found = compare_models(described(MODEL), described(text))
    deployed = found.steps[0]
    assert 'beside it Unique("town", "phone") in the keys of Owner' in deployed.text
    old, new, both = loaded(MODEL), loaded(text), loaded(changed(text, [('Unique("phone")', 'Unique("phone"), Unique("town", "phone")')]))  # fmt: skip
    path = str(tmp_path / "vets.db")
    with old.vets.open(path) as db:
        db.create(old.Owner(owner="1", town="here", phone="7"))
    with both.vets.open(path) as db, pytest.raises(UniqueViolationError):
        db.create(both.Owner(owner="2", town="here", phone="7"))
    with new.vets.open(path) as db:
        db.create(new.Owner(owner="2", town="here", phone="7"))


EXPIRING = """
from datetime import datetime
from typing import Annotated
from tablewright import Entity, Epoch, Keys, Table

box = Table("Box")

class Note(Entity, table=box, ttl="until"):
    keys = Keys("NOTE#{name}", "NOTE")
    name: str
    until: Annotated[datetime, Epoch("s")] | None = None

class Draft(Entity, table=box, ttl="until"):
    keys = Keys("DRAFT#{name}", "DRAFT")
    name: str
    until: Annotated[datetime, Epoch("s")] | None = None
"""


def test_expiry_that_goes_on_for_the_table_goes_on_for_all_who_hold_the_attribute() -> None:
    new = changed(EXPIRING, [('class Draft(Entity, table=box, ttl="until")', "class Draft(Entity, table=box)")])
    found = compare_models(described(EXPIRING), described(new))
    assert kinds(found) == {"ttl-removed": "breaking"}
    assert "the table goes on to expire all items that hold until, also of Draft" in found.changes[0].text
    assert [(step.action, step.subject) for step in found.steps] == [("decide", "Draft")]


def test_expiry_by_what_items_hold_already_may_delete_them() -> None:
    found = compare_models(described(changed(EXPIRING, [(', ttl="until"', "")])), described(EXPIRING))
    assert kinds(found) == {"ttl-added": "breaking"}
    assert "items whose until has passed are deleted" in found.changes[0].text
    assert [(step.action, "they are deleted then" in step.text) for step in found.steps] == [("start-expiry", True)]
