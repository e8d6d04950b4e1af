"""Heat: what is expected decides, and what nobody can know is not reported."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablewright.lint import Finding

Codes = Callable[[str], set[str]]
Told = Callable[[str], list[Finding]]
HEAT = {"TW301", "TW302", "TW303", "TW304", "TW306"}

ORDER = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Order(Entity, table=app):
        keys = Keys("ORDER#{{order_id}}", "ORDER", GSI1=({keys}){derive})
        order_id: str
        username: str
        placed_at: datetime
        day: date
        urgent: bool = False
        status: Literal["open", "sent", "done"] = "open"
    """
SHARD = ', derive={"shard": Shard("order_id", of=10)}'
DAY = ', derive={"bucket": Bucket("placed_at", by="day")}'


def order(keys: str, *expectations: str, derive: str = "") -> str:
    return ORDER.format(keys=keys, derive=derive) + "".join(f"\n    {line}" for line in expectations)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (order('"ORDERS", "{order_id}"'), {"TW301"}),
        (order('"ORDERS", "{order_id}"', "app.expect(Order, writes=5)"), set()),
        (order('"ORDERS#{shard}", "{order_id}"', derive=SHARD), set()),
        (order('"STATUS#{status}", "{order_id}"'), {"TW304"}),
        (order('"STATUS#{status}#{urgent}", "{order_id}"'), {"TW304"}),
        (order('"STATUS#{status}", "{order_id}"', "app.expect(Order, writes=50)"), set()),
        (order('"STATUS#{status}#{username}", "{order_id}"'), set()),
        (order('"USER#{username}", "{order_id}"'), set()),
        (order('"USER#{username}", "{order_id}"', "app.expect(Order.username, distinct=9)"), {"TW304"}),
        (order('"USER#{username}", "{order_id}"', "app.expect(Order.username, distinct=900_000)"), set()),
        (order('"DAY#{day}", "{order_id}"'), {"TW306"}),
        (order('"DAY#{bucket}", "{placed_at}#{order_id}"', derive=DAY), {"TW306"}),
        (order('"DAY#{day}", "{order_id}"', "app.expect(Order, writes=20)"), set()),
        (order('"DAY#{day}#{username}", "{order_id}"'), set()),
    ],
    ids=[
        *("constant", "constant and quiet", "sharded", "few", "few by two", "few and quiet", "few and many", "many"),
        *("said to be few", "said to be many", "today", "today's bucket", "today and quiet", "today and many"),
    ],
)
def test_partitions(codes: Codes, text: str, expected: set[str]) -> None:
    assert codes(text) & HEAT == expected


FEW = """
    app = Table("App", indexes=[GSI("GSI1")])
    class Order(Entity, table=app):
        keys = Keys("ORDER#{{order_id}}", "ORDER", GSI1=("BY#{{{name}}}{more}", "{{order_id}}"))
        order_id: str
        username: str
        {name}: {kind}
    @app.pattern
    def orders({parameters}) -> Query[Order]:
        "Orders."
        return query(Order, Order.{name} == {value}{known})
    """


def few(name: str, *expectations: str, kind: str = "str", more: str = "", value: str = "value") -> str:
    known = ", Order.username == username" if more else ""
    given = [f"value: {kind.partition(' ')[0]}"] * (value == "value") + ["username: str"] * bool(more)
    text = FEW.format(name=name, kind=kind, more=more, value=value, known=known, parameters=", ".join(given))
    return text + "".join(f"\n    {line}" for line in expectations)


QUIET = ("app.expect(Order, writes=20)", "app.expect(orders, rate=2, results=20)")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (few("status"), "warning"),
        (few("order_type"), "warning"),
        (few("is_paid", kind="int"), "warning"),
        (few("priority", kind="int"), "warning"),
        (few("category"), "info"),
        (few("region"), None),
        (few("region", kind="str = 'eu'"), "warning"),
        (few("region", kind="str = ''"), None),
        (few("rank", kind="int = 0"), None),
        (few("region", value='"eu"'), "warning"),
        (few("account_id", value='"eu"'), None),
        (few("status", more="#{username}"), None),
        (few("status", "app.expect(Order.status, distinct=5)"), "warning"),
        (few("status", "app.expect(Order.status, distinct=900)"), None),
        (few("category", "app.expect(Order.category, distinct=9)"), "warning"),
        (few("status", *QUIET), None),
        (few("status", QUIET[0]), "warning"),
        (few("status", QUIET[0], "app.expect(orders, rate=2_000, results=20)"), "warning"),
        (few("status", QUIET[0], "app.expect(orders, rate=3_002, results=1)"), "warning"),
        (few("status", QUIET[0], "app.expect(orders, rate=3_000, results=1)"), None),
        (few("status", "app.expect(Order.username, distinct=9)", more="#{username}"), "warning"),
        (few("status", "app.expect(Order.username, distinct=900)", more="#{username}"), None),
    ],
    ids=[
        *("status", "kind", "flag", "priority", "category", "other", "with a default", "empty at first", "a number"),
        *("asked by a constant", "an id", "beside another", "said to be few", "said to be many", "few categories"),
        *("quiet", "nobody says how often it is read", "often read", "more than half", "half"),
        *("beside a few", "beside many"),
    ],
)
def test_texts_with_a_handful_of_values(told: Told, text: str, expected: str | None) -> None:
    every = told(text)
    assert "TW002" not in {one.code for one in every}
    found = [one.severity for one in every if one.code == "TW304"]
    assert found == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("writes", "size", "hottest", "expected"),
    [
        (1_000, 900, 0.9, set()),
        (1_200, 900, 0.9, {"TW302"}),
        (600, 2_000, 0.9, {"TW302"}),
        (2_000, 900, 0.4, set()),
    ],
)
def test_the_hottest_share_counts(codes: Codes, writes: int, size: int, hottest: float, expected: set[str]) -> None:
    text = order(
        '"USER#{username}", "{order_id}"',
        f"app.expect(Order, writes={writes}, size={size})",
        f"app.expect(Order.username, hottest={hottest})",
    )
    assert codes(text) & HEAT == expected


def test_reads_are_counted_too(codes: Codes) -> None:
    text = order(
        '"STATUS#{status}", "{order_id}"',
        "@app.pattern",
        "def with_status(status: Literal['open', 'sent', 'done']) -> Query[Order]:",
        "    return query(Order, Order.status == status)",
        "app.expect(Order, writes=1, size=1_000)",
        "app.expect(with_status, rate=800, results=100)",
    )
    assert codes(text) & HEAT == {
        "TW302",
        "TW304",
    }  # 800 reads of 25 half units, a third of them of one
    assert codes(text.replace("rate=800", "rate=4")) & HEAT == set()


def test_a_constant_partition_is_named_whole_and_the_hint_says_what_is_missing(told: Told) -> None:
    read = [
        "@app.pattern",
        "def orders(since: datetime) -> Query[Order]:",
        "    return query(Order, Order.placed_at >= since)",
    ]
    keys = '"ORDERS#ALL", "{placed_at}#{order_id}"'

    def found(*expected: str) -> list[Finding]:
        return [one for one in told(order(keys, *read, *expected)) if one.code == "TW301"]

    (bare,) = found()
    assert bare.message == "All items of Order on GSI1 lie in one partition, 'ORDERS#ALL'."
    assert bare.hint.endswith("say so: expect(Order, writes=...), expect(orders, rate=...).")
    (written,) = found("app.expect(Order, writes=5)")
    assert "Shard(" in bare.hint
    assert "shards would not make these cooler" in written.hint
    assert written.hint.endswith("say so: expect(orders, rate=...).")
    (busy,) = found("app.expect(Order, writes=900)", "app.expect(orders, rate=1)")
    assert busy.hint.endswith("by what expect() says, a partition does not bear it easily.")
    assert not found("app.expect(Order, writes=5)", "app.expect(orders, rate=1)")


def test_a_read_of_all_shards_takes_a_page_from_each(told: Told) -> None:
    text = order(
        '"ORDERS#{shard}", "{placed_at}#{order_id}"',
        "@app.pattern",
        "def newest() -> Query[Order]:",
        "    return query(Order).sorted_by(Order.placed_at).newest_first()",
        "app.expect(Order, items=50_000_000, writes=100, size=1_500)",
        "app.expect(newest, rate=2_000, results=20)",
        derive=SHARD,
    )
    (hot,) = [one for one in told(text) if one.code == "TW302"]
    assert "takes 8,000 read units in a second" in hot.message  # 2,000 times 21 items of 1,500 bytes
    assert "more shards do not" in hot.hint
    assert not [one for one in told(text.replace("rate=2_000", "rate=700")) if one.code == "TW302"]


@pytest.mark.parametrize(("rate", "hot"), [(2_500, False), (3_500, True)])
def test_a_call_is_one_variant_of_its_pattern(codes: Codes, rate: int, hot: bool) -> None:
    text = order(
        '"ORDERS", "{placed_at}#{order_id}"',
        "@app.pattern",
        "def since(moment: datetime | None = None) -> Query[Order]:",
        "    return query(Order).when(moment, lambda m: Order.placed_at >= m)",
        "app.expect(Order, writes=1, size=1_000)",
        f"app.expect(since, rate={rate}, results=8)",
    )
    assert ("TW302" in codes(text)) == hot


@pytest.mark.parametrize(
    ("asking", "says"),
    [
        ("Query[Order]:\n        return query(Order, Order.order_id == order_id)", "takes a page from each partition"),
        ("Get[Order]:\n        return get(Order, Order.order_id == order_id)", "store it several times"),
        ("Get[Order]:\n        return get(Order, Order.order_id == order_id).consistent()", "leave .consistent() out"),
    ],
    ids=["a page", "an item", "consistent"],
)
def test_busy_reads_are_not_told_to_add_shards(told: Told, asking: str, says: str) -> None:
    text = order(
        '"ORDERS", "{placed_at}#{order_id}"',
        f"@app.pattern\n    def asked(order_id: str) -> {asking}",
        "app.expect(asked, rate=20_000)",
        "app.expect(Order.order_id, hottest=0.5)",
    )
    (hot,) = [one for one in told(text) if one.code == "TW302"]
    assert says in hot.hint
    assert "which shards do not change" in hot.hint or "which more shards do not change" in hot.hint
    assert "ReadCache" in hot.hint


def test_a_sort_key_that_begins_with_an_id_is_written_everywhere(codes: Codes) -> None:
    expectations = ("app.expect(Order, writes=900)", "app.expect(Order.username, hottest=0.5)")
    assert "TW303" in codes(order('"USER#{username}", "{placed_at}#{order_id}"', *expectations))
    assert "TW303" not in codes(order('"USER#{username}", "{order_id}#{placed_at}"', *expectations))
    quiet = ("app.expect(Order, writes=90)", expectations[1])
    assert "TW303" not in codes(order('"USER#{username}", "{placed_at}#{order_id}"', *quiet))


def test_a_single_item_with_a_fixed_key_is_no_partition_for_all(codes: Codes) -> None:
    assert (
        not codes("""
        app = Table("App")
        class Settings(Entity, table=app):
            keys = Keys("CONFIG", "SETTINGS")
            theme: str
        """)
        & HEAT
    )


def test_who_knows_the_shard_asks_one(codes: Codes) -> None:
    text = (
        order('"ORDERS#{shard}", "{order_id}"', derive=SHARD.replace("10", "200"))
        + """
    @app.pattern
    def one_order(order_id: str) -> Query[Order]:
        return query(Order, Order.order_id == order_id).via("GSI1")
    """
    )
    assert "TW305" not in codes(text)


def test_small_collections_may_have_local_indexes(codes: Codes) -> None:
    text = """
        app = Table("App", indexes=[LSI("LSI1")])
        class Event(Entity, table=app):
            keys = Keys("DEVICE#{device_id}", "{event_id}", LSI1="{kind}")
            device_id: str
            event_id: str
            kind: str
        app.expect(Event, size=1_000, per={"device_id": 5_000_000})
        """
    assert "TW307" not in codes(text)  # two copies of 5 GB
    assert "TW307" in codes(text.replace("5_000_000", "6_000_000"))


def test_entities_of_one_partition_bear_together(codes: Codes) -> None:
    text = """
        app = Table("App")
        class Note(Entity, table=app):
            keys = Keys("TENANT#{tenant}", "NOTE#{note_id}")
            tenant: str
            note_id: str
        class Photo(Entity, table=app):
            keys = Keys("TENANT#{tenant}", "PHOTO#{photo_id}")
            tenant: str
            photo_id: str
        app.expect(Note, writes=800)
        app.expect(Photo, writes=800)
        app.expect(Note.tenant, hottest=0.8)
        app.expect(Photo.tenant, hottest=0.8)
        """
    assert "TW302" in codes(text)
    assert "TW302" not in codes(text.replace("Photo, writes=800", "Photo, writes=80"))


def test_an_index_of_keys_takes_one_unit_for_a_large_item(codes: Codes) -> None:
    text = order('"STATUS#{status}", "{order_id}"', "app.expect(Order, writes=900, size=4_000)")
    assert "TW302" in codes(text)
    assert "TW302" not in codes(text.replace('GSI("GSI1")', 'GSI("GSI1", projection="KEYS_ONLY")'))


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("seq", "int", True),
        ("event_no", "int", True),
        ("version", "int", True),
        ("ulid", "str", True),
        ("at", "datetime", True),
        ("score", "int", False),
        ("event_id", "str", False),
        ("name", "str", False),
    ],
)
@pytest.mark.parametrize("writes", [200, 300])
def test_a_busy_partition_that_grows_at_its_end(
    codes: Codes, name: str, kind: str, expected: bool, writes: int
) -> None:
    form = f"{{{name}:9}}" if kind == "int" else f"{{{name}}}"
    text = f"""
        app = Table("App")
        class Event(Entity, table=app):
            keys = Keys("STREAM#{{stream_id}}", "EVENT#{form}")
            stream_id: str
            {name}: {kind}
        app.expect(Event, writes={writes}, size=500)
        app.expect(Event.stream_id, distinct=1)
        """
    assert ("TW303" in codes(text)) is (expected and writes == 300)


@pytest.mark.parametrize(("shards", "expected"), [(50, False), (51, True)])
def test_fifty_shards_may_be_asked(codes: Codes, shards: int, expected: bool) -> None:
    text = f"""
        app = Table("App", indexes=[GSI("GSI1")])
        class Order(Entity, table=app):
            keys = Keys(
                "ORDER#{{order_id}}",
                "ORDER",
                GSI1=("ORDERS#{{shard}}", "{{placed_at}}#{{order_id}}"),
                derive={{"shard": Shard("order_id", of={shards})}},
            )
            order_id: str
            placed_at: datetime
        @app.pattern
        def orders_since(since: datetime) -> Query[Order]:
            "Orders from a time on."
            return query(Order, Order.placed_at >= since)
        """
    assert ("TW305" in codes(text)) is expected
