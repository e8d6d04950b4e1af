"""What the rules about indexes leave alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Codes = Callable[[str], set[str]]


def test_indexes_of_feeds_and_relationships_are_in_use(codes: Codes) -> None:
    assert "TW201" not in codes("""
        app = Table("App", indexes=[GSI("GSI1"), GSI("GSI2")])
        class User(Entity, table=app):
            keys = Keys("USER#{user_id}", "USER#{user_id}")
            user_id: str
        class Team(Entity, table=app):
            keys = Keys("TEAM#{team_id}", "TEAM#{team_id}")
            team_id: str
        class Membership(Entity, table=app, soft_delete=SoftDelete(feed="GSI2")):
            keys = Keys(
                "TEAM#{team_id}",
                "USER#{user_id}",
                GSI1=("USER#{user_id}", "TEAM#{team_id}"),
                GSI2=("TEAM#{team_id}", "{updated_at}#{user_id}"),
            )
            team_id: str
            user_id: str
        app.relate(
            Relationship(
                User, Team, "M:N", "adjacency list", via=Membership, source_fields=("user_id",), target_fields=("team_id",)
            )
        )
        """)


def test_an_index_that_nobody_has_keys_on_is_unused(found: Callable[[str], list[object]]) -> None:
    (told,) = [
        one.message  # type: ignore[attr-defined]
        for one in found('from tablewright import *\napp = Table("App", indexes=[GSI("GSI1")])')
        if one.code == "TW201"  # type: ignore[attr-defined]
    ]
    assert told == "No pattern reads GSI1; no entity has keys on it."


def test_fifteen_indexes_are_allowed(codes: Codes) -> None:
    assert "TW202" not in codes('app = Table("App", indexes=[GSI(f"GSI{n}") for n in range(1, 16)])')


TWO = """
    app = Table("App", indexes=[GSI("GSI1"), GSI("GSI2"{more})])
    class Customer(Entity, table=app):
        keys = Keys("CUSTOMER#{{id}}", "CUSTOMER#{{id}}", GSI1=("EMAIL#{{email}}", "EMAIL"){both})
        id: str
        email: NaturalKey
    class Product(Entity, table=app):
        keys = Keys("PRODUCT#{{id}}", "PRODUCT#{{id}}", GSI2=("{prefix}#{{kind}}", "PRODUCT#{{id}}"))
        id: str
        kind: str
    """


@pytest.mark.parametrize(
    ("more", "both", "prefix", "expected"),
    [
        ("", "", "KIND", True),
        (', projection="KEYS_ONLY"', "", "KIND", False),
        ("", ', GSI2=("CUSTOMERS#{email}", "{id}")', "KIND", False),
        ("", "", "EMAIL", False),
        (', pk="kind"', "", "KIND", False),
    ],
    ids=["mergeable", "other projection", "entity in both", "partitions meet", "a field as it is"],
)
def test_indexes_are_merged_only_where_they_can_be(
    codes: Codes, more: str, both: str, prefix: str, expected: bool
) -> None:
    text = TWO.format(more=more, both=both, prefix=prefix)
    if "pk=" in more:
        text = text.replace('"KIND#{kind}"', '"{kind}"')
    assert ("TW203" in codes(text)) is expected


def test_a_filter_on_a_part_of_a_text_is_no_lookup_of_a_member(codes: Codes) -> None:
    assert "TW204" not in codes("""
        app = Table("App")
        class Note(Entity, table=app):
            keys = Keys("USER#{user}", "NOTE#{note_id}")
            user: str
            note_id: str
            text: str
        @app.pattern
        def notes_about(user: str, word: str) -> Query[Note]:
            return query(Note, Note.user == user).filter(contains(Note.text, word))
        """)


STATUS = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Order(Entity, table=app):
        keys = Keys("ORDER#{order_id}", "ORDER", GSI1=("SHOP#{shop}#{status}", "{order_id}"))
        order_id: str
        shop: str
        status: Literal["open", "done"] = "open"
    """


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ('a(shop: str): query(Order, Order.shop == shop, Order.status == "open")', True),
        (
            "a(shop: str, status: Literal['open', 'done']): query(Order, Order.shop == shop, Order.status == status)",
            False,
        ),
        (
            'a(shop: str): query(Order, Order.shop == shop, Order.status == "open")'
            '|b(shop: str): query(Order, Order.shop == shop, Order.status == "done")',
            False,
        ),
        ("", False),
    ],
    ids=["one value", "a parameter", "both values", "no reader"],
)
def test_an_index_is_to_be_sparse_if_some_values_are_never_asked_for(
    codes: Codes, patterns: str, expected: bool
) -> None:
    text = STATUS
    for pattern in filter(None, patterns.split("|")):
        head, _, body = pattern.partition("): ")
        text += f"\n    @app.pattern\n    def {head}) -> Query[Order]:\n        return {body}\n"
    assert ("TW205" in codes(text)) is expected


def test_a_projection_is_wide_only_if_every_reader_takes_a_few_fields(codes: Codes) -> None:
    assert "TW206" not in codes("""
        app = Table("App", indexes=[GSI("GSI1")])
        class Product(Entity, table=app):
            keys = Keys("PRODUCT#{product_id}", "PRODUCT", GSI1=("KIND#{kind}", "{product_id}"))
            product_id: str
            kind: str
            text: str
        class Title(BaseModel):
            product_id: str
        @app.pattern
        def titles(kind: str) -> Query[Title]:
            return query(Product, Product.kind == kind).only(Title)
        @app.pattern
        def products(kind: str) -> Query[Product]:
            return query(Product, Product.kind == kind)
        """)


def test_small_items_may_be_copied(codes: Codes) -> None:
    text = STATUS + "\n    app.expect(Order, size=1_024)"
    assert "TW207" not in codes(text)
    assert "TW207" in codes(text.replace("1_024", "1_025"))


@pytest.mark.parametrize(
    ("projection", "field", "expectation", "expected"),
    [
        ("", "note: str = Field(max_length=90_000)", "", True),
        ("", "note: str = Field(max_length=90_000)", "size=900", False),
        ("", "note: str = Field(max_length=900)", "", False),
        ("", "note: str = Field(max_length=900)", "max_size=9_000", True),
        ("", "body: str", "", True),
        ("", "note: str", "", False),
        (', projection="ALL"', "note: str = Field(max_length=90_000)", "", False),
        (', projection="ALL"', "note: str", "size=9_000", False),
        (', projection=["note"]', "note: str = Field(max_length=90_000)", "", False),
    ],
    ids=[
        *("may be large", "usually small", "never large", "said to become large", "without an end", "any text"),
        *("chosen", "chosen though large", "narrow"),
    ],
)
def test_nobody_chose_to_copy_large_items(
    codes: Codes, projection: str, field: str, expectation: str, expected: bool
) -> None:
    text = f"""
        app = Table("App", indexes=[GSI("GSI1"{projection})])
        class Doc(Entity, table=app):
            keys = Keys("DOC#{{doc_id}}", "DOC", GSI1=("OWNER#{{owner}}", "DOC#{{doc_id}}"))
            doc_id: str
            owner: str
            {field}
        """
    said = f"\n        app.expect(Doc, {expectation})" if expectation else ""
    assert ("TW207" in codes(text.rstrip() + said)) is expected


def test_a_local_index_has_an_unchosen_projection_too(codes: Codes) -> None:
    text = """
        app = Table("App", indexes=[LSI("LSI1")])
        class Doc(Entity, table=app):
            keys = Keys("OWNER#{owner}", "DOC#{doc_id}", LSI1="{title}")
            doc_id: str
            owner: str
            title: str
            body: str
        """
    assert "TW207" in codes(text)
    assert "TW207" not in codes(text.replace('LSI("LSI1")', 'LSI("LSI1", projection="ALL")'))


def test_a_consistent_read_of_the_table_is_fine(codes: Codes) -> None:
    read = """
    @app.pattern
    def order(order_id: str) -> Get[Order]:
        return get(Order, Order.order_id == order_id).consistent()
    @app.pattern
    def nowhere(note: str) -> Query[Order]:
        return query(Order, Order.shop == note).consistent()
    """
    assert codes(STATUS + read) & {"TW002", "TW208"} == {"TW002"}


def test_the_same_key_for_reading_several_entities_together_is_wanted(codes: Codes) -> None:
    text = """
        app = Table("App", indexes=[GSI("GSI1")])
        class Order(Entity, table=app):
            keys = Keys("ORDER#{order_id}", "HEADER", GSI1=("ORDER#{order_id}", "HEADER"))
            order_id: str
        class Line(Entity, table=app):
            keys = Keys("USER#{user_id}", "LINE#{order_id}#{line:3}", GSI1=("ORDER#{order_id}", "LINE#{line:3}"))
            user_id: str
            order_id: str
            line: int
        @dataclass
        class Whole:
            order: Order | None
            lines: list[Line]
        @app.pattern
        def whole(order_id: str) -> Collection[Whole]:
            return collect(
                Whole,
                order=one(query(Order, Order.order_id == order_id).via("GSI1")),
                lines=many(query(Line, Line.order_id == order_id)),
            )
        """
    assert "TW209" not in codes(text)
    assert "TW209" in codes(text.partition("@dataclass")[0])


QUEUE = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Order(Entity, table=app):
        keys = Keys("ORDER#{order_id}", "ORDER", GSI1=("QUEUE#{shop}#{sync}", "{order_id}"))
        order_id: str
        shop: str
        sync: Literal["done", "pending"]
    class Photo(Entity, table=app):
        keys = Keys("PHOTO#{photo_id}", "PHOTO")
        photo_id: str
        FIELD
    @app.pattern
    def to_sync(shop: str, sync: Literal["done", "pending"]) -> Query[Order]:
        return query(Order, Order.shop == shop, Order.sync == sync)
    """


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ('sync: Literal["done", "pending"]', True),
        ('sync: Literal["done", "pending", "failed"]', False),
        ("shop: str", False),
    ],
)
def test_a_queue_misses_who_has_the_same_field(codes: Codes, field: str, expected: bool) -> None:
    assert ("TW210" in codes(QUEUE.replace("FIELD", field))) is expected


def test_an_inverted_index_has_the_keys_it_must_have(codes: Codes) -> None:
    assert "TW209" not in codes("""
        app = Table("App", indexes=[GSI("Inverted", pk="SK", sk="PK")])
        class Person(Entity, table=app):
            keys = Keys("PERSON#{person_id}", "PERSON#{person_id}")
            person_id: str
        """)


@pytest.mark.parametrize("sparse_first", [True, False])
def test_a_sparse_index_does_not_stand_for_the_whole_one(codes: Codes, sparse_first: bool) -> None:
    """Who follows the hint would lose the reads of the items that the sparse one leaves out."""
    some, every = "GSI1", "GSI2"
    if not sparse_first:
        some, every = every, some
    model = f"""
        app = Table("App", indexes=[GSI("GSI1"), GSI("GSI2")])
        class Booking(Entity, table=app):
            keys = Keys(
                "BOOKING#{{number}}", "BOOKING",
                {some}=sparse("GARAGE#{{garage}}", "{{number}}", when=attr("state") == "requested"),
                {every}=("GARAGE#{{garage}}", "{{number}}"),
            )
            number: str
            garage: str
            state: Literal["requested", "done"]
        """
    assert "TW209" not in codes(model)
