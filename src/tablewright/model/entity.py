"""`Entity`: a Pydantic model that lives in a table. Its fields are the domain's; keys are added on the way out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

from msgspec import Struct, field
from msgspec.structs import asdict
from pydantic import BaseModel, ConfigDict, PrivateAttr
from pydantic import Field as PydanticField
from pydantic._internal._model_construction import ModelMetaclass
from pydantic_core import CoreSchema, core_schema

from tablewright.errors import ArgumentError, ModelError
from tablewright.model.annotations import field_annotation
from tablewright.model.comparing import Field
from tablewright.model.inspection import refusing
from tablewright.model.keys import Keys
from tablewright.model.sealing import Hidden, sealed_as
from tablewright.model.soft_delete import SoftDelete
from tablewright.model.symbols import user_frame
from tablewright.wording import nearest

if TYPE_CHECKING:
    from tablewright.model.table import TableModel

_building: ContextVar[bool] = ContextVar("tablewright_entity_building", default=False)
_OPTIONS = ("type", "version", "schema_version", "ttl", "nested", "flat", "stored", "timestamps", "soft_delete", "lock")
STORED, STORED_KEY = "__stored__", "__stored_key__"
"""Where an entity keeps what the table knows of it, beside its fields: its Stored, and the contents of its primary key."""


class Stored(Struct, frozen=True, gc=False):
    """What the table knows of an item beside its fields; kept on entities that were read or written."""

    version: int | None = None
    """The version, where the entity has one."""
    created: str | None = None
    """When the item was created, as it is stored; `created_at` is the same as a datetime."""
    updated: str | None = None
    """When it was last written, as it is stored; `updated_at` is the same as a datetime."""
    schema_version: int | None = None
    """The `schema_version` of the entity that wrote it."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        """Lets views have a field of this type; in JSON it is an object."""
        optional = core_schema.typed_dict_field
        members = core_schema.typed_dict_schema(
            {
                "version": optional(core_schema.nullable_schema(core_schema.int_schema()), required=False),
                "created": optional(core_schema.nullable_schema(core_schema.str_schema()), required=False),
                "updated": optional(core_schema.nullable_schema(core_schema.str_schema()), required=False),
                "schema_version": optional(core_schema.nullable_schema(core_schema.int_schema()), required=False),
            }
        )
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(lambda given: cls(**given), members),
            python_schema=core_schema.is_instance_schema(cls),
            serialization=core_schema.plain_serializer_function_ser_schema(asdict, return_schema=members),
        )

    @property
    def created_at(self) -> datetime | None:
        """When the item was created."""
        return datetime.fromisoformat(self.created) if self.created else None

    @property
    def updated_at(self) -> datetime | None:
        """When the item was last written."""
        return datetime.fromisoformat(self.updated) if self.updated else None


class EntityOptions(Struct, frozen=True):
    """The class keywords of an entity, checked."""

    type: str
    version: bool = False
    schema_version: int | None = None
    ttl: str | None = None
    nested: str | None = None
    flat: tuple[str, ...] = ()
    stored: Mapping[str, str] = field(default_factory=dict)
    timestamps: bool = True
    soft_delete: SoftDelete | None = None
    lock: bool = False
    """Whether writes are locked by the time of the last one."""


def with_article(name: str) -> str:
    """ "an Invoice", "a Ticket": a name in a message. A U is a vowel before two consonants: an Update, but a User."""
    vowel = re.match(r"[AEIOaeio]|[Uu][^aeiouAEIOU]{2}", name)
    return f"{'an' if vowel else 'a'} {name}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """ " Did you mean 'username'?" for a near miss, else what there is."""
    names = sorted(known)
    meant = nearest(name, names)
    return f" Did you mean {meant!r}?" if meant is not None else f" There are: {', '.join(names)}." if names else ""


def _refuse_unknown_keywords(name: str, options: Mapping[str, Any]) -> None:
    unknown = [key for key in options if key not in ConfigDict.__annotations__]
    if unknown:
        raise ModelError(
            f"{name} has the unknown class keyword {unknown[0]!r}.{did_you_mean(unknown[0], ('table', *_OPTIONS))}"
        )


@dataclass_transform(kw_only_default=True, field_specifiers=(PydanticField, PrivateAttr))
class EntityMeta(ModelMetaclass):
    """Makes `Order.status` a field to build conditions with, and registers each entity with its table."""

    def __new__(  # the class statement passes table= and options
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], *, table: Any = None, **options: Any
    ) -> Any:
        own = {key: options.pop(key) for key in list(options) if key in _OPTIONS}
        asked = {key: options.pop(key) for key in getattr(table, "asks", ()) if key in options}
        _refuse_unknown_keywords(name, options)
        building = _building.set(True)
        try:
            cls: Any = super().__new__(mcs, name, bases, namespace, **options)
            if table is not None and not cls.__pydantic_complete__:
                # Pydantic looks for local names one frame too early, because this method stands between.
                cls.model_rebuild(raise_errors=False, _types_namespace=user_frame().f_locals)
        finally:
            _building.reset(building)
        if table is not None:
            cls.__table__ = table
            cls.__asked__ = asked
            with refusing(table, "entity", name, cls):
                cls.__options__ = _read_options(cls, own)
            if "__options__" in cls.__dict__:
                table.register(cls)
        elif own:
            raise ModelError(
                f"{name} has the keywords {', '.join(sorted(own))}, but no table.",
                hint=f"Write class {name}(Entity, table=..., {next(iter(own))}=...).",
            )
        return cls

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_: Any) -> None:
        super().__init__(name, bases, namespace)

    if not TYPE_CHECKING:  # type checkers see the fields' own types

        def __getattr__(cls, name: str) -> Any:
            fields = cls.__dict__.get("__pydantic_fields__")
            if fields and name in fields and not _building.get():
                return Field(cls, (name,), field_annotation(fields[name]))
            if name.startswith("_") or _building.get() or not fields:
                return super().__getattr__(name)
            raise AttributeError(f"{cls.__name__} has no field {name!r}.{did_you_mean(name, fields)}")


class Entity(BaseModel, metaclass=EntityMeta):
    """Base class of everything that is stored. Give it `table=` and `keys = Keys(...)`.

    Class keywords: `type` (stored type name, the class's name by default), `version=True` (optimistic lock),
    `schema_version=1`, `ttl="expires_at"`, `nested="survey"` (fields live in one map of that name, but for key fields and
    those listed in `flat`), `stored={"email": "e"}` (other attribute names), `timestamps=False`,
    `soft_delete=SoftDelete(...)` (deleted items leave tombstones), `lock="updated_at"` (optimistic lock by time).
    """

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, validate_assignment=True)

    keys: ClassVar[Keys]
    __options__: ClassVar[EntityOptions]
    __asked__: ClassVar[Mapping[str, Any]] = {}
    if TYPE_CHECKING:  # tables know entities, so that at run time nobody could say what this name means
        __table__: ClassVar[TableModel]

    @property
    def model_fields_set(self) -> set[str]:
        """The fields that were given a value; a copy, since entities that were read share theirs."""
        return set(self.__pydantic_fields_set__)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """The fields to show: what is stored encrypted or elsewhere does not end up in logs."""
        fields = type(self).model_fields
        for name, value in super().__repr_args__():
            info = fields.get(name or "")
            seal = None if info is None or value is None else sealed_as(field_annotation(info))
            yield name, value if seal is None else Hidden(seal)


def stored(entity: Entity) -> Stored | None:
    """Version and timestamps of an entity that came from the table; None for one that was only built."""
    try:
        return entity.__dict__.get(STORED)
    except AttributeError:
        raise ArgumentError(
            f"stored() was given {type(entity).__name__}, not an entity.",
            hint="get() returns None when there is no item.",
        ) from None


def _read_options(cls: type[Entity], given: Mapping[str, Any]) -> EntityOptions:
    name, fields = cls.__name__, cls.model_fields

    def wrong(keyword: str, expected: str) -> ModelError:
        return ModelError(f"{name}: the class keyword {keyword} must be {expected}.")

    def existing(keyword: str, field_name: object) -> None:
        if not isinstance(field_name, str) or field_name not in fields:
            raise ModelError(
                f"{name}: {keyword} names field {field_name!r}, which {name} does not have."
                + did_you_mean(str(field_name), fields)
            )

    options = dict(given)
    options.setdefault("type", name)
    if not isinstance(options["type"], str) or not options["type"]:
        raise wrong("type", "a non-empty text")
    for flag in ("version", "timestamps"):
        if flag in options and not isinstance(options[flag], bool):
            raise wrong(flag, "True or False")
    schema = options.get("schema_version")
    if schema is not None and (not isinstance(schema, int) or isinstance(schema, bool) or schema < 1):
        raise wrong("schema_version", "a whole number from 1 on")
    if options.get("ttl") is not None:
        existing("ttl", options["ttl"])
    if options.get("nested") is not None and (not isinstance(options["nested"], str) or not options["nested"]):
        raise wrong("nested", "the name of a map attribute")
    if not isinstance(options.get("flat", ()), list | tuple | set | frozenset):
        raise wrong("flat", "a list of field names")
    options["flat"] = tuple(options.get("flat", ()))
    for flat in options["flat"]:
        existing("flat", flat)
    if options["flat"] and not options.get("nested"):
        raise ModelError(f"{name}: flat= only means something together with nested=.")
    if not isinstance(options.get("stored", {}), Mapping):
        raise wrong("stored", "a mapping from field names to attribute names")
    for field_name, attribute in options.get("stored", {}).items():
        existing("stored", field_name)
        if not isinstance(attribute, str) or not attribute:
            raise wrong("stored", "a mapping from field names to attribute names")
    if not isinstance(options.get("soft_delete"), SoftDelete | None):
        raise wrong("soft_delete", "a SoftDelete(...)")
    if options.get("lock", "updated_at") != "updated_at":
        raise wrong("lock", '"updated_at"')
    options["lock"] = "lock" in options
    if options["lock"] and options.get("version"):
        raise ModelError(f"{name} has both a version and a lock by time.", hint="A version alone is the better lock.")
    for own, declared in (("version", options.get("version")), ("updated_at", options["lock"])):
        if declared and own in fields:
            raise ModelError(
                f"{name} is locked by a {own} that the library keeps, and has a field {own!r}, which would be another one.",
                hint=f"Leave the field out: stored(entity).{own} tells what the lock compares. Or rename it, if it means "
                f'something else: stored={{"other_{own}": "{own}"}} keeps the name of its attribute.',
            )
    if not options.get("timestamps", True) and (options["lock"] or options.get("soft_delete")):
        raise ModelError(f"{name}: lock= and soft_delete= need the time stamps that timestamps=False leaves out.")
    if cls.__table__.needs_keys and not isinstance(getattr(cls, "keys", None), Keys):
        raise ModelError(
            f"{name} has no keys.", hint=f'Add keys = Keys("{name.upper()}#{{id}}", "{name.upper()}#{{id}}").'
        )
    return EntityOptions(**options)
