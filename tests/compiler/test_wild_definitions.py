"""Whatever is written into a definition, it is accepted or refused with an error of ours, and the table stays whole."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from hypothesis import event, given
from hypothesis import strategies as st

from tablewright import GSI, LSI, Bucket, Entity, Keys, KeyStyle, Shard, Table, Unique, attr, exists, number, sparse
from tablewright.errors import TablewrightError
from tablewright.model.entity import EntityMeta
from tablewright.values.keycodec import STRICT

FIELDS: dict[str, Any] = {
    "a": str,
    "b": int,
    "c": Decimal,
    "d": datetime,
    "e": date | None,
    "f": float,
    "g": list[str],
    "h": UUID,
    "i": Literal["x", "y"],
    "j": bytes,
    "k": bool,
    "l": set[str],
}
NAMES = st.sampled_from([*FIELDS, "zz", "shard", "created_at"])
PIECES = st.one_of(
    st.sampled_from(["#", "|", "", "A", "BC", "{", "}", "{}", "$", "%", " ", "{a", "a}", "{a:0}", "é", "##", "\ud800"]),
    st.builds("{{{}}}".format, NAMES),
    st.builds("{{{}:{}}}".format, NAMES, st.sampled_from(["2", "02", "3.2", "x", "99", ""])),
)
TEMPLATES = st.lists(PIECES, max_size=5).map("".join)
SANE = st.lists(st.one_of(st.sampled_from(["A", "B"]), st.builds("{{{}}}".format, NAMES)), min_size=1, max_size=3).map(
    "#".join
)
TEMPLATE = st.one_of(SANE, TEMPLATES)
INDEX_KEYS = st.one_of(
    TEMPLATE,
    st.tuples(TEMPLATE),
    st.tuples(TEMPLATE, TEMPLATE),
    st.tuples(st.tuples(TEMPLATE, TEMPLATE), TEMPLATE),
    st.tuples(TEMPLATE, TEMPLATE).map(lambda sides: sparse(*sides, when=exists(attr("e")))),
    st.tuples(TEMPLATE, TEMPLATE, NAMES).map(lambda s: sparse(s[0], s[1], when=attr(s[2]) > 3)),
    st.none(),
    st.integers(),
)
DERIVED = st.one_of(
    st.builds(Shard, NAMES, of=st.integers(2, 9)), st.builds(Bucket, NAMES, st.sampled_from(["hour", "day", "year"]))
)
KEYWORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["T", "", "Unique", "a b", 3]),
        "version": st.sampled_from([True, 1]),
        "schema_version": st.sampled_from([1, 0, "1"]),
        "ttl": NAMES,
        "nested": st.sampled_from(["m", "", "PK", 3]),
        "flat": st.sampled_from([["a"], "a", ["zz"], 3]),
        "stored": st.sampled_from(
            [{"a": "b"}, {"a": "PK"}, {"zz": "q"}, {"a": ""}, [], {"a": "weight"}, {"b": "weight"}]
        ),
        "timestamps": st.sampled_from([False, None]),
        "tabel": st.just(1),
    },
)


SOME_KEYWORDS = st.one_of(st.just({}), st.just({}), KEYWORDS)
INDEXES = st.dictionaries(st.sampled_from(["GSI1", "Multi", "LSI1", "GSI9"]), INDEX_KEYS, max_size=2)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    if draw(st.integers(0, 5)) == 0:
        return Table("Wild", pk=number("b"), sk=None)
    style = draw(st.sampled_from([STRICT, STRICT, KeyStyle.adopted("|"), KeyStyle.adopted("#", escape=True)]))
    indexes = [GSI("GSI1"), GSI("Multi", pk=["m1", "m2"], sk=None), LSI("LSI1", sk=number("weight"))]
    return Table("Wild", indexes=indexes, key_style=style)


@st.composite
def definitions(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a class statement gives: the arguments of Keys(), and its keywords."""
    keys = {
        "pk": draw(TEMPLATE),
        "sk": draw(st.one_of(TEMPLATE, TEMPLATE, st.none())),
        "indexes": draw(st.one_of(st.just({}), INDEXES)),
        "derive": draw(st.one_of(st.just({}), st.dictionaries(st.sampled_from(["shard", "a"]), DERIVED, max_size=1))),
        "unique": draw(st.lists(st.one_of(NAMES, st.builds(Unique, NAMES, key=TEMPLATE)), max_size=1)),
    }
    return keys, draw(SOME_KEYWORDS)


def state(table: Table) -> tuple[Any, ...]:
    return dict(table.entities), dict(table.plan.entities), dict(table.plan.by_type), table.plan.warnings


@given(tables(), st.lists(definitions(), min_size=1, max_size=4))
def test_definitions_are_accepted_or_refused_in_our_words(table: Table, wild: list[Any]) -> None:
    for position, (given_keys, keywords) in enumerate(wild):
        before = state(table)
        refused: TablewrightError | None = None
        try:
            keys = Keys(given_keys.pop("pk"), given_keys.pop("sk"), **given_keys)
            body = {"__annotations__": FIELDS, "__module__": __name__, "__qualname__": f"E{position}", "keys": keys}
            EntityMeta(f"E{position}", (Entity,), body, table=table, **keywords)
        except TablewrightError as error:
            refused = error
        event(f"refused: {type(refused).__name__}" if refused is not None else "accepted")
        if refused is not None:
            str(refused).encode()  # no lone surrogate of a template gets into a message, where printing it would fail
            assert state(table) == before
        else:
            assert len(table.entities) == len(before[0]) + 1
