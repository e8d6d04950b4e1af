"""Values that every pattern asks of a field through an index: what else is in the index is there for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from msgspec import Struct

from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design, Read
from tablewright.model.conditions import Compare, IsIn, conjuncts
from tablewright.model.keys import attr_is
from tablewright.model.symbols import has_symbols
from tablewright.observe.judging import in_code, listed, shown_value
from tablewright.observe.snapshot import Snapshot


class Asked(Struct, frozen=True):
    """The constant values of a field that all reads ask for."""

    field: str
    values: tuple[Any, ...]
    filtered: bool
    """Whether a filter does it, in one of them at least."""
    alone: bool
    """Whether no filter of theirs asks for anything else, which might be what drops items."""

    @property
    def shown(self) -> list[str]:
        """The values as they are written in a model, in order."""
        return sorted(map(shown_value, self.values))

    @property
    def wanted(self) -> str:
        """The values in words."""
        return f"{self.field} is {listed(self.shown).replace(' and ', ' or ')}"

    @property
    def condition(self) -> str:
        """The condition of the index key, as it is written in a model."""
        tests = [attr_is(self.field, value, shown_value(value)) for value in sorted(self.values, key=shown_value)]
        return tests[0] if len(tests) == 1 else f"any_of({', '.join(tests)})"


def readers(design: Design, snapshot: Snapshot, path: KeyPath) -> list[Read]:
    """The patterns that read an entity through an index that all of its items are in; none where it is sparse already, or
    where somebody asked it who is not in the model, and who may want what these do not."""
    if path.binding is None or path.binding.condition is not None:
        return []
    known = {read.pattern.name for read in design.readers(path.index_name)}
    asked = (t for t in snapshot.of("Query") if t.index == path.index_name and t.requests)
    return design.reads_of(path.plan, path.index_name) if all(t.pattern in known for t in asked) else []


def constants(reads: list[Read]) -> Iterator[Asked]:
    """Fields that every one of these reads wants to have certain values, whatever its arguments are."""
    every = [_constants_of(read) for read in reads]
    for field in every[0] if every else ():
        if all(field in one for one in every):
            values = dict.fromkeys(value for one in every for value in one[field][0])
            filters = {
                leaf.field for read in reads for one in getattr(read.one, "filters", ()) for leaf in one.leaves()
            }
            yield Asked(field, tuple(values), any(one[field][1] for one in every), filters <= {field})


def _constants_of(read: Read) -> dict[str, tuple[tuple[Any, ...], bool]]:
    """The values that a read wants fields to have, and whether it is a filter that says so."""
    found: dict[str, tuple[tuple[Any, ...], bool]] = {}
    for condition in getattr(read.one, "filters", ()):
        for one in conjuncts(condition):
            if isinstance(one, Compare) and one.op == "=" and len(one.path) == 1 and not has_symbols(one.value):
                found[one.field] = (one.value,), True
            elif isinstance(one, IsIn) and len(one.path) == 1 and not has_symbols(one.values):
                found[one.field] = tuple(one.values), True
    for name, source in read.one.served.known.items():
        if source.possible is not None:
            found[name] = source.possible, False
    return {name: (values, late) for name, (values, late) in found.items() if all(_hashable(v) for v in values)}


def _hashable(value: Any) -> bool:
    return isinstance(value, str | int | bool | Enum)


def sparse_key(path: KeyPath, asked: Asked) -> str:
    """The key on the index under the condition, as it is written in a model."""
    own = path.binding.index if path.binding is not None else None
    sides = []
    for keys in (() if own is None or own.local else path.pk, path.sk):
        if keys:
            texts = ", ".join(in_code(str(key)) for key in keys)
            sides.append(f"({texts})" if len(keys) > 1 else texts)
    call = "sparse_local" if own is not None and own.local else "sparse"
    spec = f"{call}({', '.join(sides)}, when={asked.condition})"
    return f"{path.name}={spec}" if path.name.isidentifier() else f"indexes={{{in_code(path.name)}: {spec}}}"
