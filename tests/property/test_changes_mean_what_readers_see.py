"""A change in the table is the same change in memory: whatever an item leaves to defaults, and whatever rules work out from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tablewright import GSI, Entity, Keys, Session, Table, attr, contains, key, sparse
from tablewright.errors import EmptySetError

table = Table("Meaning", indexes=[GSI("GSI1"), GSI("GSI2")])
NAMES = ("a", "b", "c")


class Inner(BaseModel):
    """Parts with defaults of all kinds."""

    count: int = 5
    made: int = Field(default_factory=lambda: 7)
    none: int | None = None
    steps: list[str] = Field(default_factory=lambda: ["a"])
    marks: set[str] = Field(default_factory=lambda: {"a", "b"})
    free: set[str] = Field(default_factory=set)


class Outer(Entity, table=table, timestamps=False):
    """The same, and an index on a set."""

    keys = Keys("OUTER#{id}", "OUTER", GSI1=sparse("HOT", "{count:5}", when=contains(attr("marks"), "a")))
    id: str
    count: int = Field(default=5, ge=0)
    steps: list[str] = Field(default_factory=lambda: ["a"])
    marks: set[str] = Field(default_factory=lambda: {"a", "b"})
    free: set[str] = Field(default_factory=set)
    inner: Inner = Inner()


class Ruled(Outer, table=table, timestamps=False):
    """The same with fields that are worked out, which a key and a unique value are made of."""

    keys = Keys("RULED#{id}", "RULED", GSI1=("SIZE#{size}", "{id}"), unique=["code"])
    total: int = 0
    size: str = ""
    code: str = ""

    def model_post_init(self, context: Any) -> None:
        self.total = self.count + self.inner.count + len(self.steps)
        self.size = "large" if self.total > 12 else "small"
        self.code = "-".join(sorted(self.marks))


PLACES = ("", "inner.")
members = st.sets(st.sampled_from(NAMES), min_size=1, max_size=2)
changes = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(["count", "inner.count", "inner.made", "inner.none"]), st.integers(0, 3)),
    st.tuples(
        st.just("append"), st.sampled_from([p + "steps" for p in PLACES]), st.lists(st.sampled_from(NAMES), max_size=2)
    ),
    *(
        st.tuples(st.just(kind), st.sampled_from([p + n for p in PLACES for n in ("marks", "free")]), members)
        for kind in ("include", "discard")
    ),
)
TOP, INSIDE = ("count", "steps", "marks", "free"), ("count", "made", "none", "steps", "marks", "free")


@contextmanager
def opened() -> Iterator[Session]:
    with table.open("memory:") as db:
        yield db


def in_memory(entity: Outer, kind: str, path: str, value: Any) -> None:
    """The same change, made to what a reader got."""
    holder: Any = entity.inner if path.startswith("inner.") else entity
    name = path.removeprefix("inner.")
    now = getattr(holder, name)
    match kind:
        case "add":
            after: Any = (now or 0) + value
        case "append":
            after = [*now, *value]
        case "include":
            after = now | value
        case _:
            after = now - value
            if not after and name == "marks":  # an empty one would read as its default again
                raise EmptySetError("nothing is left")
    vars(holder)[name] = after


def stored(db: Session, kind: type[Outer]) -> dict[str, Any]:
    request = {
        "TableName": "Meaning",
        "Key": {"PK": {"S": f"{kind.__name__.upper()}#1"}, "SK": {"S": kind.__name__.upper()}},
    }
    found: dict[str, Any] = db.send("GetItem", request)["Item"]
    return found


def with_everything(kind: type[Outer], entity: Outer) -> tuple[Outer, dict[str, Any]]:
    """What create() makes of an entity, and what it stores."""
    with opened() as db:
        made = db.create(kind(**{name: vars(entity)[name] for name in ("id", *TOP, "inner")}))
        return made, stored(db, kind)


@settings(deadline=None)
@given(
    kind=st.sampled_from([Outer, Ruled]),
    gone=st.sets(st.sampled_from(TOP)),
    gone_inside=st.sets(st.sampled_from(INSIDE)),
    several=st.lists(changes, min_size=1, max_size=4),
)
def test_a_change_in_the_table_is_the_same_change_in_memory(
    kind: type[Outer], gone: set[str], gone_inside: set[str], several: list[tuple[str, str, Any]]
) -> None:
    one = key(kind, id="1")
    with opened() as db:
        db.create(kind(id="1"))
        item = stored(db, kind)
        for name in gone:
            item.pop(name, None)
        for name in gone_inside:
            item["inner"]["M"].pop(name, None)
        db.send("PutItem", {"TableName": "Meaning", "Item": item})
        expected = db.get(one)
        assert expected is not None
        for action, path, value in several:
            refused = False
            try:
                in_memory(expected, action, path, value)
            except EmptySetError:
                refused = True
            try:
                db.update(one, **{action: {path: value}})  # type: ignore[call-overload]
            except EmptySetError:
                assert refused
            else:
                assert not refused
        whole, as_created = with_everything(kind, expected)
        assert db.get(one) == whole
        found = stored(db, kind)
        assert {n: v for n, v in found.items() if n.startswith("GSI")} == {
            n: v for n, v in as_created.items() if n.startswith("GSI")
        }
        if isinstance(whole, Ruled):
            assert found["total"] == as_created["total"]
            markers = [i["PK"]["S"] for i in db.send("Scan", {"TableName": "Meaning"})["Items"] if "UniqueOwner" in i]
            assert markers == [f"UNIQUE#Ruled#code#{whole.code}"]
