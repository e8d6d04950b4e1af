"""Plain tables: dicts in, dicts out; what DynamoDB cannot return and what must be awaited is refused."""

from typing import Any, assert_type

from tablewright import (
    AsyncPlainTable,
    AsyncResults,
    Page,
    PlainTable,
    Results,
    attr,
    between,
    open_table,
    open_table_async,
    sort_key,
    starts_with,
)

from .model import shop

KEY = {"PK": "p", "SK": "s"}


def sync() -> None:
    table = open_table("Plain", "memory:", definition=shop)
    assert_type(table, PlainTable)
    assert_type(table.get(KEY, projection=["a"]), dict[str, Any] | None)
    assert_type(table.get_many([KEY], chunk_size=10), list[dict[str, Any] | None])
    found = table.query("p", sort_key >= "a", filter=attr("n") > 1, index="GSI1")
    assert_type(found, Results[dict[str, Any]])
    assert_type(found.page(3), Page[dict[str, Any]])
    table.query(["a", "b"], between(sort_key, ["x", 1], ["x", 2]))
    table.query("p", starts_with(sort_key, ["x", "y"]))
    table.query("p", starts_with(sort_key, b"\x00"))
    table.put({"PK": "p"}, return_values="ALL_OLD")
    table.update(KEY, set={"a": 1}, return_values="UPDATED_NEW")

    with table.batch(chunk_size=10) as batch:
        batch.put({"PK": "p"})
    table.batch(chunk_size="10")  # E
    table.batch(10)  # E
    table.put({"PK": "p"}, return_values="ALL_NEW")  # E
    table.delete(KEY, return_values="UPDATED_OLD")  # E
    table.update(KEY, set={"a": 1}, return_values="EVERYTHING")  # E
    table.get("p")  # E
    table.get(KEY)["a"]  # E - it may be None
    table.query()  # E
    table.query("p", limit="10")  # E
    table.update(KEY, sets={"a": 1})  # E
    open_table("Plain", "memory:", definition="shop")  # E
    open_table("Plain", "memory:", creates=True)  # E
    open_table()  # E


async def asynchronous() -> None:
    async with open_table_async("Plain", "memory:", definition=shop) as table:
        assert_type(table, AsyncPlainTable)
        assert_type(await table.get(KEY), dict[str, Any] | None)
        assert_type(table.query("p"), AsyncResults[dict[str, Any]])
        assert_type(await table.query("p").page(3), Page[dict[str, Any]])
        table.get(KEY)["a"]  # E
        for _ in table.query("p"):  # E
            pass
    with open_table_async("Plain", "memory:"):  # E
        pass
