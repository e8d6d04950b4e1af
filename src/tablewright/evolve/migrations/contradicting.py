"""What steps cannot mean together: an attribute that several of them are about, in one file or in files that are open at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from tablewright.evolve.migrations.step import Step
from tablewright.evolve.migrations.steps.add_index import AddIndex
from tablewright.evolve.migrations.steps.change_key import ChangeKey
from tablewright.evolve.migrations.steps.drop_index import DropIndex
from tablewright.evolve.migrations.steps.merge_attributes import MergeAttributes
from tablewright.evolve.migrations.steps.remove_attributes import RemoveAttributes
from tablewright.evolve.migrations.steps.rename_attribute import RenameAttribute
from tablewright.evolve.migrations.steps.split_attribute import SplitAttribute
from tablewright.evolve.migrations.steps.split_item import SplitItem
from tablewright.evolve.migrations.steps.to_multi_attribute_keys import ToMultiAttributeKeys

_MAKE = (MergeAttributes, RenameAttribute, SplitAttribute)
"""Steps that make attributes of others, and let an item hold both until they are retired."""
_REMOVE = (RemoveAttributes, SplitItem)
_TAKE, _MADE = "take away", "make"


def contradiction(steps: Sequence[Step]) -> str | None:
    """What cannot be meant in one file: one attribute that becomes two, or is made twice, or of itself, or is removed and still needed."""
    for step in steps:
        if (wrong := _wrong_by_itself(step)) is not None:
            return wrong
    for one, other in combinations(steps, 2):
        if _move_twice(one, other):
            return f"{one.code()} and {other.code()} both change the key of the same items."
    taken: dict[tuple[str, str, str], Step] = {}
    for step in steps:
        for place in _uses(step):
            other = taken.setdefault(place, step)
            if other is not step:
                return f"{other.code()} and {step.code()} both {place[2]} {place[1]} of {place[0]}."
    for step in steps:
        if isinstance(step, _REMOVE):
            removed = {(step.entity, name) for name in step.takes}
            for (entity, name, _), user in taken.items():
                if (entity, name) in removed and user is not step:
                    return f"{step.code()} removes {name}, which {user.code()} is about."
    for (entity, name, does), step in taken.items():
        taker = taken.get((entity, name, _TAKE))
        if does == _MADE and taker is not None:
            return (
                f"{step.code()} makes {name} of {entity}, which {taker.code()} takes away: an item holds both forms until they are "
                "retired, so that one would be written over. Use two migrations, and run the second one when the first is retired."
            )
    return None


def clash(earlier: Sequence[Step], later: Sequence[Step]) -> str | None:
    """What cannot be meant by two files as long as the first is not retired: an item holds both forms of its attributes until then, and
    what it removes is still there. What the first one makes may be taken further by the second."""
    for step, user in product(earlier, later):
        if isinstance(step, _REMOVE) and isinstance(user, _REMOVE):
            continue
        again = next((one for one in indexes_of(user, AddIndex) if one in indexes_of(step, DropIndex)), None)
        if again is not None:
            return f"{user.code()} makes {again}, which {step.code()} drops in the end."
        if _move_twice(step, user):
            return f"{user.code()} changes the key of what {step.code()} has given two keys: an item cannot have three."
        for (entity, name, does), (of, again, also) in product((*_uses(step), *_removals(step)), _uses(user)):
            if (entity, name) == (of, again) and (does, also) != (_MADE, _TAKE):
                said = "makes" if does == _MADE else "takes away"
                return f"{user.code()} is about {name} of {entity}, which {step.code()} {said}."
    return None


def _wrong_by_itself(step: Step) -> str | None:
    if not isinstance(step, (*_MAKE, *_REMOVE)):
        return None
    sides = [step.takes, step.makes] if isinstance(step, _MAKE) else [step.takes]
    for names in sides:
        if "" in names or not (names or isinstance(step, SplitItem)):
            return f"{step.code()} lacks the name of an attribute."
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            return f"{step.code()} names {twice} twice."
    both = next((name for name in step.makes if name in step.takes), None)
    if both is not None:
        return (
            f"{step.code()} makes {both} of {both} itself: when it is retired, the old form is removed, and the new one with it. "
            "Let it make an attribute of another name."
        )
    return None


def _move_twice(one: Step, other: Step) -> bool:
    """Whether items would have more than two keys. Those that are moved at once have one at any time."""
    if not (isinstance(one, ChangeKey) and isinstance(other, ChangeKey)):
        return False
    return one.entity == other.entity and (one.copies or other.copies)


def indexes_of(step: Step, kind: type[AddIndex] | type[DropIndex]) -> list[str]:
    """The names of indexes that a step makes, or drops."""
    inner = [step.index, step.instead_of] if isinstance(step, ToMultiAttributeKeys) else [step]
    return [one.index for one in inner if isinstance(one, kind)]


def _uses(step: Step) -> Iterator[tuple[str, str, str]]:
    """The entity and the attributes that a step takes away or makes."""
    if isinstance(step, SplitItem):
        # Two would take the notes of each other for their own.
        yield step.entity, "the items", "split"
    if isinstance(step, (*_MAKE, SplitItem)):
        yield from ((step.entity, name, _TAKE) for name in step.takes)
        yield from ((step.entity, name, _MADE) for name in step.makes)


def _removals(step: Step) -> Iterator[tuple[str, str, str]]:
    if isinstance(step, RemoveAttributes):
        yield from ((step.entity, name, _TAKE) for name in step.takes)
