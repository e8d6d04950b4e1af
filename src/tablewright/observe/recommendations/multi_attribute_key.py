"""multi-attribute-key: an index of one entity has fields written into one key, where it could have the fields themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design
from tablewright.lint.keyfacts import fields, pieces
from tablewright.model.indexes import MAX_KEY_ATTRIBUTES
from tablewright.observe.judging import a_second, called, design_of, in_code, listed, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import TABLE, Snapshot
from tablewright.wording import counted

_ENOUGH = 100
_KEYS = 20
_NAME = re.compile("[A-Za-z][A-Za-z_]*")


class MultiAttributeKey(Rule):
    """An index of one entity has fields written into one key, where it could have the fields themselves.

    A global index can have up to four attributes on each side of its key. Then nothing has to be put together and kept up to
    date, numbers sort as numbers, and the index needs no attributes of its own.

    It fires as info for a global index whose partition or sort key puts two or more fields together, when only one entity has
    keys on it and 100 requests asked it. An index that several entities share stays as it is: keys that are written together are
    what lets it be shared. So do keys with shards or buckets, which are no fields, and keys of more than four.

    Without a model it goes by the partition keys that were asked for: when those of an index, 20 or more, are all of one form with two to four
    names, such as TENANT#*#CUSTOMER#*, and at least two of the values vary. Whether other items share the index, nobody can tell then.

    The key of an index cannot be changed: make the new index beside it, let the patterns read it, and remove the old one.

    > GSI1 holds nothing but Order, and puts tenant and customer together in its partition key.
    """

    name = "multi-attribute-key"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        design = design_of(seen)
        if design is None:
            yield from _without_model(seen)
            return
        for path in _homogeneous(design):
            requests = _requests(seen.snapshot, path.index_name)
            if requests >= _ENOUGH and _fits(path):
                yield _told(seen, design, path, requests)


def _requests(snapshot: Snapshot, index: str | None) -> int:
    return sum(t.requests for t in snapshot.traffic if t.index == index)


# ----------------------------------------------------------------------------------------------------- without a model


def _without_model(seen: Observed) -> Iterator[Recommendation]:
    snapshot = seen.snapshot
    for index, place in sorted(snapshot.places.items()):
        requests, names = _requests(snapshot, index), _names_within(list(place.requests.counts))
        if index == TABLE or requests < _ENOUGH or not names:
            continue
        form = "#".join(f"{name}#*" for name in names)
        schema = ", ".join(f'{{"AttributeName": {in_code(name.lower())}, "KeyType": "HASH"}}' for name in names)
        yield Recommendation(
            rule=MultiAttributeKey.name,
            severity="info",
            category="best-practice",
            subject=index,
            message=f"All that is asked of {index} has a partition key {form}, which puts {listed(names)} together.",
            details=f"{counted(requests, 'request')} asked it, for {counted(len(place.requests.counts), 'key')} or more, all of this form.",
            action=(
                "If no items of other kinds share it, make an index whose key is the list of these attributes, beside this one; let the queries "
                "ask it; then remove this one."
            ),
            code=f'{{"IndexName": {in_code("By" + "And".join(n.title() for n in names))}, "KeySchema": [{schema}, ...]}}',
            evidence={"index": index, "form": form, "requests": requests},
            impact=share_of(requests, snapshot.requests),
            frequency=a_second(snapshot, requests),
            effort=3,
        )


def _names_within(keys: list[str]) -> list[str]:
    """The names that stand before the values in each of these keys; none if one of them is of another form."""
    parts = [key.split("#") for key in keys]
    names, values = [part[::2] for part in parts], [part[1::2] for part in parts]
    if len(keys) < _KEYS or any(name != names[0] for name in names) or any(len(part) % 2 for part in parts):
        return []
    varying = sum(len(set(some)) > 1 for some in zip(*values, strict=True))
    named = all(_NAME.fullmatch(name) for name in names[0]) and len(set(names[0])) == len(names[0])
    return names[0] if named and varying > 1 and len(names[0]) <= MAX_KEY_ATTRIBUTES else []


# ------------------------------------------------------------------------------------------------------- with a model


def _homogeneous(design: Design) -> Iterator[KeyPath]:
    """Keys on global indexes that one entity has for itself."""
    for name, index in design.table.indexes.items():
        holders = [path for plan in design.entities for path in design.paths(plan) if path.index_name == name]
        if len(holders) == 1 and not index.local and not index.multi:
            yield holders[0]


def _fits(path: KeyPath) -> bool:
    """Whether its fields can be attributes of a key as they are, and some are put together now."""
    sides = [_names(side) for side in (path.pk, path.sk)]
    if any(piece.derived is not None for piece in pieces(path.pk + path.sk)) or not sides[0]:
        return False
    if not any(isinstance(key, TemplateKey) and len(key.fields) > 1 for key in path.pk + path.sk):
        return False
    distinct = {name for side in sides for name in side}
    return all(len(side) <= MAX_KEY_ATTRIBUTES for side in sides) and all(_plain(path.plan, name) for name in distinct)


def _plain(plan: EntityPlan, name: str) -> bool:
    field = plan.sources[name]
    return len(field.path) == 1 and field.sealing is None and field.codec.tag in ("S", "N", "B")


def _names(side: Sequence[KeyPlan]) -> list[str]:
    return list(dict.fromkeys(fields(side)))


def _told(seen: Observed, design: Design, path: KeyPath, requests: int) -> Recommendation:
    snapshot, index = seen.snapshot, path.name
    pk = _names(path.pk)
    sk = [name for name in _names(path.sk) if name not in pk]
    together = [
        f"{listed(key.fields)} together in its {side} key"
        for side, keys in (("partition", path.pk), ("sort", path.sk))
        for key in keys
        if len(key.fields) > 1
    ]
    own = " and ".join(attribute.name for attribute in path.index.attributes) if path.index is not None else ""
    reads = called(design.reads_of(path.plan, path.index_name))
    return Recommendation(
        rule=MultiAttributeKey.name,
        severity="info",
        category="best-practice",
        subject=index,
        message=f"{index} holds nothing but {path.plan.name}, and puts {' and '.join(together)}.",
        details=f"{counted(requests, 'request')} asked it. {own} are written for it, of fields that the items hold anyway.",
        action=(
            "Make an index whose key is the list of the fields, beside this one; let the patterns read it; then remove this "
            "one. It cannot be shared with other entities then, unless they have the same fields."
        ),
        code=_code(path, pk, sk),
        affected=reads,
        evidence={"index": index, "entity": path.plan.name, "requests": requests},
        impact=share_of(requests, snapshot.requests),
        frequency=a_second(snapshot, requests),
        effort=3,
    )


def _code(path: KeyPath, pk: list[str], sk: list[str]) -> str:
    name = "By" + "".join(part.title() for field in pk for part in field.split("_"))
    sides = f"pk=[{_attributes(path.plan, pk)}], sk={f'[{_attributes(path.plan, sk)}]' if sk else None}"
    keys = f"({_templates(pk)}), ({_templates(sk)})" if sk else f"({_templates(pk)}),"
    return f'GSI("{name}", {sides})\n# and in the keys of {path.plan.name}\n{name}=({keys})'


def _attributes(plan: EntityPlan, names: list[str]) -> str:
    found = []
    for name in names:
        field = plan.sources[name]
        mark = {"N": "number", "B": "binary"}.get(field.codec.tag or "S")
        found.append(f'{mark}("{field.path[0]}")' if mark else f'"{field.path[0]}"')
    return ", ".join(found)


def _templates(names: list[str]) -> str:
    return ", ".join(f'"{{{name}}}"' for name in names) + ("," if len(names) == 1 else "")
