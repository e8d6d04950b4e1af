"""Aggregates of a design: one item collection of the table for each tree, which loads with one query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tablewright import Table, key
from tablewright.errors import ModelError
from tablewright.synth.proposal import Proposal, propose_for
from tablewright.synth.running import run

SURVEYS = """
from datetime import datetime
from pydantic import Field
from tablewright import Aggregate, Design, Entity, Get, Node, Query, child, children, get, query

surveys = Design("Surveys")


class Survey(Entity, table=surveys, identity=["tenant", "survey"], version=True):
    tenant: str
    survey: str
    owner: str = Field(frozen=True)
    sections: int = 0


class Section(Entity, table=surveys, identity=["tenant", "survey", "section"], version=True):
    tenant: str
    survey: str
    section: str
    position: int = Field(ge=0, le=999)


class Element(Entity, table=surveys, identity=["tenant", "of_survey", "element"]):
    tenant: str
    of_survey: str
    section: str
    element: str


class Settings(Entity, table=surveys, identity=["tenant", "survey"]):
    tenant: str
    survey: str
    colour: str = "red"


class SectionNode(Node[Section]):
    elements: list[Element] = children(by={"of_survey": "survey"})


class SurveyTree(Aggregate[Survey]):
    sections: list[SectionNode] = children(order_by="position", count="sections")
    settings: Settings | None = child()


@surveys.pattern
def surveys_of(tenant: str, owner: str) -> Query[Survey]:
    return query(Survey, Survey.tenant == tenant, Survey.owner == owner)


@surveys.pattern
def elements_of(tenant: str, survey: str, section: str) -> Query[Element]:
    return query(Element, Element.tenant == tenant, Element.of_survey == survey, Element.section == section)
"""


def proposed(text: str) -> Proposal:
    return propose_for(vars(run(text, Path(__file__)))["surveys"], text, Path(__file__))


def test_a_tree_lies_in_one_collection_of_the_table() -> None:
    found = proposed(SURVEYS)
    base = {entity.entity: (entity.keys[0].pk, entity.keys[0].sk) for entity in found.entities}
    assert len({pk.replace("of_survey", "survey") for pk, _ in base.values()}) == 1
    assert len(found.indexes) == 1
    assert any("for the tree SurveyTree" in line for line in found.explained.choices)


def test_it_loads_with_one_query_and_is_saved() -> None:
    found = proposed(SURVEYS)
    names = vars(run(found.code, Path(__file__)))
    table: Any = names["surveys"]
    assert isinstance(table, Table)
    tree_of, node_of = names["SurveyTree"], names["SectionNode"]
    survey, section, element = names["Survey"], names["Section"], names["Element"]
    with table.open("memory:") as db:
        for tenant, number in (("t", "s1"), ("t", "s2"), ("u", "s1")):
            nodes = [
                node_of(
                    entity=section(tenant=tenant, survey=number, section=f"p{n}", position=9 - n),
                    elements=[element(tenant=tenant, of_survey=number, section=f"p{n}", element=f"{number}{n}")],
                )
                for n in range(2)
            ]
            settings = names["Settings"](tenant=tenant, survey=number)
            root = survey(tenant=tenant, survey=number, owner="o")
            db.save_tree(tree_of(entity=root, sections=nodes, settings=settings))
        with db.measure() as meter:
            tree = db.load_tree(tree_of, key(survey, tenant="t", survey="s2"))
        assert len(meter.requests) == 1
    assert [node.entity.section for node in tree.sections] == ["p1", "p0"]
    assert [[leaf.element for leaf in node.elements] for node in tree.sections] == [["s21"], ["s20"]]
    assert (tree.entity.sections, tree.settings.survey, tree.orphans) == (2, "s2", ())


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('"survey"], version=True', '"survey"], timestamps=False', "neither a version nor time"),
        ('children(by={"of_survey": "survey"})', "children()", "does not tell its Section's survey"),
        (
            'identity=["tenant", "of_survey", "element"]',
            'identity=["tenant", "element"]',
            "Element.of_survey says which",
        ),
        (
            'identity=["tenant", "survey", "section"], version=True',
            'identity=["section"], version=True',
            "Section has children, which find it by its identity",
        ),
        ("settings: Settings | None = child()", "settings: Survey | None = child()", "Survey in two places"),
    ],
    ids=["no version", "another name", "a loose field", "a parent of its own", "twice"],
)
def test_what_cannot_be_a_tree_is_said_before_the_search(before: str, after: str, says: str) -> None:
    assert before in SURVEYS
    with pytest.raises(ModelError, match=says):
        proposed(SURVEYS.replace(before, after))


def test_the_key_of_a_parent_is_its_identity_whatever_else_it_could_serve() -> None:
    found = proposed(SURVEYS)
    survey = next(entity for entity in found.entities if entity.entity == "Survey")
    assert survey.keys[0].shape.fields == {"tenant", "survey"}
