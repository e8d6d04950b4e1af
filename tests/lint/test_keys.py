"""What the rules about keys leave alone, and where they look twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Codes = Callable[[str], set[str]]


@pytest.mark.parametrize(
    "table",
    [
        'Table("App", names=AttributeNames.lower(), indexes=[GSI("gsi1")])',
        'Table("App", pk="partition_key", sk="sort_key")',
        'Table("App", pk="hash", sk="range", indexes=[GSI("ByPlace", pk="gsi1_pk", sk="gsi1_sk")])',
        'Table("App", indexes=[GSI("ByPlace", pk=["tenant", "customer"], sk=["country", number("rank")])])',
    ],
)
def test_generic_names_and_indexes_of_several_attributes_are_fine(codes: Codes, table: str) -> None:
    assert not codes(f"app = {table}") & {"TW101", "TW102", "TW103"}


def test_an_adopted_table_is_told_of_its_names_as_a_note(found: Callable[..., list[object]]) -> None:
    text = 'from tablewright import *\napp = Table("App", pk="CustomerId", sk=None, key_style=KeyStyle.adopted("#"))'
    told = {(one.code, one.severity) for one in found(text)}  # type: ignore[attr-defined]
    assert {("TW101", "info"), ("TW103", "info")} <= told


def test_days_and_buckets_can_be_known(codes: Codes) -> None:
    assert "TW104" not in codes("""
        app = Table("App")
        class Report(Entity, table=app):
            keys = Keys("SHOP#{shop_id}#{day}", "REPORT#{kind}")
            shop_id: str
            day: date
            kind: str
        class Event(Entity, table=app):
            keys = Keys("DEVICE#{device_id}#{hour}", "{at}#{event_id}", derive={"hour": Bucket("at", by="hour")})
            device_id: str
            event_id: str
            at: datetime
        """)


def test_an_index_that_shares_its_attributes_is_judged_where_it_is_read(codes: Codes) -> None:
    text = """
        app = Table("App", indexes=[GSI("Inverted", pk="SK", sk="PK")])
        class Visit(Entity, table=app):
            keys = Keys("PLACE#{place}", "VISIT#{at}")
            place: str
            at: datetime
        """
    read = """
        @app.pattern
        def visits_at(at: datetime) -> Query[Visit]:
            return query(Visit, Visit.at == at)
        """
    assert "TW104" not in codes(text)
    assert "TW104" in codes(text + read)


def test_a_text_that_is_called_like_a_time_is_a_time(codes: Codes) -> None:
    assert "TW104" in codes("""
        app = Table("App")
        class Event(Entity, table=app):
            keys = Keys("EVENT#{created_at}", "EVENT")
            created_at: str
        """)


ORDER = """
    app = Table("App"{indexes})
    class Order(Entity, table=app):
        keys = Keys("CUSTOMER#{{username}}", "ORDER#{{placed_at}}#{{order_id}}"{keys})
        username: str
        order_id: str
        placed_at: datetime
        paid: bool = False
    """


def test_what_is_only_appended_needs_no_index_by_id(codes: Codes) -> None:
    assert "TW105" not in codes(ORDER.format(indexes="", keys=""))


@pytest.mark.parametrize(
    "evidence",
    [
        "@app.pattern\n    def order(order_id: str) -> Get[Order]:\n        return get(Order, Order.order_id == order_id)",
        'class Parcel(Entity, table=app):\n        keys = Keys("PARCEL#{parcel_id}", "PARCEL#{parcel_id}")\n'
        "        parcel_id: str\n        order_id: str",
    ],
    ids=["unserved get", "held elsewhere"],
)
def test_who_needs_a_single_item_is_evidence(codes: Codes, evidence: str) -> None:
    assert "TW105" in codes(ORDER.format(indexes="", keys="") + "\n    " + evidence)
    served = ORDER.format(indexes=', indexes=[GSI("GSI1")]', keys=', GSI1=("ORDER#{order_id}", "ORDER")')
    assert "TW105" not in codes(served + "\n    " + evidence)


def test_links_and_generic_ids_may_have_several_prefixes(codes: Codes) -> None:
    assert "TW107" not in codes("""
        app = Table("App", indexes=[GSI("GSI1")])
        class Follow(Entity, table=app):
            keys = Keys("USER#{follower}", "FOLLOW#{following}", GSI1=("USER#{following}", "FOLLOWER#{follower}"))
            follower: str
            following: str
        class Invitation(Entity, table=app):
            keys = Keys("ORG#{org_id}", "INVITATION#{email}", GSI1=("EMAIL#{email}", "INVITATION#{org_id}"))
            org_id: str
            email: NaturalKey
        class Product(Entity, table=app):
            keys = Keys("PRODUCT#{id}", "PRODUCT#{id}")
            id: str
        class Shelf(Entity, table=app):
            keys = Keys("SHELF#{id}", "SHELF#{id}")
            id: str
        """)


def test_two_spellings_of_a_prefix_are_found(codes: Codes) -> None:
    assert "TW107" in codes("""
        app = Table("App", indexes=[GSI("GSI1")])
        class Product(Entity, table=app):
            keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "Product#{product_id}"))
            product_id: str
            category: str
        """)


MIXED = """
    app = Table("App", indexes=[GSI("GSI1")])
    class User(Entity, table=app):
        keys = Keys("USER#{{user_id}}", "USER#{{user_id}}", GSI1=("STATUS#{{status}}", "{user}"))
        user_id: str
        status: str
        since: datetime
    class Order(Entity, table=app):
        keys = Keys("ORDER#{{order_id}}", "ORDER#{{order_id}}", GSI1=("STATUS#{{status}}", "{order}"))
        order_id: str
        status: str
        since: datetime
    """


def test_literals_tell_entities_of_one_partition_apart(codes: Codes) -> None:
    assert "TW108" not in codes(MIXED.format(user="USER#{user_id}", order="ORDER#{order_id}"))
    assert "TW108" in codes(MIXED.format(user="{since}#{user_id}", order="ORDER#{order_id}"))


def test_who_is_read_together_may_lie_together(codes: Codes) -> None:
    both = """
    @app.pattern
    def with_status(status: str) -> Mixed[User | Order]:
        return query(User, User.status == status) | query(Order, Order.status == status)
    """
    assert "TW108" not in codes(MIXED.format(user="{since}#{user_id}", order="{since}#{order_id}") + both)


def test_strict_keys_are_closed_and_padded(codes: Codes) -> None:
    assert not codes("""
        app = Table("App")
        class Page(Entity, table=app):
            keys = Keys("BOOK#{book}", "{chapter}#{page:4}")
            book: str
            chapter: str
            page: int
        """) & {"TW003", "TW109", "TW110"}


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ('kind: Literal["Defect", "Condition"]', False),
        ('kind: Literal["Defect", "Condition"] = Field(default="Defect", frozen=True)', False),
        ('kind: Literal["Defect", "Condition"] = "Defect"', True),
        ("kind: str", False),
    ],
)
def test_choices_that_begin_with_a_default_look_as_if_they_changed(codes: Codes, field: str, expected: bool) -> None:
    text = f"""
        app = Table("App")
        class Phrase(Entity, table=app):
            keys = Keys("PHRASES#{{language}}", "PHRASE#{{kind}}#{{phrase_id}}")
            language: str
            phrase_id: str
            {field}
        """
    assert ("TW111" in codes(text)) is expected


def test_a_time_identifies_what_has_no_id_of_its_own(codes: Codes) -> None:
    assert "TW112" not in codes("""
        app = Table("App")
        class Device(Entity, table=app):
            keys = Keys("DEVICE#{device_id}", "DEVICE")
            device_id: str
        class Reading(Entity, table=app):
            keys = Keys("DEVICE#{device_id}", "READING#{read_at}")
            device_id: str
            read_at: datetime
            value: Decimal
        """)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ('"CUSTOMER#{username}", "{placed_at}"', True),
        ('"CUSTOMER#{username}", "{placed_at}#{order_id}"', False),
        ('"ORDER#{order_id}", "{placed_at}"', False),
        ('"CUSTOMER#{username}", "{username}"', False),
    ],
)
def test_an_index_may_end_with_a_time_where_nothing_ties(codes: Codes, keys: str, expected: bool) -> None:
    text = f"""
        app = Table("App", indexes=[GSI("GSI1")])
        class Order(Entity, table=app):
            keys = Keys("SHOP#{{shop_id}}", "ORDER#{{order_id}}", GSI1=({keys}))
            shop_id: str
            order_id: str
            username: str
            placed_at: datetime
        """
    assert ("TW113" in codes(text)) is expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("email: str", True),
        ("email: NaturalKey", False),
        ("email: Annotated[str, Field(max_length=50)]", True),
        ("email: Annotated[str, AfterValidator(str.lower)]", False),
    ],
)
def test_natural_keys_may_be_normalised_in_any_way(codes: Codes, field: str, expected: bool) -> None:
    text = f"""
        app = Table("App")
        class User(Entity, table=app):
            keys = Keys("USER#{{user_id}}", "USER", unique=["email"])
            user_id: str
            {field}
        """
    assert ("TW114" in codes(text)) is expected


NAMED = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Owner(Entity, table=app):
        keys = Keys("OWNER#{{owner_id}}", "OWNER", GSI1=("OWNERS", "OWNER#{{{name}}}#{{owner_id}}"))
        owner_id: str
        {name}: {kind}
    @app.pattern
    def owners(prefix: str) -> Query[Owner]:
        return query(Owner, {asked})
    """


@pytest.mark.parametrize(
    ("name", "kind", "asked", "expected"),
    [
        ("last_name", "str", "starts_with(Owner.last_name, prefix)", True),
        ("city", "str", "starts_with(Owner.city, prefix)", True),
        ("last_name_folded", "NaturalKey", "starts_with(Owner.last_name_folded, prefix)", False),
        ("last_name", "Annotated[str, AfterValidator(str.lower)]", "starts_with(Owner.last_name, prefix)", False),
        ("last_name", "str", "starts_with(Owner.last_name, 'Mc')", False),
        ("last_name", "str", "Owner.last_name >= prefix", False),
        ("path", "str", "starts_with(Owner.path, prefix)", False),
        ("file_name", "str", "starts_with(Owner.file_name, prefix)", False),
    ],
    ids=["name", "place", "folded", "normalised", "constant", "range", "no name", "given by programs"],
)
def test_names_that_are_searched_are_folded(codes: Codes, name: str, kind: str, asked: str, expected: bool) -> None:
    assert ("TW114" in codes(NAMED.format(name=name, kind=kind, asked=asked))) is expected


def test_a_natural_key_with_a_validator_method_or_outside_of_keys_is_fine(codes: Codes) -> None:
    assert "TW114" not in codes("""
        app = Table("App")
        class User(Entity, table=app):
            keys = Keys("EMAIL#{email}", "USER")
            email: str
            backup_email: str
            @field_validator("email")
            @classmethod
            def lower(cls, value: str) -> str:
                return value.lower()
        """)


def test_a_native_key_needs_no_prefix(codes: Codes) -> None:
    assert "TW115" not in codes("""
        app = Table("App", pk="customer_id", sk=None, key_style=KeyStyle.adopted("#"))
        class Customer(Entity, table=app):
            keys = Keys("{customer_id}")
            customer_id: str
        """)


def test_children_of_the_partition_itself_need_no_parent_in_their_key(codes: Codes) -> None:
    assert "TW116" not in codes("""
        app = Table("App")
        class Survey(Entity, table=app):
            keys = Keys("SURVEY#{survey_id}", "SURVEY")
            survey_id: str
        class Section(Entity, table=app):
            keys = Keys("SURVEY#{survey_id}", "SECTION#{section_id}")
            survey_id: str
            section_id: str
        class Photo(Entity, table=app):
            keys = Keys("SURVEY#{survey_id}", "PHOTO#{photo_id}")
            survey_id: str
            photo_id: str
        """)


def test_a_feed_of_changes_shows_what_was_written_of_anything(codes: Codes) -> None:
    assert "TW108" not in codes("""
        app = Table("App", indexes=[GSI("GSI1")])
        class Note(Entity, table=app):
            keys = Keys("USER#{user}", "NOTE#{note_id}", GSI1=("CHANGES#{user}", "{updated_at}#{note_id}"))
            user: str
            note_id: str
        class Folder(Entity, table=app):
            keys = Keys("USER#{user}", "FOLDER#{folder_id}", GSI1=("CHANGES#{user}", "{updated_at}#{folder_id}"))
            user: str
            folder_id: str
        """)


TREE = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Section(Entity, table=app):
        keys = Keys("TENANT#{tenant}", "SURVEY#{survey_id}#SECTION#{section_id}")
        tenant: str
        survey_id: str
        section_id: str
    class Element(Entity, table=app):
        keys = Keys("TENANT#{tenant}", "SURVEY#{survey_id}#ELEMENT#{element_id}")
        tenant: str
        survey_id: str
        section_id: str
        element_id: str
    """
LIBRARY = """
    class LibraryElement(Entity, table=app):
        keys = Keys("TENANT#{tenant}", "ELEMENT#{element_id}")
        tenant: str
        element_id: str
    """
REFERS = '\n    app.relate(Relationship(Element, Section, "1:N", "normalised", reason="only named"))'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TREE, True),
        (TREE + REFERS, False),
        (TREE.replace("ELEMENT#{element_id}", "ELEMENT#{section_id}#{element_id}"), False),
        (TREE + LIBRARY, True),
    ],
    ids=["hangs on it", "refers to it", "in the key", "an id that another entity has too"],
)
def test_a_child_names_its_parent(codes: Codes, text: str, expected: bool) -> None:
    assert ("TW116" in codes(text)) is expected
