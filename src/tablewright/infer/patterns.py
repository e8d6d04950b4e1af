"""Access patterns that the keys of a table serve as they are: an item by its key, a partition, what each index lists.

Nobody's needs are known here, only what the keys were evidently made for. Each proposal is compiled with the model before
it is handed out, and left out where no key serves it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from tablewright.generate.model_code import (
    KNOWN_NAMES,
    EntitySketch,
    FieldSketch,
    IndexKeysSketch,
    PatternSketch,
    python_name,
)

_SHORT = 2
"""Up to how many fields a pattern is named after."""


class _Read(Struct, frozen=True):
    """A read of one entity: what it is asked by, and how it is found."""

    entity: EntitySketch
    pk: tuple[str, ...]
    """The fields of the partition key."""
    sk: tuple[str, ...]
    """What the sort key is made of besides."""
    conditions: tuple[str, ...]
    parameters: dict[str, str]
    index: str | None = None
    state: str = ""
    """The word for what a sparse index holds."""


class Proposal(Struct, frozen=True):
    """A pattern, and the index of an entity that it lists, if it is about one."""

    pattern: PatternSketch
    entity: str | None = None
    index: str | None = None


def proposed(entities: Sequence[EntitySketch]) -> tuple[Proposal, ...]:
    """What could be asked, entity by entity, then what lies together."""
    found: dict[str, Proposal] = {}
    taken = {python_name(entity.name) for entity in entities} | KNOWN_NAMES

    def add(*named: PatternSketch, entity: str | None = None, index: str | None = None) -> None:
        """Adds a pattern under the first of its names that is free."""
        free = next((p for p in named if p.name not in taken and p.name not in found), None)
        if free is not None:
            found[free.name] = Proposal(free, entity, index)

    for entity in entities:
        own = _fields_in((entity.pk, *([] if entity.sk is None else [entity.sk])), entity)
        if own:
            add(_get(entity, own))
        read = _read(entity, (entity.pk,), () if entity.sk is None else (entity.sk,), None)
        if read is not None and read.sk and read.pk:
            add(_list(read))
        for name, keys in entity.indexes.items():
            read = _index_read(entity, name, keys)
            if read is not None:
                one = keys.when is None and _only_one(read, own)
                made = [_get(entity, read.pk)] if one else [_list(read, how) for how in ("", "order", "index")]
                add(*made, entity=entity.name, index=name)
    for pattern in _collections(entities):
        add(pattern)
    return tuple(found.values())


def _get(entity: EntitySketch, asked: tuple[str, ...]) -> PatternSketch:
    conditions = [f"{entity.name}.{name} == {name}" for name in asked]
    return PatternSketch(
        name=f"{_snake(entity)}_by_{'_and_'.join(asked) if len(asked) <= _SHORT else 'key'}",
        parameters={name: _type(entity, name) for name in asked},
        result=f"Get[{entity.name}]",
        returns=f"get({entity.name}, {', '.join(conditions)})",
        doc=f"The {_words(entity)} with this {_listed(asked)}.",
    )


def _only_one(read: _Read, own: tuple[str, ...]) -> bool:
    """Whether an index evidently finds one item: by its own id alone, or by what is unique."""
    rules = [tuple(re.findall(r'"(\w+)"', rule)) for rule in read.entity.unique]
    return not read.sk and bool(own) and (read.pk == own[-1:] or read.pk in rules)


def _index_read(entity: EntitySketch, name: str, keys: IndexKeysSketch) -> _Read | None:
    pk = keys.pk or (entity.pk,)
    read = _read(entity, pk, keys.sk, name)
    if read is None:
        return None
    sparse = _sparse(entity, keys)
    if not read.pk and not sparse:
        return None  # all there is: nothing that the key was made for
    known = {c.split(" ")[0] for c in read.conditions}
    more = tuple(c for c in sparse if c.split(" ")[0] not in known)
    state = re.fullmatch(r'attr\("\w+"\) == "([A-Za-z][\w-]*)"', keys.when or "")
    word = "" if state is None else python_name(state[1]).rstrip("_")
    return _Read(entity, read.pk, read.sk, read.conditions + more, read.parameters, name, word)


def _read(entity: EntitySketch, pk: tuple[str, ...], sk: tuple[str, ...], index: str | None) -> _Read | None:
    """A read of one partition; None where it cannot be asked for."""
    conditions: list[str] = []
    parameters: dict[str, str] = {}
    asked: list[str] = []
    for name in _placeholders(pk):
        if name in entity.derive:
            bucket = re.fullmatch(r'Bucket\("(\w+)", "\w+"\)', entity.derive[name])
            if bucket is not None:
                moment = bucket[1]
                parameters |= {"since": _type(entity, moment), "until": _type(entity, moment)}
                conditions.append(f"between({entity.name}.{moment}, since, until)")
                asked.append(moment)
            continue  # all shards are asked
        if name not in {f.name for f in entity.fields}:
            return None
        parameters[name] = _type(entity, name)
        conditions.append(f"{entity.name}.{name} == {name}")
        asked.append(name)
    sorting = tuple(n for n in _placeholders(sk) if n not in asked and n not in entity.derive)
    return _Read(entity, tuple(asked), sorting, tuple(conditions), parameters, index)


def _list(read: _Read, told_by: str = "") -> PatternSketch:
    """A query for one partition; `told_by` is what its name says besides, where another one is asked by the same."""
    entity = read.entity
    what = _plural(f"{read.state}_{_snake(entity)}".lstrip("_"))
    name = f"{what}_by_{'_and_'.join(read.pk)}" if read.pk else what if read.state else f"listed_{what}"
    query = f"query({', '.join([entity.name, *read.conditions])})"
    if told_by and read.index is not None:
        name += f"_sorted_by_{read.sk[0]}" if told_by == "order" and read.sk else f"_on_{python_name(read.index)}"
    if read.index is not None and (told_by or not read.pk):
        query += f'.via("{read.index}")'
    order = f", in the order of {_listed(read.sk)}" if read.sk else ""
    of = f" of one {_listed(read.pk)}" if read.pk else f" on {read.index}"
    return PatternSketch(
        name=name,
        parameters=read.parameters,
        result=f"Query[{entity.name}]",
        returns=query,
        doc=f"The {what.replace('_', ' ')}{of}{order}.",
    )


def _collections(entities: Sequence[EntitySketch]) -> Iterator[PatternSketch]:
    """Items of several kinds that lie in one partition: the one that names it, and the others."""
    partitions: dict[str, list[EntitySketch]] = {}
    for entity in entities:
        if _fields_in((entity.pk,), entity) and not any(n in entity.derive for n in _placeholders((entity.pk,))):
            partitions.setdefault(entity.pk, []).append(entity)
    for pk, kinds in partitions.items():
        fields = _fields_in((pk,), kinds[0])
        types = {tuple(_type(kind, name) for name in fields) for kind in kinds}
        roots = [e for e in kinds if e.sk is not None and set(_fields_in((e.sk,), e)) <= set(fields)]
        if len(kinds) < 2 or len(types) > 1 or len(roots) != 1:
            continue
        ordered = [*roots, *(e for e in kinds if e is not roots[0])]
        queries = [f"query({e.name}, {', '.join(f'{e.name}.{n} == {n}' for n in fields)})" for e in ordered]
        others = [_plural(_snake(e)) for e in ordered[1:]]
        yield PatternSketch(
            name=f"{_snake(roots[0])}_with_{'_and_'.join(others) if len(others) <= _SHORT else 'everything'}",
            parameters={name: _type(kinds[0], name) for name in fields},
            result=f"Mixed[{' | '.join(e.name for e in ordered)}]",
            returns=" | ".join(queries),
            doc=f"The {_words(roots[0])} and its {_listed(others)}, in one request.",
        )


def together(entities: Sequence[EntitySketch], served: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """What could be asked of an index partition that several kinds share, so that none of them can be read by itself."""
    known = {(proposal.entity, proposal.index) for proposal in served}
    partitions: dict[tuple[str, tuple[str, ...]], list[_Read]] = {}
    for entity in entities:
        for name, keys in entity.indexes.items():
            read = _index_read(entity, name, keys)
            if read is not None and read.pk and (entity.name, name) not in known:
                partitions.setdefault((name, keys.pk), []).append(read)
    return tuple(Proposal(_mixed(index, reads)) for (index, _), reads in partitions.items() if len(reads) > 1)


def _mixed(index: str, reads: Sequence[_Read]) -> PatternSketch:
    first = reads[0]
    queries = [f'query({", ".join([r.entity.name, *r.conditions])}).via("{index}")' for r in reads]
    order = f", in the order of {_listed(first.sk[:1])}" if first.sk else ""
    return PatternSketch(
        name=f"everything_on_{python_name(index)}_by_{'_and_'.join(first.pk)}",
        parameters=first.parameters,
        result=f"Mixed[{' | '.join(r.entity.name for r in reads)}]",
        returns=" | ".join(queries),
        doc=f"Items of {len(reads)} kinds with one {_listed(first.pk)}{order}.",
    )


def _sparse(entity: EntitySketch, keys: IndexKeysSketch) -> tuple[str, ...]:
    """The condition of a sparse index on the class: what a read must ask for to be served by it."""
    if keys.when is None:
        return ()
    return (re.sub(r'attr\("(\w+)"\)', rf"{entity.name}.\1", keys.when),)


def _placeholders(templates: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for text in templates for name in re.findall(r"\{(\w+)", text)))


def _fields_in(templates: tuple[str, ...], entity: EntitySketch) -> tuple[str, ...]:
    known = {field.name for field in entity.fields}
    return tuple(name for name in _placeholders(templates) if name in known)


def _type(entity: EntitySketch, name: str) -> str:
    """A field's type as a parameter has it: without None, and without how it is stored."""
    field: FieldSketch = next(f for f in entity.fields if f.name == name)
    return ast.unparse(_plain(ast.parse(field.annotation, mode="eval").body)).replace("'", '"')


def _plain(node: Any) -> ast.expr:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = [s for s in (node.left, node.right) if not (isinstance(s, ast.Constant) and s.value is None)]
        return _plain(sides[0]) if len(sides) == 1 else node
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Annotated":
        inner = node.slice
        return _plain(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
    assert isinstance(node, ast.expr)
    return node


def _snake(entity: EntitySketch) -> str:
    return python_name(entity.name).rstrip("_")


def _words(entity: EntitySketch) -> str:
    return _snake(entity).replace("_", " ")


def _plural(name: str) -> str:
    if re.search(r"[^aeious]s$", name) or name.endswith("es"):
        return name  # one already
    if re.search(r"[^aeiou]y$", name):
        return f"{name[:-1]}ies"
    return f"{name}es" if re.search(r"(s|x|z|ch|sh)$", name) else f"{name}s"


def _listed(names: Sequence[str]) -> str:
    words = [name.replace("_", " ") for name in names]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
