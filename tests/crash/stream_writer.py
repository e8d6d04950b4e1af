"""The child of the crash test of streams: writes items, some of which expire, to a table that notes all its changes."""

from __future__ import annotations

import random
import sys
import threading
import time
from typing import Any

from tablewright.engine import Engine, open_engine

TABLE = "App"


def prepare(engine: Engine) -> None:
    """Create the table with a stream, time to live and recovery."""
    if engine.execute("ListTables", {})["TableNames"]:
        return
    definition: dict[str, Any] = {
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    }
    engine.execute("CreateTable", definition)
    ttl = {"Enabled": True, "AttributeName": "ttl"}
    engine.execute("UpdateTimeToLive", {"TableName": TABLE, "TimeToLiveSpecification": ttl})
    recovery = {"PointInTimeRecoveryEnabled": True}
    engine.execute("UpdateContinuousBackups", {"TableName": TABLE, "PointInTimeRecoverySpecification": recovery})


def main(path: str, seed: int) -> None:
    """Write until killed; a line on stdout says that one more write was acknowledged."""
    engine = open_engine(path, sweep_every=0.02)
    say = threading.Lock()

    def work(worker: int) -> None:
        draw = random.Random(seed * 10 + worker)
        while True:
            # Two of the workers write to the same items.
            key = {"pk": {"S": f"{worker // 2}-{draw.randrange(20)}"}}
            item = {**key, "v": {"N": str(draw.randrange(10**9))}, "padding": {"S": "x" * draw.randrange(2000)}}
            kind = draw.randrange(5)
            if kind == 0:
                engine.execute("DeleteItem", {"TableName": TABLE, "Key": key})
            elif kind == 1:
                item["ttl"] = {"N": str(int(time.time()) - 5)}
                engine.execute("PutItem", {"TableName": TABLE, "Item": item})
            elif kind == 2:
                other = {**item, "pk": {"S": f"pair-{worker}"}}
                puts = [{"Put": {"TableName": TABLE, "Item": one}} for one in (item, other)]
                engine.execute("TransactWriteItems", {"TransactItems": puts})
            else:
                engine.execute("PutItem", {"TableName": TABLE, "Item": item})
            with say:
                print(kind, flush=True)

    for worker in range(3):
        threading.Thread(target=work, args=(worker,), daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
