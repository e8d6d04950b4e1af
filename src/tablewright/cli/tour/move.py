"""The chapter that ships an order: one field changes, and the index key moves with it."""

from __future__ import annotations

import inspect

from rich.text import Text

from tablewright.cli.tour.look import Look
from tablewright.cli.tour.shop import model
from tablewright.client.session import Session

ORDER, TRACKING = "o1029", "TW1029"


def show(look: Look, db: Session) -> None:
    """Both partitions of the status index before and after."""
    look.chapter("An order is shipped, and its index key moves")
    look.say("A change says what must hold and what becomes of it. It names no key:")
    look.code(inspect.getsource(model.ship.function).rstrip())
    look.say("The status index, as it is stored. Before:")
    _partitions(look, db)
    with db.measure() as meter:
        db.apply(model.ship, model.order(ORDER), tracking=TRACKING)
    look.code(f'db.apply(ship, order("{ORDER}"), tracking="{TRACKING}")')
    look.say("After:")
    _partitions(look, db)
    look.say(
        f"{len(meter.requests)} requests: find the order through GSI1, then one update under the condition that nothing "
        f"changed meanwhile. {meter.capacity.write:g} write units: the order, GSI1, and GSI2 twice, out and in."
    )


def _partitions(look: Look, db: Session) -> None:
    look.side_by_side(*((f"GSI2: STATUS#{status}", _sort_keys(db, status)) for status in ("PENDING", "SHIPPED")))


def _sort_keys(db: Session, status: str) -> list[Text]:
    """Asked of the index itself, past the model, so that nothing is glossed over."""
    reply = db.send(
        "Query",
        {
            "TableName": db.table_name,
            "IndexName": "GSI2",
            "KeyConditionExpression": "GSI2PK = :status",
            "ExpressionAttributeValues": {":status": {"S": f"STATUS#{status}"}},
        },
    )
    keys = [item["GSI2SK"]["S"] for item in reply["Items"]]
    return [Text(key, "bold green" if key.endswith(f"#{ORDER}") else "") for key in keys]
