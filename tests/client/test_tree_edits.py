"""Random trees and random edits of them: nothing is lost, dangling, miscounted or left under an old index key."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from tablewright import Node, Session, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import AlreadyExistsError, ConcurrentModificationError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE, ticking
from tests.client.doubles import OnTheWay
from tests.client.surveys import Cover, ElementNode, Survey, SurveyTree, component, element, section, survey, surveys

ROOT = key(Survey, tenant="t", survey="s1")
NAMES = st.sampled_from(["a", "a#b", "b", "c", "é", "ä b"])


@st.composite
def trees(draw: st.DrawFn) -> SurveyTree:
    """A survey with up to four sections, each with up to four elements."""
    chapters = []
    elements = iter(draw(st.permutations(["e0", "e1", "e#2", "e3", "e4", "e5", "e6", "e7"])))
    for name in draw(st.lists(NAMES, unique=True, max_size=4)):
        parts = []
        for _ in range(draw(st.integers(0, 2))):
            components = draw(st.lists(NAMES, unique=True, max_size=2))
            parts.append(element(next(elements), *components, position=draw(st.integers(0, 2))))
        done = draw(st.booleans())
        chapters.append(section(name, *parts, position=draw(st.integers(0, 3)), done=done))
    cover = Cover(tenant="t", survey="s1") if draw(st.booleans()) else None
    return survey("s1", chapters, cover)


Edit = tuple[str, int, int, int]
EDITS = st.tuples(
    st.sampled_from(
        [
            "title",
            "name",
            "done",
            "position",
            "code",
            "notes",
            "material",
            "cover",
            "add section",
            "add element",
            "add component",
            "remove section",
            "remove element",
            "remove component",
            "move element",
            "move component",
        ]
    ),
    st.integers(0, 5),
    st.integers(0, 5),
    st.integers(0, 5),
)


def apply(tree: SurveyTree, edits: list[Edit], who: str) -> set[tuple[str, str]]:
    """Edits a tree; returns what was removed on purpose, as kind and name."""
    fresh = itertools.count()
    removed: set[tuple[str, str]] = set()
    for what, one, two, three in edits:
        _apply(tree, what, (one, two, three), f"{who}{next(fresh)}", removed)
    return removed - names(tree)  # what was moved away may have been moved back


def _apply(tree: SurveyTree, what: str, at: tuple[int, int, int], new: str, removed: set[tuple[str, str]]) -> None:
    chapters = tree.chapters
    parts = [(c, p) for c in chapters for p in c.parts]
    leaves = [(p, c) for _, p in parts for c in p.components]

    def pick(found: list[Any], number: int = 0) -> Any:
        return found[at[number] % len(found)]

    match what:
        case "title":
            tree.entity.title = new
        case "cover":
            if tree.cover is None:
                tree.cover = Cover(tenant="t", survey="s1", picture=new)
            else:
                tree.cover = None
        case "add section":
            chapters.append(section(new, element(f"{new}e", "x"), position=at[1], code=f"C{new}"))
        case "name" | "done" | "position" | "code" if chapters:
            entity = pick(chapters).entity
            values: dict[str, Any] = {"name": new, "done": not entity.done, "position": at[1], "code": f"C{new}"}
            setattr(entity, what, values[what])
        case "remove section" if chapters:
            gone = pick(chapters)
            chapters.remove(gone)
            removed.add(("section", gone.entity.section))
            removed.update(("element", p.entity.element) for p in gone.parts)
            removed.update(("component", f"{p.entity.element}/{c.component}") for p in gone.parts for c in p.components)
        case "add element" if chapters:
            pick(chapters).parts.append(element(new, position=at[1]))
        case "notes" if parts:
            pick(parts)[1].entity.notes = new
        case "add component" if parts:
            pick(parts)[1].components.append(component(new))
        case "remove element" if parts:
            chapter, part = pick(parts)
            chapter.parts.remove(part)
            removed.add(("element", part.entity.element))
            removed.update(("component", f"{part.entity.element}/{c.component}") for c in part.components)
        case "move element" if parts:
            chapter, part = pick(parts)
            chapter.parts.remove(part)
            pick(chapters, 1).parts.append(part)
        case "material" if leaves:
            pick(leaves)[1].material = new
        case "remove component" if leaves:
            part, leaf = pick(leaves)
            part.components.remove(leaf)
            removed.add(("component", f"{part.entity.element}/{leaf.component}"))
        case "move component" if leaves:
            part, leaf = pick(leaves)
            to = pick(parts, 1)[1]
            if all(c.component != leaf.component for c in to.components):
                part.components.remove(leaf)
                to.components.append(leaf)
                removed.add(("component", f"{part.entity.element}/{leaf.component}"))


def names(tree: SurveyTree) -> set[tuple[str, str]]:
    """Everything in a tree by kind and name."""
    parts: list[ElementNode] = [p for c in tree.chapters for p in c.parts]
    return (
        {("section", c.entity.section) for c in tree.chapters}
        | {("element", p.entity.element) for p in parts}
        | {("component", f"{p.entity.element}/{c.component}") for p in parts for c in p.components}
    )


@dataclass
class Desk:
    """Two editors of one table."""

    one: Session
    wire: OnTheWay
    other: Session
    engine: Engine

    def items(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.engine.execute("Scan", {"TableName": "Surveys"})["Items"]
        return found

    def load(self) -> SurveyTree:
        """The tree as it is stored, found sound."""
        tree = self.other.load_tree(SurveyTree, ROOT, consistent=True)
        assert tree.orphans == ()
        assert tree.entity.sections == len(tree.chapters)
        assert tree.entity.finished == sum(c.entity.done for c in tree.chapters)
        assert all(c.entity.elements == len(c.parts) for c in tree.chapters)
        for item in self.items():
            _check_keys(item)
        codes = {c.entity.code for c in tree.chapters if c.entity.code is not None}
        markers = [i for i in self.items() if "UniqueOwner" in i]
        assert len(markers) == len(codes)
        return tree


def _check_keys(item: dict[str, Any]) -> None:
    def text(name: str) -> str:
        value: str = item[name]["S"]
        return "".join(c if c > "%" else f"%{ord(c):02X}" for c in value)

    expected: dict[str, str] = {}
    match item["Type"]["S"]:
        case "Survey":
            expected = {"GSI1PK": "CHANGED#t", "GSI1SK": f"{item['UpdatedAt']['S']}#s1"}
        case "Section":
            number = int(item.get("position", {"N": "0"})["N"])
            expected = {"GSI2PK": "SURVEY#t#s1", "GSI2SK": f"SECTION#{number:03}#{text('section')}"}
            if item.get("done") == {"BOOL": True}:
                expected |= {"GSI1PK": "DONE#t", "GSI1SK": f"{text('name')}#{text('section')}"}
        case "Element":
            number = int(item.get("position", {"N": "0"})["N"])
            expected = {"GSI2PK": f"SECTION#t#s1#{text('section')}", "GSI2SK": f"ELEMENT#{number:03}#{text('element')}"}
    assert {n: v["S"] for n, v in item.items() if n.startswith("GSI")} == expected


@contextmanager
def desk() -> Iterator[Desk]:
    clock = ticking()
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with (
            surveys.open(EmbeddedTransport(engine, owned=False), create=True, clock=clock) as other,
            surveys.open(wire, clock=clock, retry=AT_ONCE) as one,
        ):
            yield Desk(one, wire, other, engine)


def settled(tree: SurveyTree) -> SurveyTree:
    """The tree with children in their declared order."""
    tree.chapters.sort(key=lambda c: c.entity.section.encode())
    tree.chapters.sort(key=lambda c: c.entity.position)
    for chapter in tree.chapters:
        chapter.parts.sort(key=lambda p: (p.entity.position, p.entity.element))
        for part in chapter.parts:
            part.components.sort(key=lambda c: _escaped(c.component))
    return tree


def _escaped(text: str) -> bytes:
    return "".join(c if c > "%" else f"%{ord(c):02X}" for c in text).encode()


@given(tree=trees())
def test_random_trees_come_back_as_they_went(tree: SurveyTree) -> None:
    with desk() as at:
        predicted = at.one.preview_tree(tree).actions
        at.one.save_tree(tree)
        assert len(at.wire.sent[-1][1]["TransactItems"]) == predicted
        loaded = at.load()
        tree.chapters.sort(key=lambda c: _escaped(c.entity.section))
        assert loaded == settled(tree)
        at.other.remove_tree(loaded)
        assert at.items() == []


def bare(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Items without what tells when and how often they were written."""
    own = {"CreatedAt", "UpdatedAt", "Version", "GSI1SK"}
    return sorted(({n: v for n, v in i.items() if n not in own} for i in items), key=lambda i: str(i["SK"]))


def rebuilt(tree: SurveyTree) -> SurveyTree:
    """The same tree of fresh entities."""
    fresh = copy.deepcopy(tree)
    nodes: list[Node[Any]] = [fresh, *fresh.chapters, *(p for c in fresh.chapters for p in c.parts)]
    for node in nodes:
        vars(node).pop("__aggregate__", None)
        vars(node.entity).pop("__stored__", None)
        vars(node.entity).pop("__stored_key__", None)
    for leaf in (c for chapter in fresh.chapters for p in chapter.parts for c in p.components):
        vars(leaf).pop("__stored__", None)
        vars(leaf).pop("__stored_key__", None)
    return fresh


@given(tree=trees(), rounds=st.lists(st.lists(EDITS, max_size=6), min_size=1, max_size=3), in_parts=st.booleans())
def test_saving_differences_equals_writing_everything(
    tree: SurveyTree, rounds: list[list[Edit]], in_parts: bool
) -> None:
    with desk() as at, desk() as elsewhere:
        at.one.save_tree(tree)
        for number, edits in enumerate(rounds):
            if number != 1:  # saved again without being loaded again, once
                tree = at.one.load_tree(SurveyTree, ROOT)
            apply(tree, edits, f"n{number}")
            predicted = at.one.preview_tree(tree)
            at.wire.restart()
            made = at.one.save_tree(tree, atomic=not in_parts)
            assert made == predicted
            sent = [len(r["TransactItems"]) for o, r in at.wire.sent if o == "TransactWriteItems"]
            assert sent == ([predicted.actions] if predicted.actions else [])
            elsewhere_tree = rebuilt(tree)
            elsewhere.engine.execute("DeleteTable", {"TableName": "Surveys"})
            elsewhere.one.create_table()
            elsewhere.one.save_tree(elsewhere_tree)
            assert bare(at.items()) == bare(elsewhere.items())
            at.load()


def saved(db: Session, tree: SurveyTree) -> bool:
    try:
        db.save_tree(tree)
    except (ConcurrentModificationError, AlreadyExistsError):
        return False
    return True


@given(tree=trees(), mine=st.lists(EDITS, max_size=5), theirs=st.lists(EDITS, max_size=5), between=st.booleans())
def test_two_editors_lose_nothing(tree: SurveyTree, mine: list[Edit], theirs: list[Edit], between: bool) -> None:
    with desk() as at:
        at.other.save_tree(tree)
        base = names(tree)
        one, two = at.one.load_tree(SurveyTree, ROOT), at.other.load_tree(SurveyTree, ROOT)
        gone_by_one, gone_by_two = apply(one, mine, "m"), apply(two, theirs, "t")
        new_by_one, new_by_two = names(one) - base, names(two) - base
        outcome: list[bool] = []
        at.wire.restart()
        if between and at.one.preview_tree(one).actions:
            at.wire.before[0] = lambda: outcome.append(saved(at.other, two))
        else:
            outcome.append(saved(at.other, two))
        won = saved(at.one, one)
        assume(outcome)
        assert outcome == [True]
        found = at.load()
        expected = (base - gone_by_two) | new_by_two
        if won:
            expected = (expected - gone_by_one) | new_by_one
            assert {c.entity.section for c in found.chapters} >= {n for k, n in new_by_two if k == "section"}
        assert names(found) == expected


@given(tree=trees(), edits=st.lists(EDITS, min_size=1, max_size=5))
def test_a_writer_past_the_tree_is_noticed_or_harmless(tree: SurveyTree, edits: list[Edit]) -> None:
    assume(tree.chapters)
    with desk() as at:
        at.other.save_tree(tree)
        mine = at.one.load_tree(SurveyTree, ROOT)
        first = mine.chapters[0].entity
        at.other.update(first.model_copy(), set={"name": "theirs"})
        apply(mine, edits, "m")
        saved(at.one, mine)
        assert "theirs" in {c.entity.name for c in at.load().chapters}
