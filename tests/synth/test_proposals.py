"""What a proposal goes by: identity, what never changes, what writers hold, constants, rates and what belongs together."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tablewright import Design, Entity, Table
from tablewright.errors import ArgumentError, ModelError, PatternError
from tablewright.model.entity import EntityMeta
from tablewright.synth.proposal import Proposal, propose_for, read_design
from tablewright.synth.running import run
from tablewright.synth.search import STEPS

HEAD = """
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from pydantic import Field
from tablewright import *

shop = Design("Shop")
"""
ORDER = """
class Order(Entity, table=shop, identity=["order_id"]{more}):
    order_id: str
    customer: str = Field(frozen=True)
    placed_at: datetime = Field(frozen=True)
    status: Literal["open", "sent"] = "open"
    shipped_at: datetime | None = None
    weight: float = 0
"""


def proposed(*parts: str, steps: int = STEPS) -> Proposal:
    text = HEAD + "\n".join(dedent(part) for part in parts)
    return propose_for(vars(run(text, Path(__file__)))["shop"], text, Path(__file__), steps=steps)


def order(more: str = "") -> str:
    return ORDER.format(more=more)


def pattern(name: str, parameters: str, read: str) -> str:
    kind = "Get" if read.startswith("get(") else "Query"
    return f"\n@shop.pattern\ndef {name}({parameters}) -> {kind}[Order]:\n    return {read}\n"


OF = pattern("orders_of", "customer: str", "query(Order, Order.customer == customer).sorted_by(Order.placed_at)")
BY_ID = pattern("order", "order_id: str", "get(Order, Order.order_id == order_id)")


def keys(found: Proposal, entity: str = "Order") -> dict[str | None, tuple[str, str]]:
    (one,) = (e for e in found.entities if e.entity == entity)
    return {key.index: (key.pk, key.sk) for key in one.keys}


def single(found: Proposal) -> dict[str, bool]:
    return {p.name: all(request.single for request in p.requests) for p in found.proof.patterns}


def test_without_a_read_by_its_identity_the_parent_has_the_table_key() -> None:
    assert keys(proposed(order(), OF)) == {None: ("CUSTOMER#{customer}", "ORDER#{placed_at}#{order_id}")}


def test_of_two_keys_that_cost_alike_the_shorter_is_the_table_s_and_the_other_is_told() -> None:
    found = proposed(order(), OF, BY_ID)
    assert keys(found)[None] == ("ORDER#{order_id}", "ORDER")
    assert "customer / placed_at, order_id" in found.explained.alternatives[0]


def test_the_table_key_is_made_of_what_writers_hold() -> None:
    found = proposed(order(', handles=["order_id"]'), OF)
    assert keys(found)[None] == ("ORDER#{order_id}", "ORDER")
    assert keys(found)["GSI1"] == ("CUSTOMER#{customer}", "ORDER#{placed_at}#{order_id}")


def test_what_changes_does_not_stand_in_the_table_key() -> None:
    status = pattern("with_status", 'status: Literal["open", "sent"]', "query(Order, Order.status == status)")
    assert keys(proposed(order(), status))["GSI1"] == ("STATUS#{status}", "ORDER#{order_id}")


def test_a_constant_makes_an_index_sparse() -> None:
    found = proposed(
        order(), BY_ID, pattern("opened", "", 'query(Order, Order.status == "open").sorted_by(Order.placed_at)')
    )
    assert keys(found)["GSI1"] == ("ORDERS#STATUS#OPEN", "ORDER#{placed_at}#{order_id}")
    assert 'when=attr("status") == "open"' in found.code


def test_a_consistent_read_is_served_by_the_table() -> None:
    consistent = OF.replace(".sorted_by", ".consistent().sorted_by")
    assert keys(proposed(order(), BY_ID, consistent))[None] == ("CUSTOMER#{customer}", "ORDER#{placed_at}#{order_id}")


def test_one_key_serves_reads_that_know_more_and_less() -> None:
    at = pattern("at", "customer: str, t: datetime", "query(Order, Order.customer == customer, Order.placed_at == t)")
    whole = pattern(
        "whole",
        "customer: str, t: datetime, order_id: str",
        "get(Order, Order.customer == customer, Order.placed_at == t, Order.order_id == order_id)",
    )
    assert keys(proposed(order(), OF, at, whole)) == {None: ("CUSTOMER#{customer}", "ORDER#{placed_at}#{order_id}")}


@pytest.mark.parametrize(
    ("expectation", "shards"),
    [
        ("shop.expect(Order, writes=900)", None),
        ("shop.expect(Order, writes=2500)", 9),
        ("shop.expect(Order, writes=900, size=3000)", 10),
        ("shop.expect(Order, writes=16_000)", 50),
        ("shop.expect(Order, writes=70_000)", 100),
        ("shop.expect(latest, rate=7000)", None),
        ("shop.expect(latest, rate=100, results=400); shop.expect(Order, size=1000, items=400)", 3),
        ("shop.expect(latest, rate=100, results=50, size=0)", None),
    ],
    ids=["few writes", "many writes", "large items", "wide", "very wide", "many reads", "reads of all", "few reads"],
)
def test_a_partition_is_spread_where_rates_ask_for_it(expectation: str, shards: int | None) -> None:
    latest = pattern("latest", "", "query(Order).sorted_by(Order.placed_at).newest_first()")
    found = proposed(order(), BY_ID, latest, expectation.replace(", size=0", ""))
    assert keys(found)["GSI1"][0] == ("ORDERS" if shards is None else "ORDERS#{shard}")
    assert (f'Shard("order_id", of={shards})' in found.code) == (shards is not None)
    assert single(found) == {"order": True, "latest": shards is None}


def test_a_busy_partition_is_not_shared_with_reads_that_know_more() -> None:
    status = pattern("with_status", 'status: Literal["open", "sent"]', "query(Order, Order.status == status)")
    theirs = pattern(
        "theirs",
        'status: Literal["open", "sent"], customer: str',
        "query(Order, Order.status == status, Order.customer == customer)",
    )
    quiet = proposed(order(), BY_ID, status, theirs)
    assert len(quiet.indexes) == 2  # a read that knows the customer has a partition for each
    busy = proposed(order(), BY_ID, status, theirs, "shop.expect(Order, writes=5000)")
    assert single(busy) == {"order": True, "with_status": False, "theirs": True}


def test_an_item_collection_shares_the_table_key() -> None:
    found = proposed(
        order(),
        """
        class Line(Entity, table=shop, identity=["line_id"]):
            line_id: str
            order_id: str = Field(frozen=True)

        shop.relate(Relationship(Order, Line, "1:N", "item collection"))
        """,
        BY_ID,
    )
    assert keys(found, "Line")[None] == ("ORDER#{order_id}", "LINE#{line_id}")


def test_children_of_several_kinds_keep_their_words_in_an_item_collection() -> None:
    found = proposed(
        order(),
        """
        class Parcel(Entity, table=shop, identity=["order_id", "parcel_id"]):
            order_id: str
            parcel_id: str

        class Remark(Entity, table=shop, identity=["order_id", "remark_id"]):
            order_id: str
            remark_id: str

        shop.relate(
            Relationship(Order, Parcel, "1:N", "item collection"), Relationship(Order, Remark, "1:N", "item collection")
        )
        """,
        BY_ID,
    )
    assert [keys(found, name)[None] for name in ("Order", "Parcel", "Remark")] == [
        ("ORDER#{order_id}", "ORDER"),
        ("ORDER#{order_id}", "PARCEL#{parcel_id}"),
        ("ORDER#{order_id}", "REMARK#{remark_id}"),
    ]


def test_links_are_readable_from_both_ends() -> None:
    found = proposed(
        order(),
        """
        class Tag(Entity, table=shop, identity=["tag_id"]):
            tag_id: str

        class Tagging(Entity, table=shop, identity=["order_id", "tag_id"]):
            order_id: str
            tag_id: str

        shop.relate(
            Relationship(
                Order, Tag, "M:N", "adjacency list", via=Tagging, source_fields=("order_id",), target_fields=("tag_id",)
            )
        )
        """,
    )
    assert keys(found, "Tagging") == {
        None: ("ORDER#{order_id}", "TAGGING#{tag_id}"),
        "GSI1": ("TAG#{tag_id}", "TAGGING#{order_id}"),
    }


def test_unique_rules_are_taken_over() -> None:
    found = proposed(order(', unique=["customer", Unique("status", "placed_at")]'), BY_ID)
    assert isinstance(found.model, Table)
    assert [rule.fields for rule in found.model.entities["Order"].keys.unique] == [
        ("customer",),
        ("status", "placed_at"),
    ]
    assert not found.explained.hints


def test_one_item_of_several_is_a_question_to_the_designer() -> None:
    found = proposed(order(), BY_ID, pattern("by_customer", "c: str", "get(Order, Order.customer == c)"))
    assert "nothing says that there is only one" in found.explained.hints[0]


def test_what_was_not_looked_at_is_not_called_minimal() -> None:
    status = pattern("with_status", 'status: Literal["open", "sent"]', "query(Order, Order.status == status)")
    whole, part = proposed(order(), BY_ID, OF, status), proposed(order(), BY_ID, OF, status, steps=3)
    assert (whole.minimal, part.minimal) == (True, False)
    assert len(part.indexes) >= len(whole.indexes)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (pattern("heavy", "w: float", "query(Order, Order.weight == w)"), "cannot stand in a key"),
        (pattern("newest", "", "query(Order).newest_first()"), "does not say by which field"),
        (pattern("sent", "", "query(Order).sorted_by(Order.shipped_at)"), "may not have"),
        (
            pattern("two", "t: datetime, c: str", "query(Order, Order.placed_at > t, Order.customer > c)"),
            "a key has one",
        ),
        (
            pattern("other", "t: datetime", "query(Order, Order.placed_at > t).sorted_by(Order.customer)"),
            "sorts by 'placed_at' first",
        ),
        (pattern("via", "c: str", 'query(Order, Order.customer == c).via("GSI1")'), "a design has none yet"),
        (
            pattern("now", "s: str", "query(Order, Order.status == s).consistent()"),
            "the table's key cannot serve",
        ),
    ],
    ids=[
        "a float",
        "no order",
        "an order of missing values",
        "two ranges",
        "range and order",
        "an index",
        "consistent",
    ],
)
def test_what_no_key_can_serve_is_said_at_once(more: str, says: str) -> None:
    with pytest.raises(PatternError, match=says):
        proposed(order(), BY_ID, more)


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({}, "does not say what identifies"),
        ({"identity": ["nmae"]}, "Did you mean 'name'"),
        ({"identity": "name"}, "a list of field names"),
        ({"identity": ["name"], "handles": ["size"]}, "handles= lacks 'name'"),
        ({"identity": ["name"], "unique": ["nobody"]}, "unique= names field 'nobody'"),
    ],
    ids=["nothing", "a typing error", "a text", "a handle without it", "a rule for no field"],
)
def test_an_entity_of_a_design_is_checked_where_it_is_defined(keywords: dict[str, object], says: str) -> None:
    design = Design("Shop")
    with pytest.raises(ModelError, match=says):
        EntityMeta("Thing", (Entity,), {"__annotations__": {"name": str, "size": int}}, table=design, **keywords)


def test_what_designs_say_of_entities_is_unknown_to_tables() -> None:
    with pytest.raises(ModelError, match="unknown class keyword 'identity'"):
        EntityMeta("Thing", (Entity,), {"__annotations__": {"name": str}}, table=Table("Shop"), identity=["name"])


def test_identity_must_be_able_to_stand_in_a_key() -> None:
    with pytest.raises(ModelError, match="identified by 'weight'"):
        proposed('class Bag(Entity, table=shop, identity=["weight"]):\n    weight: float\n')


def test_a_file_holds_one_design(tmp_path: Path) -> None:
    file = tmp_path / "design.py"
    file.write_text("x = 1\n")
    with pytest.raises(ArgumentError, match="holds no designs"):
        read_design(file)
    with pytest.raises(ArgumentError, match="There is no file"):
        read_design(tmp_path / "other.py")


def test_a_design_imports_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "kinds_beside.py").write_text("Name = str\n")
    file = tmp_path / "design.py"
    file.write_text(
        HEAD + "from kinds_beside import Name\nclass Thing(Entity, table=shop, identity=['name']):\n    name: Name\n"
    )
    assert list(read_design(file)[0].entities) == ["Thing"]


def test_a_table_key_that_holds_more_than_the_identity_is_told_with_its_cure() -> None:
    of_customer = order().replace('identity=["order_id"]', 'identity=["customer", "order_id"]')
    found = proposed(of_customer, OF)
    assert keys(found)[None] == ("CUSTOMER#{customer}", "ORDER#{placed_at}#{order_id}")
    (told,) = [hint for hint in found.explained.hints if "beside its identity" in hint]
    assert told.startswith("The table key of Order holds placed_at beside its identity (customer, order_id): ")
    assert 'handles=["customer", "order_id"]' in told
    assert any("by its identity alone" in one for one in found.explained.alternatives)
    cures = {
        "handles": (of_customer.replace('"order_id"]', '"order_id"], handles=["customer", "order_id"]'), ""),
        "get": (of_customer, pattern("one", "c: str, o: str", "get(Order, Order.customer == c, Order.order_id == o)")),
        "unique": (of_customer.replace('"order_id"]', '"order_id"], unique=["order_id"]'), ""),
    }
    for cure, (entity, more) in cures.items():
        mended = proposed(entity, OF, more)
        assert not any("beside its identity" in hint for hint in mended.explained.hints), cure
        assert cure == "unique" or "placed_at" not in "".join(keys(mended)[None])


def test_the_marker_of_a_unique_field_is_told_as_the_other_way_to_its_item() -> None:
    by_customer = pattern("by_customer", "c: str", "get(Order, Order.customer == c)")
    found = proposed(order(', unique=["customer"]'), BY_ID, by_customer)
    (told,) = [one for one in found.explained.alternatives if "marker" in one]
    assert told.startswith("by_customer() could do without Order in GSI1: ")
    assert "two requests" in told
    model: Any = found.model
    item = model.entities["Order"]
    with model.open("memory:") as db:
        db.ensure_table()
        db.create(item(order_id="o1", customer="c1", placed_at="2026-01-01T00:00:00Z"))
        key = {name: {"S": "UNIQUE#Order#customer#c1"} for name in ("PK", "SK")}
        assert "UNIQUE#Order#customer#{customer}" in told
        marker = db.send("GetItem", {"TableName": "Shop", "Key": key})["Item"]
        (owner,) = re.findall(r"in its attribute '(\w+)'", told)
        assert marker[owner]["M"] == {"PK": {"S": "ORDER#o1"}, "SK": {"S": "ORDER"}}
    more = pattern("of", "c: str", "query(Order, Order.customer == c, Order.order_id == c)")
    assert not [one for one in proposed(order(), BY_ID, by_customer, more).explained.alternatives if "marker" in one]


def test_keys_that_move_weigh_twice_where_two_serve_alike() -> None:
    reads = (
        pattern(
            "by_state", 'c: str, s: Literal["open", "sent"]', "query(Order, Order.customer == c, Order.status == s)"
        ),
        pattern("by_time", "c: str, t: datetime", "query(Order, Order.customer == c, Order.placed_at == t)"),
    )
    found = proposed(order(', handles=["order_id"]'), BY_ID, *reads)
    copies = found.entities[0].keys[1:]
    (moving,) = [key.shape.month for key in copies if "status" in key.shape.fields]
    (still,) = [key.shape.month for key in copies if "placed_at" in key.shape.fields]
    assert moving == pytest.approx(2 * still)


PART = """
class Garage(Entity, table=shop, identity=["garage_id"]):
    garage_id: str

class Part(Entity, table=shop, identity=["garage_id", "sku"]):
    garage_id: str
    sku: str

@shop.pattern
def part(garage_id: str, sku: str) -> Get[Part]:
    return get(Part, Part.garage_id == garage_id, Part.sku == sku)
"""


def test_a_key_beside_the_parent_is_told_where_one_by_the_whole_identity_is_proposed() -> None:
    found = proposed(PART)
    assert keys(found, "Part")[None] == ("GARAGE#{garage_id}#SKU#{sku}", "PART")
    (told,) = [one for one in found.explained.alternatives if "in the partition of its Garage" in one]
    assert told.startswith("Part could have its table key by garage_id / sku instead, ")
    assert "it costs the same" in told
    decided = proposed(PART, 'shop.relate(Relationship(Garage, Part, "1:N", "item collection"))')
    assert 'relate(Relationship(Garage, Part, "1:N", "item collection"))' in told
    assert keys(decided, "Part")[None] == ("GARAGE#{garage_id}", "PART#{sku}")
    assert not decided.explained.alternatives
    assert not any("partition of its" in one for one in proposed(order(), BY_ID).explained.alternatives)


def test_both_directions_of_links_have_names_of_their_own() -> None:
    found = proposed(
        """
        class Reader(Entity, table=shop, identity=["reader_id"]):
            reader_id: str

        class Book(Entity, table=shop, identity=["isbn"]):
            isbn: str

        class Hold(Entity, table=shop, identity=["reader_id", "isbn"]):
            reader_id: str
            isbn: str

        shop.relate(
            Relationship(
                Reader, Book, "M:N", "adjacency list", via=Hold, source_fields=("reader_id",), target_fields=("isbn",)
            )
        )
        """
    )
    (fewer,) = [one for one in found.explained.rejected if one.startswith("No index at all")]
    assert "no two of the relationship Reader to Book and the relationship Book to Reader can share" in fewer
    assert any(
        one.startswith("The relationship Book to Reader of Hold by the table's key: ")
        for one in found.explained.rejected
    )
    assert any(
        one.endswith("READER#{reader_id} / HOLD#{isbn}, for the relationship Reader to Book.")
        for one in found.explained.choices
    )


DAYS = """
class Day(Entity, table=shop, identity=["shelf", "number"]):
    shelf: str
    number: str
    kind: str = Field(frozen=True)
    open: bool = True
"""


def days(name: str, parameters: str, read: str) -> str:
    kind = "Get" if read.startswith("get(") else "Query"
    return f"\n@shop.pattern\ndef {name}({parameters}) -> {kind}[Day]:\n    return {read}\n"


LISTED = days(
    "listed",
    "shelves: list[str], open: bool",
    "query(Day, is_in(Day.shelf, shelves), Day.open == open).sorted_by(Day.shelf)",
)
FEW = days("few", "shelves: list[str]", "query(Day, is_in(Day.shelf, shelves)).sorted_by(Day.shelf)")
NUMBERED = days(
    "numbered",
    "shelves: list[str], number: str",
    "query(Day, is_in(Day.shelf, shelves), Day.number == number).sorted_by(Day.shelf)",
)
KINDS = days("kinds", "shelves: list[str]", "query(Day, is_in(Day.shelf, shelves)).sorted_by(Day.kind)")
KINDS_OF = days("kinds_of", "shelf: str", "query(Day, Day.shelf == shelf).sorted_by(Day.kind, Day.shelf)")
KINDS_THEN = days(
    "kinds_then", "shelves: list[str]", "query(Day, is_in(Day.shelf, shelves)).sorted_by(Day.kind, Day.shelf)"
)
DAY = days("day", "shelf: str, number: str", "get(Day, Day.shelf == shelf, Day.number == number)")


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        (
            (LISTED,),
            {
                None: ("SHELF#{shelf}#NUMBER#{number}", "DAY"),
                "GSI1": ("OPEN#{open}#SHELF#{shelf}", "DAY#{shelf}#{number}"),
            },
        ),
        ((FEW, NUMBERED, DAY), {None: ("SHELF#{shelf}", "DAY#{shelf}#{number}")}),
        (
            (DAY, KINDS, KINDS_OF, KINDS_THEN),
            {
                None: ("SHELF#{shelf}#NUMBER#{number}", "DAY"),
                "GSI1": ("SHELF#{shelf}", "DAY#{kind}#{shelf}#{number}"),
            },
        ),
    ],
    ids=["beside a field that is fixed", "with reads of one partition", "behind another order"],
)
def test_several_values_that_are_sorted_by_stand_in_both_keys(
    reads: tuple[str, ...], expected: dict[str | None, tuple[str, str]]
) -> None:
    found = proposed(DAYS, *reads)
    assert keys(found, "Day") == expected
    assert found.minimal
    items = [
        {"shelf": shelf, "number": number, "kind": kind}
        for shelf, number, kind in [("b", "1", "y"), ("a", "2", "z"), ("c", "1", "x"), ("a", "1", "y"), ("b", "2", "x")]
    ]
    given = {"shelves": ["b", "c", "a"], "open": True, "number": "1", "shelf": "a"}
    model: Any = found.model
    with model.open("memory:") as db:
        for item in items:
            db.put(model.entities["Day"](**item))
        for name, pattern in model.patterns.items():
            arguments = {n: given[n] for n in pattern.parameters.annotations if n in given}
            answer = db.run(pattern, **arguments)
            if name in ("listed", "few"):
                assert [day.shelf for day in answer] == ["a", "a", "b", "b", "c"]
            elif name == "numbered":
                assert [day.shelf for day in answer] == ["a", "b", "c"]
            elif name == "kinds_then":
                assert [day.kind + day.shelf for day in answer] == ["xb", "xc", "ya", "yb", "za"]


def test_attributes_on_both_sides_are_composed() -> None:
    text = HEAD + DAYS + DAY + KINDS_THEN
    found = propose_for(vars(run(text, Path(__file__)))["shop"], text, Path(__file__), multi_attribute=True)
    assert keys(found, "Day")["GSI1"] == ("SHELF#{shelf}", "DAY#{kind}#{shelf}#{number}")
    assert any("shelf is on both sides" in line for line in found.explained.rejected)


def test_several_entities_are_not_read_by_several_values() -> None:
    both = """
    @shop.pattern
    def both(ids: list[str]) -> Mixed[Order | Day]:
        return query(Order, is_in(Order.customer, ids)) | query(Day, is_in(Day.shelf, ids))
    """
    with pytest.raises(
        PatternError, match=r"several entities from one partition, and is_in\(\) asks for several by 'customer'"
    ):
        proposed(order(), DAYS, both)


def test_what_is_refused_for_each_variant_is_told_once() -> None:
    twice = days(
        "twice",
        "open: bool, kind: str",
        "query(Day, Day.open == open, Day.kind == kind, Day.number < kind).consistent()",
    )
    with pytest.raises(PatternError) as caught:
        proposed(DAYS, twice)
    assert str(caught.value).count("twice()") == 1
