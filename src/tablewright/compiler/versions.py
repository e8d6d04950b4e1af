"""Schema versions: what makes of an item of one version one of the next, and back; pure functions on stored attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from tablewright.compiler.noted import is_note, with_notes
from tablewright.compiler.sealing import Held
from tablewright.errors import ModelError, SchemaVersionError, ValidationError
from tablewright.expressions import ast
from tablewright.values.types import AttributeValue, Item
from tablewright.values.wire import from_wire, to_wire

Attributes: TypeAlias = dict[str, Any]
Cast: TypeAlias = Callable[[Attributes], Attributes]
Way: TypeAlias = Literal["upcast", "downcast"]

FIRST = 1
"""The version of items that carry none."""


class Versions:
    """The versions of one entity. Without upcasts its version is a label: what older code wrote is read as it is.

    `number` is the model's version, `attribute` holds that of an item, `own` are the attributes that are nobody's business:
    keys of the table and its indexes, and what the library keeps itself; so is what a migration notes.
    """

    def __init__(self, entity: str, number: int, attribute: str, own: frozenset[str]) -> None:
        self.entity = entity
        self.number = number
        self.attribute = attribute
        self.own = own
        self._casts: dict[tuple[Way, int], Cast] = {}
        self.upcasts = False
        """Whether older items are made current ones."""

    # ---------------------------------------------------------------------------------------------- declaring

    def add(self, way: Way, version: int, cast: Cast) -> None:
        """Declares what leads away from a version."""
        first, last = (FIRST, self.number - 1) if way == "upcast" else (FIRST + 1, self.number)
        if not isinstance(version, int) or isinstance(version, bool) or not first <= version <= last:
            between = f"from {first} to {last}" if first <= last else "at all: it has version 1 only"
            raise ModelError(
                f"{self.entity}: there is no {way} from version {version!r}.",
                hint=f"{self.entity} has schema_version={self.number}, so there are {way}s {between}. "
                "Raise schema_version with each new shape.",
            )
        if not callable(cast):
            raise ModelError(f"{self.entity}: the {way} from version {version} is {type(cast).__name__}, no function.")
        if (way, version) in self._casts:
            raise ModelError(f"{self.entity}: there are two {way}s from version {version}.", hint="Keep one.")
        self._casts[way, version] = cast
        self.upcasts = self.upcasts or way == "upcast"

    def check(self) -> None:
        """Refuses a way with a gap in it."""
        if not self._casts:
            return
        for version in range(FIRST, self.number):
            self._refuse_gap("upcast", version)

    def check_way_to(self, version: object) -> None:
        """Refuses a version that nothing leads down to."""
        if not isinstance(version, int) or isinstance(version, bool) or not FIRST <= version <= self.number:
            raise ModelError(f"{self.entity} has the versions from 1 to {self.number}, not {version!r}.")
        for above in range(self.number, version, -1):
            self._refuse_gap("downcast", above)

    def _refuse_gap(self, way: Way, version: int) -> None:
        if (way, version) not in self._casts:
            raise ModelError(
                f"{self.entity} has schema_version={self.number}, but no {way} from version {version}.",
                hint=f"Declare it: @table.{way}({self.entity}, {version}). Where nothing is to be done, it returns what it gets.",
            )

    # ---------------------------------------------------------------------------------------------- asking

    def of(self, item: Mapping[str, AttributeValue]) -> int:
        """The version of a stored item; one that this model cannot know is refused."""
        stored = item.get(self.attribute)
        if stored is None:
            return FIRST
        text = stored.get("N", "")
        number = int(text) if text.isdecimal() else 0
        if number < FIRST:
            raise SchemaVersionError(
                f"A stored {self.entity} has a {self.attribute!r} that is no version.",
                hint="Versions are whole numbers from 1 on; the item was written by other code.",
                context={"entity": self.entity},
            )
        if number > self.number:
            raise SchemaVersionError(
                f"A stored {self.entity} is of version {number}, and this program knows versions up to {self.number}.",
                hint="Newer code wrote it: deploy the newer code here first, or let it write the older version meanwhile, "
                "with write_versions.",
                context={"entity": self.entity, "version": number},
            )
        return number

    def is_old(self, item: Mapping[str, AttributeValue]) -> bool:
        """Whether an item has to be made a current one."""
        return self.upcasts and item.get(self.attribute) != {"N": str(self.number)} and self.of(item) != self.number

    def as_written(self, *, absent: ast.Condition | None = None) -> ast.Condition:
        """The condition that an item is of the version that a write is planned for. Where the version is a label only, older
        ones are too. `absent` holds where there is no item, if that is as well."""
        if not self.upcasts:
            return self.not_newer()
        alike = ast.Compare("=", ast.Attribute((self.attribute,)), ast.Value({"N": str(self.number)}))
        return alike if absent is None else ast.Or((absent, alike))

    def not_newer(self) -> ast.Condition:
        """The condition that an item is of a version that this model knows; it holds where there is no item."""
        path: ast.Path = (self.attribute,)
        known = ast.Compare("<=", ast.Attribute(path), ast.Value({"N": str(self.number)}))
        return ast.Or((ast.AttributeNotExists(path), known))

    # ---------------------------------------------------------------------------------------------- casting

    def current(self, item: Item) -> Item:
        """The item as the model's version has it. Keys and what the library keeps stay as they are stored."""
        version = self.of(item)
        return self._cast(item, version, self.number) if self.upcasts else item

    def down(self, item: Item, version: int) -> Item:
        """The item as an older version had it."""
        return self._cast(item, self.of(item), version)

    def _cast(self, item: Item, start: int, end: int) -> Item:
        if start == end:
            return item
        given = {name: av for name, av in item.items() if name not in self.own and not is_note(name)}
        attributes = {name: _opened(av) for name, av in given.items()}
        way: Way = "upcast" if start < end else "downcast"
        step = 1 if way == "upcast" else -1
        for version in range(start, end, step):
            attributes = self._stepped(way, version, attributes)
        cast: Item = {name: av for name, av in item.items() if name in self.own}
        cast[self.attribute] = {"N": str(end)}
        for name, value in attributes.items():
            made = self._closed(way, name, value)
            # A number may be written in several ways: what was not changed is not written anew.
            same = name in given and made == _closed(_opened(given[name]))
            cast[name] = given[name] if same else made
        return with_notes(item, cast)

    def _stepped(self, way: Way, version: int, attributes: Attributes) -> Attributes:
        try:
            made: Any = self._casts[way, version](attributes)
        except Exception as error:
            raise SchemaVersionError(
                f"The {way} of a stored {self.entity} from version {version} failed with {type(error).__name__}.",
                hint="The item is as it was; see the cause.",
                context={"entity": self.entity, "version": version},
            ) from error
        if not isinstance(made, dict):
            raise ModelError(
                f"The {way} of {self.entity} from version {version} returned {type(made).__name__}, no dict.",
                hint="Return the attributes of the other version.",
            )
        for name in made.keys() & self.own:
            raise ModelError(
                f"The {way} of {self.entity} from version {version} returned {name!r}, which is not its to say.",
                hint="Keys are made of fields, and type, version and times are the library's.",
            )
        return made

    def _closed(self, way: Way, name: str, value: Any) -> AttributeValue:
        try:
            return _closed(value)
        except ValidationError as error:
            raise ModelError(
                f"The {way}s of {self.entity} made a {name!r} that cannot be stored: {error.message}", hint=error.hint
            ) from None


def _opened(av: AttributeValue) -> Any:
    """A wire value as Python's. A sealed one stays what it is: it can be kept or dropped, not looked into."""
    if isinstance(av, Held):
        return av
    members = av.get("M")
    if members is not None:
        return {name: _opened(member) for name, member in members.items()}
    return from_wire(av)


def _closed(value: Any) -> AttributeValue:
    if isinstance(value, Held):
        return value
    if isinstance(value, Mapping):
        to_wire(dict.fromkeys(value))  # names that cannot be stored are refused
        return {"M": {name: _closed(member) for name, member in value.items()}}
    return to_wire(value)
