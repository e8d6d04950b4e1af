"""Parts that code of the new model has made, on the way back: found by the fields of the item's key, which they have too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any

from tablewright.client.writes.action import Action, same_key
from tablewright.client.writes.base import at, holds
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.noted import SPLIT
from tablewright.errors import TablewrightError
from tablewright.evolve.jobs.work import Decision, Skipped
from tablewright.evolve.migrations.works.guarding import (
    COPY,
    as_read,
    attempted,
    digest,
    identity,
    set_to,
    strongly,
)
from tablewright.evolve.migrations.works.parting import LEFT, PART, Parting, part_keys
from tablewright.expressions import all_of, any_of, ast
from tablewright.values.types import Item

NOBODYS = "code of the new model has made it, and the item that it would be a part of is not there"
UNSPLIT = "code of the new model has made it a part of an item that is not split"

_NOTHING = {"S": digest({})}


class GatherParts(Parting, frozen=True, eq=False):
    """Notes on an item which parts code of the new model has made for it. When all items were put together, it `tells` instead
    which of these parts are left."""

    kinds: tuple[EntityPlan, ...]
    """The entities whose items are parts."""
    by: str
    """The name of the function that splits."""
    tells: bool
    dry: bool = False
    """Whether nothing was put together yet, since all is only counted."""

    @property
    def name(self) -> str:
        """What is done."""
        return (
            f"{'look for parts that are left' if self.tells else 'find parts that were made since'}: {self.plan.name}"
        )

    @property
    def identity(self) -> str:
        """The same for the same entities."""
        return identity(super().identity, self.by, self.tells, *(plan.type_name for plan in self.kinds))

    @property
    def reads(self) -> dict[str, Any]:
        """All that may be parts."""
        kinds = [holds((plan.type_attribute,), {"S": plan.type_name}) for plan in self.kinds]
        return strongly(any_of(*kinds))

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """Where the item lies that it is a part of, in the model and before a migration that moves it."""
        return [(self.table, key) for key in self._homes(item)]

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """Parts that were put by the migration are known already, but where code of the new model has written their item anew."""
        plan = self._kind(item)
        if plan is None or (PART in item and (self.tells or not self.is_part(item))):
            return None
        there = (one for one in found if one is not None and self.concerns(one))
        return attempted(lambda: self._compare(item, next(there, None)))

    def _compare(self, part: Item, source: Item | None) -> Decision:
        if self.tells:
            if source is None:
                return Skipped(NOBODYS, compared=True)
            if SPLIT in source:
                return None  # told with its item
            if self.ended(source):
                return None if self.dry else Skipped(LEFT, compared=True)
            return Skipped(UNSPLIT, compared=True)
        if source is None:
            return None
        mark, key = source.get(SPLIT), self.key_of(part)
        if mark is None:
            return self._note(source, part) if self.ended(source) else None
        if mark["M"]["by"]["S"] != self.by or same_key(key) in map(same_key, part_keys(mark)):
            return None
        if PART in part and not (self.ended(source) and mark["M"]["content"] == _NOTHING):
            return None  # put by the migration, and not left with what was written anew
        more = ast.ListAppend(ast.Attribute((SPLIT, "parts")), ast.Value({"L": [{"M": key}]}))
        still = all_of(*(holds((SPLIT, name), mark["M"][name]) for name in ("by", "content", "origin")))
        update = ast.Update((ast.SetAction((SPLIT, "parts"), more),))
        return self.writes(Action("Update", self.key_of(source), update=update, condition=still))

    def _note(self, source: Item, part: Item) -> Decision:
        """An item of the new model is noted as one that was split, of nothing."""
        mark = {
            "by": {"S": self.by},
            "origin": self.origin(source),
            "content": _NOTHING,
            "removes": self.noted_names,
            "parts": {"L": [{"M": self.key_of(part)}]},
        }
        there = ast.AttributeExists((self.plan.table.pk.name,))
        hides = () if self.plan.hides is None else (self.plan.hides,)
        same = as_read(source, (self.plan.type_attribute, SPLIT, *self.removes, *hides))
        update = ast.Update((set_to(SPLIT, {"M": mark}),))
        return self.writes(Action("Update", self.key_of(source), update=update, condition=all_of(there, *same)))

    def _kind(self, part: Item) -> EntityPlan | None:
        return next((p for p in self.kinds if p.owns(part) and p.alive(part) is not None and COPY not in part), None)

    def _homes(self, part: Item) -> Iterator[Item]:
        plan = self._kind(part)
        if plan is None:
            return
        for keys in ((self.plan.pk, *([] if self.plan.sk is None else [self.plan.sk])), *self.plan.other_keys):
            sources = frozenset().union(*(key.sources for key in keys))
            try:
                current = plan.current(part)
                if all(n in plan.sources and at(current, plan.sources[n].path) is not None for n in sources):
                    values = plan.values_in(current, sources)
                    yield {key.attribute.name: key.encode(values) for key in keys}
            except TablewrightError:
                continue


def kinds_named(function: Callable[..., Any], entities: Mapping[str, EntityPlan]) -> tuple[str, ...]:
    """The entities that a function names, or one that it calls."""
    found: set[str] = set()
    seen: set[int] = set()
    ahead: list[tuple[Any, Mapping[str, Any]]] = [(_code(function), getattr(function, "__globals__", {}))]
    while ahead:
        code, scope = ahead.pop()
        if not isinstance(code, CodeType) or id(code) in seen:
            continue
        seen.add(id(code))
        constants = [each for constant in code.co_consts for each in _each(constant)]
        found |= {constant for constant in constants if isinstance(constant, str)} | {*code.co_names}
        ahead += [(constant, scope) for constant in constants]
        called = [scope[name] for name in code.co_names if name in scope]
        ahead += [(_code(one), getattr(one, "__globals__", {})) for one in called]
    return tuple(name for name in entities if name in found)


def _code(function: Any) -> Any:
    return getattr(getattr(function, "__func__", function), "__code__", None)


def _each(constant: Any) -> Iterator[Any]:
    if isinstance(constant, tuple | frozenset):
        for one in constant:
            yield from _each(one)
    else:
        yield constant
