"""The server over HTTP: the same boto3 client and the same work against its peers, then a raw client and the server's CPU.

Run with `make bench-http`. Each figure comes from one interleaved run; BENCH_ROUNDS sets its length. BENCH_PEERS=none
leaves the peers out.
"""

from __future__ import annotations

import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench import peers
from bench.peers import Peer, Running
from bench.raw_http import message, send_all
from bench.rounds import Score, Work, ratio, run_rounds

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "9"))
CALLS = 40
TURN_SECONDS = 0.25
SEEDED = 1000
PER_OWNER = 25
RAW_CALLS = 3000
CONNECTIONS = 16
OPERATIONS = ("PutItem", "GetItem", "Query of 25", "UpdateItem", "TransactWriteItems of 10", "BatchWriteItem of 25")

_KEYS = ("PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK")
_PAIRS = [
    [{"AttributeName": f"{name}PK", "KeyType": "HASH"}, {"AttributeName": f"{name}SK", "KeyType": "RANGE"}]
    for name in ("", "GSI1", "GSI2")
]
TABLE: dict[str, Any] = {
    "TableName": "Bench",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in _KEYS],
    "KeySchema": _PAIRS[0],
    "GlobalSecondaryIndexes": [
        {"IndexName": f"GSI{number}", "KeySchema": _PAIRS[number], "Projection": {"ProjectionType": "ALL"}}
        for number in (1, 2)
    ],
}


def key(number: int) -> dict[str, Any]:
    """The key of a thing."""
    return {"PK": {"S": f"THING#{number:08d}"}, "SK": {"S": f"THING#{number:08d}"}}


def item(number: int, owner: str) -> dict[str, Any]:
    """A thing of fifteen attributes on two indexes; no two are alike, since storage engines skip identical writes."""
    return key(number) | {
        "GSI1PK": {"S": f"OWNER#{owner}"},
        "GSI1SK": {"S": f"{number:09d}"},
        "GSI2PK": {"S": "STATUS#ACTIVE"},
        "GSI2SK": {"S": f"{number:09d}"},
        "name": {"S": f"Thing number {number}"},
        "description": {"S": "A thing of good quality, described at some length. " * 2},
        "price": {"N": str(number + 0.5)},
        "weight": {"N": "0.25"},
        "stock": {"N": str(number)},
        "active": {"BOOL": True},
        "colour": {"S": "blue"},
        "size": {"S": "M"},
        "tags": {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]},
    }


# -------------------------------------------------------------------------------------------------- as boto3 sees it


def connect(url: str) -> Any:
    """A boto3 client without retries."""
    import boto3
    from botocore.config import Config

    return boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(retries={"total_max_attempts": 1}, read_timeout=60),
    )


def prepare(client: Any) -> None:
    """The table, with a thousand things in it."""
    client.create_table(**TABLE)
    client.get_waiter("table_exists").wait(TableName="Bench", WaiterConfig={"Delay": 1})
    for start in range(0, SEEDED, 25):
        puts = [{"PutRequest": {"Item": item(n, str(n % (SEEDED // PER_OWNER)))}} for n in range(start, start + 25)]
        client.batch_write_item(RequestItems={"Bench": puts})


def works(client: Any) -> dict[str, tuple[Work, int]]:
    """The work of every operation that the server knows, and how often it is done in a round: seldom where it is slow."""
    fresh, seeded = itertools.count(SEEDED), itertools.cycle(range(SEEDED))

    def put() -> None:
        client.put_item(TableName="Bench", Item=item(next(fresh), "new"))

    def get() -> None:
        assert client.get_item(TableName="Bench", Key=key(next(seeded)))["Item"]

    def query() -> None:
        reply = client.query(
            TableName="Bench",
            IndexName="GSI1",
            KeyConditionExpression="GSI1PK = :owner",
            ExpressionAttributeValues={":owner": {"S": f"OWNER#{next(seeded) % (SEEDED // PER_OWNER)}"}},
            Limit=PER_OWNER,
        )
        assert len(reply["Items"]) == PER_OWNER

    def update() -> None:
        client.update_item(
            TableName="Bench",
            Key=key(next(seeded)),
            UpdateExpression="SET stock = :stock ADD changes :one",
            ExpressionAttributeValues={":stock": {"N": str(next(fresh))}, ":one": {"N": "1"}},
            ReturnValues="ALL_NEW",
        )

    def transact() -> None:
        puts = [{"Put": {"TableName": "Bench", "Item": item(next(fresh), "new")}} for _ in range(10)]
        client.transact_write_items(TransactItems=puts)

    def batch() -> None:
        puts = [{"PutRequest": {"Item": item(next(fresh), "new")}} for _ in range(25)]
        client.batch_write_item(RequestItems={"Bench": puts})

    known: dict[str, tuple[Work, int]] = {}
    for name, once in zip(OPERATIONS, (put, get, query, update, transact, batch), strict=True):
        try:
            once()
        except Exception as error:
            print(f"  {name} is left out: {str(error)[:100]}", file=sys.stderr)
            continue
        started = time.perf_counter()
        once()
        took = time.perf_counter() - started
        known[name] = _repeated(once), max(1, min(CALLS, int(TURN_SECONDS / took)))
    return known


def _repeated(once: Callable[[], None]) -> Work:
    def work(count: int) -> None:
        for _ in range(count):
            once()

    return work


def compare(servers: list[Running]) -> None:
    """Print the median of every operation on every server, and how many times ours it takes."""
    contestants: dict[str, tuple[Work, int]] = {}
    known: list[Running] = []
    for running in servers:
        print(f"Preparing {running.peer.name}", file=sys.stderr)
        client = connect(running.url)
        try:
            prepare(client)
        except Exception as error:
            print(f"  it is left out: {str(error)[:200]}", file=sys.stderr)
            continue
        known.append(running)
        for name, work in works(client).items():
            contestants[f"{running.peer.name}: {name}"] = work
    scores = run_rounds(contestants, ROUNDS)
    for durable, ours in ((False, "tablewright"), (True, "tablewright file")):
        names = [running.peer.name for running in known if running.peer.durable is durable]
        print(f"\nboto3 over HTTP, {'files' if durable else 'memory'}: median µs, and times ours")
        _print_table(scores, names, ours)


def _print_table(scores: dict[str, Score], names: list[str], ours: str) -> None:
    print(f"{'':26}" + "".join(f"{name:>24}" for name in names))
    for operation in OPERATIONS:
        cells = []
        for name in names:
            score = scores.get(f"{name}: {operation}")
            if score is None:
                cells.append(f"{'—':>24}")
            else:
                times = ratio(scores, f"{name}: {operation}", f"{ours}: {operation}")
                cells.append(f"{score.wall_us:14.0f} ({times:6.2f}×)")
        print(f"{operation:26}" + "".join(cells))


# ------------------------------------------------------------------------------------------------ with a raw client


def messages(url: str, operation: str, numbers: Iterator[int]) -> list[bytes]:
    """Ready-made requests."""
    some = list(itertools.islice(numbers, RAW_CALLS))
    if operation == "PutItem":
        return [message(url, "PutItem", {"TableName": "Bench", "Item": item(n, "raw")}) for n in some]
    return [message(url, "GetItem", {"TableName": "Bench", "Key": key(n % SEEDED)}) for n in some]


def measure_raw(servers: list[tuple[Running, str]]) -> None:
    """Print requests a second and the server's own CPU, at sixteen connections, and what sharing commits brings."""
    numbers = itertools.count(100_000_000)
    speeds: dict[str, list[float]] = {}
    costs: dict[str, list[float]] = {}
    for running in {id(running): running for running, _ in servers}.values():
        prepare(connect(running.url))
    for _ in range(ROUNDS):
        for running, operation in servers:
            ready = messages(running.url, operation, numbers)
            cpu = running.cpu_seconds()
            seconds = send_all(running.url, ready, CONNECTIONS)
            name = f"{running.peer.name}: {operation}"
            speeds.setdefault(name, []).append(RAW_CALLS / seconds)
            costs.setdefault(name, []).append((running.cpu_seconds() - cpu) / RAW_CALLS * 1e6)
    print(f"\nA raw client, {CONNECTIONS} connections{'':14}{'requests a second':>20}{'µs of server CPU':>20}")
    for name, figures in speeds.items():
        print(f"{name:44}{statistics.median(figures):20,.0f}{statistics.median(costs[name]):20.1f}")
    shared, alone = speeds["tablewright file: PutItem"], speeds["tablewright file, no sharing: PutItem"]
    times = statistics.median(a / b for a, b in zip(shared, alone, strict=True))
    print(f"Durable PutItem with shared commits: {times:.2f} times as many as without (at least 4)")


UNSHARED = """
import sys
from tablewright.server import Server

with Server(sys.argv[1], port=int(sys.argv[2]), max_group=1) as server:
    server.run()
"""


def main() -> None:
    """Prints both tables."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-http-")))
        wanted = peers.own() + (peers.others() if os.environ.get("BENCH_PEERS") != "none" else [])
        servers: list[Running] = []
        for peer in wanted:
            try:
                servers.append(peers.start(peer, scratch, stack))
            except (OSError, RuntimeError) as error:
                print(f"{peer.name} is left out: {error}", file=sys.stderr)
        compare(servers)
    if not Path("/proc/self/task").exists():
        print("The CPU of another process is read from /proc, which is not here; the raw part is left out.")
        return
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-http-")))
        unshared = Peer(
            "tablewright file, no sharing",
            lambda port, folder: [sys.executable, "-c", UNSHARED, str(folder / "t.db"), str(port)],
            durable=True,
        )
        memory, file, alone = (peers.start(peer, scratch, stack) for peer in (*peers.own(), unshared))
        measure_raw(
            [(memory, "GetItem"), (memory, "PutItem"), (file, "GetItem"), (file, "PutItem"), (alone, "PutItem")]
        )


if __name__ == "__main__":
    main()
