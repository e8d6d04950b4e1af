"""Two tables of a relational mind become the one of merchants.py, while the application runs.

`python -m examples.small.merchants_move` shows all phases, with a clock that need not wait a month.
"""

import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tablewright.engine import Engine, open_engine
from tablewright.evolve.jobs import InFile, run
from tablewright.evolve.moving import (
    Default,
    LegacyGet,
    LegacyQuery,
    Move,
    Moving,
    MovingSession,
    Parent,
    Read,
    open_moving,
)
from tablewright.evolve.moving.planning import Plan
from tablewright.evolve.moving.verifying import Verification

from .merchants import Merchant, Review, market, merchant, merchants_in

MERCHANTS, REVIEWS = "MerchantsTable", "ReviewsTable"


def _written_at(row: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(row["Timestamp"])


def _merchant_row(entity: Merchant) -> dict[str, Any]:
    return {
        "MerchantId": entity.merchant_id,
        "Name": entity.title,
        "CategoryId": entity.category_id,
        "ReviewCount": entity.reviews,
        "StarCount": entity.stars,
    }


def _review_row(entity: Review) -> dict[str, Any]:
    return {
        "MerchantId": entity.merchant_id,
        "ReviewId": entity.review_id,
        "Timestamp": entity.written_at.isoformat(),
        "Stars": entity.stars,
        "Text": entity.words,
    }


moving = Moving(
    "market",
    table=market,
    moves=[
        Move(
            table=MERCHANTS,
            key=("MerchantId",),
            entity=Merchant,
            fields={
                "merchant_id": "MerchantId",
                "title": "Name",
                "category_id": "CategoryId",
                "reviews": Default("ReviewCount", 0),
                "stars": Default("StarCount", 0),
            },
            dropped=("Type",),  # the model's own type is what is stored
            back=_merchant_row,
        ),
        Move(
            table=REVIEWS,
            key=("MerchantId", "ReviewId"),
            entity=Review,
            fields={
                "merchant_id": "MerchantId",
                "review_id": "ReviewId",
                "written_at": _written_at,
                "stars": "Stars",
                "words": Default("Text", ""),
            },
            uses=("Timestamp",),
            back=_review_row,
        ),
    ],
    parents=[Parent(Review, Merchant, {"merchant_id": "merchant_id"})],
)
"""MerchantsTable: MERCHANT#id / MERCHANT#id, its CategoryIndex: GSI1, ReviewsTable: MERCHANT#id / REVIEW#time#id."""

ONE = Read(Merchant, lambda merchant_id: LegacyGet(MERCHANTS, {"MerchantId": merchant_id}), merchant)
IN_CATEGORY = Read(
    Merchant,
    lambda category_id: LegacyQuery(MERCHANTS, {"CategoryId": category_id}, index="CategoryIndex"),
    merchants_in,
    ordered=False,
)


def definitions() -> list[dict[str, Any]]:
    """The CreateTable requests of the legacy application."""

    def named(*keys: str) -> list[dict[str, str]]:
        return [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)]

    def typed(*names: str) -> list[dict[str, str]]:
        return [{"AttributeName": name, "AttributeType": "S"} for name in names]

    index = {
        "IndexName": "CategoryIndex",
        "KeySchema": named("CategoryId"),
        "Projection": {"ProjectionType": "ALL"},
    }
    return [
        {
            "TableName": MERCHANTS,
            "AttributeDefinitions": typed("MerchantId", "CategoryId"),
            "KeySchema": named("MerchantId"),
            "GlobalSecondaryIndexes": [index],
            "BillingMode": "PAY_PER_REQUEST",
        },
        {
            "TableName": REVIEWS,
            "AttributeDefinitions": typed("MerchantId", "ReviewId"),
            "KeySchema": named("MerchantId", "ReviewId"),
            "BillingMode": "PAY_PER_REQUEST",
        },
    ]


def backfill(session: MovingSession, folder: Path) -> int:
    """Moves what was there before, page by page; how many items were written. A run that was ended is gone on with."""
    written = 0
    for work in session.backfills():
        report = run(work, session.db, write=True, checkpoints=InFile(folder / f"{work.table}.json"))
        written += report.counts.written
    session.repair()
    return written


def move(session: MovingSession, folder: Path, wait: Callable[[timedelta], None]) -> None:
    """All phases up to the switch of every reader; each ends the program where something is not as it should be."""
    _must(session.plan())
    session.prepare()
    session.advance("dual")
    wait(timedelta(seconds=11))
    print("moved", backfill(session, folder), "items, again", backfill(session, folder))
    _must(session.verify(writing=True))
    session.advance("shadow")
    wait(timedelta(seconds=11))
    for subject in ("ann", "bob"):
        session.read(IN_CATEGORY, "bakers", subject=subject)
        session.read_one(ONE, "mia", subject=subject)
    session.tell()
    session.advance("switched")
    wait(timedelta(seconds=11))
    for percent in (10, 50, 100):
        session.switch(percent)
        wait(timedelta(days=1))


def _must(found: Plan | Verification) -> None:
    if found.exit_code:
        raise SystemExit(found.text())


def retire(session: MovingSession, folder: Path, wait: Callable[[timedelta], None]) -> None:
    """The end, after the safety period."""
    wait(timedelta(days=30))
    _must(session.verify())
    session.advance("new")
    wait(timedelta(seconds=11))
    archives = session.retire(folder)
    print("archived", {name: archived.items for name, archived in archives.items()})
    session.delete_ledgers()


def fill(engine: Engine) -> None:
    """The legacy tables with a few rows, one of which has a type of its own and no sums."""
    for definition in definitions():
        engine.execute("CreateTable", definition)
    with open_moving(moving, engine, create=True) as session:
        session.prepare()
        for name, category, count, stars in (
            ("leo", "bakers", 0, 0),
            ("mia", "bakers", 2, 9),
            ("ned", "tailors", 0, 0),
        ):
            row = {"MerchantId": name, "Name": name.title(), "CategoryId": category, "Type": "Shop"}
            session.put(MERCHANTS, row | ({"ReviewCount": count, "StarCount": stars} if count else {}))
        for number, stars in ((1, 4), (2, 5)):
            at = datetime(2026, 3, number, tzinfo=UTC).isoformat()
            session.put(REVIEWS, {"MerchantId": "mia", "ReviewId": f"r{number}", "Timestamp": at, "Stars": stars})


def main() -> None:
    """Legacy rows, the whole move, and the new table alone."""
    now = datetime(2026, 5, 1, tzinfo=UTC)

    def wait(span: timedelta) -> None:
        nonlocal now
        now += span

    with tempfile.TemporaryDirectory() as scratch, open_engine("memory:") as engine:
        fill(engine)
        with open_moving(moving, engine, clock=lambda: now) as session:
            move(session, Path(scratch), wait)
            retire(session, Path(scratch), wait)
            print([(each.title, each.rating()) for each in session.db.run(merchants_in, "bakers")])


if __name__ == "__main__":
    main()
