"""Paths into an entity's fields (`address.city`, `lines[0].quantity`): where they lead, and what is accepted there."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, get_args

from pydantic import BaseModel

from tablewright.compiler.codecs import codec_for
from tablewright.compiler.fields import (
    DECODING_FAILURES,
    FieldPlan,
    Validator,
    accepted,
    encode_named,
    field_validator,
    validating,
    validating_config,
)
from tablewright.compiler.mapkeys import MapKeys, has_typed_keys, key_type, refused_key
from tablewright.compiler.revalidating import holds_records
from tablewright.compiler.rules import FieldSchema
from tablewright.compiler.sealing import refuse_looking_inside
from tablewright.compiler.wirecodec import SCALARS, WireCodec
from tablewright.compiler.wirerecords import NO_DEFAULT, known_default
from tablewright.errors import UnknownFieldError
from tablewright.model.annotations import member_annotation, members, place_of, plain, without_none
from tablewright.model.conditions import FieldPath, path_text
from tablewright.model.entity import Entity, did_you_mean


def _only_model(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation allows, where it allows one and no other."""
    models = [m for m in members(annotation) if isinstance(m, type) and issubclass(m, BaseModel)]
    return models[0] if len(models) == 1 else None


class PathPlans:
    """Codecs and validators for paths into fields (`address.city`, `lines[0].quantity`), made when first used."""

    def __init__(self, entity: type[Entity], fields: Mapping[str, FieldPlan]) -> None:
        self.entity = entity.__name__
        self._model = entity
        self._fields = fields
        self._known: dict[FieldPath, tuple[Validator, WireCodec, Any]] = {}
        self._typed: dict[str, bool] = {}
        self._keys: dict[FieldPath, MapKeys] = {}

    def stored(self, path: FieldPath) -> FieldPath:
        """The path in the item; keys of maps are validated and normalised as those of a whole map are."""
        root = self.root(path)
        if len(path) == 1:
            return root.path
        typed = self._typed.get(root.name)
        if typed is None:
            typed = self._typed[root.name] = has_typed_keys(root.annotation, bool(validating_config(self._model)))
        if typed:
            self._walk(path)  # refuses a path that leads nowhere
            return (*root.path, *(self._step(path[: depth + 1]) for depth in range(1, len(path))))
        for step in path[1:]:
            if isinstance(step, str) and not (step and step.isascii()):
                self._refuse_text(path, step)
        return (*root.path, *path[1:])

    def _refuse_text(self, path: FieldPath, step: str) -> None:
        """Refuses what no map can have as a key."""
        if not step:
            raise refused_key(self.entity, path_text(path), ValueError("an empty key"))
        encode_named(SCALARS[str], self.entity, path_text(path[:1]), step)

    def _step(self, path: FieldPath) -> str | int:
        """The last step of a path as it is stored."""
        step = path[-1]
        place, holder, _ = self._walk(path)
        kind = key_type(holder, step) if isinstance(step, str) else None
        if kind is None:
            return step
        keys = self._keys.get(place)
        if keys is None:
            keys = self._keys[place] = MapKeys(validating(kind, self._model_at(path)), codec_for(kind))
        try:
            return keys.text(str(step.value if isinstance(step, Enum) else step))
        except DECODING_FAILURES as error:
            raise refused_key(self.entity, path_text(path), error) from None

    def root(self, path: FieldPath) -> FieldPlan:
        """The top-level field of a path."""
        found = self._fields.get(str(path[0]))
        if found is None:
            raise UnknownFieldError(
                f"{self.entity} has no field {path[0]!r}.{did_you_mean(str(path[0]), self._fields)}",
                field=str(path[0]),
            )
        return found

    def absence(self, path: FieldPath) -> Any:
        """What it means when nothing is stored at a path; NO_DEFAULT where that is an error, or not known beforehand."""
        if len(path) == 1:
            root = self.root(path)
            return frozenset() if root.omit_empty else root.known
        for model in members(self._walk(path)[1]):
            if isinstance(model, type) and issubclass(model, BaseModel) and path[-1] in model.model_fields:
                return known_default(model.model_fields[str(path[-1])])
        return NO_DEFAULT

    def annotation(self, path: FieldPath) -> Any:
        """The annotation at a path."""
        root = self.root(path)
        if len(path) == 1:
            return root.annotation
        refuse_looking_inside(self.entity, path_text(path), root.sealing)
        return self._plans(path)[2]

    def accept(self, path: FieldPath, value: Any) -> Any:
        """A validated value for a path."""
        if len(path) == 1:
            return self.root(path).accept(value)
        validator, _, annotation = self._plans(path)
        return accepted(validator, holds_records(annotation), self.entity, path_text(path), value)

    def encode(self, path: FieldPath, value: Any) -> Any:
        """The wire value of a validated value."""
        if len(path) == 1:
            return self.root(path).encode(value)
        return encode_named(self._plans(path)[1], self.entity, path_text(path), value)

    def decode(self, path: FieldPath, stored: Any) -> Any:
        """The value of what is stored at a path inside a field."""
        return self._plans(path)[1].decode(stored)

    def encode_member(self, path: FieldPath, value: Any) -> Any:
        """The wire value of one member of the list or set at a path, validated."""
        codec = self._member(path)[1]
        return encode_named(codec, self.entity, path_text(path), self.accept_member(path, value))

    def accept_member(self, path: FieldPath, value: Any) -> Any:
        """A validated member of the list or set at a path."""
        validator, _, annotation = self._member(path)
        return accepted(validator, holds_records(annotation), self.entity, path_text(path), value)

    def _member(self, path: FieldPath) -> tuple[Validator, WireCodec, Any]:
        """Validator, codec and annotation of one member of the list or set at a path."""
        annotation = without_none(self.annotation(path))
        place = (*self._walk(path)[0], "[]")
        known = self._known.get(place)
        if known is None:
            arguments = get_args(plain(annotation))
            inner = arguments[0] if arguments else Any
            known = self._known[place] = (validating(inner, self._model_at(path)), codec_for(inner), inner)
        return known

    def _plans(self, path: FieldPath) -> tuple[Validator, WireCodec, Any]:
        place, holder, annotation = self._walk(path)
        known = self._known.get(place)
        if known is None:
            model = _only_model(holder)
            if model is not None:
                name = str(path[-1])
                validator = field_validator(model, name, annotation, FieldSchema(model, name))
            else:
                validator = validating(annotation, self._model_at(path))
            known = self._known[place] = (validator, codec_for(annotation), annotation)
        return known

    def _model_at(self, path: FieldPath) -> type[BaseModel]:
        """The innermost model that a path leads through; its configuration holds for what is in its fields."""
        model: type[BaseModel] = self._model
        annotation = self.root(path).annotation
        for step in path[1:]:
            model = _only_model(annotation) or model
            annotation = member_annotation(annotation, step)
        return model

    def _walk(self, path: FieldPath) -> tuple[FieldPath, Any, Any]:
        """The place that a path leads to, what it is a part of, and its annotation. Which position of a list or key of a
        map it is does not matter here, and must not fill the memory."""
        holder = annotation = self.root(path).annotation
        place = [path[0]]
        for depth, step in enumerate(path[1:], start=1):
            place.append(place_of(annotation, step))
            holder, annotation = annotation, member_annotation(annotation, step)
            if annotation is None:
                raise UnknownFieldError(
                    f"{self.entity}.{path_text(path[:depth])} has no part {step!r}.", field=path_text(path)
                )
        return tuple(place), holder, annotation
