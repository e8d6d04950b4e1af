"""What the rules take a field for: a time, an id of the entity itself, a choice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Codes = Callable[[str], set[str]]

TIED = """
    app = Table("App")
    class {entity}(Entity, table=app):
        keys = Keys("OWNER#{{owner}}", "{key}#{{at}}")
        owner: str
        {name}: str
        at: datetime
    """
LINE = """
    class Line(Entity, table=app):
        keys = Keys("ORDER#{order_id}", "LINE#{position:4}")
        order_id: str
        position: int
    """
ORDER = """
    class Order(Entity, table=app):
        keys = Keys("ORDER#{order_id}", "ORDER")
        order_id: str
    """


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TIED.format(entity="Order", key="ORDER", name="order_id") + LINE, True),
        (TIED.format(entity="Order", key="O", name="order_id") + LINE, True),
        (TIED.format(entity="WebOrder", key="O", name="order_id") + LINE, True),
        (TIED.format(entity="Purchase", key="ORDER", name="order_id") + LINE, True),
        (TIED.format(entity="Purchase", key="P", name="order_id") + LINE, False),
        (TIED.format(entity="Purchase", key="P", name="order_id"), True),
        (TIED.format(entity="WebOrder", key="O", name="order_id") + ORDER, False),
        (
            TIED.format(entity="Order", key="ORDER", name="order_number") + LINE.replace("order_id", "order_number"),
            True,
        ),
        (TIED.format(entity="Snapshot", key="SNAPSHOT", name="snapshot_url"), False),
        (TIED.format(entity="Event", key="EVENT", name="id") + ORDER.replace("order_id", "id"), True),
        (TIED.format(entity="Event", key="EVENT", name="event_id").replace("owner", "device_id"), True),
        (TIED.format(entity="Event", key="EVENT", name="file_key").replace("owner", "device_id"), False),
    ],
    ids=[
        "lines hold its id",
        "by the name of the entity",
        "by the end of the name of the entity",
        "by what its key says",
        "of something else",
        "of nobody else",
        "of an entity of that name",
        "a number",
        "no id",
        "an id without more",
        "the parent's id in the key is not its own",
        "ids of others, one in the key",
    ],
)
def test_a_tie_is_one_where_the_own_id_is_not_in_the_key(codes: Codes, text: str, expected: bool) -> None:
    assert ("TW112" in codes(text)) is expected


def test_an_entry_with_the_time_of_a_post_needs_the_post_in_its_key(codes: Codes) -> None:
    entry = """
    app = Table("App")
    class Entry(Entity, table=app):
        keys = Keys("FEED#{reader}", "{posted_at}")
        reader: str
        post_id: str
        posted_at: datetime
    class Post(Entity, table=app):
        keys = Keys("USER#{user}", "POST#{posted_at}#{post_id}")
        user: str
        post_id: str
        posted_at: datetime
    """
    assert "TW112" in codes(entry)
    assert "TW112" not in codes(entry.replace('{posted_at}")', '{posted_at}#{post_id}")', 1))
    assert "TW112" not in codes(entry.replace('{posted_at}")', '{read_at}")\n        read_at: datetime', 1))


def test_an_order_that_lines_know_by_its_id_is_found_by_its_id(codes: Codes) -> None:
    text = TIED.format(entity="Order", key="ORDER", name="order_id").replace("{at}", "{at}#{order_id}")
    assert "TW105" not in codes(text)
    assert "TW105" in codes(text + LINE)


MOMENT = """
    app = Table("App")
    class Thing(Entity, table=app):
        keys = Keys("PLACE#{{{name}}}", "THING#{{thing_id}}")
        thing_id: str
        {name}: {kind}
    """
_TIMES = {"TW104", "TW306", "TW803"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("created_at", "str"),
        ("last_seen_at", "str"),
        ("starts_at", "str"),
        ("createdAt", "str"),
        ("shipped_on", "str"),
        ("start_time", "str"),
        ("timestamp", "Decimal"),
        ("works_at", "int"),
        ("works_at", "str = Field(default_factory=lambda: '')"),
    ],
)
def test_texts_and_numbers_that_are_times_are_found(codes: Codes, name: str, kind: str) -> None:
    assert codes(MOMENT.format(name=name, kind=kind)) >= _TIMES


@pytest.mark.parametrize(
    "name", ["works_at", "worksAt", "located_at", "lives_at", "depends_on", "dependsOn", "based_on", "installed_on"]
)
def test_places_and_what_something_depends_on_are_no_times(codes: Codes, name: str) -> None:
    assert codes(MOMENT.format(name=name, kind="str")).isdisjoint(_TIMES)


@pytest.mark.parametrize("name", ["day", "date", "due_date", "createdDate", "month", "hour", "time_bucket"])
def test_days_and_hours_as_texts_are_times_that_readers_know(codes: Codes, name: str) -> None:
    assert codes(MOMENT.format(name=name, kind="str")) & _TIMES == {"TW306", "TW803"}
    assert codes(MOMENT.format(name=name, kind="int")).isdisjoint(_TIMES)


RANGE = """
    @app.pattern
    def things(thing_id: str, first: str) -> Query[Thing]:
        "Things."
        return query(Thing, Thing.thing_id == thing_id, Thing.{name} {asked})
    """


@pytest.mark.parametrize(("asked", "expected"), [(">= first", True), ("== first", False)])
def test_what_is_asked_by_a_range_is_a_time_if_it_is_called_like_one(codes: Codes, asked: str, expected: bool) -> None:
    text = MOMENT.format(name="runs_at", kind="str").replace('"PLACE#{runs_at}", "THING#{thing_id}"', "KEY")
    text = text.replace("KEY", '"THING#{thing_id}", "{runs_at}"')
    assert ("TW803" in codes(text + RANGE.format(name="runs_at", asked=asked))) is expected


def test_what_is_asked_between_two_values_is_asked_by_a_range(codes: Codes) -> None:
    text = """
    app = Table("App")
    class Thing(Entity, table=app):
        keys = Keys("THING#{thing_id}", "{runs_at}")
        thing_id: str
        runs_at: str
    @app.pattern
    def things(thing_id: str, first: str, last: str) -> Query[Thing]:
        "Things."
        return query(Thing, Thing.thing_id == thing_id, between(Thing.runs_at, first, last))
    """
    found = codes(text)
    assert "TW002" not in found
    assert "TW803" in found


def test_what_is_a_time_elsewhere_is_a_time(codes: Codes) -> None:
    other = """
    class Other(Entity, table=app):
        keys = Keys("OTHER#{other_id}", "OTHER")
        other_id: str
        held_on: date
    """
    text = MOMENT.format(name="held_on", kind="str")
    assert "TW803" not in codes(text)
    assert {"TW803", "TW804"} <= codes(text + other)
