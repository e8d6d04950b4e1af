"""The smallest changes of a model after which a pattern is served. Each was tried on a copy before it is told."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from msgspec.structs import replace

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.proofs.bounds import share_of
from tablewright.compiler.proofs.key_ideas import Idea, Labels, ideas
from tablewright.compiler.proofs.projecting import wider_projections
from tablewright.compiler.proofs.results import Edit, EditKind
from tablewright.compiler.proofs.together import CONSISTENT, edits_together
from tablewright.compiler.proofs.trials import Trial, free_indexes, new_index
from tablewright.compiler.reads import QueryPlan
from tablewright.compiler.reasons import Reason, reasons_of
from tablewright.errors import TablewrightError
from tablewright.model.conditions import AllOf, Condition
from tablewright.model.indexes import MAX_GSIS, Index
from tablewright.model.keys import IndexKeys
from tablewright.model.operations import Get, Query
from tablewright.model.pattern import Pattern

Read: TypeAlias = Get[Any] | Query[Any]
_MOST_FIELDS = 6
_MOST_MOVED = 3
"""Of how many conditions each choice of some is tried for a filter."""


def edits(plan: TablePlan, pattern: Pattern[..., Any], reasons: Iterable[Reason]) -> tuple[tuple[Edit, ...], str]:
    """What would serve a pattern: first what keeps its meaning, then other ways to ask. If nothing would, also why."""
    operations: list[Read] = [op for op in pattern.variants.values() if isinstance(op, Get | Query)]
    if not operations:
        return edits_together(plan, pattern)
    owners = {op.entity for op in operations}
    if len(operations) < len(pattern.variants) or len(owners) != 1:
        return (), "its variants do not all read one entity: make them patterns of their own"
    ideas_of = _Editing(plan, plan.entities[owners.pop()], operations, tuple(reasons))
    found: dict[EditKind, Edit] = {}
    for edit in ideas_of.every():
        found.setdefault("index-key" if edit.kind == "index" else edit.kind, edit)
    return tuple(found.values()), "" if found else ideas_of.stuck()


class _Editing:
    """The changes that come into question for one pattern."""

    def __init__(self, plan: TablePlan, owner: EntityPlan, operations: list[Read], reasons: tuple[Reason, ...]) -> None:
        self._plan = plan
        self._table = plan.table
        self._owner = owner
        self._operations = operations
        self._reasons = reasons
        self._labels = Labels(owner, plan.entities.values())
        self._trial = Trial(plan)

    def every(self) -> Iterator[Edit]:
        """All that hold."""
        yield from wider_projections(self._plan, list(self._operations))
        yield from self._index_keys(self._operations, "")
        if any(op.strong for op in self._operations):
            relaxed = [replace(op, strong=False) for op in self._operations]
            if self._trial.serves(relaxed):
                yield Edit("read", "leave .consistent() out: an index follows the table a moment later", ())
            else:
                yield from self._index_keys(relaxed, "leave .consistent() out, and ")
        yield from self._other_reads()
        yield from self._filters()

    def stuck(self) -> str:
        """Where none holds, what is wrong with the index key that would come first."""
        if any(op.strong for op in self._operations):
            return CONSISTENT
        chosen = next((op.index for op in self._operations if op.index is not None), None)
        if chosen is not None:
            return f'it asks for {chosen} by name, and no other key serves that: leave .via("{chosen}") out to see which would'
        index = next(iter(free_indexes(self._table, [self._owner])), None) or new_index(self._table)
        if index is None:
            return f"the table has {MAX_GSIS} global indexes already, and none of them has room for another key"
        try:
            idea = next(ideas(self._owner, self._operations, self._labels))
        except TablewrightError as error:
            return f"no index key takes its conditions either: {_sentence(error.message)}"
        refusal = self._trial.refusal(list(self._operations), index, {self._owner.entity: _keys(index, idea)})
        reasons = reasons_of(refusal)
        why = next((reason.text for reason in reasons if reason.key_path == index.name), str(reasons[0]))
        return f"{_written(index, idea)} would not serve it either: {_sentence(why)}"

    # ------------------------------------------------------------------------------------------------------- indexes

    def _index_keys(self, operations: list[Read], first: str) -> Iterator[Edit]:
        """A key on an index that the entity is not in, else on a new one."""
        try:
            candidates = list(ideas(self._owner, operations, self._labels))
        except TablewrightError:
            return
        for index in free_indexes(self._table, [self._owner]):
            for idea in candidates:
                if self._trial.serves(operations, index, {self._owner.entity: _keys(index, idea)}):
                    yield self._index_key("index-key", index, idea, first)
                    return
        new = new_index(self._table)
        for idea in candidates if new is not None else ():
            if new is not None and self._trial.serves(operations, new, {self._owner.entity: _keys(new, idea)}):
                yield self._index_key("index", new, idea, first)
                return

    def _index_key(self, kind: EditKind, index: Index, idea: Idea, first: str) -> Edit:
        key = _written(index, idea)
        text, code = f"{first}give {self._owner.name} {key}", [f"{key},"]
        if kind == "index":
            text = f'{first}add an index GSI("{index.name}"), and give {self._owner.name} {key}'
            code = [f'GSI("{index.name}"),', *code]
        if idea.together:
            text += (
                f"; all {self._owner.name} items then lie in one partition, which is for few and seldom written ones: "
                "spread many with a Shard"
            )
        return Edit(kind, text, tuple(code))

    # ------------------------------------------------------------------------------------------------- other reads

    def _other_reads(self) -> Iterator[Edit]:
        for reason in self._reasons:
            if reason.kind == "sparse" and self._trial.serves([op.via(reason.key_path) for op in self._operations]):
                yield Edit(
                    "read",
                    f'if the items that {reason.key_path} leaves out are not wanted, say .via("{reason.key_path}")',
                    (f'.via("{reason.key_path}")',),
                )
            if reason.kind == "not-unique":
                several: list[Query[Any]] = [
                    Query(op.entity, op.conditions, index=op.index, strong=op.strong, view=op.view)
                    for op in self._operations
                ]
                if self._trial.serves(list(several)):
                    conditions = ", ".join(dict.fromkeys(f for op in several for f in _fields(op.conditions)))
                    yield Edit(
                        "read",
                        f"use query(): more than one {self._owner.name} may have the same {conditions}",
                        (f"query({self._owner.name}, ...)",),
                    )

    def _filters(self) -> Iterator[Edit]:
        """Conditions that a filter could test instead of a key: those that make it read least, and then the fewest."""
        reads = [op for op in self._operations if isinstance(op, Query)]
        fields = list(dict.fromkeys(name for op in reads for name in _fields(op.conditions)))
        if len(reads) < len(self._operations) or len(fields) > _MOST_FIELDS:
            return
        found: list[tuple[float, int, tuple[str, ...], str]] = []
        for count in range(1, min(len(fields), _MOST_MOVED) + 1):
            for moved in itertools.combinations(fields, count):
                plans = self._trial.plans([_filtering(op, set(moved)) for op in reads])
                if plans is not None:
                    keys = " and ".join(dict.fromkeys(plan.served.path.name for plan in plans))
                    found.append((max(map(self._items, plans)), count, moved, keys))
        if found:
            _, _, moved, keys = min(found, key=lambda one: one[:2])
            yield Edit(
                "filter",
                f"move the condition on {', '.join(moved)} into .filter(...): {keys} then serves the rest, and what "
                "does not meet it is read, paid for and dropped",
                (f".filter({self._owner.name}.{moved[0]} ...)",),
            )

    def _items(self, plan: QueryPlan) -> float:
        """How many items a read takes at worst, as far as was said."""
        items = share_of(self._table, self._owner, plan.served, unique=False).items
        return math.inf if items is None else items


def _keys(index: Index, idea: Idea) -> IndexKeys:
    return IndexKeys((idea.pk,), (idea.sk,) if index.sk and idea.sk is not None else ())


def _written(index: Index, idea: Idea) -> str:
    """The key as it stands in a model."""
    sides = [idea.pk] if not index.sk else [idea.pk, idea.sk or ""]
    value = "(" + ", ".join(f'"{side}"' for side in sides) + ("," if len(sides) == 1 else "") + ")"
    return f"{index.name}={value}" if index.name.isidentifier() else f'indexes={{"{index.name}": {value}}}'


def _sentence(message: str) -> str:
    """What a message says, to go on with."""
    return message.removeprefix("The read: ").split("\n", 1)[0].rstrip(".")


def _fields(conditions: Iterable[Condition]) -> Iterator[str]:
    for condition in conditions:
        for leaf in condition.leaves():
            yield leaf.field


def _filtering(operation: Query[Any], fields: set[str]) -> Query[Any]:
    """The read with its conditions on these fields in its filter."""
    parts = [p for c in operation.conditions for p in (c.conditions if isinstance(c, AllOf) else (c,))]
    moved = tuple(p for p in parts if fields & {leaf.field for leaf in p.leaves()})
    kept = tuple(p for p in parts if p not in moved)
    return replace(operation, conditions=kept, filters=operation.filters + moved)
