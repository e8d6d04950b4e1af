"""Aggregates: loaded as trees with one query, saved as what differs, in one transaction or in parts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tablewright import Entity, Session, key, stored
from tablewright.engine import Engine, open_engine
from tablewright.errors import (
    AccessRefused,
    AlreadyExistsError,
    ArgumentError,
    ConcurrentModificationError,
    ModelError,
    NetworkError,
    NotFoundError,
    OutcomeUnknownError,
    TransactionError,
    UniqueViolationError,
)
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE, ticking
from tests.client.doubles import OnTheWay
from tests.client.surveys import (
    Component,
    Cover,
    Element,
    Photo,
    Section,
    SectionNode,
    Survey,
    SurveyTree,
    component,
    element,
    section,
    survey,
    surveys,
)


@dataclass
class Office:
    """Two sessions on one table, and what went over the wire of the first."""

    db: Session
    wire: OnTheWay
    other: Session
    engine: Engine

    def load(self, depth: int | None = None) -> SurveyTree:
        return self.db.load_tree(SurveyTree, ROOT, depth=depth)

    def items(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.engine.execute("Scan", {"TableName": "Surveys"})["Items"]
        return found


ROOT = key(Survey, tenant="t", survey="s1")


@pytest.fixture
def office() -> Iterator[Office]:
    clock = ticking()
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with (
            surveys.open(EmbeddedTransport(engine, owned=False), create=True, clock=clock) as other,
            surveys.open(wire, clock=clock, retry=AT_ONCE) as db,
        ):
            yield Office(db, wire, other, engine)
            assert engine.verify() == []


def house() -> SurveyTree:
    """Two sections, three elements, two components."""
    roof = section("roof", element("tiles", "clay", "nails", position=1), element("gutter", position=2), position=1)
    walls = section("walls", element("bricks"), position=2, done=True, code="W")
    return survey("s1", [roof, walls], Cover(tenant="t", survey="s1", picture="front"))


# ----------------------------------------------------------------------------------------------------- loading


def test_a_tree_is_one_query_and_sorted_as_declared(office: Office) -> None:
    office.db.save_tree(house())
    office.other.save_tree(survey("s10", [section("roof")]))
    office.other.create(Photo(tenant="t", survey="s1", photo="p"))
    office.wire.restart()
    tree = office.load()
    assert office.wire.operations == ["Query"]
    assert [c.entity.section for c in tree.chapters] == ["roof", "walls"]
    assert [p.entity.element for p in tree.chapters[0].parts] == ["tiles", "gutter"]
    assert [c.component for c in tree.chapters[0].parts[0].components] == ["clay", "nails"]
    assert tree.cover == Cover(tenant="t", survey="s1", picture="front")
    assert tree.orphans == ()
    assert (tree.entity.sections, tree.entity.finished) == (2, 1)
    assert tree.chapters[0].entity.elements == 2


def test_a_tree_over_a_megabyte_takes_the_pages_it_needs(office: Office) -> None:
    wide = survey("s1", [section("roof", element("tiles", *(f"c{n:02}" for n in range(40))))])
    for one in wide.chapters[0].parts[0].components:
        one.material = "x" * 40_000
    office.db.save_tree(wide)
    office.wire.restart()
    assert office.load() == wide
    assert office.wire.operations == ["Query", "Query"]


def test_children_without_a_parent_are_told_and_left_alone(office: Office) -> None:
    office.db.save_tree(house())
    office.other.delete(key(Section, tenant="t", survey="s1", section="roof"))
    tree = office.load()
    assert sorted(type(o).__name__ for o in tree.orphans) == ["Component", "Component", "Element", "Element"]
    tree.entity.title = "House"
    office.db.save_tree(tree)
    assert len(office.load().orphans) == 4
    office.other.delete(ROOT)
    with pytest.raises(NotFoundError, match="7 items that belong to it") as caught:
        office.load()
    assert caught.value.context["orphans"] == 7


def test_no_root_is_not_found(office: Office) -> None:
    with pytest.raises(NotFoundError, match="no such Survey"):
        office.load()


def test_levels_are_loaded_one_by_one(office: Office) -> None:
    office.db.save_tree(house())
    bare = office.load(depth=0)
    assert bare.entity.sections == 2
    with pytest.raises(ArgumentError, match="chapters was not loaded"):
        _ = bare.chapters
    office.db.expand_node(bare)
    assert [c.entity.section for c in bare.chapters] == ["roof", "walls"]
    roof = bare.chapters[0]
    with pytest.raises(ArgumentError, match="parts was not loaded"):
        _ = roof.parts
    office.wire.restart()
    office.db.expand_node(roof)
    assert [p.entity.element for p in roof.parts] == ["tiles", "gutter"]
    assert [(o, r["IndexName"]) for o, r in office.wire.sent] == [("Query", "GSI2")]
    office.db.expand_node(roof.parts[0])
    assert [c.component for c in roof.parts[0].components] == ["clay", "nails"]
    office.wire.restart()
    office.db.expand_node(roof)
    assert office.wire.sent == []


def test_what_was_not_loaded_is_neither_removed_nor_in_the_way(office: Office) -> None:
    office.db.save_tree(house())
    tree = office.load(depth=1)
    tree.chapters[0].entity.name = "Roof"
    assert office.db.save_tree(tree).actions == 1
    assert len(office.load().chapters[0].parts) == 2
    gone = tree.chapters.pop()
    with pytest.raises(ArgumentError, match="parts were not loaded"):
        office.db.save_tree(tree)
    tree.chapters.append(gone)
    office.db.expand_node(gone)
    office.db.expand_node(gone.parts[0])
    tree.chapters.remove(gone)
    office.db.save_tree(tree)
    assert [c.entity.section for c in office.load().chapters] == ["roof"]


# ------------------------------------------------------------------------------------------------------ saving


def test_a_new_tree_is_one_transaction(office: Office) -> None:
    tree = house()
    expected = office.db.preview_tree(tree)
    assert office.wire.sent == []
    assert expected.actions == 10  # nine items and a marker
    assert office.db.save_tree(tree) == expected
    assert office.wire.operations == ["TransactWriteItems"]
    assert office.load() == tree
    with pytest.raises(AlreadyExistsError):
        office.db.save_tree(house())


def test_nothing_changed_is_nothing_sent(office: Office) -> None:
    office.db.save_tree(house())
    tree = office.load()
    office.wire.restart()
    assert office.db.save_tree(tree).actions == 0
    assert office.wire.sent == []


def test_versions_stamps_and_index_keys_follow(office: Office) -> None:
    tree = house()
    office.db.save_tree(tree)
    roof = tree.chapters[0]
    before = stored(roof.entity)
    roof.entity.position, roof.entity.done = 7, True
    made = office.db.save_tree(tree)
    assert [type(e) for e in made.changed] == [Section]
    assert [type(e) for e in made.touched] == [Survey]
    after = stored(roof.entity)
    assert before is not None
    assert after is not None
    assert (before.version, after.version) == (1, 2)
    assert before.created == after.created != after.updated
    loaded = office.load()
    tree.chapters.reverse()
    assert loaded == tree
    assert [stored(c.entity) for c in loaded.chapters] == [stored(tree.chapters[0].entity), after]
    assert loaded.entity.finished == tree.entity.finished == 2
    item = next(i for i in office.items() if i["SK"]["S"] == "SURVEY#s1#SECTION#roof")
    assert item["GSI1PK"] == {"S": "DONE#t"}
    assert item["GSI2SK"] == {"S": "SECTION#007#roof"}


def test_a_child_moves_with_its_place_in_the_tree(office: Office) -> None:
    office.db.save_tree(house())
    tree = office.load()
    roof, walls = tree.chapters
    walls.parts.append(roof.parts.pop(0))
    made = office.db.save_tree(tree)
    assert (len(made.changed), len(made.touched), made.actions) == (1, 2, 3)
    moved = office.load()
    assert [len(c.parts) for c in moved.chapters] == [1, 2]
    assert [c.entity.elements for c in moved.chapters] == [1, 2]
    assert [c.component for c in moved.chapters[1].parts[1].components] == ["clay", "nails"]
    assert moved == tree


def test_a_child_whose_key_holds_its_parent_is_made_anew(office: Office) -> None:
    office.db.save_tree(house())
    tree = office.load()
    tiles, gutter = tree.chapters[0].parts
    gutter.components.append(tiles.components.pop())
    made = office.db.save_tree(tree)
    assert (len(made.created), len(made.removed), len(made.touched)) == (1, 1, 2)
    assert office.load() == tree


def test_a_removed_node_takes_its_children_and_markers_along(office: Office) -> None:
    office.db.save_tree(house())
    tree = office.load()
    tree.chapters.pop()
    assert office.db.preview_tree(tree).actions == 4  # a section, its element, its marker, and the root
    office.db.save_tree(tree)
    assert (tree.entity.sections, tree.entity.finished) == (1, 0)
    assert office.load() == tree
    tree.chapters.append(section("floor", code="W"))
    office.db.save_tree(tree)
    assert office.load().entity.sections == 2


def test_counters_are_not_for_callers(office: Office) -> None:
    tree = house()
    tree.entity.sections = 40
    office.db.save_tree(tree)
    tree.entity.sections = 50
    assert office.db.save_tree(tree).actions == 0
    assert office.load().entity.sections == 2


def test_a_unique_value_of_another_item_refuses_the_whole(office: Office) -> None:
    office.db.save_tree(house())
    tree = office.load()
    tree.entity.title = "House"
    tree.chapters.append(section("floor", code="W"))
    with pytest.raises(UniqueViolationError):
        office.db.save_tree(tree)
    assert office.load().entity.title == ""


def test_a_unique_value_is_handed_over_within_a_tree(office: Office) -> None:
    office.db.save_tree(house())
    tree = office.load()
    roof, walls = (c.entity for c in tree.chapters)
    roof.code, walls.code = walls.code, None
    expected = office.db.preview_tree(tree).actions
    assert expected == 3
    office.wire.restart()
    office.db.save_tree(tree)
    assert len(office.wire.sent[-1][1]["TransactItems"]) == expected
    assert office.load() == tree


def test_a_wrong_tree_is_refused_before_anything_is_sent(office: Office) -> None:
    twice = survey("s1", [section("roof"), section("roof")])
    stranger = survey("s1", [element("tiles")])  # type: ignore[list-item]
    bad = house()
    vars(bad.chapters[0].entity)["position"] = -1
    for tree, message in ((twice, "same key"), (stranger, "where a SectionNode belongs"), (bad, "position")):
        with pytest.raises(Exception, match=message):
            office.db.save_tree(tree)
    with pytest.raises(ModelError, match="no aggregate of Surveys"):
        office.db.save_tree(section("roof"))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no aggregate of Surveys"):
        office.db.load_tree(Survey, ROOT)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="begins with a Survey"):
        office.db.load_tree(SurveyTree, key(Cover, tenant="t", survey="s1"))  # type: ignore[misc]
    with pytest.raises(ArgumentError, match="depth from 0"):
        office.db.load_tree(SurveyTree, ROOT, depth=-1)
    with pytest.raises(ArgumentError, match="never stored"):
        office.db.remove_tree(house())
    with pytest.raises(ArgumentError, match="Only a save in parts"):
        office.db.save_tree(house(), resume=True)
    with pytest.raises(ArgumentError, match="no node of a tree that was loaded"):
        office.db.expand_node(section("roof"))
    assert office.wire.sent == []


def test_a_tree_is_saved_together_with_other_writes(office: Office) -> None:
    tree = house()
    with office.db.transaction() as tx:
        tx.save_tree(tree)
        tx.create(Photo(tenant="t", survey="s1", photo="p"))
    assert office.load() == tree
    assert office.db.save_tree(tree).actions == 0
    tree.chapters[0].parts.pop()
    office.other.create(Photo(tenant="t", survey="s1", photo="q"))
    before = office.items()
    with pytest.raises(AlreadyExistsError), office.db.transaction() as tx:
        tx.create(Photo(tenant="t", survey="s1", photo="q"))
        tx.save_tree(tree)
    assert office.items() == before
    with office.db.transaction() as tx:
        tx.check(key(Photo, tenant="t", survey="s1", photo="q"))
        tx.save_tree(tree)
    assert office.load() == tree
    assert tree.chapters[0].entity.elements == 1


def test_a_tree_whose_transaction_is_unsure_is_looked_up_first(office: Office) -> None:
    tree = house()
    office.wire.lose = set(range(10))
    with pytest.raises(OutcomeUnknownError), office.db.transaction() as tx:
        tx.save_tree(tree)
    office.wire.restart()
    with pytest.raises(ArgumentError, match="may or may not have happened"):
        office.db.transaction().save_tree(tree)
    assert office.db.save_tree(tree).actions == 0
    assert office.load() == tree


# ------------------------------------------------------------------------------------------------ other writers


def test_two_people_in_different_sections_do_not_meet(office: Office) -> None:
    office.db.save_tree(house())
    mine, theirs = office.load(), office.other.load_tree(SurveyTree, ROOT)
    mine.chapters[0].parts[0].entity.notes = "leaks"
    mine.chapters[0].parts.append(element("ridge"))
    theirs.chapters[1].entity.name = "Walls"
    theirs.chapters[1].parts.append(element("mortar"))
    theirs.chapters.append(section("floor"))
    office.db.save_tree(mine)
    office.other.save_tree(theirs)
    tree = office.load()
    assert [c.entity.elements for c in tree.chapters] == [0, 3, 2]
    assert tree.entity.sections == 3
    assert tree.orphans == ()


@pytest.mark.parametrize("change", ["edit", "remove", "add below", "remove all"])
def test_a_removed_section_is_not_what_somebody_else_changed(office: Office, change: str) -> None:
    office.db.save_tree(house())
    mine, theirs = office.load(), office.other.load_tree(SurveyTree, ROOT)
    match change:
        case "edit":
            theirs.chapters[0].entity.name = "Roof"
        case "remove":
            del theirs.chapters[0]
        case "add below":
            theirs.chapters[0].parts[0].components.append(component("zinc"))
    if change == "remove all":
        office.other.remove_tree(theirs)
    else:
        office.other.save_tree(theirs)
    del mine.chapters[0]
    before = office.items()
    with pytest.raises(ConcurrentModificationError):
        office.db.save_tree(mine)
    assert office.items() == before


@pytest.mark.parametrize("how", ["alone", "in parts", "in a transaction", "all"])
def test_a_child_that_the_load_missed_keeps_its_parent(office: Office, how: str) -> None:
    """A query may show a parent with the stamp of a child that it does not show."""
    office.db.save_tree(house())
    tree = office.load()
    theirs = office.other.load_tree(SurveyTree, ROOT)
    theirs.chapters[0].parts.append(element("ridge"))
    office.other.save_tree(theirs)
    held = vars(tree)["__aggregate__"].held
    fresh = vars(office.load())["__aggregate__"].held
    for text, one in held.items():
        one.item, one.stored = fresh[text].item, fresh[text].stored
    before = office.items()
    with pytest.raises(ConcurrentModificationError, match="added an Element below a Section"):
        if how == "all":
            office.db.remove_tree(tree)
        del tree.chapters[0]
        if how == "in a transaction":
            with office.db.transaction() as tx:
                tx.save_tree(tree)
        office.db.save_tree(tree, atomic=how == "alone")
    assert office.items() == before


@pytest.mark.parametrize("at", range(1, 6))
def test_nothing_comes_below_what_goes_in_parts(office: Office, at: int) -> None:
    wide = survey("s1", [section("roof", *(element(f"e{n:03}", "c") for n in range(120)))])
    office.db.save_tree(wide, atomic=False)

    def add() -> None:
        theirs = office.other.load_tree(SurveyTree, ROOT)
        theirs.chapters[0].parts.append(element("ridge"))
        theirs.chapters[0].parts[0].components.append(component("late"))
        office.other.save_tree(theirs)

    office.wire.restart()
    office.wire.before = {at: add}
    del wide.chapters[0]
    with pytest.raises(ConcurrentModificationError):
        office.db.save_tree(wide, atomic=False)
    assert office.load().orphans == ()


def test_a_child_is_not_added_to_what_is_gone(office: Office) -> None:
    office.db.save_tree(house())
    mine, theirs = office.load(), office.other.load_tree(SurveyTree, ROOT)
    del theirs.chapters[0]
    office.other.save_tree(theirs)
    mine.chapters[0].parts.append(element("ridge"))
    with pytest.raises(ConcurrentModificationError, match="Section of this tree"):
        office.db.save_tree(mine)
    assert office.load() == theirs


def test_the_same_field_changed_twice_is_a_conflict(office: Office) -> None:
    office.db.save_tree(house())
    mine, theirs = office.load(), office.other.load_tree(SurveyTree, ROOT)
    theirs.chapters[0].parts[0].components[0].material = "red"
    office.other.save_tree(theirs)
    mine.chapters[0].parts[0].components[0].material = "grey"
    with pytest.raises(ConcurrentModificationError, match="Component of this tree"):
        office.db.save_tree(mine)


# -------------------------------------------------------------------------------------------------- large trees


def large(sections: int = 130) -> SurveyTree:
    return survey("s1", [section(f"s{n:03}", element(f"e{n:03}"), position=n) for n in range(sections)])


def test_what_does_not_fit_is_refused_with_counts(office: Office) -> None:
    with pytest.raises(TransactionError, match=r"261 actions .*\(261 items to create, 0 to change, 0 to remove"):
        office.db.save_tree(large())
    heavy = survey("s1", [section(f"s{n}") for n in range(20)])
    for chapter in heavy.chapters:
        chapter.entity.name = "x" * 300_000
    assert not office.db.preview_tree(heavy).fits
    with pytest.raises(TransactionError, match="a transaction holds 100 and 4,194,304"):
        office.db.save_tree(heavy)
    assert office.wire.sent == []
    office.db.save_tree(heavy, atomic=False)
    assert len(office.load().chapters) == 20


def test_in_parts_no_child_is_ever_without_its_parent(office: Office) -> None:
    seen: list[tuple[int, int]] = []

    def look() -> None:
        try:
            tree = office.other.load_tree(SurveyTree, ROOT)
        except NotFoundError as error:
            seen.append((0, error.context["orphans"]))
            return
        assert tree.orphans == ()
        assert tree.entity.sections == len(tree.chapters)
        assert all(c.entity.elements == len(c.parts) for c in tree.chapters)
        seen.append((len(tree.chapters), 0))

    office.wire.before = dict.fromkeys(range(40), look)
    tree = large()
    office.db.save_tree(tree, atomic=False)
    assert len(office.wire.sent) == 3
    assert all(len(r["TransactItems"]) <= 100 for _, r in office.wire.sent)
    assert office.load() == tree
    for chapter in tree.chapters[::2]:
        tree.chapters.remove(chapter)
    for chapter in tree.chapters:
        chapter.entity.name = "kept"
    office.db.save_tree(tree, atomic=False)
    assert office.load() == tree
    office.db.remove_tree(tree, atomic=False)
    assert office.items() == []
    assert len(seen) > 5
    assert not any(orphans for _, orphans in seen)


@pytest.mark.parametrize("lost", [0, 1, 2])
@pytest.mark.parametrize("arrives", [True, False])
def test_a_save_in_parts_goes_on_where_it_was(office: Office, lost: int, arrives: bool) -> None:
    tree = large()
    broken = NetworkError("The connection broke.", sent=True)
    attempts = range(lost, lost + 10)
    if arrives:
        office.wire.lose = set(attempts)
    else:
        office.wire.refuse = dict.fromkeys(attempts, broken)
    with pytest.raises(OutcomeUnknownError) as caught:
        office.db.save_tree(tree, atomic=False)
    assert caught.value.context["saved"] + caught.value.context["unsaved"] == 261
    office.wire.restart()
    office.db.save_tree(tree, atomic=False)
    assert office.load() == tree
    assert office.load().entity.sections == 130


def test_another_process_resumes_a_save(office: Office) -> None:
    office.wire.refuse = dict.fromkeys(range(1, 20), NetworkError("The connection broke.", sent=True))
    with pytest.raises(OutcomeUnknownError):
        office.db.save_tree(large(), atomic=False)
    office.wire.restart()
    again = large()
    with pytest.raises(AlreadyExistsError):
        office.db.save_tree(again, atomic=False)
    made = office.db.save_tree(again, atomic=False, resume=True)
    assert 0 < len(made.created) < 261
    tree = office.load()
    assert tree == again
    assert tree.entity.sections == 130
    assert all(c.entity.elements == 1 for c in tree.chapters)


def test_a_lost_reply_is_one_save(office: Office) -> None:
    tree = house()
    office.wire.lose = {0}
    office.db.save_tree(tree)
    assert office.wire.operations == ["TransactWriteItems"] * 2
    assert office.load() == tree


def test_a_save_that_was_cut_off_by_expired_credentials_is_found_again(office: Office) -> None:
    tree = house()
    office.wire.lose = {0}
    office.wire.refuse = {1: AccessRefused("The token has expired.")}
    with pytest.raises(OutcomeUnknownError):
        office.db.save_tree(tree)
    office.wire.restart()
    assert office.db.save_tree(tree).actions == 0
    assert office.load() == tree


# ------------------------------------------------------------------------------------------------------- async


def test_async_trees_are_the_same() -> None:
    async def working() -> SurveyTree:
        async with surveys.open_async("memory:") as db:
            await db.save_tree(house())
            tree = await db.load_tree(SurveyTree, ROOT, depth=1)
            await db.expand_node(tree.chapters[0])
            tree.chapters[0].parts.append(element("ridge"))
            assert db.preview_tree(tree).actions == 2
            await db.save_tree(tree)
            whole = await db.load_tree(SurveyTree, ROOT, consistent=True)
            await db.remove_tree(await db.load_tree(SurveyTree, ROOT))
            assert await db.get(ROOT) is None
            return whole

    tree = asyncio.run(working())
    assert len(tree.chapters[0].parts) == 3


def test_trees_stay_in_a_file(tmp_path: Path) -> None:
    tree = large()
    with surveys.open(tmp_path / "surveys.db") as db:
        db.save_tree(tree, atomic=False)
    with surveys.open(tmp_path / "surveys.db") as db:
        found = db.load_tree(SurveyTree, ROOT)
        assert found == tree
        found.chapters = found.chapters[:2]
        db.save_tree(found, atomic=False)
        assert db.load_tree(SurveyTree, ROOT) == found


@pytest.mark.dynamodb_local
def test_trees_on_dynamodb_local(dynamodb_local_url: str) -> None:
    with surveys.open(dynamodb_local_url, create=True, table_name="trees") as db:
        try:
            db.save_tree(large(), atomic=False)
            tree = db.load_tree(SurveyTree, ROOT, consistent=True)
            tree.chapters[0].parts.append(tree.chapters[1].parts.pop())
            tree.chapters.pop(1)
            tree.chapters[3].entity.code = "C"
            expected = db.preview_tree(tree).actions
            with db.measure() as meter:
                db.save_tree(tree)
            assert [r.operation for r in meter.requests][-1] == "TransactWriteItems"
            assert expected == 6
            assert db.load_tree(SurveyTree, ROOT, consistent=True) == tree
            db.remove_tree(tree, atomic=False)
            assert db.get(ROOT, consistent=True) is None
        finally:
            db.delete_table()


def test_nodes_compare_and_show_themselves() -> None:
    assert house() == house()
    changed = house()
    changed.chapters[0].parts[0].components[0].material = "x"
    assert changed != house()
    assert house() != house().chapters[0]
    assert repr(SectionNode(entity=section("a").entity, parts=[])).startswith("SectionNode(entity=Section(")
    assert "chapters=..." in repr(SurveyTree.bare(Survey(tenant="t", survey="s")))


def test_a_leaf_is_an_entity_like_any_other(office: Office) -> None:
    office.db.save_tree(house())
    leaf: Entity = office.load().chapters[0].parts[0].components[0]
    assert isinstance(leaf, Component)
    office.db.update(leaf, set={"material": "slate"})
    assert office.load().chapters[0].parts[0].components[0].material == "slate"
    assert office.db.get(key(Element, tenant="t", survey="s1", element="tiles")) is not None
