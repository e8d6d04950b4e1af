"""A survey of four levels in one item collection: the ground for the tests of trees."""

from __future__ import annotations

from pydantic import Field

from tablewright import GSI, Aggregate, Entity, Keys, Node, Table, Unique, attr, child, children, sparse

surveys = Table("Surveys", indexes=[GSI("GSI1"), GSI("GSI2")])


class Survey(Entity, table=surveys, version=True):
    keys = Keys("TENANT#{tenant}", "SURVEY#{survey}", GSI1=("CHANGED#{tenant}", "{updated_at}#{survey}"))
    tenant: str
    survey: str
    title: str = ""
    sections: int = Field(default=0, ge=0)
    finished: int = Field(default=0, ge=0)


class Section(Entity, table=surveys, version=True):
    keys = Keys(
        "TENANT#{tenant}",
        "SURVEY#{survey}#SECTION#{section}",
        GSI1=sparse("DONE#{tenant}", "{name}#{section}", when=attr("done") == True),  # noqa: E712 - a condition
        GSI2=("SURVEY#{tenant}#{survey}", "SECTION#{position:3}#{section}"),
        unique=[Unique("tenant", "code")],
    )
    tenant: str
    survey: str
    section: str
    position: int = Field(default=0, ge=0, le=999)
    name: str = "section"
    done: bool = False
    code: str | None = None
    elements: int = Field(default=0, ge=0)


class Element(Entity, table=surveys):
    keys = Keys(
        "TENANT#{tenant}",
        "SURVEY#{survey}#ELEMENT#{element}",
        GSI2=("SECTION#{tenant}#{survey}#{section}", "ELEMENT#{position:3}#{element}"),
    )
    tenant: str
    survey: str
    section: str
    element: str
    position: int = Field(default=0, ge=0, le=999)
    notes: str = ""


class Component(Entity, table=surveys, timestamps=False):
    keys = Keys("TENANT#{tenant}", "SURVEY#{survey}#ELEMENT#{element}#COMPONENT#{component}")
    tenant: str
    survey: str
    element: str
    component: str
    material: str = ""


class Cover(Entity, table=surveys):
    keys = Keys("TENANT#{tenant}", "SURVEY#{survey}#COVER")
    tenant: str
    survey: str
    picture: str = ""


class Photo(Entity, table=surveys):
    """Lies among the others, but is no part of the tree."""

    keys = Keys("TENANT#{tenant}", "SURVEY#{survey}#PHOTO#{photo}")
    tenant: str
    survey: str
    photo: str


class ElementNode(Node[Element]):
    components: list[Component] = children()


class SectionNode(Node[Section]):
    parts: list[ElementNode] = children(order_by=("position", "element"), count="elements")


class SurveyTree(Aggregate[Survey]):
    chapters: list[SectionNode] = children(
        order_by="position", count="sections", count_if={"finished": lambda section: section.done}
    )
    cover: Cover | None = child()


def survey(name: str = "s1", chapters: list[SectionNode] | None = None, cover: Cover | None = None) -> SurveyTree:
    root = Survey(tenant="t", survey=name)
    return SurveyTree(entity=root, chapters=chapters or [], cover=cover)


def section(
    name: str, *parts: ElementNode, position: int = 0, done: bool = False, code: str | None = None
) -> SectionNode:
    entity = Section(tenant="t", survey="", section=name, position=position, done=done, code=code)
    return SectionNode(entity=entity, parts=list(parts))


def element(name: str, *components: str, position: int = 0) -> ElementNode:
    entity = Element(tenant="t", survey="", section="", element=name, position=position)
    return ElementNode(entity=entity, components=[component(c) for c in components])


def component(name: str, material: str = "") -> Component:
    return Component(tenant="t", survey="", element="", component=name, material=material)
