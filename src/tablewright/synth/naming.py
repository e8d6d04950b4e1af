"""Words for keys: what stands before the fields in each template, so that no two entities' keys can be taken for each other.

The names come last, when it is known which entities share a partition; the result is proved as a whole afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from tablewright.synth.facts import EntityFacts
from tablewright.synth.needs import Together, Wanted
from tablewright.synth.placing import Placed
from tablewright.synth.search import Solution
from tablewright.synth.shapes import Shape

Native: TypeAlias = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
"""Name and type of an entity's own attributes on both sides of an index."""


class KeyText(Struct, frozen=True):
    """The templates of one entity on the table or on one index, as they will be written."""

    index: str | None
    pk: str
    sk: str
    shape: Shape
    shard: str | None = None
    """The placeholder that spreads the partition."""
    native: Native | None = None
    """The attributes, where the index is made of the entity's own and no key is composed."""


Named: TypeAlias = Mapping[str, Sequence[KeyText]]
"""The templates of each entity: the table's first, then those of the indexes that it is in."""


def words(name: str) -> str:
    """`SURVEY_SECTION` for SurveySection or survey_section."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).upper()


def name_keys(facts: Sequence[EntityFacts], wanted: Wanted, solution: Solution) -> Named:
    """The templates of each entity."""
    namer = _Namer(
        facts, {shape.shards for keyed in solution.keyed.values() for shape in keyed.shapes if shape is not None}
    )
    named: dict[str, list[KeyText]] = {f.name: [] for f in facts}
    for slot in range(solution.indexes + 1):
        there = {f.name: shape for f in facts if (shape := solution.keyed[f.name].shapes[slot]) is not None}
        placed = [(g, p) for g, p in zip(wanted.together, solution.placed, strict=True) if p.slot == slot]
        clusters = list(_clusters(there, [{p.entity for p in g.parts} for g, _ in placed]))
        namer.word_together(there, clusters, [g for g, p in placed if g.adjacent and not p.prefix and not g.ordered])
        for name, text in namer.slot(slot, there, clusters, placed):
            named[name].append(text)
    return named


def _clusters(there: Mapping[str, Shape], groups: Sequence[set[str]]) -> Iterator[list[str]]:
    """Entities that share a partition because they are read together; each other one is alone."""
    left = list(there)
    while left:
        names = {left[0]}
        while any(group & names and not group <= names for group in groups):
            names = names.union(*(group for group in groups if group & names))
        yield [n for n in left if n in names]
        left = [n for n in left if n not in names]


class _Namer:
    def __init__(self, facts: Sequence[EntityFacts], shards: set[int]) -> None:
        self._facts = {f.name: f for f in facts}
        self._one_shard = len(shards - {1}) <= 1 and not any("shard" in f.fields for f in facts)
        self._identified = {f.identity[0]: f.name for f in reversed(facts) if len(f.identity) == 1}
        self._words: dict[str, str] = {}

    def word_together(
        self, there: Mapping[str, Shape], clusters: Sequence[list[str]], groups: Sequence[Together]
    ) -> None:
        """Chooses the words for entities, so that those which are read together lie beside each other."""
        self._words = {name: words(name) for name in there}
        for group in sorted(groups, key=lambda g: len(g.parts)):
            members = {part.entity for part in group.parts}
            cluster = next(c for c in clusters if members <= set(c))
            own = sorted(self._words[n] for n in members)
            between = [n for n in cluster if n not in members and own[0] < self._words[n] < own[-1]]
            if between and not any(there[n].literal or self._words[n] != words(n) for n in members):
                self._words |= {n: f"{words(group.pattern)}_{words(n)}" for n in members}

    def slot(
        self,
        slot: int,
        there: Mapping[str, Shape],
        clusters: Sequence[list[str]],
        placed: Sequence[tuple[Together, Placed]],
    ) -> Iterator[tuple[str, KeyText]]:
        """The templates on the table (slot 0) or on an index."""
        taken = {self._partition(c, there) for c in clusters if len(c) > 1}
        seen: set[tuple[str, ...]] = set()
        labels = self._labels(there, placed)
        for cluster in clusters:
            partition = self._partition(cluster, there)
            # A request for several entities reads whole partitions, where nobody else may be; and where there are few
            # partitions, those who are not read together do not add up in one of them.
            alone = partition in taken and (len(cluster) == 1 or partition in seen)
            alone = alone or (partition in seen and not self._spread(cluster, there))
            apart = words(cluster[0]) if alone else None
            seen.add(partition)
            first = {label for name in cluster if (label := labels.get((name, 0))) is not None}
            for name in cluster:
                own = [labels.get((name, position)) for position in range(there[name].literal)]
                yield name, self._text(slot, name, there[name], partition, apart, own, first)

    def _labels(
        self, there: Mapping[str, Shape], placed: Sequence[tuple[Together, Placed]]
    ) -> dict[tuple[str, int], str | None]:
        """The words before the sort fields that several entities share: one for all who are read together, or their items
        would not lie in one range, or not in one order. What cannot be taken for a word, such as a time, needs none."""
        alike: dict[tuple[str, int], set[tuple[str, int]]] = {}
        for group, place in placed:
            for position in range(len(place.prefix) + group.ordered):
                met = {(part.entity, position) for part in group.parts}
                met = met.union(*(alike.get(spot, set()) for spot in met))
                alike |= dict.fromkeys(met, met)
        labels: dict[tuple[str, int], str | None] = {}
        for name, shape in there.items():  # the order in which entities are declared decides
            for position in range(shape.literal):
                spot = (name, position)
                if spot in labels:
                    continue
                met = alike[spot]
                fields = [(n, there[n].sort[position]) for n in there if (n, position) in met]
                known = [pair for pair in fields if pair[1] in self._identified]
                needed = any(there[n].labelled > position for n, _ in met)
                needed = needed or any(self._facts[n].wordlike(field) for n, field in fields)
                labels |= dict.fromkeys(met, self._label(*(known or fields)[0]) if needed else None)
        return labels

    def _spread(self, cluster: Sequence[str], there: Mapping[str, Shape]) -> bool:
        return all(self._facts[name].spread.intersection(there[name].partition) for name in cluster)

    def _partition(self, cluster: Sequence[str], there: Mapping[str, Shape]) -> tuple[str, ...]:
        """The words before the fields of a partition key; of several fields that mean the same, the best known names it."""
        first = there[cluster[0]]
        if not first.partition:
            constants = [word for n, v in first.when for word in (words(n), words(str(getattr(v, "value", v))))]
            return (f"{words(cluster[0])}S", *(re.sub(r"[^A-Z0-9]+", "_", c).strip("_") or "NONE" for c in constants))
        labels = []
        for position in range(len(first.partition)):
            fields = [(name, there[name].partition[position]) for name in cluster]
            known = [pair for pair in fields if pair[1] in self._identified]
            labels.append(self._label(*(known or fields)[0]))
        return tuple(labels)

    def _label(self, entity: str, field: str) -> str:
        if field.lower() == "id":
            return words(entity)
        stem = re.sub(r"(?<=.)(_id|Id|ID)$", "", field)
        if stem == field and field in self._identified:
            own = self._facts[entity].identity == (field,)
            return words(entity if own else self._identified[field])
        return words(stem)

    def _text(
        self,
        slot: int,
        name: str,
        shape: Shape,
        partition: tuple[str, ...],
        apart: str | None,
        labels: Sequence[str | None],
        first: set[str],
    ) -> KeyText:
        facts = self._facts[name]
        fields = [f"{label}#{{{field}}}" for label, field in zip(partition, shape.partition, strict=False)]
        pk = "#".join((*(fields or partition), *([] if apart is None else [apart])))
        index = None if slot == 0 else f"GSI{slot}"
        shard = None
        if shape.shards > 1:
            shard = "shard" if self._one_shard else f"{(index or 'table').lower()}_shard"
            pk += f"#{{{shard}}}"
        sorts = [facts.placeholder(f, sorts=True) for f in shape.sort]
        before = [p if label is None else f"{label}#{p}" for label, p in zip(labels, sorts, strict=False)]
        word = self._words[name]
        if shape.labelled and word == labels[shape.labelled - 1]:
            word = "META"
        elif not shape.literal and word in first:
            word += "S"
        return KeyText(index, pk, "#".join((*before, word, *sorts[shape.literal :])), shape, shard)
