"""A model for a table, from its layout and a sample of its items; tried in each style of keys that may be the one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from tablewright.errors import ArgumentError
from tablewright.generate.model_code import (
    KNOWN_NAMES,
    EntitySketch,
    ModelSketch,
    PatternSketch,
    model_code,
    python_name,
    quoted,
)
from tablewright.infer.clusters import Cluster, clusters, separator, type_attribute
from tablewright.infer.entities import EntityMaker, nested_map
from tablewright.infer.patterns import Proposal, proposed, together
from tablewright.infer.sample import NO_ITEMS, NO_ITEMS_HINT, IndexLayout, Layout
from tablewright.infer.values import travels
from tablewright.infer.verifying import Misfit, Verdict, served, verify
from tablewright.model.indexes import AttributeNames, KeyAttribute
from tablewright.values.keycodec import STRICT, KeyStyle
from tablewright.values.types import Item

MARKER_TYPE = "Unique"


class InferredEntity(Struct, frozen=True):
    """One entity that was found."""

    name: str
    items: int
    fitting: int
    """How many of its items the model reads, and would write as they are."""
    pk: str
    sk: str | None
    indexes: dict[str, str]


class Inferred(Struct, frozen=True):
    """A model that was worked out."""

    code: str
    table: str
    items: int
    entities: tuple[InferredEntity, ...]
    misfits: tuple[Misfit, ...]
    patterns: tuple[str, ...] = ()
    """The access patterns that the keys serve as they are."""
    notes: tuple[str, ...] = ()


def infer(layout: Layout, items: Sequence[Item]) -> Inferred:
    """The model that fits the sample best. Its code was run, and has read the sample, before it is handed out."""
    if not items:
        raise ArgumentError(NO_ITEMS, hint=NO_ITEMS_HINT)
    whole = [item for item in items if all(key.tag in item.get(key.name, {}) for key in layout.keys)]
    if not whole:
        wanted = " and ".join(key.name for key in layout.keys)
        raise ArgumentError(f"No item has the key {wanted}.", hint='Say what the key is: --key "user_id order_id".')
    kind = type_attribute(layout, whole)
    best = _attempt(layout, whole, kind)
    if kind is not None and best.verdict.refused:
        # Kinds of items that share a form of keys are one entity, and what names them is one of its fields.
        without = _attempt(layout, whole, None)
        best = max(best, without, key=lambda attempt: attempt.verdict.score)
        if best is without:
            best.notes.append(f"Items of several kinds have keys of the same form; {kind} is a field of theirs.")
    elif kind is None:
        best.notes.append("No attribute names the type of an item; they were told apart by their keys.")
    names, found, style, verdict, notes = best.names, best.found, best.style, best.verdict, best.notes
    if len(whole) < len(items):
        notes.append(f"Items without the key of the table, left out: {len(items) - len(whole):,}.")
    sketches = best.sketches
    noted = [
        _noted(sketch, cluster, verdict)
        for sketch, cluster in zip(sketches, found, strict=True)
        if sketch.name not in verdict.refused
    ]
    if verdict.refused:
        notes.append(
            f"Left out, since the model cannot hold them with the others: {', '.join(sorted(verdict.refused))}."
        )
    notes += _expiry_notes(layout, noted)

    def kept(offered: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
        names_served = served(_code(layout, names, noted, style, len(items), [o.pattern for o in offered]))
        return tuple(o for o in offered if o.pattern.name in names_served)

    single = kept(proposed(noted))
    patterns = [o.pattern for o in kept(single + together(noted, single))]
    code = _code(layout, names, noted, style, len(items), patterns)
    final = verify(code, found, verdict.refused)
    entities = tuple(
        InferredEntity(
            s.name,
            len(c.items),
            final.fitting[s.name],
            s.pk,
            s.sk,
            {name: " / ".join(" + ".join(side) for side in (k.pk, k.sk) if side) for name, k in s.indexes.items()},
        )
        for s, c in zip(sketches, found, strict=True)
    )
    return Inferred(
        code,
        layout.name,
        len(items),
        entities,
        final.misfits,
        tuple(p.name for p in patterns),
        (*notes, *layout.settings.notes),
    )


class _Attempt(Struct):
    """A model, with the items told apart in one way."""

    names: AttributeNames
    found: list[Cluster]
    notes: list[str]
    verdict: Verdict
    unexplained: int
    """How many fields only keys hold, as far as they were understood."""
    sketches: list[EntitySketch]
    style: KeyStyle

    @property
    def rank(self) -> tuple[int, int]:
        """The more items fit, and the less is left unexplained, the better."""
        return self.verdict.score, -self.unexplained

    @property
    def perfect(self) -> bool:
        return not self.verdict.misfits and not self.unexplained


def _attempt(layout: Layout, whole: Sequence[Item], kind: str | None) -> _Attempt:
    split = separator(layout, whole)
    names = _names(layout, whole, kind)
    living, uniques, notes = _set_aside(names, whole)

    def of(found: list[Cluster]) -> _Attempt:
        return _Attempt(names, found, notes, *_best(layout, names, found, uniques, split))

    plain = of(clusters(layout, living, kind, split))
    # Keys that begin alike are mostly of one kind, so that their shapes count only where that does not explain them.
    shaped = [] if plain.perfect else clusters(layout, living, kind, split, by_shape=True)
    return max(plain, of(shaped), key=lambda attempt: attempt.rank) if len(shaped) > len(plain.found) else plain


def _expiry_notes(layout: Layout, entities: Sequence[EntitySketch]) -> list[str]:
    if layout.ttl is None or any("ttl" in entity.options for entity in entities):
        return []
    return [
        f"Items expire by {layout.ttl}, which is no number of seconds in the sample: give their entity ttl= by hand."
    ]


def _best(
    layout: Layout,
    names: AttributeNames,
    found: list[Cluster],
    uniques: Mapping[str, list[str]],
    split: str | None,
) -> tuple[Verdict, int, list[EntitySketch], KeyStyle]:
    """The entities in the style of keys that most items fit, and that leaves the least unexplained."""
    maps = {cluster.name: name for cluster in found if (name := nested_map(cluster)) is not None}
    tried: list[tuple[Verdict, int, list[EntitySketch], KeyStyle]] = []
    for style, inside in [(style, inside) for style in _styles(split) for inside in ([maps, {}] if maps else [{}])]:
        makers = [
            EntityMaker(layout, names, c, style, uniques.get(c.type or c.name, ()), inside.get(c.name)) for c in found
        ]
        sketches = [maker.sketch() for maker in makers]
        verdict = verify(_code(layout, names, sketches, style, 0), found)
        unexplained = sum(maker.unexplained for maker in makers)
        tried.append((verdict, unexplained, sketches, style))
        if not verdict.misfits and not unexplained:
            break
    return max(tried, key=lambda one: (one[0].score, -one[1]))


def _styles(split: str | None) -> Iterator[KeyStyle]:
    if split in (None, "#"):
        yield STRICT
    if split is not None:
        yield KeyStyle.adopted(split)
        yield KeyStyle.adopted(split, escape=True)
    else:
        yield KeyStyle.adopted()


# ---------------------------------------------------------------------------------- what the library itself keeps


def _names(layout: Layout, items: Sequence[Item], kind: str | None) -> AttributeNames:
    """How the library's own attributes are called: as this library does, unless items have such attributes for data."""
    lower = kind == "entity_type" and layout.pk.name == "pk"
    names = AttributeNames.lower() if lower else AttributeNames()
    if kind is not None:
        names = replace(names, type=kind)
    elif any(names.type in item for item in items):
        names = replace(names, type="_Type")
    ours = kind in ("Type", "entity_type")
    for member in ("created", "updated", "version", "schema"):
        attribute = getattr(names, member)
        seen = [item[attribute] for item in items if attribute in item]
        numbers = member in ("version", "schema")
        fits = all("N" in value for value in seen) if numbers else travels(datetime, seen)
        if seen and not (ours and fits):
            names = replace(names, **{member: f"_{attribute}"})
    return names


def _set_aside(names: AttributeNames, items: Sequence[Item]) -> tuple[list[Item], dict[str, list[str]], list[str]]:
    """The items that are entities; the unique rules that markers tell of, by stored type; and what was left out."""
    living: list[Item] = []
    uniques: dict[str, dict[str, None]] = {}
    notes: list[str] = []
    markers = tombstones = 0
    for item in items:
        if item.get(names.type) == {"S": MARKER_TYPE} and names.owner in item:
            markers += 1
            words = _marker_words(item)
            if len(words) > 3 and words[0] == "UNIQUE":
                uniques.setdefault(words[1], {})[words[2]] = None
        elif names.deleted in item and names.remains in item:
            tombstones += 1
        else:
            living.append(item)
    if markers:
        notes.append(f"Markers of unique values, read as such: {markers:,}.")
    if tombstones:
        notes.append(f"Tombstones, left out: {tombstones:,}. Add soft_delete=SoftDelete() to their entities.")
    if not living:
        raise ArgumentError("The sample holds markers and tombstones only.", hint="Take a larger one.")
    return living, {kind: list(rules) for kind, rules in uniques.items()}, notes


def _marker_words(item: Item) -> list[str]:
    texts = [value["S"] for value in item.values() if "S" in value and value["S"].startswith("UNIQUE")]
    return texts[0].split("#") if texts else []


# ------------------------------------------------------------------------------------------------- the whole file


def _noted(sketch: EntitySketch, cluster: Cluster, verdict: Verdict) -> EntitySketch:
    count, fitting = len(cluster.items), verdict.fitting[sketch.name]
    said = f"From {count:,} {'item' if count == 1 else 'items'}"
    said += ", all of which fit." if fitting == count else f", of which {fitting:,} fit."
    few = " So few tell little: look at what is a label and what a field." if count < 3 else ""
    return replace(sketch, comments=(said + few,))


def _code(
    layout: Layout,
    names: AttributeNames,
    entities: Sequence[EntitySketch],
    style: KeyStyle,
    count: int,
    patterns: Sequence[PatternSketch] = (),
) -> str:
    arguments: dict[str, str] = {}
    usual = AttributeNames.lower() if names.pk == "pk" else AttributeNames()
    changed = [m for m in AttributeNames.__struct_fields__ if getattr(names, m) != getattr(usual, m)]
    if usual != AttributeNames() and not changed:
        arguments["names"] = "AttributeNames.lower()"
    else:
        base = AttributeNames()
        changed = [m for m in AttributeNames.__struct_fields__ if getattr(names, m) != getattr(base, m)]
        if changed:
            arguments["names"] = f"AttributeNames({', '.join(f'{m}={quoted(getattr(names, m))}' for m in changed)})"
    if layout.pk != KeyAttribute(names.pk):
        arguments["pk"] = _attribute(layout.pk)
    if layout.sk is None:
        arguments["sk"] = "None"
    elif layout.sk != KeyAttribute(names.sk):
        arguments["sk"] = _attribute(layout.sk)
    if layout.settings.stream is not None:
        arguments["stream"] = quoted(layout.settings.stream)
    if layout.settings.deployment:
        shown = ", ".join(f"{name}={value}" for name, value in layout.settings.deployment.items())
        arguments["deployment"] = f"Deployment({shown})"
    if not style.strict:
        escape = ", escape=True" if style.escape else ""
        arguments["key_style"] = f"KeyStyle.adopted({quoted(style.separator)}{escape})"
    variable = python_name(layout.name)
    return model_code(
        ModelSketch(
            table=f"{variable}_table" if variable in KNOWN_NAMES else variable,
            table_name=layout.name,
            entities=tuple(entities),
            indexes=tuple(_index(index, names) for index in layout.indexes),
            patterns=tuple(patterns),
            arguments=arguments,
            doc=f"{layout.name}, worked out from {count:,} of its items. Names, types and literals are guesses to look at.",
        )
    )


def _index(index: IndexLayout, names: AttributeNames) -> str:
    pk, sk = names.of_index(index.name)
    arguments = [quoted(index.name)]
    if not index.local and index.pk != (KeyAttribute(pk),):
        arguments.append(f"pk={_side(index.pk)}")
    if not index.sk:
        arguments.append("sk=None")
    elif index.sk != (KeyAttribute(sk),):
        arguments.append(f"sk={_side(index.sk)}")
    if index.projection == "KEYS_ONLY":
        arguments.append('projection="KEYS_ONLY"')
    elif index.projection == "INCLUDE":
        arguments.append(f"projection=[{', '.join(map(quoted, index.include))}]")
    return f"{'LSI' if index.local else 'GSI'}({', '.join(arguments)})"


def _side(attributes: tuple[KeyAttribute, ...]) -> str:
    shown = [_attribute(a) for a in attributes]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"


def _attribute(attribute: KeyAttribute) -> str:
    wrap = {"S": "{}", "N": "number({})", "B": "binary({})"}[attribute.tag]
    return wrap.format(quoted(attribute.name))
