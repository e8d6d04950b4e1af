"""Changes that let the parts of a collection be read from one partition, tried on a copy; or why there are none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import TemplateKey
from tablewright.compiler.paths import key_paths
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.proofs.key_ideas import Labels, placeholder, tie_breakers
from tablewright.compiler.proofs.projecting import wider_projections
from tablewright.compiler.proofs.results import Edit
from tablewright.compiler.proofs.trials import Trial, free_indexes, new_index
from tablewright.compiler.selection import UNKNOWN, Selection, select
from tablewright.errors import TablewrightError
from tablewright.model.indexes import Index
from tablewright.model.keys import IndexKeys
from tablewright.model.operations import Collection, Mixed, Query, reads_in
from tablewright.model.pattern import Pattern
from tablewright.values.keycodec import Placeholder

Several: TypeAlias = Collection[Any] | Mixed[Any]
Keys: TypeAlias = dict[EntityPlan, tuple[str, str]]
CONSISTENT = "a consistent read needs the table's own key, and to change that is to write every item anew"
"""Why no index is proposed for one."""


def edits_together(plan: TablePlan, pattern: Pattern[..., Any]) -> tuple[tuple[Edit, ...], str]:
    """The smallest changes after which all parts are read from one partition, or in words why there is none."""
    operations: list[Several] = [op for op in pattern.variants.values() if isinstance(op, Collection | Mixed)]
    queries = [reads_in(op) for op in operations]
    if len(operations) < len(pattern.variants):
        return (), ""
    if any(op.strong for op in operations) or any(q.strong for qs in queries for q in qs):
        return (), CONSISTENT
    wider = next(wider_projections(plan, list(operations)), None)
    moved, stuck = _moved(plan, operations, queries[0])
    found = tuple(edit for edit in (wider, moved) if edit is not None)
    return found, "" if found else stuck


def _moved(plan: TablePlan, operations: list[Several], queries: list[Query[Any]]) -> tuple[Edit | None, str]:
    """Keys on an index by which all parts lie in one partition."""
    try:
        moves = _Moves(plan, queries)
    except TablewrightError:
        return None, ""
    if not moves.shared:
        return (
            None,
            "its parts have no value in common that could choose one partition for them: use a pattern for each",
        )
    trial = Trial(plan)
    for index, keys in moves.every():
        given = {one.entity: IndexKeys((pk,), (sk,)) for one, (pk, sk) in keys.items()}
        if trial.serves(list(operations), index, given):
            return _edit(index, keys, new=index.name not in plan.table.indexes), ""
    return None, "no key on an index that was tried brings its parts together: use a pattern for each"


class _Moves:
    """Where the parts could lie together."""

    def __init__(self, plan: TablePlan, queries: list[Query[Any]]) -> None:
        self._table = plan.table
        self._separator = plan.table.key_style.separator
        self._parts: list[tuple[EntityPlan, Selection]] = []
        for query in queries:
            of = plan.entities[query.entity]
            self._parts.append((of, select("The read", query.entity, query.conditions, of.sources)))
        self._labels = Labels(self._parts[0][0], plan.entities.values())
        told = [_told(selection) for _, selection in self._parts]
        self.shared = [value for value in told[0] if all(value in other for other in told)]
        """Values that every part asks for: parameters, or constants."""
        self._field = {
            of: {value: names[value] for value in self.shared} for (of, _), names in zip(self._parts, told, strict=True)
        }

    def every(self) -> Iterator[tuple[Index, Keys]]:
        """Indexes with the keys that would be new there: first where one of the parts is already."""
        entities = list(self._field)
        for first in entities:
            for path in key_paths(first):
                index = path.index
                if index is None or index.local or index.multi or not isinstance(path.pk[0], TemplateKey):
                    continue
                partition = self._partition_like(first, path.pk[0])
                others = [e for e in entities if all(b.index.name != index.name for b in e.bindings)]
                if partition is not None and others:
                    yield index, {other: (partition[other], self._sort(other)) for other in others}
        fresh = new_index(self._table)
        for index in (*free_indexes(self._table, entities), *([] if fresh is None else [fresh])):
            names = self._field[entities[0]]
            yield (
                index,
                {
                    e: (
                        self._separator.join(
                            f"{self._labels.of(names[v])}{self._separator}{{{self._field[e][v]}}}" for v in self.shared
                        ),
                        self._sort(e),
                    )
                    for e in entities
                },
            )

    def _partition_like(self, first: EntityPlan, key: TemplateKey) -> Mapping[EntityPlan, str] | None:
        """The same partition for each entity, made of its own fields; None where one has no such field."""
        value_of = {name: value for value, name in self._field[first].items()}
        found = {}
        for entity, names in self._field.items():
            pieces = []
            for segment in key.bound.template.pieces:
                for piece in segment:
                    if not isinstance(piece, Placeholder):
                        pieces.append(piece.text)
                    elif piece.field in value_of:
                        pieces.append(str(piece).replace(piece.field, names[value_of[piece.field]], 1))
                    else:
                        return None
                pieces.append(self._separator)
            found[entity] = "".join(pieces[:-1])
        return found

    def _sort(self, entity: EntityPlan) -> str:
        """What tells the items of an entity apart behind its label, what is asked for first."""
        fixed = set(self._field[entity].values())
        asked = [n for of, s in self._parts if of is entity for n in (*s.equal, *s.ranges) if n not in fixed]
        names = dict.fromkeys([*asked, *(n for n in tie_breakers(entity) if n not in fixed)])
        return self._separator.join([self._labels.entity(entity), *(placeholder(entity, n) for n in names)])


def _told(selection: Selection) -> dict[object, str]:
    """What the fields are equal to: a parameter by its name, or a constant."""
    return {
        ("parameter", s.name) if s.constant is UNKNOWN else ("constant", repr(s.constant)): name
        for name, s in selection.equal.items()
    }


def _edit(index: Index, keys: Keys, *, new: bool) -> Edit:
    written = {e: f'{index.name}=("{pk}", "{sk}")' for e, (pk, sk) in keys.items()}
    said = " and ".join(f"{e.name} {text}" for e, text in written.items())
    lines: Iterable[str] = (f"{text},  # {e.name}" for e, text in written.items())
    if new:
        return Edit("index", f'add an index GSI("{index.name}"), and give {said}', (f'GSI("{index.name}"),', *lines))
    return Edit("index-key", f"give {said}", tuple(lines))
