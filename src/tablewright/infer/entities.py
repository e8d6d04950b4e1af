"""From the items of one kind to the sketch of an entity: its fields, keys and index keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from tablewright.compiler.fields import CREATED, UPDATED
from tablewright.generate.model_code import EntitySketch, FieldSketch, IndexKeysSketch, python_name, quoted
from tablewright.infer.clusters import MADE, Cluster, may_be_made
from tablewright.infer.forms import Form, Writer
from tablewright.infer.sample import IndexLayout, Layout
from tablewright.infer.templates import Recovery, Template
from tablewright.infer.values import STATE, Guess, guess, moment, usual
from tablewright.model.entity import Entity
from tablewright.model.indexes import AttributeNames, KeyAttribute
from tablewright.model.keys import Bucket, Derived, attr_is
from tablewright.values.keycodec import KeyStyle
from tablewright.values.types import AttributeValue, Item

_FEW = 5
_SEVERAL = 3
_TYPES = ("keys", "date", "datetime", "str", "int", "bool", "bytes", "set", "list", "dict")
"""Names that a field cannot have, since the class body uses them."""


class _Field(Struct):
    """A field as far as it is known."""

    attribute: str
    guess: Guess
    in_key: Guess
    """What it is where it stands in a key, which takes no value of just any type."""
    missing: int = 0
    nulls: int = 0
    only_in_key: bool = False
    nested: bool = False
    """Whether it lies in the map of the entity."""


def nested_map(cluster: Cluster) -> str | None:
    """The map that holds the fields of the items, where there is one that is called like their kind."""
    called = {re.sub("[^a-z0-9]", "", name.lower()) for name in (cluster.name, cluster.type or "")} - {""}
    for attribute in cluster.items[0]:
        if re.sub("[^a-z0-9]", "", attribute.lower()) in called:
            return attribute if all(item.get(attribute, {}).get("M") for item in cluster.items) else None
    return None


class EntityMaker:
    """Works out one entity in one style of keys. `nested` is the map that its fields lie in, if any."""

    def __init__(
        self,
        layout: Layout,
        names: AttributeNames,
        cluster: Cluster,
        style: KeyStyle,
        uniques: Sequence[str] = (),
        nested: str | None = None,
    ) -> None:
        self._layout, self._names, self._cluster, self._uniques = layout, names, cluster, uniques
        self._items = cluster.items
        self._style, self._nested = style, nested
        self._fields: dict[str, _Field] = {}
        self._derive: dict[str, Derived] = {}
        self._forms: list[Form] = []
        self._given: set[str] = set()
        self._values: list[dict[str, AttributeValue]] = [{} for _ in self._items]
        self._stamped = all(self._stamps_of(item) for item in self._items)
        own = {names.type, names.version, names.schema}
        if self._stamped:
            own |= {names.created, names.updated}
        attributes = dict.fromkeys(a for item in self._items for a in item)
        for attribute in attributes:
            if attribute not in own and attribute not in layout.attributes and attribute != nested:
                self._add(attribute)
        if nested is not None:
            for attribute in dict.fromkeys(a for item in self._items for a in item[nested]["M"]):
                self._add(attribute, nested)
        self._stamps = {
            name: attribute
            for name, attribute in ((CREATED, names.created), (UPDATED, names.updated))
            if self._stamped and name not in self._fields
        }

    @property
    def unexplained(self) -> int:
        """How many fields only keys hold, as far as they were understood."""
        made = (found.attribute in self._layout.attributes and MADE(found.attribute) for found in self._fields.values())
        return sum(found.only_in_key for found in self._fields.values()) + sum(map(bool, made))

    def sketch(self) -> EntitySketch:
        """The entity."""
        layout = self._layout
        keys = [self._primary(key, sorts=key is layout.sk) for key in layout.keys]
        indexes = {index.name: made for index in layout.indexes if (made := self._index(index)) is not None}
        cluster = self._cluster
        in_key = list(dict.fromkeys(name for template in keys for name in re.findall(r"\{(\w+)", template)))
        ordered = {name: self._fields[name] for name in (*in_key, *self._fields) if name in self._fields}
        return EntitySketch(
            name=cluster.name,
            fields=tuple(self._sketched(name, found, in_key) for name, found in ordered.items()),
            pk=keys[0],
            sk=keys[1] if len(keys) > 1 else None,
            indexes=indexes,
            unique=tuple(self._unique_rules()),
            derive={name: _derived_text(spec) for name, spec in self._derive.items()},
            options=self._options(in_key),
        )

    # ------------------------------------------------------------------------------------------------- fields

    def _add(self, attribute: str, nested: str | None = None) -> str:
        """A field for an attribute, of the item or of a map in it; its name in Python."""
        name = python_name(attribute)
        while hasattr(Entity, name) or name in self._fields or name in _TYPES:
            name += "_"
        places = [item if nested is None else item[nested]["M"] for item in self._items]
        seen = [place[attribute] for place in places if attribute in place]
        values = [value for value in seen if "NULL" not in value]
        made = guess(attribute, values, closed=not attribute.lower().endswith("id"))
        if attribute == self._layout.ttl and made.text == "int":
            made = moment(values)
        self._fields[name] = _Field(
            attribute,
            made,
            usual(attribute, values) if made.annotation is Any else made,
            len(self._items) - len(seen),
            len(seen) - len(values),
            nested=nested is not None,
        )
        for found, place in zip(self._values, places, strict=True):
            if attribute in place and "NULL" not in place[attribute]:
                found[name] = place[attribute]
        return name

    def _sketched(self, name: str, found: _Field, in_key: list[str]) -> FieldSketch:
        text, note = found.guess.text, found.guess.note
        total = len(self._items)
        if found.guess.text.startswith("Literal") and name in in_key:
            text, note = "str", ""  # what identifies an item has more values than a sample shows
        if text == "Any":
            return FieldSketch(name, "Any", "None" if found.missing or found.nulls else None, note)
        if found.missing:
            return FieldSketch(name, f"{text} | None", "None", f"in {total - found.missing:,} of {total:,} items")
        if found.nulls:
            return FieldSketch(name, f"{text} | None", None, f"NULL in {found.nulls:,} of {total:,} items")
        return FieldSketch(name, text, None, "only the key holds it" if found.only_in_key else note)

    def _options(self, in_key: list[str]) -> dict[str, str]:
        names, options, items = self._names, dict[str, str](), self._items
        if self._cluster.type is not None and self._cluster.type != self._cluster.name:
            options["type"] = quoted(self._cluster.type)
        if all("N" in item.get(names.version, {}) for item in items):
            options["version"] = "True"
        versions = [item[names.schema]["N"] for item in items if "N" in item.get(names.schema, {})]
        if versions:
            options["schema_version"] = max(versions, key=int)
        for name, found in self._fields.items():
            if found.attribute == self._layout.ttl and not found.nested and found.guess.expires:
                options["ttl"] = quoted(name)
        stored = {name: found.attribute for name, found in self._fields.items() if name != found.attribute}
        if stored:
            options["stored"] = "{" + ", ".join(f"{quoted(n)}: {quoted(a)}" for n, a in stored.items()) + "}"
        if self._nested is not None:
            options["nested"] = quoted(self._nested)
            flat = [name for name, found in self._fields.items() if not found.nested and name not in in_key]
            if flat:
                options["flat"] = f"[{', '.join(map(quoted, flat))}]"
        if not self._stamped:
            options["timestamps"] = "False"
        return options

    def _stamps_of(self, item: Item) -> bool:
        return self._names.created in item and self._names.updated in item

    def _unique_rules(self) -> Iterator[str]:
        by_attribute = {found.attribute: name for name, found in self._fields.items()}
        for rule in self._uniques:
            fields = [name if name in self._fields else by_attribute.get(name) for name in rule.split("+")]
            if None not in fields:
                shown = ", ".join(quoted(str(name)) for name in fields)
                yield shown if len(fields) == 1 else f"Unique({shown})"

    # --------------------------------------------------------------------------------------------------- keys

    def _recovery(self, *, primary: bool = False) -> Recovery:
        """Finds fields in keys: in the primary key only such as every item has, in others the time stamps as well."""
        guesses = {
            n: found.in_key
            for n, found in self._fields.items()
            if found.in_key.annotation is not Any and not (primary and found.missing + found.nulls)
        }
        if not primary:
            guesses |= dict.fromkeys(self._stamps, Guess(datetime, "datetime"))
        writers = {
            sorts: {name: Writer(name, known, self._style, sorts=sorts) for name, known in guesses.items()}
            for sorts in (False, True)
        }
        return Recovery(self._style, writers)

    def _primary(self, key: KeyAttribute, *, sorts: bool) -> str:
        recovery = self._recovery(primary=True)
        texts = [item.get(key.name, {}).get("S") for item in self._items]
        found: Template | None = None
        if key.tag == "S" and all(texts) and may_be_made(key.name, self._style.separator):
            keys = [(values, str(text)) for values, text in zip(self._values, texts, strict=True)]
            found = recovery.recover(keys, sorts=sorts, primary=True, preferred=self._forms)
        self._given.add(key.name)
        if found is None or (found.plain and found.fresh):
            return self._native(key)
        template = self._take_fresh(found, recovery, [str(text) for text in texts])
        return self._adopted(found, template)

    def _take_fresh(self, found: Template, recovery: Recovery, texts: list[str]) -> str:
        """Makes fields of what only the key holds."""
        template = found.text
        for wanted, position in found.fresh.items():
            name = wanted
            while name in self._fields or hasattr(Entity, name):
                name += "_"
            template = template.replace(f"{{{wanted}}}", f"{{{name}}}")
            self._fields[name] = _Field(name, Guess(str, "str"), Guess(str, "str"), only_in_key=True)
            for values, text in zip(self._values, texts, strict=True):
                part = recovery.part(text, position, found.parts)
                if part is not None:
                    values[name] = {"S": part}
        return template

    def _adopted(self, found: Template, template: str) -> str:
        """The template, with what it is derived from noted under a name of its own."""
        for wanted, spec in found.derive.items():
            name, number = wanted, 2
            while self._derive.get(name, spec) != spec or name in self._fields:
                name, number = f"{wanted}_{number}", number + 1
            self._derive[name] = spec
            template = template.replace(f"{{{wanted}}}", f"{{{name}}}")
        self._forms += found.forms
        for form in found.forms:
            known = self._fields.get(form.field)
            if known is not None:
                if form.as_int:
                    known.in_key = Guess(int, "int", "a time, as the key has it")
                known.guess = known.in_key
        return template

    def _native(self, key: KeyAttribute) -> str:
        """The attribute as a field of its own, or as a copy of another one."""
        stored = [item.get(key.name) for item in self._items]
        for name, found in self._fields.items():
            if found.attribute == key.name and not found.nested:
                return f"{{{name}}}"
        for name, found in self._fields.items():
            if found.guess.annotation is not Any and all(
                s is None or values.get(name) == s for s, values in zip(stored, self._values, strict=True)
            ):
                return f"{{{name}}}"
        return f"{{{self._add(key.name)}}}"

    # ------------------------------------------------------------------------------------------------ indexes

    def _index(self, index: IndexLayout) -> IndexKeysSketch | None:
        needed = [a for a in (index.sk if index.local else index.attributes) if a.name not in self._given]
        inside = [all(a.tag in item.get(a.name, {}) for a in index.attributes) for item in self._items]
        if not any(inside) or not needed:
            return None
        multi = len(index.pk) > 1 or len(index.sk) > 1
        templates: dict[str, str] = {}
        natives = False
        for attribute in needed:
            text, native = self._index_template(attribute, inside, sorts=attribute in index.sk, native=multi)
            templates[attribute.name] = text
            natives = natives or native
        self._given |= templates.keys()
        pk, sk = (tuple(templates[a.name] for a in side if a.name in templates) for side in (index.pk, index.sk))
        used = {name for text in templates.values() for name in re.findall(r"\{(\w+)", text)}
        when, only = (None, {}) if natives else self._condition(inside, used)
        # A field that has but one value in the index says no more there than that value.
        pk, sk = (tuple(_with_literals(text, only) for text in side) for side in (pk, sk))
        return IndexKeysSketch(() if index.local else pk, sk, when)

    def _index_template(
        self, attribute: KeyAttribute, inside: list[bool], *, sorts: bool, native: bool
    ) -> tuple[str, bool]:
        """The template of an attribute, and whether it is a field itself."""
        keys = [
            (values | {name: item[stamp] for name, stamp in self._stamps.items()}, item[attribute.name]["S"])
            for values, item, there in zip(self._values, self._items, inside, strict=True)
            if there and attribute.tag == "S"
        ]
        found = None
        if keys and not native and may_be_made(attribute.name, self._style.separator):
            preferred: list[str | Form] = [
                UPDATED,
                *self._forms,
                *(name for name, known in self._fields.items() if known.only_in_key),
            ]
            found = self._recovery().recover(keys, sorts=sorts, primary=False, preferred=preferred)
        if found is None:
            text = self._native(attribute)
            return text, self._fields[text[1:-1]].attribute == attribute.name
        return self._adopted(found, found.text), False

    def _condition(self, inside: list[bool], fields: set[str]) -> tuple[str | None, dict[str, str]]:
        """What the items of an index have in common that the others do not, where they are not all in it; and the field
        that has but one value there, with that value."""
        members = [v for v, there in zip(self._values, inside, strict=True) if there]
        others = [v for v, there in zip(self._values, inside, strict=True) if not there]
        if not others or all(any(n in self._fields and n not in values for n in fields) for values in others):
            return None, {}
        best: tuple[int, str, dict[str, str]] | None = None
        for name, found in self._fields.items():
            if found.guess.text not in ("str", "bool", "int") and not found.guess.text.startswith("Literal"):
                continue
            here = sorted({_plain(values.get(name)) for values in members}, key=repr)
            there = {_plain(values.get(name)) for values in others}
            if (
                not here
                or None in here
                or there & set(here)
                or (best is not None and best[0] <= len(here) + len(there))
            ):
                continue  # of several fields, the one with the fewest values is the likeliest
            alike = len(members) if len(here) == 1 else len(others) if len(there) == 1 else 0
            if not self._tells_apart([*here, *there], alike):
                continue
            different = len(here) + len(there)
            if len(here) == 1:
                best = different, attr_is(name, here[0], _shown(here[0])), {name: str(here[0])}
            elif len(there) == 1 and None not in there:
                best = different, f"attr({quoted(name)}) != {_shown(next(iter(there)))}", {}
            elif len(here) <= _FEW < len(members):
                best = different, f"is_in(attr({quoted(name)}), [{', '.join(map(_shown, here))}])", {}
        return (None, {}) if best is None else best[1:]

    def _tells_apart(self, values: list[Any], alike: int) -> bool:
        """Whether values look like states of an item, rather than like what identifies it: they come back again, or one
        alone stands in so many items, `alike`, that this is no chance."""
        known = [value for value in values if value is not None]
        states = all(isinstance(v, bool | int) or (isinstance(v, str) and STATE(v) is not None) for v in known)
        return states and (len(known) <= max(3, len(self._items) // 2) or alike >= _SEVERAL)


def _with_literals(template: str, only: Mapping[str, str]) -> str:
    for name, value in only.items():
        if re.fullmatch(r"[A-Za-z0-9_.:-]+", value):
            template = template.replace(f"{{{name}}}", value)
    return template


def _plain(value: Mapping[str, Any] | None) -> Any:
    if value is None:
        return None
    ((tag, content),) = value.items()
    return (
        int(content) if tag == "N" and re.fullmatch("-?[0-9]+", content) else content if tag in ("S", "BOOL") else None
    )


def _shown(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else repr(value)


def _derived_text(spec: Derived) -> str:
    if isinstance(spec, Bucket):
        return f"Bucket({quoted(spec.field)}, {quoted(spec.by)})"
    return f"Shard({', '.join(map(quoted, spec.fields))}, of={spec.of})"
