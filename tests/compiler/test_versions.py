"""Schema versions as pure functions: declared without gaps, chained, and back again."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from tablewright import GSI, Entity, Keys, Table
from tablewright.compiler.versions import Versions
from tablewright.errors import ModelError, SchemaVersionError
from tablewright.values.wire import to_wire_item

OWN = frozenset({"PK", "SK", "Type", "SchemaVersion"})
Attributes = dict[str, Any]


def made(
    number: int, steps: dict[int, tuple[Callable[[Attributes], Attributes], Callable[[Attributes], Attributes]]]
) -> Versions:
    versions = Versions("Thing", number, "SchemaVersion", OWN)
    for version, (up, down) in steps.items():
        versions.add("upcast", version, up)
        versions.add("downcast", version + 1, down)
    return versions


def renaming(name: str, other: str) -> tuple[Callable[[Attributes], Attributes], Callable[[Attributes], Attributes]]:
    """A name and another one change places, in both directions."""

    def swap(item: Attributes) -> Attributes:
        return {{name: other, other: name}.get(n, n): value for n, value in item.items()}

    return swap, swap


scalars = (
    st.text(max_size=5)
    | st.integers(-(10**20), 10**20)
    | st.decimals(-1000, 1000, places=3)
    | st.binary(max_size=5)
    | st.booleans()
    | st.none()
)
values = st.recursive(
    scalars
    | st.sets(st.text(max_size=3), min_size=1, max_size=3)
    | st.sets(st.integers(0, 99), min_size=1, max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", min_size=1), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(["a", "b", "c", "d"])
items = st.dictionaries(names, values, max_size=4).map(
    lambda item: to_wire_item({"PK": "x", "SK": "y", "Type": "Thing", **item})
)
chains = st.lists(st.tuples(names, names), min_size=1, max_size=5)


@given(items, chains)
def test_a_chain_is_one_step_after_the_other_and_leads_back(item: Any, chain: list[tuple[str, str]]) -> None:
    steps = {n: renaming(*pair) for n, pair in enumerate(chain, start=1)}
    whole = made(len(chain) + 1, steps)
    by_one = item
    for version in steps:
        by_one = made(version + 1, {n: s for n, s in steps.items() if n <= version}).current(by_one)
    current = whole.current(item)
    assert current == by_one
    assert current["SchemaVersion"] == {"N": str(len(chain) + 1)}
    assert whole.down(current, 1) == {**item, "SchemaVersion": {"N": "1"}}
    assert whole.current(current) is current


def test_functions_get_plain_values_and_nothing_that_is_not_theirs() -> None:
    seen: list[Attributes] = []
    versions = made(2, {1: (lambda item: seen.append(dict(item)) or item, lambda item: item)})  # type: ignore[func-returns-value]
    stored = {
        "text": {"S": "t"},
        "whole": {"N": "1"},
        "exact": {"N": "1.50"},
        "bytes": {"B": "AA=="},
        "flag": {"BOOL": True},
        "nothing": {"NULL": True},
        "list": {"L": [{"N": "2"}]},
        "map": {"M": {"x": {"S": "y"}}},
        "set": {"SS": ["b", "a"]},
    }
    item: Any = {"PK": {"S": "p"}, "SK": {"S": "s"}, "Type": {"S": "Thing"}, **stored}
    assert versions.current(item) == {
        **item,
        "SchemaVersion": {"N": "2"},
    }  # the very values, not others that mean the same
    assert seen == [
        {
            "text": "t",
            "whole": 1,
            "exact": Decimal("1.50"),
            "bytes": b"\0",
            "flag": True,
            "nothing": None,
            "list": [2],
            "map": {"x": "y"},
            "set": {"a", "b"},
        }
    ]


def test_a_function_may_change_what_it_is_given() -> None:
    def up(item: Attributes) -> Attributes:
        item["list"].append("more")
        item["map"]["z"] = 1
        return item

    versions = made(2, {1: (up, lambda item: item)})
    item: Any = {"PK": {"S": "p"}, "list": {"L": []}, "map": {"M": {}}}
    before = repr(item)
    assert versions.current(item)["list"] == {"L": [{"S": "more"}]}
    assert versions.current(item)["map"] == {"M": {"z": {"N": "1"}}}
    assert repr(item) == before


@pytest.mark.parametrize(
    ("up", "error", "said"),
    [
        (lambda item: None, ModelError, "returned NoneType, no dict"),
        (lambda item: {**item, "PK": "x"}, ModelError, "returned 'PK', which is not its to say"),
        (lambda item: {**item, "a": 0.5}, ModelError, "made a 'a' that cannot be stored: A float"),
        (lambda item: {**item, "a": {"": 1}}, ModelError, "made a 'a' that cannot be stored: Empty"),
        (lambda item: {**item, "a": object()}, ModelError, "made a 'a' that cannot be stored: A object"),
        (lambda item: item["gone"], SchemaVersionError, "from version 1 failed with KeyError"),
    ],
)
def test_what_a_function_must_not_do(up: Any, error: type[Exception], said: str) -> None:
    versions = made(2, {1: (up, lambda item: item)})
    with pytest.raises(error, match=said):
        versions.current({"PK": {"S": "p"}})


def thing(version: int | None) -> tuple[Table, Any]:
    table = Table("Things", indexes=[GSI("GSI1")])
    if version is None:

        class Plain(Entity, table=table):
            keys = Keys("THING#{id}", "THING")
            id: str

        return table, Plain

    class Thing(Entity, table=table, schema_version=version):
        keys = Keys("THING#{id}", "THING", GSI1=("ALL", "{rank:4}"))
        id: str
        rank: int = Field(default=0, ge=0)

    return table, Thing


def same(item: Attributes) -> Attributes:
    return item


@pytest.mark.parametrize(
    ("has", "way", "version", "said"),
    [
        (None, "upcast", 1, "has no schema version"),
        (1, "upcast", 1, "there is no upcast from version 1"),
        (3, "upcast", 0, "there is no upcast from version 0"),
        (3, "upcast", 3, "there is no upcast from version 3"),
        (3, "upcast", "1", "there is no upcast from version '1'"),
        (3, "upcast", True, "there is no upcast from version True"),
        (3, "downcast", 1, "there is no downcast from version 1"),
        (3, "downcast", 4, "there is no downcast from version 4"),
    ],
)
def test_only_versions_of_the_entity_have_casts(has: int | None, way: str, version: Any, said: str) -> None:
    table, entity = thing(has)
    with pytest.raises(ModelError, match=said):
        getattr(table, way)(entity, version)(same)


def test_what_is_declared_wrong_is_refused() -> None:
    table, entity = thing(2)
    assert table.upcast(entity, 1)(same) is same
    with pytest.raises(ModelError, match="there are two upcasts from version 1"):
        table.upcast(entity, 1)(same)
    with pytest.raises(ModelError, match="is int, no function"):
        table.downcast(entity, 2)(5)  # type: ignore[type-var]


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_gap_is_told(missing: int) -> None:
    table, entity = thing(4)
    for version in {1, 2, 3} - {missing}:
        table.upcast(entity, version)(same)
    with pytest.raises(ModelError, match=f"has schema_version=4, but no upcast from version {missing}"):
        table.plan.check_versions()
    table.upcast(entity, missing)(same)
    table.plan.check_versions()


def test_a_version_without_upcasts_is_a_label() -> None:
    table, entity = thing(4)
    table.plan.check_versions()
    item: Any = {"PK": {"S": "THING#1"}, "SK": {"S": "THING"}, "id": {"S": "1"}, "SchemaVersion": {"N": "2"}}
    assert table.plan.of(entity).decode(item) == entity(id="1")
    with pytest.raises(SchemaVersionError, match="is of version 5, and this program knows versions up to 4"):
        table.plan.of(entity).decode({**item, "SchemaVersion": {"N": "5"}})


def test_keys_of_indexes_that_are_fields_are_handed_over() -> None:
    table = Table("Ranks", indexes=[GSI("ByKind", pk="kind", sk="rank")])

    class Rank(Entity, table=table, schema_version=2):
        keys = Keys("RANK#{id}", "RANK", ByKind=("{kind}", "{rank}"))
        id: str
        kind: str
        rank: str

    seen: list[str] = []
    table.upcast(Rank, 1)(lambda item: seen.extend(sorted(item)) or {**item, "rank": "low"})  # type: ignore[func-returns-value]
    item: Any = {"PK": {"S": "RANK#1"}, "SK": {"S": "RANK"}, "id": {"S": "1"}, "kind": {"S": "k"}}
    assert table.plan.of(Rank).decode(item) == Rank(id="1", kind="k", rank="low")
    assert seen == ["id", "kind"]
