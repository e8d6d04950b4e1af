"""The JSON of NoSQL Workbench, as far as it is read and written here."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from tablewright.errors import ArgumentError

VERSION = "3.0"
SERVICE = "Amazon DynamoDB"


def _no_mysql() -> dict[str, Any]:
    return {"MySql": {}}


class Attribute(Struct, rename="pascal", frozen=True):
    """An attribute with its type."""

    attribute_name: str
    attribute_type: str = "S"


class KeyAttributes(Struct, rename="pascal", frozen=True):
    """A key; one without a sort key lacks that member."""

    partition_key: Attribute
    sort_key: Attribute | UnsetType = UNSET

    @property
    def sides(self) -> tuple[Attribute, ...]:
        """Its attributes."""
        return (self.partition_key,) if isinstance(self.sort_key, UnsetType) else (self.partition_key, self.sort_key)


class KeyAttributeAlias(Struct, rename="pascal", frozen=True):
    """What a facet calls the table's key attributes; here, the templates that they are made of."""

    partition_key_alias: str
    sort_key_alias: str | UnsetType = UNSET

    @property
    def sides(self) -> tuple[str, ...]:
        """For each attribute of the key."""
        second = () if isinstance(self.sort_key_alias, UnsetType) else (self.sort_key_alias,)
        return (self.partition_key_alias, *second)


class Facet(Struct, rename="pascal", frozen=True):
    """A view of the table: here, one for each entity."""

    facet_name: str
    key_attribute_alias: KeyAttributeAlias
    non_key_attributes: list[str] = []
    table_data: list[dict[str, Any]] = []
    data_access: dict[str, Any] = msgspec.field(default_factory=_no_mysql)


class Projection(Struct, rename="pascal", frozen=True):
    """What an index holds."""

    projection_type: str = "ALL"
    non_key_attributes: list[str] | UnsetType = UNSET


class GlobalIndex(Struct, rename="pascal", frozen=True):
    """A global secondary index."""

    index_name: str
    key_attributes: KeyAttributes
    projection: Projection = Projection()


class TableFile(Struct, rename="pascal", frozen=True):
    """A table of a data model."""

    table_name: str
    key_attributes: KeyAttributes
    non_key_attributes: list[Attribute] = []
    table_facets: list[Facet] = []
    global_secondary_indexes: list[GlobalIndex] = []
    table_data: list[dict[str, Any]] = []
    data_access: dict[str, Any] = msgspec.field(default_factory=_no_mysql)
    billing_mode: str = "PAY_PER_REQUEST"


class Metadata(Struct, frozen=True):
    """What a data model says of itself."""

    author: str = msgspec.field(name="Author", default="")
    created: str = msgspec.field(name="DateCreated", default="")
    modified: str = msgspec.field(name="DateLastModified", default="")
    description: str = msgspec.field(name="Description", default="")
    service: str = msgspec.field(name="AWSService", default=SERVICE)
    version: str = msgspec.field(name="Version", default=VERSION)


class DataModelFile(Struct, rename="pascal", frozen=True):
    """A whole file."""

    model_name: str
    model_metadata: Metadata
    data_model: list[TableFile]


def written(model: DataModelFile) -> str:
    """The text of a file."""
    return msgspec.json.format(msgspec.json.encode(model), indent=2).decode() + "\n"


def read(text: str | bytes) -> DataModelFile:
    """What stands in a file; ArgumentError for one that is no data model of DynamoDB in the version that is known here."""
    try:
        raw: Any = msgspec.json.decode(text)
        metadata = raw.get("ModelMetadata") or {}
        version, service = metadata.get("Version"), metadata.get("AWSService", SERVICE)
    except (msgspec.DecodeError, AttributeError):
        raise ArgumentError("This is no JSON of NoSQL Workbench.", hint="Export a data model as JSON there.") from None
    if version != VERSION:
        raise ArgumentError(
            f"Invalid version: the data model is of version {version!r}, and {VERSION!r} is read.",
            hint="Open it in a current NoSQL Workbench and export it again.",
        )
    if service != SERVICE:
        raise ArgumentError(f"The data model is for {service!r}, not for {SERVICE}.")
    try:
        return msgspec.convert(raw, DataModelFile)
    except msgspec.ValidationError as error:
        raise ArgumentError(f"The data model cannot be read: {error}.") from None
