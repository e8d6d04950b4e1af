"""A data model of NoSQL Workbench as a sketch of a model, from which code is written that a person goes on with."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET

from tablewright.errors import ArgumentError
from tablewright.generate.model_code import (
    EntitySketch,
    FieldSketch,
    IndexKeysSketch,
    ModelSketch,
    model_code,
    python_name,
    quoted,
)
from tablewright.generate.workbench.conditions import condition_source
from tablewright.generate.workbench.files import (
    Attribute,
    DataModelFile,
    Facet,
    GlobalIndex,
    KeyAttributeAlias,
    TableFile,
    read,
)
from tablewright.generate.workbench.keyforms import Item, from_alias, from_values
from tablewright.generate.workbench.notes import Told, told_by
from tablewright.model.indexes import AttributeNames
from tablewright.wording import counted

_ANNOTATIONS = {
    "S": "str",
    "N": "Decimal",
    "B": "bytes",
    "BOOL": "bool",
    "M": "dict[str, Any]",
    "L": "list[Any]",
    "SS": "set[str]",
    "NS": "set[Decimal]",
    "BS": "set[bytes]",
    "NULL": "Any",
}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
"""As moments are stored here."""
_WHOLE = re.compile(r"-?\d{1,18}")


def models_of(text: str | bytes) -> dict[str, str]:
    """The code of a model for each table of a data model, by the table's name."""
    file = read(text)
    return {table.table_name: model_code(sketch(file, table)) for table in file.data_model}


def sketch(file: DataModelFile, table: TableFile) -> ModelSketch:
    """One table of a data model."""
    told = told_by(file.model_metadata.description)
    facets = table.table_facets or [_only_facet(table)]
    entities = [_Facet(table, facet, told, alone=len(facets) == 1).entity() for facet in facets]
    names = [entity.name for entity in entities]
    if len(set(names)) < len(names):
        raise ArgumentError(f"{table.table_name} has two facets that make one class: {', '.join(sorted(names))}.")
    arguments: dict[str, str] = {}
    if table.key_attributes.partition_key != Attribute(told.names.pk):
        arguments["pk"] = _attribute(table.key_attributes.partition_key)
    sort = table.key_attributes.sides[1:]
    if not sort or sort[0] != Attribute(told.names.sk):
        arguments["sk"] = _attribute(sort[0]) if sort else "None"
    return ModelSketch(
        table=python_name(file.model_name),
        table_name=table.table_name,
        entities=tuple(entities),
        indexes=tuple(_index(index, told.names) for index in table.global_secondary_indexes),
        arguments=arguments | told.arguments,
        doc="\n\n".join(
            [
                f"{python_name(file.model_name, upper=True)}, begun from a data model of NoSQL Workbench.",
                *(["\n".join(["Not taken over:", *(f"- {line}" for line in told.unread)])] if told.unread else []),
            ]
        ),
    )


def _only_facet(table: TableFile) -> Facet:
    names = [side.attribute_name for side in table.key_attributes.sides]
    return Facet(table.table_name, KeyAttributeAlias(names[0], names[1] if len(names) > 1 else UNSET))


def _attribute(attribute: Attribute) -> str:
    function = {"N": "number", "B": "binary"}.get(attribute.attribute_type)
    name = quoted(attribute.attribute_name)
    return f"{function}({name})" if function else name


def _index(index: GlobalIndex, names: AttributeNames) -> str:
    usual = names.of_index(index.index_name)
    sides = index.key_attributes.sides
    arguments = [quoted(index.index_name)]
    if [(s.attribute_name, s.attribute_type) for s in sides] != [(name, "S") for name in usual]:
        arguments.append(f"pk={_attribute(sides[0])}")
        arguments.append(f"sk={_attribute(sides[1])}" if len(sides) > 1 else "sk=None")
    projection = index.projection
    if projection.projection_type == "KEYS_ONLY":
        arguments.append('projection="KEYS_ONLY"')
    elif projection.projection_type == "INCLUDE" and projection.non_key_attributes:
        arguments.append(f"projection=[{', '.join(map(quoted, projection.non_key_attributes))}]")
    return f"GSI({', '.join(arguments)})"


class _Facet:
    """Makes an entity of one facet."""

    def __init__(self, table: TableFile, facet: Facet, told: Told, *, alone: bool) -> None:
        self._table = table
        self._facet = facet
        self._told = told
        self._doc = re.sub(r'["\\]+', "'", told.docs.get(facet.facet_name, ""))
        self._alone = alone
        self._name = facet.facet_name if told.ours and _names(facet.facet_name) else _class_name(facet.facet_name)
        self._kept = {*told.names.own(), told.names.owner, told.names.deleted, told.names.remains}
        self._derived = told.derived.get(self._name, {})
        self._items: Sequence[Item] = facet.table_data or (table.table_data if alone else [])
        self._types = {a.attribute_name: a.attribute_type for a in table.non_key_attributes}
        self._keys = {s.attribute_name for s in table.key_attributes.sides}
        self._fields = {name: self._field_name(name) for name in self._attributes()}
        self._native: dict[str, str] = {}
        self._given = set(self._keys)
        self._parts: dict[str, str] = {}
        self._comments: list[str] = []

    def _field_name(self, attribute: str) -> str:
        known = self._told.stored.get(self._name, {}).get(attribute)
        return known or (attribute if self._told.ours and _names(attribute) else python_name(attribute))

    def _attributes(self) -> Iterator[str]:
        listed = self._facet.non_key_attributes or (list(self._types) if self._alone else [])
        for name in dict.fromkeys([*listed, *(n for item in self._items for n in item)]):
            if name not in self._kept | self._keys and not self._made_for_an_index(name):
                yield name

    def _made_for_an_index(self, name: str) -> bool:
        """Whether an attribute is there only for an index, as GSI1PK is: other key attributes are data as well."""
        for index in self._table.global_secondary_indexes:
            sides = [side.attribute_name for side in index.key_attributes.sides]
            if name in sides:
                told = self._told.keys.get((index.index_name, self._name))
                if told is not None and len(told) == len(sides):
                    return told[sides.index(name)] != f"{{{self._field_name(name)}}}"
                usual = self._told.names.of_index(index.index_name)
                return name.upper() in (attribute.upper() for attribute in usual)
        return False

    def entity(self) -> EntitySketch:
        """The entity: keys first, since they bring fields with them."""
        sides = self._table.key_attributes.sides
        aliases = self._facet.key_attribute_alias.sides
        templates = [self._template(side, alias) for side, alias in zip(sides, aliases, strict=False)]
        indexes = {i.index_name: keys for i in self._table.global_secondary_indexes if (keys := self._on(i))}
        used = [t for keys in indexes.values() for t in (*keys.pk, *keys.sk)]
        named = _placeholders([*templates, *used])
        derived = {name: source for name, source in self._derived.items() if name in named}
        in_key = {name for name in _placeholders(templates) if name not in derived}
        fields = tuple(self._field_sketches(in_key, {n: width for n, width in named.items() if n not in derived}))
        stored = {name: attribute for attribute, name in {**self._fields, **self._native}.items() if name != attribute}
        known = {field.name for field in fields}
        renamed = ", ".join(f"{quoted(n)}: {quoted(a)}" for n, a in stored.items() if n in known)
        return EntitySketch(
            name=self._name,
            fields=fields,
            pk=templates[0],
            sk=templates[1] if len(templates) > 1 else None,
            indexes=indexes,
            unique=self._told.unique.get(self._name, ()),
            derive=derived,
            options=self._told.options.get(self._name, {}) | ({"stored": f"{{{renamed}}}"} if renamed else {}),
            doc=self._doc,
            comments=tuple(self._comments),
        )

    def _template(self, side: Attribute, alias: str) -> str:
        literal = self._told.ours or (alias.isupper() and alias != side.attribute_name)
        spelled = alias if literal else from_alias(alias)
        if spelled is not None:
            return spelled
        sampled = self._in_samples(
            side.attribute_name, self._items, sorts=side is not self._table.key_attributes.partition_key
        )
        if sampled is not None:
            return sampled
        if self._alone or side.attribute_type != "S":
            self._native[side.attribute_name] = self._field_name(side.attribute_name)
            return f"{{{self._native[side.attribute_name]}}}"
        self._comments.append(f"The data model does not say what {side.attribute_name} is made of: this is a guess.")
        name = python_name(alias)
        self._parts[name] = ""
        return f"{self._name.upper()}#{{{name if alias != side.attribute_name else name + '_id'}}}"

    def _on(self, index: GlobalIndex) -> IndexKeysSketch | None:
        """Its keys on an index, for the attributes that it does not have by another key; None where it is not in it."""
        sides = [side.attribute_name for side in index.key_attributes.sides]
        told = self._told.keys.get((index.index_name, self._name))
        if told is None and self._told.ours:
            return None
        found: list[str | None] = []
        for number, name in enumerate(sides):
            if name in self._given:
                found.append(None)
            elif told is not None and len(told) == len(sides):
                found.append(told[number])
            else:
                having = [item for item in self._items if name in item]
                known = self._fields.get(name)
                template = self._in_samples(name, having, sorts=number > 0) if known is None else f"{{{known}}}"
                if template is None:
                    return None
                found.append(template)
        if not any(found):
            return None  # it follows from the keys that it shares
        self._given |= set(sides)
        pk, sk = (tuple(t for t in side if t is not None) for side in (found[:1], found[1:]))
        return IndexKeysSketch(pk, sk, self._condition(index, sides, [*pk, *sk]))

    def _condition(self, index: GlobalIndex, sides: Sequence[str], templates: Sequence[str]) -> str | None:
        """The condition of a sparse index, as far as it is told; what is not is said."""
        text = self._told.conditions.get((index.index_name, self._name))
        if text is not None:
            source = condition_source(text)
            if source is None:
                self._comments.append(f"{index.index_name} holds only some of them, which could not be read: {text}.")
            return source
        attributes = {name: attribute for attribute, name in self._fields.items()}
        needed = [attributes[name] for name in _placeholders(templates) if name in attributes]
        outside = [i for i in self._items if all(n in i for n in needed) and not all(side in i for side in sides)]
        if outside and not self._told.ours:
            self._comments.append(
                f"{len(outside)} of {counted(len(self._items), 'sample')} are not in {index.index_name}, for a reason that the data "
                "model does not tell: perhaps it is sparse(..., when=...)."
            )
        return None

    def _in_samples(self, attribute: str, items: Sequence[Item], *, sorts: bool) -> str | None:
        found = from_values(attribute, items, self._fields, self._parts, sorts=sorts) if items else None
        if found is None:
            return None
        self._parts |= found[1]
        return found[0]

    def _field_sketches(self, in_key: set[str], placeholders: Mapping[str, str]) -> Iterator[FieldSketch]:
        types = {name: self._types.get(attribute, "S") for attribute, name in self._fields.items()}
        types |= {self._field_name(s.attribute_name): s.attribute_type for s in self._table.key_attributes.sides}
        names = dict.fromkeys([*placeholders, *self._fields.values()])
        told = self._told.types.get(self._name, {})
        for name in sorted(names, key=lambda n: not self._always(n, in_key)):
            annotation = _annotation(types.get(name, "S"), placeholders.get(name))
            annotation = told[name] if name in told else self._by_samples(name, annotation)
            if self._always(name, in_key):
                yield FieldSketch(name, annotation)
            else:
                yield FieldSketch(name, f"{annotation} | None" if annotation != "Any" else annotation, "None")

    def _by_samples(self, name: str, annotation: str) -> str:
        """A narrower type, where all samples are of it."""
        attributes = [a for a, n in self._fields.items() if n == name]
        values = [next(iter(item[a].values())) for a in attributes for item in self._items if a in item]
        form = {"str": _MOMENT, "Decimal": _WHOLE}.get(annotation)
        if form is None or not values or not all(isinstance(v, str) and form.fullmatch(v) for v in values):
            return annotation
        return "datetime" if annotation == "str" else "int"

    def _always(self, name: str, in_key: set[str]) -> bool:
        """Whether every item has it."""
        attribute = next((a for a, n in self._fields.items() if n == name), None)
        if name in self._told.always.get(self._name, ()):
            return True
        return name in in_key or (bool(self._items) and all(attribute in item for item in self._items))


def _names(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text)


def _class_name(text: str) -> str:
    return python_name(text, upper=True)


def _placeholders(templates: Sequence[str]) -> dict[str, str]:
    """The fields that templates name, with the width that each has there."""
    found: dict[str, str] = {}
    for template in templates:
        for name, width in re.findall(r"\{(\w+)(?::([\d.]+))?\}", template):
            found[name] = found.get(name) or width
    return found


def _annotation(tag: str, width: str | None) -> str:
    """The type of a field. In a key, a number with a width is one of those types that can have it."""
    if width:
        return "Decimal" if "." in width else "int"
    if width is not None and tag == "N":
        return "int"
    return _ANNOTATIONS.get(tag, "Any")
