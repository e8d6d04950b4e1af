"""The child of the crash test: writes items with two indexes and says after each write that it was acknowledged."""

from __future__ import annotations

import sys
import threading
from typing import Any

from tablewright.engine import open_engine

INDEXES = ("GSI1", "GSI2")


def definition() -> dict[str, Any]:
    """A single-table layout with two overloaded indexes."""

    def keys(prefix: str) -> list[dict[str, str]]:
        return [
            {"AttributeName": f"{prefix}PK", "KeyType": "HASH"},
            {"AttributeName": f"{prefix}SK", "KeyType": "RANGE"},
        ]

    names = ["PK", "SK", *(f"{index}{part}" for index in INDEXES for part in ("PK", "SK"))]
    return {
        "TableName": "App",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
        "KeySchema": keys(""),
        "GlobalSecondaryIndexes": [
            {"IndexName": index, "KeySchema": keys(index), "Projection": {"ProjectionType": "ALL"}} for index in INDEXES
        ],
    }


def item(worker: str, number: int, round_: int) -> dict[str, Any]:
    """What a worker writes under a key in a round; the second index moves with every round."""
    texts = {
        "PK": f"WORKER#{worker}",
        "SK": f"ITEM#{number:04d}",
        "GSI1PK": f"NUMBER#{number}",
        "GSI1SK": worker,
        "GSI2PK": f"STATUS#{round_ % 3}",
        "GSI2SK": f"{round_:06d}#{number}",
        "padding": "x" * (number % 7) * 300,
    }
    return {name: {"S": text} for name, text in texts.items()} | {"round": {"N": str(round_)}}


def main(path: str, start: int) -> None:
    """Write until killed. Each line on stdout is one acknowledged write: worker, number, round, kind."""
    engine = open_engine(path)
    if not engine.execute("ListTables", {})["TableNames"]:
        engine.execute("CreateTable", definition())
    say = threading.Lock()

    def work(worker: str) -> None:
        round_ = start
        while True:
            round_ += 1
            for number in range(40):
                written = item(worker, number, round_)
                if number % 10 == 9 and round_ % 2 == 0:
                    key = {name: written[name] for name in ("PK", "SK")}
                    engine.execute("DeleteItem", {"TableName": "App", "Key": key})
                    kind = "delete"
                elif number % 10 == 8:
                    other = {"Put": {"TableName": "App", "Item": item(worker, number + 1000, round_)}}
                    actions = [{"Put": {"TableName": "App", "Item": written}}, other]
                    engine.execute("TransactWriteItems", {"TransactItems": actions})
                    kind = "pair"
                else:
                    engine.execute("PutItem", {"TableName": "App", "Item": written})
                    kind = "put"
                with say:
                    print(worker, number, round_, kind, flush=True)

    for name in ("a", "b", "c"):
        threading.Thread(target=work, args=(name,), daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
