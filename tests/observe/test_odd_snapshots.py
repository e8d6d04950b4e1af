"""Whatever a snapshot holds, rules and comparisons look at it without raising, and what they say can be used."""

import ast
import math
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tablewright import GSI, Entity, Keys, Query, Table, query
from tablewright.observe.advising import advise, all_rules, not_judged
from tablewright.observe.drift import Drift, compare, shown
from tablewright.observe.recommendation import SEVERITIES, Observed, Recommendation
from tablewright.observe.sketches.heavy import Heavy
from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.observe.snapshot import (
    BillingMode,
    FieldUse,
    Minute,
    Peak,
    Place,
    ReadyUnits,
    Snapshot,
    Traffic,
)

shop = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}", GSI1=("STATUS#{status}", "{order_id}"))
    username: str
    order_id: str
    status: str
    note: str = ""


@shop.pattern
def orders_of(username: str) -> Query[Order]:
    return query(Order, Order.username == username).filter(Order.status == "open")


KEYS = [
    "",
    "#",
    "USER#1",
    "USER#2",
    "EVENTS#2026-11-16",
    "2026-13-99",
    "STATUS#open",
    "\0é",
    "9" * 5000,
    "*",
    "user:*",
]
OPERATIONS = ["GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "other", ""]
FLOATS = ("read_units", "write_units", "most_units", "first", "last")


class Odd:
    """Makes snapshots that no collector would make, and some that it would."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def count(self) -> int:
        return self.random.choice([0, 1, 5, 20, 100, 1000, 10**12, -5, self.random.randrange(2000)])

    def amount(self) -> float:
        return self.random.choice([0.0, 0.5, 100.0, 1e9, -1.0, self.random.random() * 1e4])

    def key(self) -> str:
        return self.random.choice([*KEYS, f"ORDER#{self.random.randrange(99)}"])

    def some(self, values: Iterable[Any]) -> Any:
        return self.random.choice(list(values))

    def many(self, make: Callable[[], Any], most: int = 4) -> list[Any]:
        return [make() for _ in range(self.random.randrange(most + 1))]

    def heavy(self) -> Heavy:
        made = Heavy(self.random.randrange(1, 8))
        made.add_all({self.key(): abs(self.amount()) for _ in range(self.random.randrange(9))})
        made.lost = self.random.choice([0.0, 3.0, 1e6])
        return made

    def quantiles(self) -> Quantiles:
        made = Quantiles()
        made.add(self.many(self.random.random))
        return made

    def traffic(self) -> Traffic:
        others = ("operation", "index", "pattern", "entity", "failures", "index_units", "latency", "overwritten")
        figures: dict[str, Any] = {
            name: self.amount() if name in FLOATS else self.count()
            for name in Traffic.__struct_fields__
            if name not in others
        }
        return Traffic(
            operation=self.some(OPERATIONS),
            index=self.some([None, "GSI1", "GSI9", ""]),
            pattern=self.some([None, "orders_of", "gone", ""]),
            entity=self.some([None, "Order", "Gone", ""]),
            failures={self.some(["THROTTLED", ""]): self.count()},
            index_units={self.some(["GSI1", "GSI9"]): self.amount()},
            latency=self.quantiles(),
            overwritten=self.heavy(),
            **figures,
        )

    def place(self) -> Place:
        made = Place(
            requests=self.heavy(),
            reads=self.heavy(),
            writes=self.heavy(),
            peaks={self.key(): Peak(self.amount(), self.amount()) for _ in range(self.random.randrange(4))},
            newest=self.many(self.key, 40) + [f"{self.key()}{n}" for n in range(30)] + [f'"*\\{n}' for n in range(30)],
            last_used=self.amount(),
        )
        made.partitions.add(key for key in made.newest if key.isascii())
        return made

    def minute(self) -> Minute:
        return Minute(self.count(), self.amount(), self.amount(), self.count(), self.amount(), self.amount())

    def snapshot(self) -> Snapshot:
        return Snapshot(
            table="Shop",
            spans=self.many(lambda: (self.amount(), self.amount()), 2),
            sample=self.some([1.0, 0.01, 0.0]),
            traffic=self.many(self.traffic, 6),
            places={self.some(["", "GSI1", "GSI9"]): self.place() for _ in range(3)},
            minutes={self.random.randrange(10**8): self.minute() for _ in range(self.random.randrange(4))},
            billing=BillingMode(
                self.some(["unknown", "on-demand", "provisioned", ""]),
                {self.some(["", "GSI1"]): ReadyUnits(self.amount(), self.amount())},
            ),
            fields={
                self.some(["orders_of", "gone"]): FieldUse(self.count(), {self.some(["note", "gone"]): self.count()})
            },
            key_forms={self.key(): {self.key(): self.count() for _ in range(3)} for _ in range(4)},
            unhandled={self.some(["ALREADY_EXISTS", "GONE", ""]): self.count()},
        )


def usable(one: Recommendation) -> bool:
    shares = [share for share in (one.saves, one.faster) if share is not None]
    return (
        one.rule in all_rules()
        and one.severity in SEVERITIES
        and one.message != "" != one.action
        and 0 <= one.impact <= 1
        and math.isfinite(one.frequency)
        and all(share <= 1 for share in shares)
        and one.effort in (1, 2, 3)
    )


@given(seed=st.integers(0, 2**32))
def test_no_rule_raises(seed: int) -> None:
    seen = Odd(seed).snapshot()
    for plan in (shop.plan, None):
        for one in advise(Observed(seen, plan)):
            assert usable(one), one
            if one.code is not None:
                ast.parse(one.code)
        assert set(not_judged(Observed(seen, plan))) <= set(all_rules())


@given(seed=st.integers(0, 2**32))
def test_no_comparison_raises(seed: int) -> None:
    drift = compare(shop.plan, Odd(seed).snapshot())
    assert shown(drift).startswith("Shop, observed for ")
    assert msgspec.json.decode(msgspec.json.encode(drift), type=Drift).departures == drift.departures


def test_nothing_gives_nothing() -> None:
    assert advise(Observed(Snapshot(table="Shop"), shop.plan)) == []


def test_every_rule_says_why() -> None:
    for name, rule in all_rules().items():
        assert (type(rule).__doc__ or "").count("\n\n") >= 3, name
