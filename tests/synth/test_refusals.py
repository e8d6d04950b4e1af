"""What is wrong in a design is told where it is written, with what to do, all of it at once, and nobody else is blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablewright.errors import ArgumentError, ChangeError, ModelError, PatternError, TablewrightError
from tablewright.synth.proposal import propose, read_design

HEAD = """\
from datetime import datetime
from pydantic import BaseModel, Field
from tablewright import *

fleet = Design("Fleet")
"""
BOOKING = """
class Booking(Entity, table=fleet, identity=["booking_id"]OPTIONS):
    booking_id: str
    garage: str
    starts_at: datetime
    weight: float = 0
    hours: int = 0
"""
MEMBERSHIP = """
class Person(Entity, table=fleet, identity=["person_id"]):
    person_id: str
    name: str = ""

class Club(Entity, table=fleet, identity=["club_id"]):
    club_id: str
    founder: str = ""

class Membership(Entity, table=fleet, identity=["person_id", "club_id"]):
    person_id: str
    club_id: str
"""


def booking(options: str = "") -> str:
    return BOOKING.replace("OPTIONS", options)


def read(name: str, parameters: str, body: str) -> str:
    return f"\n@fleet.pattern\ndef {name}({parameters}) -> Query[Booking]:\n    return {body}\n"


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def refused(tmp_path: Path, text: str) -> tuple[TablewrightError, Path]:
    file = tmp_path / "design.py"
    file.write_text(HEAD + text, encoding="utf-8")
    with pytest.raises(TablewrightError) as caught:
        propose(file)
    assert "please report" not in str(caught.value)
    return caught.value, file


CASES = {
    "an expiry that is no number": (booking(', ttl="starts_at"'), "class Booking", "the TTL field", "Epoch"),
    "a change of the identity": (
        booking() + "\n@fleet.change\ndef renumber(b: Booking) -> None:\n    b.booking_id = 'x'\n",
        "@fleet.change",
        "cannot be changed",
        "create another one",
    ),
    "a name of the library": (booking().replace("hours", "PK"), "class Booking", "stored as 'PK'", 'stored={"PK"'),
    "a name of an index that is found": (
        booking().replace("hours: int = 0", 'GSI1PK: str = ""')
        + read("at", "garage: str", "query(Booking, Booking.garage == garage)"),
        "class Booking",
        "stored as 'GSI1PK'",
        'stored={"GSI1PK"',
    ),
    "an identity that is too long": (
        booking().replace("booking_id: str\n", "booking_id: str = Field(max_length=5000)\n"),
        "class Booking",
        "booking_id, can take 20003 bytes",
        "max_length",
    ),
    "a field of an index that is too long": (
        booking().replace("garage: str\n", "garage: str = Field(max_length=5000)\n")
        + read("at", "garage: str", "query(Booking, Booking.garage == garage)"),
        "class Booking",
        "by the declared lengths",
        "max_length",
    ),
    "an identity that may be missing": (
        booking().replace("booking_id: str\n", "booking_id: str | None = None\n"),
        "class Booking",
        "may be None",
        "Make booking_id required",
    ),
    "a view of a field that is not there": (
        booking()
        + "\nclass Short(BaseModel):\n    nothing: str\n\n@fleet.pattern\ndef short(garage: str) -> Query[Short]:\n"
        "    return query(Booking, Booking.garage == garage).only(Short)\n",
        "@fleet.pattern",
        "has the field 'nothing'",
        "",
    ),
    "links without fields": (
        MEMBERSHIP + 'fleet.relate(Relationship(Person, Club, "M:N", "adjacency list", via=Membership))\n',
        "fleet.relate",
        "source_fields must name the fields of Membership",
        "",
    ),
    "links by a field that is not there": (
        MEMBERSHIP + 'fleet.relate(Relationship(Person, Club, "M:N", "adjacency list", via=Membership, '
        'source_fields=("person_id",), target_fields=("clubid",)))\n',
        "fleet.relate",
        "no field 'clubid'. Did you mean 'club_id'?",
        "",
    ),
    "links without their entity": (
        MEMBERSHIP + 'fleet.relate(Relationship(Person, Club, "M:N", "adjacency list"))\n',
        "fleet.relate",
        "needs via=",
        "via=Membership",
    ),
    "something embedded nowhere": (
        MEMBERSHIP + 'fleet.relate(Relationship(Person, Club, "1:N", "embedded", field="clubs"))\n',
        "fleet.relate",
        "needs the field that holds it",
        "",
    ),
    "copies of nothing": (
        MEMBERSHIP + 'fleet.relate(Relationship(Club, Person, "1:1", "shallow duplication"))\n',
        "fleet.relate",
        "does not say which",
        "copies=",
    ),
    "a child that does not tell its parent": (
        MEMBERSHIP + 'fleet.relate(Relationship(Person, Club, "1:N", "item collection"))\n',
        "fleet.relate",
        "Club does not tell its Person's person_id",
        "fields of the same names",
    ),
    "a child that can go to another parent": (
        MEMBERSHIP.replace("club_id: str\n    founder", "club_id: str\n    person_id: str\n    founder", 1)
        + 'fleet.relate(Relationship(Person, Club, "1:N", "item collection"))\n',
        "fleet.relate",
        "The relationship Person to Club reads Club by person_id, which the table's key cannot serve.",
        "write person_id: ... = Field(frozen=True).",
    ),
    "newest first of nothing": (
        booking() + read("p", "garage: str", "query(Booking, Booking.garage == garage).newest_first()"),
        "@fleet.pattern",
        "does not say by which field",
        "sorted_by",
    ),
    "a consistent read by what changes": (
        booking() + read("p", "garage: str", "query(Booking, Booking.garage == garage).consistent()"),
        "@fleet.pattern",
        "p() reads Booking by garage, which the table's key cannot serve.",
        "garage can change: if it never does, write garage: ... = Field(frozen=True); otherwise leave .consistent() out.",
    ),
    "two ranges": (
        booking() + read("p", "t: datetime", "query(Booking, Booking.starts_at >= t, Booking.hours >= 3)"),
        "@fleet.pattern",
        "a key has one",
        ".filter(...)",
    ),
    "what keys cannot answer": (
        booking() + read("p", "garage: str", "query(Booking, Booking.garage != garage)"),
        "@fleet.pattern",
        "keys can select by",
        ".filter(...)",
    ),
    "a float": (
        booking() + read("p", "garage: str", "query(Booking, Booking.garage == garage).sorted_by(Booking.weight)"),
        "@fleet.pattern",
        "cannot stand in a key",
        "Use str, int, Decimal",
    ),
    "an index": (
        booking() + read("p", "garage: str", 'query(Booking, Booking.garage == garage).via("GSI1")'),
        "@fleet.pattern",
        "a design has none yet",
        "Leave .via",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_mistakes_are_told_with_their_line_and_what_to_do(tmp_path: Path, name: str) -> None:
    text, where, says, hint = CASES[name]
    error, file = refused(tmp_path, text)
    assert error.message.startswith(f"{file}:{line_of(HEAD + text, where)}: ")
    assert says in error.message
    assert hint in (error.hint or "")


def test_relationships_and_changes_of_a_design_are_checked_where_they_are_made(tmp_path: Path) -> None:
    file = tmp_path / "design.py"
    file.write_text(HEAD + CASES["links without fields"][0], encoding="utf-8")
    with pytest.raises(ModelError, match="source_fields must name"):
        read_design(file)
    file.write_text(HEAD + CASES["a change of the identity"][0], encoding="utf-8")
    with pytest.raises(ChangeError, match="cannot be changed"):
        read_design(file)


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    names = ("an expiry that is no number", "links without fields", "newest first of nothing", "two ranges")
    error, file = refused(
        tmp_path,
        MEMBERSHIP
        + CASES["an expiry that is no number"][0].replace("Booking", "Parking")
        + booking()
        + read("newest", "garage: str", "query(Booking, Booking.garage == garage).newest_first()")
        + read("both", "t: datetime", "query(Booking, Booking.starts_at >= t, Booking.hours >= 3)")
        + read("now", "garage: str", "query(Booking, Booking.garage == garage).consistent()")
        + 'fleet.relate(Relationship(Person, Club, "M:N", "adjacency list", via=Membership))\n'
        + "\nclass Ramp(Aggregate[Parking]):\n    bookings: list[Booking] = children()\n"
        + "fleet.expect(Parking, items=5)\n"
        + read("parked", "garage: str", "query(Parking, Parking.garage == garage)").replace("[Booking]", "[Parking]"),
    )
    first, *told = error.message.splitlines()
    assert first == "5 things in Fleet cannot be as they are written:"
    assert len(told) == 5  # what names Parking goes with it
    for says in (
        *(CASES[name][2] for name in names),
        "by garage, which the table's key cannot serve. It is consistent",
    ):
        assert sum(says in line for line in told) == 1
    assert all(line.startswith(f"  - {file}:") for line in told)
    assert not isinstance(error, PatternError)


def test_several_patterns_that_cannot_be_served_are_an_error_of_patterns(tmp_path: Path) -> None:
    error, _ = refused(tmp_path, CASES["a float"][0] + CASES["an index"][0].replace(booking(), "").replace("p(", "q("))
    assert isinstance(error, PatternError)


def test_a_file_that_needs_its_design_is_told_from_a_fault_of_the_search(tmp_path: Path) -> None:
    error, _ = refused(tmp_path, booking() + "assert isinstance(fleet, Design)\n")
    assert isinstance(error, ArgumentError)
    assert "does not run with them" in error.message
