"""Functions that know the model: keys of declared entities, versions, and values for sparse indexes."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright import GSI, AttributeNames, Entity, Keys, Table, keybuilding
from tablewright.errors import (
    ArgumentError,
    FieldTypeError,
    MissingKeyPartError,
    UnknownEntityTypeError,
    UnknownFieldError,
    UnknownIndexError,
)

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])


class Customer(Entity, table=shop):
    keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}", GSI1=("EMAIL#{email}", "EMAIL#{email}"))
    username: str
    email: str


class Order(Entity, table=shop):
    keys = Keys(
        "CUSTOMER#{username}", "ORDER#{placed_at}#{order_id}", GSI2=("STATUS#{status}", "{placed_at}#{order_id}")
    )
    username: str
    placed_at: datetime
    order_id: str
    status: str = "PENDING"


AT = datetime(2025, 1, 1, tzinfo=UTC)


def test_keys_are_those_that_the_session_writes() -> None:
    order = Order(username="a#b", placed_at=AT, order_id="o1")
    with shop.open("memory:") as db:
        db.create(order)
        db.create(Customer(username="a#b", email="a@b.c"))
        key = keybuilding.primary_key(Order, username="a#b", placed_at=AT, order_id="o1")
        item = db.send("GetItem", {"TableName": db.table_name, "Key": key})["Item"]
        on_index = keybuilding.index_key(Order, "GSI2", status="PENDING", placed_at=AT, order_id="o1")
        assert {name: item[name] for name in on_index} == on_index
        assert keybuilding.build_sort_key(shop, "Order", username="a#b", placed_at=AT, order_id="o1") == item["SK"]
        user = db.send(
            "GetItem", {"TableName": db.table_name, "Key": keybuilding.primary_key(Customer, username="a#b")}
        )
        by_email = keybuilding.index_key(Customer, "GSI1", email="a@b.c")
        assert by_email == {"GSI1PK": user["Item"]["GSI1PK"], "GSI1SK": user["Item"]["GSI1SK"]}


def test_wrong_fields_types_and_indexes_are_refused() -> None:
    with pytest.raises(UnknownFieldError, match="Did you mean 'username'"):
        keybuilding.primary_key(Customer, usernme="a")
    with pytest.raises(MissingKeyPartError):
        keybuilding.primary_key(Customer)
    with pytest.raises(FieldTypeError):
        keybuilding.primary_key(Customer, username=5)
    with pytest.raises(UnknownIndexError, match="GSI1"):
        keybuilding.index_key(Customer, "GSI2", email="a")
    with pytest.raises(MissingKeyPartError, match="needs email"):
        keybuilding.index_key(Customer, "GSI1")
    with pytest.raises(ArgumentError, match="no part of the key on GSI1"):
        keybuilding.index_key(Customer, "GSI1", username="a", email="a")
    with pytest.raises(UnknownEntityTypeError, match="Did you mean 'Order'"):
        keybuilding.build_sort_key(shop, "Ordr", username="a")
    with pytest.raises(ArgumentError, match="no entity"):
        keybuilding.primary_key(dict)  # type: ignore[arg-type]


def test_versions() -> None:
    assert keybuilding.version_attribute() == "Version"
    assert keybuilding.version_attribute(AttributeNames.lower()) == "version"
    assert keybuilding.increment_version(0) == 1
    for wrong in (-1, True, "1", None):
        with pytest.raises(ArgumentError):
            keybuilding.increment_version(wrong)  # type: ignore[arg-type]


def test_sparse_values_and_attributes() -> None:
    assert keybuilding.sparse_index_value(True, "VERIFIED") == "VERIFIED"
    assert keybuilding.sparse_index_value(False, "VERIFIED") is None
    attributes: dict[str, Any] = {"GSI1PK": "VERIFIED"}
    merged = keybuilding.sparse_index_value(True, attributes)
    assert merged == attributes
    assert merged is not attributes
    assert {"a": 1, **keybuilding.sparse_index_value(False, attributes)} == {"a": 1}
    with pytest.raises(ArgumentError):
        keybuilding.sparse_index_value("yes", "VERIFIED")  # type: ignore[call-overload]


@pytest.mark.parametrize("name", keybuilding.__all__)
def test_every_function_is_explained(name: str) -> None:
    assert getattr(keybuilding, name).__doc__


def test_the_list_is_sorted() -> None:
    assert keybuilding.__all__ == sorted(keybuilding.__all__, key=lambda n: (not n[0].isupper(), n))
