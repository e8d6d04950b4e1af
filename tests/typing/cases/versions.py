"""Upcasts and downcasts keep their types."""

from typing import Any, assert_type

from tablewright import Entity, Keys, Table

table = Table("Typed")


class User(Entity, table=table, schema_version=2):
    keys = Keys("USER#{id}", "USER")
    id: str


@table.upcast(User, 1)
def up(item: dict[str, Any]) -> dict[str, Any]:
    return item


@table.downcast(User, 2)
def down(item: dict[str, Any]) -> dict[str, Any]:
    return item


assert_type(up({}), dict[str, Any])
assert_type(down({}), dict[str, Any])


@table.upcast(User, 1)  # E
def text(item: str) -> str:
    return item


table.upcast(User, "1")  # E
table.open("memory:", upgrade_on_read=True, write_versions={User: 1})
table.open("memory:", write_versions={"User": 1})  # E
