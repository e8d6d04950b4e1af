"""Declared changes cost, at worst, what is measured: also where a unique value moves, or an index holds what the library adds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import GSI, Entity, Keys, Table, key
from tablewright.cost.estimating import estimate
from tablewright.values.sizes import item_size


@settings(max_examples=settings().max_examples // 10)
@given(body=st.integers(1, 3000), stamps=st.booleans(), version=st.booleans())
def test_a_change_costs_what_is_measured(body: int, stamps: bool, version: bool) -> None:
    table = Table(
        "Accounts",
        indexes=[
            GSI("Versions", projection=["Version"]),
            GSI("Times", projection=["UpdatedAt"]),
            GSI("Notes", projection=["note"]),
            GSI("Bare", projection="KEYS_ONLY"),
        ],
    )

    class Account(Entity, table=table, version=version, timestamps=stamps):
        keys = Keys(
            "ACCOUNT#{account}",
            "ACCOUNT",
            Versions=("V#{account}", "V"),
            Times=("T#{account}", "T"),
            Notes=("N#{account}", "N"),
            Bare=("B#{mail}", "B"),
            unique=["mail", "name"],
        )
        account: str
        mail: str
        name: str
        note: str
        body: str
        count: int = 0

    @table.change
    def move(one: Account, mail: str) -> None:
        one.mail = mail

    @table.change
    def write(one: Account, text: str) -> None:
        one.note = text

    @table.change
    def number(one: Account, to: int) -> None:
        one.count = to

    with table.open("memory:") as db:
        db.create(Account(account="a", mail="m1@x", name="n", note="n", body="b" * body))
        size = max(item_size(item) for item in db.send("Scan", {"TableName": "Accounts"})["Items"])
        table.expect(Account, size=size)
        (cost,) = estimate(table).entities
        place = key(Account, account="a")
        with db.measure() as moved:
            db.apply(move, place, mail="m2@x")
        with db.measure() as written:
            db.apply(write, place, text="o")
        with db.measure() as numbered:
            db.apply(number, place, to=7)
    assert moved.capacity.write == cost.changes["move"].total
    assert written.capacity.write == cost.changes["write"].total
    assert numbered.capacity.write == cost.changes["number"].total
    # The item, and what the library adds to each write.
    assert set(cost.changes["number"].indexes) == {
        *(["Versions"] if version else []),
        *(["Times"] if stamps else []),
    }
    # Of a write nobody declared, whatever can hold something of it is counted.
    assert set(cost.update.indexes) == {"Versions", "Times", "Notes"}
