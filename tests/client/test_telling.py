"""What errors tell of where they happened, and what neither errors, nor logs, nor what is printed ever tell."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import pytest
from pydantic import Field

from tablewright import (
    GSI,
    AesGcm,
    Encrypted,
    Entity,
    Get,
    Keys,
    Query,
    RetryPolicy,
    Session,
    Table,
    collect,
    get,
    key,
    many,
    one,
    query,
)
from tablewright.client.settings import Environment, SessionOptions
from tablewright.engine import Engine, open_engine
from tablewright.errors import ResourceNotFound, ServiceError, TablewrightError, Throttled
from tablewright.testing import LostReply, ServerError, Throttle
from tablewright.transport.botocore import BotocoreTransport

VALUE = "a-value-that-nobody-may-see"
CURSOR_KEY = b"a-cursor-key-nobody-may-see"
CIPHER_KEY = b"a-cipher-key-32-bytes-long-......"[:32]
ACCESS, SECRET = "AKIANOBODYMAYSEETHIS", "a-secret-access-key-nobody-may-see"
SECRETS = (VALUE, CURSOR_KEY.decode(), CIPHER_KEY.decode(), SECRET)
AT_ONCE = RetryPolicy(base_delay=0.0, max_delay=0.0)
shop = Table("Shop", indexes=[GSI("GSI1")])


class Customer(Entity, table=shop, version=True):
    keys = Keys("CUSTOMER#{name}", "CUSTOMER", GSI1=("CITY#{city}", "{name}"), unique=["email"])
    name: str
    city: str = "Rome"
    email: str
    age: int = 0
    secret: Annotated[str, Encrypted(AesGcm({"k": CIPHER_KEY}))] = Field(default_factory=lambda: VALUE)


class Everybody(Entity, table=shop):
    keys = Keys("CUSTOMER#{name}", "NOTE#{note}")
    name: str
    note: str


class Whole:
    def __init__(self, customer: Customer | None, notes: list[Everybody]) -> None:
        self.customer, self.notes = customer, notes


@shop.pattern
def customer(name: str) -> Get[Customer]:
    return get(Customer, Customer.name == name)


@shop.pattern
def by_city_and_name(city: str, name: str) -> Get[Customer]:
    return get(Customer, Customer.city == city, Customer.name == name).via("GSI1")


@shop.pattern
def in_city(city: str) -> Query[Customer]:
    return query(Customer, Customer.city == city)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def db(engine: Engine) -> Iterator[Session]:
    with shop.open(engine, retry=AT_ONCE, cursor_keys=[CURSOR_KEY]) as session:
        yield session


def caught(work: Callable[[], object]) -> TablewrightError:
    with pytest.raises(TablewrightError) as found:
        work()
    return found.value


# ----------------------------------------------------------------------------------------------------------- context


@pytest.mark.parametrize("read", ["get", "all", "page", "count", "first", "take", "tally", "sum"])
def test_errors_of_reads_name_the_pattern(db: Session, engine: Engine, read: str) -> None:
    engine.faults.inject(Throttle(operations="reads"))
    results = db.run(in_city, "Rome")
    work: dict[str, Callable[[], object]] = {
        "get": lambda: db.run(customer, "x"),
        "all": results.all,
        "page": lambda: results.page(5),
        "count": results.count,
        "first": results.first,
        "take": lambda: results.take(2),
        "tally": lambda: db.tally(in_city("Rome")),
        "sum": lambda: db.tally(in_city("Rome"), of=lambda _: 1),
    }
    error = caught(work[read])
    assert isinstance(error, Throttled)
    assert error.context["pattern"] == ("customer" if read == "get" else "in_city")
    assert error.context["table"] == "Shop"
    assert error.context.get("index") == (None if read == "get" else "GSI1")
    assert error.context["retries"] == 3
    assert error.operation == ("GetItem" if read == "get" else "Query")
    assert (error.code, error.category, error.retryable) == ("THROTTLED", "throttling", True)


def test_statements_name_the_table(db: Session, engine: Engine) -> None:
    found = db.statement('SELECT * FROM "{table}" WHERE PK = ?', ["CUSTOMER#x"], into=Customer)
    engine.faults.inject(Throttle(operations=["ExecuteStatement"]))
    error = caught(found.all)
    assert (error.operation, error.context["table"], error.context["retries"]) == ("ExecuteStatement", "Shop", 3)


def test_reads_on_the_spot_have_no_pattern(db: Session, engine: Engine) -> None:
    engine.faults.inject(Throttle(operations="reads"))
    assert "pattern" not in caught(lambda: db.get(key(Customer, name="x"))).context


def test_collections_name_theirs(db: Session, engine: Engine) -> None:
    table = Table("Own")

    class Root(Entity, table=table):
        keys = Keys("R#{r}", "ROOT")
        r: str

    class Leaf(Entity, table=table):
        keys = Keys("R#{r}", "LEAF#{leaf}")
        r: str
        leaf: str

    class Tree:
        def __init__(self, root: Root | None, leaves: list[Leaf]) -> None: ...

    from tablewright import Collection

    @table.pattern
    def tree(r: str) -> Collection[Tree]:
        return collect(Tree, root=one(query(Root, Root.r == r)), leaves=many(query(Leaf, Leaf.r == r)))

    with table.open(engine, retry=AT_ONCE) as own:
        engine.faults.inject(Throttle(operations="reads"))
        assert caught(lambda: own.run(tree, "1")).context["pattern"] == "tree"


def test_the_id_of_a_request_is_told_where_the_service_gave_one(boto_client: Any) -> None:
    transport = BotocoreTransport(boto_client)
    error = caught(lambda: transport.send("GetItem", {"TableName": "Missing", "Key": {"PK": {"S": "x"}}}))
    assert isinstance(error, ResourceNotFound)
    assert error.context["request_id"]
    assert error.__cause__ is not None


@pytest.fixture
def boto_client(engine: Engine) -> Iterator[Any]:
    from botocore.config import Config
    from botocore.session import get_session

    from tablewright.server import serve_in_thread

    with serve_in_thread(engine) as server:
        client = get_session().create_client(
            "dynamodb",
            region_name="eu-west-1",
            endpoint_url=server.url,
            aws_access_key_id=ACCESS,
            aws_secret_access_key=SECRET,
            config=Config(retries={"total_max_attempts": 1}),
        )
        try:
            yield client
        finally:
            client.close()


# ----------------------------------------------------------------------------------------------------------- secrets


def _failures(db: Session, engine: Engine) -> Iterator[TablewrightError]:
    """Every kind of failure with values in hand."""
    full = Customer(name=VALUE, city=VALUE, email=VALUE)
    db.create(full)
    yield caught(lambda: db.create(full))
    yield caught(lambda: db.create(Customer(name="other", email=VALUE)))
    yield caught(lambda: db.update(key(Customer, name=VALUE), set={"age": VALUE}))
    yield caught(lambda: db.update(key(Customer, name=VALUE), set={"age": 1}, when=Customer.city == "nowhere"))
    yield caught(lambda: db.update(key(Customer, name=VALUE), set={"age": 1}, expected_version=9))
    yield caught(lambda: db.update(key(Customer, name=VALUE + "x"), set={"city": VALUE}))
    yield caught(lambda: db.get(key(Customer, nam=VALUE)))
    yield caught(lambda: db.run(in_city, VALUE).page(5, VALUE))
    yield caught(lambda: db.create(Customer(name="\ud800", city=VALUE, email="e")))
    yield caught(lambda: db.create(Customer(name="big", email="e", secret=VALUE * 40_000)))
    with pytest.raises(TablewrightError) as canceled, db.transaction() as tx:
        tx.create(full)
        tx.create(Everybody(name=VALUE, note=VALUE))
    yield canceled.value
    for fault in (Throttle(), ServerError(), LostReply(operations="writes")):
        engine.faults.inject(fault)
        yield caught(lambda: db.update(key(Customer, name=VALUE), set={"city": VALUE}))
        yield caught(lambda: db.run(customer, VALUE)) if not isinstance(fault, LostReply) else canceled.value
        engine.faults.clear()
    item = engine.execute("Scan", {"TableName": "Shop"})["Items"]
    broken = next(i for i in item if i["Type"]["S"] == "Customer")
    engine.execute("PutItem", {"TableName": "Shop", "Item": {**broken, "age": {"S": VALUE}, "secret": {"S": VALUE}}})
    yield caught(lambda: db.get(key(Customer, name=VALUE)))


def test_neither_errors_nor_logs_tell_values_or_keys(
    db: Session, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    count = 0
    for error in _failures(db, engine):
        count += 1
        # Source lines are the test's own; what the exceptions say is what counts.
        shown = [error, *_causes(error)]
        told = " ".join(
            [
                str(e) + repr(e) + "".join(traceback.format_exception_only(e)) + str(getattr(e, "context", ""))
                for e in shown
            ]
        )
        assert not [secret for secret in SECRETS if secret in told], (count, type(error).__name__)
    assert count > 15
    assert caplog.records
    assert not [secret for secret in SECRETS if secret in caplog.text]


def _causes(error: BaseException) -> Iterator[BaseException]:
    while (following := error.__cause__) is not None:
        yield following
        error = following


def test_nothing_that_is_printed_shows_a_secret(db: Session, boto_client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    options = SessionOptions.of({"cursor_keys": [CURSOR_KEY]})
    context, driver = db._context, db._driver
    with shop.open("http://127.0.0.1:9", cursor_keys=[CURSOR_KEY]) as far:
        things = [db, context, driver, driver.transport, options, context.seal, Environment.read(), far, far._driver]
        things += [far._driver.transport, BotocoreTransport(boto_client), Customer.model_fields["secret"]]
        told = " ".join(f"{thing!r} {thing!s}" for thing in things)
    assert not [secret for secret in (*SECRETS, ACCESS) if secret in told]


def test_what_the_service_says_is_passed_on_as_it_is() -> None:
    error = ServiceError("the service's own words", wire_name="OddException")
    assert (str(error), error.code) == ("the service's own words", "SERVICE_ERROR")
