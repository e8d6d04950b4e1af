"""What the rules about tenants, secrets and time leave alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablewright.lint import Finding

Codes = Callable[[str], set[str]]
TENANTS = """
    app = Table("App", indexes=[GSI("GSI1")])
    class User(Entity, table=app):
        keys = Keys("USER#{user_id}", "USER")
        user_id: str
    class Project(Entity, table=app):
        keys = Keys("TENANT#{tenant_id}", "PROJECT#{project_id}")
        tenant_id: str
        project_id: str
    class Task(Entity, table=app):
        keys = Keys("TENANT#{tenant_id}", "TASK#{task_id}", GSI1=("INDEX", "TASK#{task_id}"))
        tenant_id: str
        project_id: str
        user_id: str
        task_id: str
    """


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("PROJECT#{project_id}", True),
        ("TENANT#{tenant_id}#PROJECT#{project_id}", False),
        ("PROJECT#{project_id}#{tenant_id}", True),
        ("USER#{user_id}", False),
        ("TASKS", True),
    ],
)
def test_tenants(codes: Codes, key: str, expected: bool) -> None:
    assert ("TW701" in codes(TENANTS.replace('"INDEX"', f'"{key}"'))) is expected


def test_one_entity_with_an_account_makes_no_tenants(codes: Codes) -> None:
    assert "TW701" not in codes("""
        app = Table("App", indexes=[GSI("GSI1")])
        class Account(Entity, table=app):
            keys = Keys("ACCOUNT#{account_id}", "ACCOUNT", GSI1=("IBAN#{iban}", "ACCOUNT"), unique=["iban"])
            account_id: str
            iban: str
        """)


@pytest.mark.parametrize(
    ("keys", "by", "expected"),
    [
        ('("SLUG#{slug}", "POST")', "slug", True),
        ('("POST#{post_id}", "POST")', "post_id", False),
        ('("SLUG#{slug}", "POST"), unique=["slug"]', "slug", False),
    ],
)
def test_uniqueness(codes: Codes, keys: str, by: str, expected: bool) -> None:
    text = f"""
        app = Table("App", indexes=[GSI("GSI1")])
        class Post(Entity, table=app):
            keys = Keys("USER#{{username}}", "POST#{{post_id}}", GSI1={keys})
            username: str
            post_id: str
            slug: str
        @app.pattern
        def post({by}: str) -> Get[Post]:
            return get(Post, Post.{by} == {by})
        """
    assert ("TW702" in codes(text)) is expected


@pytest.mark.parametrize(
    ("keys", "by", "expected"),
    [
        ('("EMAIL#{email}", "EMAIL#{email}")', "email", True),
        ('("CODE#{code}", "CODE#{code}")', "code", True),
        ('("EMAIL#{email}", "EMAIL#{email}"), unique=["email"]', "email", False),
        ('("EMAIL#{email}", "USER#{user_id}")', "email", False),
        ('("EMAIL#{email}", "USERS")', "email", False),
        ('("CITY#{city}", "CITY#{city}")', "city", False),
        ('("TEAM#{team_id}", "TEAM#{team_id}")', "team_id", False),
    ],
    ids=["an address", "a natural key", "kept unique", "a list", "a list without order", "no name", "an id of others"],
)
def test_a_query_that_means_one(codes: Codes, keys: str, by: str, expected: bool) -> None:
    text = f"""
        app = Table("App", indexes=[GSI("GSI1")])
        class User(Entity, table=app):
            keys = Keys("USER#{{user_id}}", "USER", GSI1={keys})
            user_id: str
            email: str
            code: NaturalKey
            city: str
            team_id: str
        @app.pattern
        def users({by}: str) -> Query[User]:
            "Users."
            return query(User, User.{by} == {by})
        """
    found = codes(text)
    assert "TW002" not in found
    assert ("TW702" in found) is expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("password: str", "warning"),
        ("refresh_token: str", "warning"),
        ("pwd: str", "warning"),
        ("apiSecret: str", "warning"),
        ("secret_key: bytes", "warning"),
        ("credit_card: str | None = None", "warning"),
        ("old_passwords: list[str] = Field(default_factory=list, max_length=5)", "warning"),
        ("access: Access", "warning"),
        ("token: str", "info"),
        ("iban: str", "info"),
        ("password_hash: str", None),
        ("password_changed_at: datetime", None),
        ("secret_arn: str", None),
        ("next_token: str", None),
        ("secret: bool", None),
        ("token_count: int", None),
        ("card: str", None),
    ],
)
def test_secrets(told: Callable[[str], list[Finding]], field: str, expected: str | None) -> None:
    text = f"""
        app = Table("App")
        class Access(BaseModel):
            login: str
            password: str
        class User(Entity, table=app):
            keys = Keys("USER#{{user_id}}", "USER")
            user_id: str
            {field}
        """
    assert [one.severity for one in told(text) if one.code == "TW703"] == ([] if expected is None else [expected])


def test_a_secret_in_a_key_is_to_be_a_hash(told: Callable[[str], list[Finding]]) -> None:
    (found,) = [
        one
        for one in told("""
        app = Table("App")
        class Login(Entity, table=app):
            keys = Keys("LOGIN#{session_token}", "LOGIN")
            session_token: str
        """)
        if one.code == "TW703"
    ]
    assert found.hint.startswith("Put a hash")


EXPIRING = """
    class Login(Entity, table=app, ttl="expires_at"):
        keys = Keys("USER#{user_id}", "LOGIN#{login_id}")
        user_id: str
        login_id: str
        expires_at: Annotated[datetime, Epoch("s")]
    """


@pytest.mark.parametrize(
    ("field", "other", "expected"),
    [
        ("ttl: int", "", ["warning"]),
        ("timeToLive: datetime", "", ["warning"]),
        ("ttl: int = 300", "", []),
        ("ttl: timedelta", "", []),
        ("expires_at: datetime", "", ["info"]),
        ("expires_at: datetime; ttl: int", "", ["warning"]),
        ("expires_at: str", "", []),
        ("created_at: datetime", "", []),
        ('expires_at: Annotated[datetime, Epoch("s")]', EXPIRING, ["error"]),
        ("expires_at: int", EXPIRING, ["error"]),
        ("expires_at: datetime", EXPIRING, []),
        ('expires_at: Annotated[datetime, Epoch("ms")]', EXPIRING, []),
        ("ttl: int", EXPIRING, ["warning"]),
    ],
    ids=[
        *("a number", "in camel case", "a duration", "a span", "perhaps", "both", "a text", "another time"),
        *("removed with others", "removed as a number", "not removed as a text", "not removed in milliseconds"),
        "another attribute",
    ],
)
def test_expiry_that_nobody_declared(
    told: Callable[[str], list[Finding]], field: str, other: str, expected: list[str]
) -> None:
    fields = "\n        ".join(field.split("; "))
    text = f"""
    app = Table("App")
    class Coupon(Entity, table=app):
        keys = Keys("COUPON#{{coupon_id}}", "COUPON")
        coupon_id: str
        {fields}
    """
    assert [one.severity for one in told(text + other) if one.code == "TW808"] == expected


LOGIN = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Login(Entity, table=app, ttl="expires_at"):
        keys = Keys("USER#{user_id}", "LOGIN#{started_at}#{login_id}"MORE)
        user_id: str
        login_id: str
        started_at: datetime
        expires_at: EXPIRES
    """


@pytest.mark.parametrize(
    ("expires", "more", "expected"),
    [
        ('Annotated[datetime, Epoch("s")]', "", set()),
        ("int", "", {"TW801"}),
        ('Annotated[datetime, Epoch("s")]', ', GSI1=("USER#{user_id}", "{expires_at}#{login_id}")', {"TW802"}),
        ('Annotated[datetime, Epoch("s")]', ', GSI1=("USER#{user_id}", "{started_at}#{login_id}")', set()),
    ],
)
def test_expiry(codes: Codes, expires: str, more: str, expected: set[str]) -> None:
    text = LOGIN.replace("EXPIRES", expires).replace("MORE", more)
    assert codes(text) & {"TW801", "TW802", "TW803", "TW804"} == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("datetime", "datetime", False),
        ("datetime", "str", True),
        ('Annotated[datetime, Epoch("s")]', 'Annotated[datetime, Epoch("s")]', False),
        ('Annotated[datetime, Epoch("s")]', 'Annotated[datetime, Epoch("ms")]', True),
        ("datetime | None", "datetime", False),
    ],
)
def test_clocks(codes: Codes, one: str, other: str, expected: bool) -> None:
    text = f"""
        app = Table("App")
        class A(Entity, table=app):
            keys = Keys("A#{{a}}", "A")
            a: str
            sent_at: {one}
        class B(Entity, table=app):
            keys = Keys("B#{{b}}", "B")
            b: str
            sent_at: {other}
        """
    assert ("TW804" in codes(text)) is expected


def test_numbers_and_texts_that_are_no_times_may_stand_in_keys(codes: Codes) -> None:
    assert "TW803" not in codes("""
        app = Table("App")
        class Seat(Entity, table=app):
            keys = Keys("FLAT#{flat}", "SEAT#{format}#{station}#{row:3}")
            flat: str
            format: str
            station: str
            row: int
        """)


FEED = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Note(Entity, table=app):
        keys = Keys("USER#{user}", "NOTE#{note_id}", GSI1=("USER#{user}", "{TIME}#{note_id}"))
        user: str
        note_id: str
        written_at: datetime
    """
SINCE = """
    @app.pattern
    def changed_since(user: str, since: datetime) -> Query[Note]:
        return query(Note, Note.user == user, FIELD >= since)
    """
LATEST = """
    @app.pattern
    def latest(user: str) -> Query[Note]:
        return query(Note, Note.user == user).via("GSI1").newest_first()
    """


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FEED.replace("TIME", "updated_at") + SINCE.replace("FIELD", "updated(Note)"), True),
        (FEED.replace("TIME", "updated_at") + LATEST, False),
        (FEED.replace("TIME", "written_at") + SINCE.replace("FIELD", "Note.written_at"), False),
    ],
    ids=["changes", "the latest", "another time"],
)
def test_feeds_show_deletions(codes: Codes, text: str, expected: bool) -> None:
    assert ("TW805" in codes(text)) is expected


def test_a_filter_on_the_expiry_is_no_selection(codes: Codes) -> None:
    pattern = """
    @app.pattern
    def logins_of(user_id: str, now: datetime) -> Query[Login]:
        return query(Login, Login.user_id == user_id).filter(Login.expires_at > now)
    """
    text = LOGIN.replace("EXPIRES", 'Annotated[datetime, Epoch("s")]').replace("MORE", "")
    assert not codes(text + pattern) & {"TW402", "TW806"}


def test_unique_values_of_what_stays_are_fine(codes: Codes) -> None:
    assert "TW807" not in codes("""
        app = Table("App")
        class User(Entity, table=app):
            keys = Keys("USER#{user_id}", "USER", unique=["email"])
            user_id: str
            email: NaturalKey
        """)


def test_the_clock_that_items_expire_by_is_another_one(codes: Codes) -> None:
    text = """
    app = Table("App")
    class Contract(Entity, table=app):
        keys = Keys("CONTRACT#{contract_id}", "CONTRACT")
        contract_id: str
        expires_at: datetime
    """
    assert "TW804" not in codes(text + EXPIRING)
    assert "TW804" in codes(text + EXPIRING.replace(', ttl="expires_at"', ""))


def test_an_index_key_with_the_whole_primary_key_is_one_items(codes: Codes) -> None:
    text = """
    app = Table("App", indexes=[GSI("GSI1")])
    class User(Entity, table=app):
        keys = Keys("USER#{nick}", "USER", GSI1=("CITY#{city}", "USER#{nick}"))
        nick: str
        city: str
        street: str
    @app.pattern
    def neighbour(city: str, nick: str) -> Get[User]:
        "Somebody who lives there."
        return get(User, User.city == city, User.nick == nick).via("GSI1")
    """
    found = codes(text)
    assert found.isdisjoint({"TW001", "TW002", "TW702"})
    assert "TW702" in codes(text.replace('"USER#{nick}", "USER", GSI1', '"USER#{street}", "USER", GSI1'))


def test_a_query_by_an_address_and_something_else_is_a_list(codes: Codes) -> None:
    text = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Ticket(Entity, table=app):
        keys = Keys("TICKET#{ticket_id}", "TICKET", GSI1=("EMAIL#{email}", "EVENT#{event}"))
        ticket_id: str
        email: NaturalKey
        event: str
    @app.pattern
    def tickets(email: str, event: str) -> Query[Ticket]:
        "Tickets of somebody for an event."
        return query(Ticket, Ticket.email == email, Ticket.event == event)
    """
    assert codes(text).isdisjoint({"TW001", "TW002", "TW702"})


@pytest.mark.parametrize(("kind", "expected"), [("int", True), ("str", True), ("date", False), ("datetime", False)])
def test_times_of_one_entity_have_one_form(codes: Codes, kind: str, expected: bool) -> None:
    model = f"""
        app = Table("App")
        class Event(Entity, table=app):
            keys = Keys("EVENT#{{event_id}}", "EVENT")
            event_id: str
            begun_at: datetime
            updated: {kind}
        """
    assert ("TW804" in codes(model)) is expected
