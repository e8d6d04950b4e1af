"""Random writes: whoever replays a stream's records has the table, whatever the view shows of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

VIEWS = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")

values = st.one_of(
    st.sampled_from(["0", "1", "1.0", "-7"]).map(lambda n: {"N": n}),
    st.sampled_from(["", "x", "é"]).map(lambda s: {"S": s}),
    st.permutations(["a", "b", "c"]).map(lambda members: {"SS": members}),
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.lists(st.sampled_from(["1", "2"]).map(lambda n: {"N": n}), max_size=2).map(lambda members: {"L": members}),
)
items = st.fixed_dictionaries({}, optional={"v": values, "w": values})
keys = st.tuples(st.sampled_from("ab"), st.integers(0, 2))
writes = st.one_of(
    st.tuples(st.just("put"), keys, items),
    st.tuples(st.just("update"), keys, values),
    st.tuples(st.just("remove"), keys, st.none()),
    st.tuples(st.just("delete"), keys, st.none()),
)
steps = st.lists(
    st.one_of(
        writes.map(lambda write: [write]),
        st.lists(writes, min_size=2, max_size=4, unique_by=lambda write: write[1]),
        st.integers(1, 5 * 3600),
    ),
    max_size=12,
)


def action(table: str, kind: str, key: tuple[str, int], given_: Any) -> tuple[str, dict[str, Any]]:
    key_item = {"pk": {"S": key[0]}, "sk": {"N": str(key[1])}}
    if kind == "put":
        return "Put", {"TableName": table, "Item": {**key_item, **given_}}
    request: dict[str, Any] = {"TableName": table, "Key": key_item}
    if kind == "update":
        more = {"UpdateExpression": "SET v = :v", "ExpressionAttributeValues": {":v": given_}}
        return "Update", {**request, **more}
    if kind == "remove":
        return "Update", {**request, "UpdateExpression": "REMOVE v"}
    return "Delete", request


def canonical(value: Any) -> Any:
    """An item in which sets have no order."""
    if isinstance(value, dict):
        return {name: sorted(inner) if name == "SS" else canonical(inner) for name, inner in value.items()}
    return [canonical(inner) for inner in value] if isinstance(value, list) else value


def identity(record: dict[str, Any]) -> tuple[str, str]:
    found = record["dynamodb"]["Keys"]
    return found["pk"]["S"], found["sk"]["N"]


def stored(lab: Any, table: str) -> dict[tuple[str, str], Any]:
    found = lab("Scan", TableName=table)["Items"]
    return {(item["pk"]["S"], item["sk"]["N"]): canonical(item) for item in found}


@given(todo=steps)
def test_replaying_the_records_gives_the_table(make_lab: Callable[[], Any], todo: list[Any]) -> None:
    lab = make_lab()
    arns = {view: lab.create(view, f"T_{view}") for view in VIEWS}
    for step in todo:
        if isinstance(step, int):
            lab.clock.move(step)
            continue
        for view in VIEWS:
            actions = [action(f"T_{view}", *write) for write in step]
            if len(actions) == 1:
                ((name, request),) = actions
                lab(f"{name}Item", **request)
            else:
                lab("TransactWriteItems", TransactItems=[{name: request} for name, request in actions])
    horizon = int(lab.clock.now() - 24 * 3600)
    records = {view: lab.records(arns[view]) for view in VIEWS}
    tables = {view: stored(lab, f"T_{view}") for view in VIEWS}
    assert all(table == tables["KEYS_ONLY"] for table in tables.values())
    # All views tell of the same changes.
    told = {view: [(record["eventName"], identity(record)) for record in records[view]] for view in VIEWS}
    assert all(one == told["KEYS_ONLY"] for one in told.values())

    state: dict[tuple[str, str], Any] = {}
    known: set[tuple[str, str]] = set()
    for record, new, old in zip(records["NEW_AND_OLD_IMAGES"], records["NEW_IMAGE"], records["OLD_IMAGE"], strict=True):
        key, shown = identity(record), record["dynamodb"]
        assert shown["ApproximateCreationDateTime"] >= horizon
        assert new["dynamodb"].get("NewImage") == shown.get("NewImage")
        assert old["dynamodb"].get("OldImage") == shown.get("OldImage")
        assert "OldImage" not in new["dynamodb"]
        assert "NewImage" not in old["dynamodb"]
        before, after = canonical(shown.get("OldImage")), canonical(shown.get("NewImage"))
        assert record["eventName"] == ("INSERT" if before is None else "REMOVE" if after is None else "MODIFY")
        assert before != after
        if key in known:
            # The old image is what the record before it left behind.
            assert state.get(key) == before
        known.add(key)
        state[key] = after
    numbers = [record["dynamodb"]["SequenceNumber"] for record in records["KEYS_ONLY"]]
    assert numbers == sorted(set(numbers))
    if sum(step for step in todo if isinstance(step, int)) < 24 * 3600:
        assert {key: item for key, item in state.items() if item is not None} == tables["KEYS_ONLY"]
    assert lab.engine.verify() == []
