"""Attributes that are made of others by a function, and stand beside them until those are removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.errors import TablewrightError
from tablewright.evolve.differences.texts import code_text
from tablewright.evolve.jobs.work import Decision, Skipped
from tablewright.evolve.migrations.works.guarding import ItemWork, as_read, digest, identity, remove, set_to
from tablewright.expressions import equal
from tablewright.values.types import AttributeValue, Item
from tablewright.values.wire import from_wire, to_wire

MARK = "TablewrightRecast:"
"""Begins the name of an attribute that notes what both forms were when one was made of the other."""


class Recast(ItemWork, frozen=True, eq=False):
    """Makes the target attributes of the sources, and notes what both were then. Where they do not agree later, that tells
    who has changed since, and is taken over. If both have, or nothing was noted, `overwrites` decides, or the item is skipped."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    by: Callable[..., Any] | None
    """Takes the sources' values, None for one that is not there, and returns the targets'. Without it one attribute is taken
    over as it is."""
    overwrites: bool | None = None
    """Whether sources win over targets that differ; None leaves it open."""
    removes: bool = False
    """Whether the sources go in the same write, and what was noted with them."""
    back: bool = False
    """Whether the sources are what the new model has, on the way back to the old one."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"make {', '.join(self.targets)} of {', '.join(self.sources)} in {self.plan.name}"

    @property
    def identity(self) -> str:
        """The same for the same attributes and the same function."""
        how = "" if self.by is None else code_text(self.by)
        return identity(
            "recast",
            self.table,
            self.plan.type_name,
            self.sources,
            self.targets,
            how,
            self.overwrites,
            self.removes,
            self.back,
        )

    @property
    def mark(self) -> str:
        """The attribute that notes what both forms were."""
        return MARK + ",".join(self.sources if self.back else self.targets)

    def look(self, item: Item) -> Decision:
        """Sets the targets, if the sources are still what they were."""
        if not self.concerns(item):
            return None
        made = self._made(item)
        if made is None or isinstance(made, Skipped):
            return made
        other = {name: value for name, value in made.items() if not _same(item.get(name), value)}
        if other and any(name in item for name in self.targets):
            wins = self._sources_win(item)
            if wins is None:
                return Skipped(
                    f"{', '.join(self.sources)} and {', '.join(self.targets)} are both there and do not agree"
                )
            if not wins:
                other = {}
        update = [remove(n) if value is None else set_to(n, value) for n, value in sorted(other.items())]
        after = {name: other.get(name, item.get(name)) for name in self.targets}
        if self.removes:
            if self.back or any(value is not None for value in after.values()):
                update += [remove(name) for name in (*self.sources, self.mark) if name in item]
        elif update:
            update.append(set_to(self.mark, {"S": f"{_state(item, self.sources)} {_state(after, self.targets)}"}))
        if not update:
            return None
        return self.change(item, update, *as_read(item, (*self.sources, *self.targets, self.mark)))

    def _sources_win(self, item: Item) -> bool | None:
        """Who has changed since one form was made of the other; None where that is not known, or both have."""
        noted: list[str] = item.get(self.mark, {}).get("S", "").split(" ")
        if len(noted) == 2:
            sources, targets = reversed(noted) if self.back else noted
            changed = sources != _state(item, self.sources)
            if changed != (targets != _state(item, self.targets)):
                return changed
        return self.overwrites

    def _made(self, item: Item) -> dict[str, AttributeValue | None] | Skipped | None:
        """What the targets should be, None for one that the function leaves out; nothing where there never was a source. One
        that was taken away since leaves nothing to make them of."""
        if all(name not in item for name in self.sources):
            return dict.fromkeys(self.targets) if self.mark in item else None
        if self.by is None:
            return {self.targets[0]: item[self.sources[0]]}
        try:
            result = self.by(*(from_wire(item[name]) if name in item else None for name in self.sources))
            values = result if len(self.targets) > 1 else (result,)
            if not isinstance(values, tuple | list) or len(values) != len(self.targets):
                return Skipped(f"{self.by.__name__}() did not return {len(self.targets)} values")
            return {
                name: None if value is None else to_wire(value)
                for name, value in zip(self.targets, values, strict=True)
            }
        except TablewrightError as error:
            return Skipped(f"what {self.by.__name__}() returned cannot be stored ({error.code})")
        except Exception as error:  # a function of the file's author, which may fail at any item
            return Skipped(f"{self.by.__name__}() failed with {type(error).__name__}")


def _state(item: Mapping[str, AttributeValue | None], names: tuple[str, ...]) -> str:
    return digest({name: value for name in names if (value := item.get(name)) is not None})


def _same(stored: AttributeValue | None, made: AttributeValue | None) -> bool:
    return stored is made if stored is None or made is None else equal(stored, made)
