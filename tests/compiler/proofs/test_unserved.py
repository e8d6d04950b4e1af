"""What is said of patterns that no key serves: why by kind, items that show it, and changes that would serve them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    LSI,
    Bucket,
    Collection,
    Entity,
    Get,
    Keys,
    Query,
    Table,
    Unique,
    attr,
    collect,
    get,
    is_in,
    many,
    number,
    one,
    query,
    sparse,
)
from tablewright.compiler.proofs import PatternProof, Reason, TableProof, prove
from tablewright.compiler.proofs.showing import shown
from tablewright.model.inspection import inspecting

Status = Literal["OPEN", "DONE"]


class OnlyId(BaseModel):
    """A view of an answer."""

    answer_id: str


class Titled(BaseModel):
    """A view that no narrow index holds."""

    answer_id: str
    text: str


@dataclass
class Together:
    """Two entities that lie apart."""

    survey: Any
    answers: Any


def read(define: Callable[[Any], None] | None = None) -> tuple[TableProof, Any]:
    """A table with surveys and answers, and what the test adds to it."""
    with inspecting() as found:
        table = Table(
            "Wrong",
            indexes=[
                GSI("GSI1"),
                GSI("Slim", projection="KEYS_ONLY"),
                GSI("Due"),
                GSI("Places", pk=["p_land"], sk=["p_city", number("p_zip")]),
                LSI("Local"),
                GSI("Day"),
            ],
        )

        class Survey(Entity, table=table):
            keys = Keys(
                "TENANT#{tenant}",
                "SURVEY#{survey_id}",
                Due=sparse("DUE#{tenant}", "{due}#{survey_id}", when=attr("status") == "OPEN"),
                Places=("{land}", ("{city}", "{code}")),
                Day=("DAY#{day}", "{due}#{survey_id}"),
                derive={"day": Bucket("due", "day")},
            )
            tenant: str
            survey_id: str
            status: Status = "OPEN"
            due: datetime
            closed: datetime | None = None
            land: str
            city: str
            code: int = Field(ge=0, le=99_999)
            rank: int = 0

        class Answer(Entity, table=table):
            keys = Keys("TENANT#{tenant}", "SURVEY#{survey_id}#{answer_id}", Slim=("USER#{user}", "{at}#{answer_id}"))
            tenant: str
            survey_id: str
            answer_id: str
            user: str
            at: datetime
            text: str

        class Person(Entity, table=table):
            keys = Keys("PERSON#{name}", "PERSON", GSI1=("MAIL#{mail}", "{name}"))
            name: str
            mail: str

        space = type("Space", (), {"table": table, "Survey": Survey, "Answer": Answer, "Person": Person})
        if define is not None:
            define(space)
    return prove(table, found.refused), space


def unserved(body: Callable[[Any], Callable[..., Any]]) -> PatternProof:
    """The proof of one pattern that is not served."""

    def define(space: Any) -> None:
        space.table.pattern(body(space))

    proof, _ = read(define)
    (pattern,) = proof.patterns
    assert not pattern.served
    assert not proof.holds
    assert proof.unserved == (pattern,)
    return pattern


def by(pattern: PatternProof, key: str) -> Reason:
    (found,) = [reason for reason in pattern.reasons if reason.key_path == key]
    return found


def surveys(s: Any) -> Callable[..., Any]:
    def pattern(tenant: str) -> Query[Any]:
        "All surveys of a tenant."
        return query(s.Survey, s.Survey.tenant == tenant)

    return pattern


def by_status(s: Any) -> Callable[..., Any]:
    def pattern(status: Status, since: datetime | None = None) -> Query[Any]:
        return query(s.Survey, s.Survey.status == status).when(since, lambda t: s.Survey.due >= t)

    return pattern


def of_user(s: Any) -> Callable[..., Any]:
    def pattern(user: str) -> Query[Any]:
        return query(s.Answer, s.Answer.user == user)

    return pattern


def titles(s: Any) -> Callable[..., Any]:
    def pattern(user: str) -> Query[Any]:
        return query(s.Answer, s.Answer.user == user).only(Titled)

    return pattern


def consistently(s: Any) -> Callable[..., Any]:
    def pattern(user: str) -> Query[Any]:
        return query(s.Answer, s.Answer.user == user).only(OnlyId).consistent()

    return pattern


def everything(s: Any) -> Callable[..., Any]:
    def pattern() -> Query[Any]:
        return query(s.Answer)

    return pattern


def city_alone(s: Any) -> Callable[..., Any]:
    def pattern(land: str, code: int) -> Query[Any]:
        return query(s.Survey, s.Survey.land == land, s.Survey.code == code)

    return pattern


def in_tenant(s: Any) -> Callable[..., Any]:
    def pattern(tenant: str, survey_id: str, user: str) -> Query[Any]:
        return query(s.Answer, s.Answer.tenant == tenant, s.Answer.survey_id == survey_id, s.Answer.user == user)

    return pattern


def several_answers(s: Any) -> Callable[..., Any]:
    def pattern(tenant: str, survey_id: str, answers: list[str]) -> Query[Any]:
        return query(
            s.Answer,
            s.Answer.tenant == tenant,
            s.Answer.survey_id == survey_id,
            is_in(s.Answer.answer_id, answers),
        )

    return pattern


def one_of_survey(s: Any) -> Callable[..., Any]:
    def pattern(tenant: str, survey_id: str) -> Get[Any]:
        return get(s.Answer, s.Answer.tenant == tenant, s.Answer.survey_id == survey_id)

    return pattern


def due_at(s: Any) -> Callable[..., Any]:
    def pattern(due: datetime) -> Query[Any]:
        return query(s.Survey, s.Survey.due >= due)

    return pattern


def by_rank(s: Any) -> Callable[..., Any]:
    def pattern(rank: int) -> Query[Any]:
        return query(s.Survey, s.Survey.rank == rank).sorted_by(s.Survey.due)

    return pattern


def nowhere(s: Any) -> Callable[..., Any]:
    def pattern(mail: str) -> Query[Any]:
        return query(s.Person, s.Person.mail == mail).via("Slim")

    return pattern


@pytest.mark.parametrize(
    ("body", "key", "kind"),
    [
        pytest.param(surveys, "the table's key", "neighbours", id="neighbours"),
        pytest.param(surveys, "Due", "sparse", id="sparse"),
        pytest.param(by_status, "the table's key", "no-partition-value", id="no-partition-value"),
        pytest.param(of_user, "Slim", "projection", id="projection"),
        pytest.param(consistently, "Slim", "consistent-index", id="consistent-index"),
        pytest.param(everything, "the table's key", "scan", id="scan"),
        pytest.param(city_alone, "Places", "gap", id="gap"),
        pytest.param(in_tenant, "the table's key", "unused-condition", id="unused-condition"),
        pytest.param(several_answers, "the table's key", "list", id="list"),
        pytest.param(one_of_survey, "the table's key", "not-unique", id="not-unique"),
        pytest.param(due_at, "Day", "bucket", id="bucket"),
        pytest.param(nowhere, "Slim", "no-key", id="no-key"),
    ],
)
def test_every_reason_has_a_kind(body: Callable[[Any], Callable[..., Any]], key: str, kind: str) -> None:
    assert by(unserved(body), key).kind == kind


def test_a_neighbour_is_shown_with_its_keys() -> None:
    pattern = unserved(surveys)
    reason = by(pattern, "the table's key")
    assert (reason.other, pattern.doc, pattern.entities) == ("Answer", "All surveys of a tenant.", ("Survey",))
    assert reason.counterexample is not None
    asked, met = reason.counterexample.items
    assert (asked.entity, met.entity) == ("Survey", "Answer")
    assert asked.key["PK"] == met.key["PK"]
    assert asked.key["SK"] < met.key["SK"] < "SURVEY$"
    assert met.key["SK"].split("#")[1:] == [eval(met.values["survey_id"]), eval(met.values["answer_id"])]
    assert reason.counterexample.arguments == {"tenant": asked.values["tenant"]}


def test_an_item_that_a_sparse_index_leaves_out_is_shown() -> None:
    example = by(unserved(surveys), "Due").counterexample
    assert example is not None
    assert [item.values["status"] for item in example.items] == ["'DONE'"]


def test_what_a_projection_lacks_is_shown() -> None:
    reason = by(unserved(of_user), "Slim")
    assert reason.fields == ("CreatedAt", "UpdatedAt", "text")  # keys tell the rest
    assert reason.counterexample is not None
    (item,) = reason.counterexample.items
    assert set(item.key) == {"SlimPK", "SlimSK", "PK", "SK"}
    assert "but not CreatedAt" in reason.counterexample.text


# -------------------------------------------------------------------------------------------------------------- edits


@pytest.mark.parametrize(
    ("body", "edits"),
    [
        pytest.param(
            surveys,
            {"index-key": 'GSI1=("TENANT#{tenant}", "SURVEY#{survey_id}"),', "read": '.via("Due")'},
            id="neighbours",
        ),
        pytest.param(
            by_status,
            {"index-key": 'GSI1=("STATUS#{status}", "SURVEY#{due}#{tenant}#{survey_id}"),'},
            id="optional-range",
        ),
        pytest.param(
            of_user,
            {
                "projection": 'GSI("Slim", projection=["CreatedAt", "UpdatedAt", "text"])',
                "index-key": 'GSI1=("USER#{user}", "ANSWER#{tenant}#{survey_id}#{answer_id}"),',
            },
            id="projection",
        ),
        pytest.param(
            titles,
            {
                "projection": 'GSI("Slim", projection=["text"])',
                "index-key": 'GSI1=("USER#{user}", "ANSWER#{tenant}#{survey_id}#{answer_id}"),',
            },
            id="narrow-projection",
        ),
        pytest.param(
            in_tenant,
            {
                "index-key": 'GSI1=("TENANT#{tenant}#SURVEY#{survey_id}#USER#{user}", "ANSWER#{answer_id}"),',
                "filter": ".filter(Answer.user ...)",
            },
            id="filter",
        ),
        pytest.param(
            one_of_survey,
            {
                "index-key": 'GSI1=("TENANT#{tenant}#SURVEY#{survey_id}", "ANSWER"),',
                "read": "query(Answer, ...)",
            },
            id="not-unique",
        ),
        pytest.param(
            by_rank, {"index-key": 'GSI1=("RANK#{rank}", "SURVEY#{due}#{tenant}#{survey_id}"),'}, id="sorted-by"
        ),
        pytest.param(
            everything,
            {"index-key": 'GSI1=("ANSWERS", "ANSWER#{tenant}#{survey_id}#{answer_id}"),'},
            id="one-partition",
        ),
    ],
)
def test_the_smallest_changes_are_told(body: Callable[[Any], Callable[..., Any]], edits: dict[str, str]) -> None:
    found = unserved(body).edits
    assert {edit.kind: edit.code[-1] for edit in found if edit.code} == edits


def test_a_consistent_read_is_told_to_be_none() -> None:
    assert [(e.kind, e.text.split(":")[0]) for e in unserved(consistently).edits] == [
        ("read", "leave .consistent() out"),
    ]


def test_one_partition_for_all_is_warned_of() -> None:
    (edit,) = unserved(everything).edits
    assert "all Answer items then lie in one partition" in edit.text


def test_an_index_is_added_where_none_is_free() -> None:
    with inspecting() as found:
        table = Table("Full", indexes=[GSI("GSI1")])

        class Thing(Entity, table=table):
            keys = Keys("THING#{thing_id}", "THING", GSI1=("OWNER#{owner}", "{thing_id}"))
            thing_id: str
            owner: str
            amount: int
            colour: str

        @table.pattern
        def coloured(colour: str, least: int) -> Query[Thing]:
            return query(Thing, Thing.colour == colour, Thing.amount >= least)

    (edit,) = prove(table, found.refused).of("coloured").edits
    assert edit.kind == "index"
    assert edit.code == ('GSI("GSI2"),', 'GSI2=("COLOUR#{colour}", "THING#{amount:10}#{thing_id}"),')


def test_a_change_that_would_break_another_pattern_is_not_told() -> None:
    with inspecting() as found:
        table = Table("Shared", indexes=[GSI("GSI1")])

        class Ticket(Entity, table=table):
            keys = Keys("TICKET#{ticket_id}", "TICKET", GSI1=("STATUS#{status}", "{ticket_id}"))
            ticket_id: str
            status: str

        class Order(Entity, table=table):
            keys = Keys("ORDER#{order_id}", "ORDER")
            order_id: str
            status: str

        @table.pattern
        def tickets(status: str) -> Query[Ticket]:
            return query(Ticket, Ticket.status == status)

        @table.pattern
        def orders(status: str) -> Query[Order]:
            return query(Order, Order.status == status)

    proof = prove(table, found.refused)
    assert proof.of("tickets").served
    (edit,) = proof.of("orders").edits
    assert edit.code == ('GSI1=("ORDER#STATUS#{status}", "ORDER#{order_id}"),',)


def test_collections_tell_why_their_parts_do_not_go_together() -> None:
    def define(s: Any) -> None:
        @s.table.pattern
        def both(tenant: str) -> Collection[Together]:
            return collect(
                Together,
                survey=one(query(s.Survey, s.Survey.tenant == tenant, s.Survey.survey_id == tenant)),
                answers=many(query(s.Person, s.Person.name == tenant)),
            )

    proof, _ = read(define)
    (reason,) = proof.of("both").reasons
    assert reason.kind == "other-partition"
    (edit,) = proof.of("both").edits
    assert edit.kind == "index"
    assert edit.code == (
        'GSI("GSI2"),',
        'GSI2=("SURVEY#{survey_id}", "SURVEY#{tenant}"),  # Survey',
        'GSI2=("SURVEY#{name}", "PERSON"),  # Person',
    )


@dataclass
class Basket:
    """A customer's things, of both kinds."""

    orders: list[Any]
    notes: list[Any]


def _baskets(indexes: list[GSI], gsi1: dict[str, Any] | None = None, *, after: dict[str, Any] | None = None) -> Any:
    """A table of orders and notes that lie apart, and a pattern that wants them together."""
    with inspecting() as found:
        table = Table("Baskets", indexes=indexes)

        class Order(Entity, table=table):
            """An order."""

            keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", **{**(gsi1 or {}), **(after or {}).get("Order", {})})
            order_id: str
            customer: str
            placed_at: datetime

        class Note(Entity, table=table):
            """What somebody wrote of a customer."""

            keys = Keys("NOTE#{note_id}", "NOTE#{note_id}", **(after or {}).get("Note", {}))
            note_id: str
            about: str

        @table.pattern
        def basket(customer: str) -> Collection[Basket]:
            """Orders and notes of a customer."""
            return collect(
                Basket,
                orders=many(query(Order, Order.customer == customer)),
                notes=many(query(Note, Note.about == customer)),
            )

        @table.pattern
        def nothing_shared(customer: str, note_id: str) -> Collection[Basket]:
            """Parts that nothing brings together."""
            return collect(
                Basket,
                orders=many(query(Order, Order.customer == customer)),
                notes=many(query(Note, Note.note_id == note_id)),
            )

        @table.pattern
        def surely(customer: str) -> Collection[Basket]:
            """The same, consistently."""
            return collect(
                Basket,
                orders=many(query(Order, Order.customer == customer)),
                notes=many(query(Note, Note.about == customer)),
            ).consistent()

    return prove(table, found.refused)


def test_a_collection_gets_its_parts_into_one_partition() -> None:
    proof = _baskets([])
    (edit,) = proof.of("basket").edits
    assert edit.kind == "index"
    assert edit.code == (
        'GSI("GSI1"),',
        'GSI1=("CUSTOMER#{customer}", "ORDER#{order_id}"),  # Order',
        'GSI1=("CUSTOMER#{about}", "NOTE#{note_id}"),  # Note',
    )
    changed = _baskets(
        [GSI("GSI1")],
        after={
            "Order": {"GSI1": ("CUSTOMER#{customer}", "ORDER#{order_id}")},
            "Note": {"GSI1": ("CUSTOMER#{about}", "NOTE#{note_id}")},
        },
    )
    assert changed.of("basket").served


def test_a_part_joins_the_index_that_another_is_in() -> None:
    proof = _baskets([GSI("GSI1")], {"GSI1": ("BUYER#{customer}", "ORDER#{placed_at}#{order_id}")})
    (edit,) = proof.of("basket").edits
    assert edit.code == ('GSI1=("BUYER#{about}", "NOTE#{note_id}"),  # Note',)


def test_where_no_change_is_possible_it_is_said_why() -> None:
    proof = _baskets([])
    assert proof.of("nothing_shared").edits == ()
    assert "no value in common" in proof.of("nothing_shared").stuck
    assert "consistent" in proof.of("surely").stuck


def _odd(conditions: Callable[[Any], Any]) -> tuple[PatternProof, str]:
    """What is said of a read of entities with fields that no order can go by, and all of it as text."""
    with inspecting() as found:
        table = Table("Odd", indexes=[GSI("GSI1"), GSI("GSI2")])

        class Odd(Entity, table=table):
            keys = Keys("ODD#{group}", "ODD#{odd}", GSI2=("ODD#{odd}", "{group}"))
            group: str
            odd: str
            nick: str | None = None
            parts: list[str] = []  # noqa: RUF012
            weight: float = 0.0

        def wanted(group: str) -> Query[Odd]:
            return conditions(query(Odd, Odd.group == group))  # type: ignore[no-any-return]

        wanted.__annotations__["return"] = Query[Odd]
        table.pattern(wanted)
    proof = prove(table, found.refused)
    return proof.of("wanted"), "\n".join(line.text for line in shown(proof))


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("nick", "it leaves out items without 'nick'"),
        ("parts", "A field of type list cannot stand in a key"),
        ("weight", "'weight' is a float"),
    ],
)
def test_what_is_wrong_with_the_key_that_comes_first_is_told(field: str, why: str) -> None:
    pattern, text = _odd(lambda q: q.sorted_by(getattr(q.entity, field)))
    assert pattern.edits == ()
    assert pattern.stuck.startswith(f'GSI1=("ODD#{{group}}", "ODD#{{{field}}}#{{odd}}") would not serve it either: ')
    assert pattern.stuck.endswith(why)
    assert "Give Odd an index key" not in text


def test_a_key_that_was_asked_for_by_name_is_told_to_be_the_only_one() -> None:
    pattern, _ = _odd(lambda q: q.sorted_by(q.entity.nick).via("GSI2"))
    assert pattern.stuck.startswith("it asks for GSI2 by name")


# ----------------------------------------------------------------------------------------- definitions beside patterns


class Colour(Enum):
    """A choice for keys."""

    red = "RED"
    blue = "BLUE"


def test_two_entities_with_one_key_are_shown() -> None:
    def define(s: Any) -> None:
        class Clash(Entity, table=s.table):
            keys = Keys("TENANT#{owner}", "{kind}#{number}")
            owner: UUID | str
            kind: str
            number: str

    proof, _ = read(define)
    (problem,) = proof.problems
    assert (problem.kind, problem.name, problem.follows) == ("entity", "Clash", False)
    assert problem.counterexample is None  # no single type of key part stands for two types


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("{kind}#{number}", {"kind": "'SURVEY'"}),
        ("SURVEY#{colour}", {"colour": "<Colour.red: 'RED'>"}),
        ("{kind}#{count:4}#X", {}),
        ("SURVEY#{made}", {"made": "2026-01-01 00:00:00+00:00"}),
    ],
    ids=["literal", "choice", "longer", "time"],
)
def test_values_are_found_for_which_keys_collide(template: str, values: dict[str, str]) -> None:
    def define(s: Any) -> None:
        class Clash(Entity, table=s.table):
            keys = Keys("TENANT#{owner}", template)
            owner: str
            kind: str
            number: str
            colour: Colour
            made: datetime
            count: int

    proof, _ = read(define)
    (problem,) = proof.problems
    assert problem.code == "KEY_COLLISION"
    assert problem.counterexample is not None
    mine, other = problem.counterexample.items
    assert mine.key == other.key
    assert values.items() <= mine.values.items()


def test_a_marker_can_collide_too() -> None:
    def define(s: Any) -> None:
        class Odd(Entity, table=s.table):
            keys = Keys("ODD#{odd_id}", "ODD", unique=[Unique("alias", key="{alias}")])
            odd_id: str
            alias: str

        class Same(Entity, table=s.table):
            keys = Keys("{same_id}", "X")
            same_id: str

    proof, _ = read(define)
    assert [p.name for p in proof.problems] == ["Same"]
    example = proof.problems[0].counterexample
    assert example is not None
    assert [item.entity for item in example.items] == ["Same", "the marker of Odd's unique alias"]
    assert example.items[0].key == example.items[1].key == {"PK": "X", "SK": "X"}


def test_an_entity_that_breaks_a_pattern_is_shown_beside_what_it_reads() -> None:
    def define(s: Any) -> None:
        @s.table.pattern
        def people(mail: str) -> Query[Any]:
            return query(s.Person, s.Person.mail == mail)

        class Company(Entity, table=s.table):
            keys = Keys("COMPANY#{name}", "COMPANY", GSI1=("MAIL#{mail}", "{name}"))
            name: str
            mail: str

    proof, _ = read(define)
    assert proof.of("people").served
    (problem,) = proof.problems
    assert problem.counterexample is not None
    assert [item.entity for item in problem.counterexample.items] == ["Person", "Company"]
    assert problem.counterexample.items[0].key["GSI1PK"] == problem.counterexample.items[1].key["GSI1PK"]


def test_what_follows_from_a_refused_entity_says_so() -> None:
    def define(s: Any) -> None:
        class Keyless(Entity, table=s.table):
            name: str

        @s.table.pattern
        def keyless(name: str) -> Query[Keyless]:
            "Nothing."
            return query(Keyless, Keyless.name == name)

    proof, _ = read(define)
    assert [p.name for p in proof.problems] == ["Keyless"]
    pattern = proof.of("keyless")
    assert [r.text for r in pattern.reasons] == ["It reads Keyless, which is refused itself."]
    assert pattern.stuck == ""
    assert (pattern.follows, pattern.doc, [r.kind for r in pattern.reasons]) == (True, "Nothing.", ["definition"])


def test_parameters_that_may_be_left_out_are_shown_so_where_nothing_serves_too() -> None:
    def ranked(s: Any) -> Callable[..., Any]:
        def ranked(rank: int, since: datetime | None = None) -> Any:
            return query(s.Survey, s.Survey.rank == rank).when(since, lambda t: s.Survey.due >= t)

        ranked.__annotations__["return"] = Query[s.Survey]
        return ranked

    assert unserved(ranked).parameters == {"rank": "int", "since": "datetime | None = None"}
