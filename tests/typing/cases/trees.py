"""Aggregates: trees of typed objects, and which root each begins with."""

from typing import assert_type

from tablewright import Aggregate, AsyncSession, Difference, Entity, Keys, Node, Session, Table, child, children, key

from .model import Order as OtherOrder

house = Table("House", indexes=[])


class Survey(Entity, table=house):
    keys = Keys("SURVEY#{survey}", "SURVEY#{survey}")
    survey: str
    title: str = ""


class Section(Entity, table=house):
    keys = Keys("SURVEY#{survey}", "SURVEY#{survey}#SECTION#{section}")
    survey: str
    section: str


class Element(Entity, table=house):
    keys = Keys("SURVEY#{survey}", "SURVEY#{survey}#SECTION#{section}#ELEMENT#{element}")
    survey: str
    section: str
    element: str


class Cover(Entity, table=house):
    keys = Keys("SURVEY#{survey}", "SURVEY#{survey}#COVER")
    survey: str


class SectionNode(Node[Section]):
    elements: list[Element] = children(order_by="element")


class SurveyTree(Aggregate[Survey]):
    sections: list[SectionNode] = children()
    cover: Cover | None = child()


survey = Survey(survey="s1")
section = SectionNode(entity=Section(survey="s1", section="a"), elements=[])
tree = SurveyTree(entity=survey, sections=[section], cover=None)
assert_type(tree.entity, Survey)
assert_type(tree.sections[0].entity, Section)
assert_type(tree.sections[0].elements[0].element, str)
assert_type(tree.cover, Cover | None)
assert_type(tree.orphans, tuple[Entity, ...])

SurveyTree(entity=survey, sections=[])  # E - a branch is missing
SurveyTree(entity=survey, sections=[], cover=None, covers=[])  # E - no such branch
SurveyTree(entity=Cover(survey="s1"), sections=[], cover=None)  # E - another root
SurveyTree(entity=survey, sections=[Section(survey="s1", section="a")], cover=None)  # E - a leaf where a node belongs
SectionNode(entity=Section(survey="s1", section="a"), elements=[section])  # E
children(order="element")  # E
children(count=1)  # E
children(by=["survey"])  # E
tree.section  # E
tree.sections.append(Element(survey="s1", section="a", element="e"))  # E


def work(db: Session) -> None:
    loaded = db.load_tree(SurveyTree, key(Survey, survey="s1"))
    assert_type(loaded, SurveyTree)
    assert_type(db.load_tree(SurveyTree, survey, depth=1, consistent=True).sections, list[SectionNode])
    assert_type(db.save_tree(loaded), Difference)
    assert_type(db.save_tree(loaded, atomic=False, resume=True).actions, int)
    assert_type(db.preview_tree(loaded).created, tuple[Entity, ...])
    assert_type(db.remove_tree(loaded), Difference)
    db.expand_node(loaded.sections[0])
    with db.transaction() as tx:
        tx.save_tree(loaded)
        tx.save_tree(survey)  # E

    db.load_tree(SurveyTree, key(Section, survey="s1", section="a"))  # E - the key of another entity
    db.load_tree(SurveyTree, key(OtherOrder, order_id="o1"))  # E
    db.load_tree(Survey, key(Survey, survey="s1"))  # E - no aggregate
    db.load_tree(SectionNode, key(Section, survey="s1", section="a"))  # E - no root
    db.load_tree(SurveyTree, key(Survey, survey="s1"), depth="all")  # E
    db.save_tree(survey)  # E
    db.save_tree(section)  # E
    db.expand_node(loaded.sections[0].elements[0])  # E - a leaf


async def work_async(db: AsyncSession) -> None:
    loaded = await db.load_tree(SurveyTree, key(Survey, survey="s1"))
    assert_type(loaded, SurveyTree)
    assert_type(await db.save_tree(loaded), Difference)
    assert_type(db.preview_tree(loaded), Difference)
    await db.expand_node(loaded)
    db.load_tree(SurveyTree, survey).sections  # E - not awaited
