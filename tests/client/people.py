"""People in two models of one table: the first version, and the third, which split names and renamed towns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from tablewright import GSI, Collection, Entity, Keys, Query, SoftDelete, Table, collect, many, one, query

INDEXES = [GSI("GSI1"), GSI("GSI2", projection=["born", "first"]), GSI("GSI3")]

old = Table("People", indexes=INDEXES)
new = Table("People", indexes=INDEXES)


class OldPerson(Entity, table=old, type="Person", version=True, schema_version=1):
    """As it was: one name, a town, and an index by it."""

    keys = Keys("PERSON#{id}", "PERSON", GSI3=("TOWN#{town}", "{id}"), unique=["email"])
    id: str
    email: str
    name: str
    town: str = "Ulm"
    n: int = 0


class Person(Entity, table=new, version=True, schema_version=3):
    """As it is: two names, a city, and two indexes."""

    keys = Keys(
        "PERSON#{id}",
        "PERSON",
        GSI1=("CITY#{city}", "{last}#{id}"),
        GSI2=("BORN#{born}", "{id}"),
        unique=["email"],
    )
    id: str
    email: str
    first: str
    last: str
    city: str
    born: int = 0
    n: int = 0


@new.upcast(Person, 1)
def split_name(item: dict[str, Any]) -> dict[str, Any]:
    """Version 2 has two names."""
    first, _, last = item.pop("name").partition(" ")
    return {"first": first, "last": last, **item}


@new.upcast(Person, 2)
def town_to_city(item: dict[str, Any]) -> dict[str, Any]:
    """Version 3 says city."""
    return {"city": item.pop("town", "Ulm"), **item}


@new.downcast(Person, 3)
def city_to_town(item: dict[str, Any]) -> dict[str, Any]:
    """Back to version 2."""
    return {"town": item.pop("city"), **item}


@new.downcast(Person, 2)
def join_names(item: dict[str, Any]) -> dict[str, Any]:
    """Back to version 1."""
    return {"name": f"{item.pop('first')} {item.pop('last')}", **item}


class Pet(Entity, table=new, type="Pet", schema_version=2, soft_delete=SoftDelete()):
    """With tombstones."""

    keys = Keys("PERSON#{owner}", "PET#{name}")
    owner: str
    name: str
    kind: str


class OldPet(Entity, table=old, type="Pet", schema_version=1, soft_delete=SoftDelete()):
    """As it was."""

    keys = Keys("PERSON#{owner}", "PET#{name}")
    owner: str
    name: str
    species: str


@new.upcast(Pet, 1)
def species_to_kind(item: dict[str, Any]) -> dict[str, Any]:
    """Version 2 says kind."""
    return {"kind": item.pop("species"), **item}


@dataclass
class Household:
    """Somebody with pets."""

    person: Person | None
    pets: list[Pet]


@new.pattern
def household(person_id: str) -> Collection[Household]:
    """Both at once."""
    return collect(
        Household,
        person=one(query(Person, Person.id == person_id)),
        pets=many(query(Pet, Pet.owner == person_id)),
    )


@new.pattern
def in_city(city: str) -> Query[Person]:
    """By city."""
    return query(Person, Person.city == city)


class Newborn(BaseModel):
    """What the narrow index tells of somebody."""

    id: str
    first: str


@new.pattern
def born_in(born: int) -> Query[Newborn]:
    """Through the narrow index, which does not hold versions."""
    return query(Person, Person.born == born).only(Newborn)


class Named(BaseModel):
    """A part of somebody."""

    last: str


@new.pattern
def names_in(city: str) -> Query[Named]:
    """A part of each."""
    return query(Person, Person.city == city).only(Named)


@new.pattern
def busy_in(city: str, last: str) -> Query[Person]:
    """With a filter on a field that older items do not have."""
    return query(Person, Person.city == city).filter(Person.first != last)
