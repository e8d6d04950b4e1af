"""Keys, shards, buckets and unique rules as a user writes them."""

from typing import Any

import pytest

from tablewright import Bucket, Keys, Shard, Unique, attr, sparse, sparse_local
from tablewright.errors import ModelError
from tablewright.model.keys import IndexKeys


def test_every_way_to_give_index_keys() -> None:
    condition = attr("status") == "open"
    keys = Keys(
        "A#{a}",
        "B#{b}",
        GSI1=("C#{c}", "D#{d}"),
        GSI2=(("{c}", "{d}"), ("{a}",)),
        GSI3=("C#{c}",),
        LSI1="{d}",
        indexes={
            "by-date": sparse("C#{c}", "{d}", when=condition),
            "local": sparse_local("{d}", when=condition),
        },
        unique=["a", Unique("b", "c")],
    )
    assert keys.indexes["GSI1"] == IndexKeys(("C#{c}",), ("D#{d}",))
    assert keys.indexes["GSI2"] == IndexKeys(("{c}", "{d}"), ("{a}",))
    assert keys.indexes["GSI3"] == IndexKeys(("C#{c}",), ())
    assert keys.indexes["LSI1"] == IndexKeys((), ("{d}",))
    assert keys.indexes["by-date"].when is condition
    assert keys.indexes["local"] == IndexKeys((), ("{d}",), condition)  # type: ignore[arg-type]
    assert [u.fields for u in keys.unique] == [("a",), ("b", "c")]
    assert "GSI1" in repr(keys)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Keys(5), "A key template is a text, not int"),  # type: ignore[arg-type]
        (lambda: Keys("A", None, GSI1=(5, "x")), "A key template is a text, not int"),  # type: ignore[arg-type]
        (lambda: Keys("A", "B", GSI1=["x", "y"]), "The keys of index 'GSI1' are not a template"),  # type: ignore[arg-type]
        (lambda: Keys("A", "B", GSI1=("x", "y", "z")), "The keys of index 'GSI1' are not a template"),  # type: ignore[arg-type]
        (lambda: Keys("A", "B", GSI1="x", indexes={"GSI1": "y"}), "gives index 'GSI1' two values"),
        (lambda: Keys("A", "B", derive={"s": "x"}), "derive: 's' is neither a Shard nor a Bucket"),  # type: ignore[dict-item]
        (lambda: Shard(of=8), "needs at least one field"),
        (lambda: Shard("a", of=1), "A Shard of 1 partitions makes no sense"),
        (lambda: Shard("a", of=1001), "A Shard of 1001 partitions makes no sense"),
        (lambda: Bucket("a", "week"), "A Bucket by 'week' is unknown"),  # type: ignore[arg-type]
        (lambda: Unique(), "needs at least one field"),
        (lambda: sparse("A", "B", when=True), "takes a condition on the entity's own fields"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()
