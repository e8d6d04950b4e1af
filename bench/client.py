"""What a request costs the client: typed calls of ours against boto3 and the other libraries, over HTTP on loopback.

Run with `make bench-client`. The server answers from ready bytes, in a process and on a core of its own, so that what is
measured is the CPU time of the client. Figures come from one interleaved run; BENCH_ROUNDS sets its length, and
BENCH_LIBRARIES names some of the libraries. These are fetched by name into a folder that git ignores; those that cannot be had are left out.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack

from bench import peers
from bench.client_libraries import LIBRARIES
from bench.client_work import BATCH, CONCURRENT, GET, MEASURED, OBSERVED, OPERATIONS, PUT, QUERY, UPDATE
from bench.rounds import Score, Work, ratio, run_rounds

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "25"))
CALLS = {MEASURED: 200, GET: 200, PUT: 200, UPDATE: 200, QUERY: 40, BATCH: 15, CONCURRENT: 500}
TURNS, TURN_CALLS = 32, 48
"""Calls with and without a collector take turns as short as these, so that what the machine does beside hits both; those of one
round are more than the collector adds up at once."""
LIMITS = {GET: 8, PUT: 8, UPDATE: 8, QUERY: 10, BATCH: 10}
OURS = "tablewright"

COLD_START = """
import sys, time
began = time.perf_counter()
from decimal import Decimal
{imports}
imported = time.perf_counter()
{opens}
opened = time.perf_counter()
{asks}
print(imported - began, opened - imported, time.perf_counter() - opened)
"""
COLD = {
    "tablewright": (
        "from tablewright import Entity, Keys, Table, key",
        "table = Table('tablewright')\n"
        "class Thing(Entity, table=table):\n"
        "    keys = Keys('THING#{thing_id}', 'THING#{thing_id}')\n"
        "    thing_id: str\n    name: str\n    stock: int\n    price: Decimal\n"
        "db = table.open(sys.argv[1])",
        "db.get(key(Thing, thing_id='t000000'))",
    ),
    "boto3": (
        "import boto3",
        "client = boto3.client('dynamodb', endpoint_url=sys.argv[1], region_name='us-east-1')",
        "client.get_item(TableName='boto3', Key={'PK': {'S': 'x'}, 'SK': {'S': 'x'}})",
    ),
}


STARTS = {
    "pydantic with one model class": "from pydantic import BaseModel\nclass Thing(BaseModel):\n    thing_id: str",
    "import and open": "from tablewright import Table\nTable('Shop').open('memory:').close()",
    "import and open, with one entity": (
        "from tablewright import Entity, Keys, Table\ntable = Table('Shop')\n"
        "class Thing(Entity, table=table):\n    keys = Keys('THING#{thing_id}', 'THING#{thing_id}')\n    thing_id: str\n"
        "table.open('memory:').close()"
    ),
}


def main() -> None:
    """Prints the tables."""
    python = peers.client_python()
    if python is not None and sys.executable != str(python):
        os.execv(python, [str(python), "-m", "bench.client"])
    keys = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_EC2_METADATA_DISABLED": "true"}
    os.environ.update(keys, AWS_CONFIG_FILE=os.devnull, AWS_SHARED_CREDENTIALS_FILE=os.devnull)
    with ExitStack() as stack:
        cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
        command = [sys.executable, "-m", "bench.canned", str(cores[-1])]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        stack.callback(server.wait)
        stack.callback(server.kill)
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        stack.callback(server.stdout.close)
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {cores[0]})
        runner = stack.enter_context(asyncio.Runner())
        contestants: dict[str, tuple[Work, int]] = {}
        ours: dict[str, Work] = {}
        names: list[str] = []
        wanted = os.environ.get("BENCH_LIBRARIES", ",".join(LIBRARIES)).split(",")
        for name, prepare in LIBRARIES.items():
            if name not in wanted:
                continue
            try:
                works = prepare(url, runner)
            except Exception as error:
                print(f"{name} is left out: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
                continue
            names.append(name)
            contestants.update(
                {
                    f"{name}: {operation}": (works[operation], CALLS[operation])
                    for operation in CALLS
                    if operation in works
                }
            )
            if name == OURS:
                ours = works
        _freeze(url)
        # Operation by operation: what is compared runs at nearly the same moment.
        contestants = dict(sorted(contestants.items(), key=lambda entry: list(CALLS).index(entry[0].split(": ")[1])))
        working = _working(contestants)
        scores = run_rounds(working, ROUNDS)
        _print_scores(scores, names)
        _print_limits(scores)
        # A few percent take many short rounds to tell.
        pair = {name: (working[name][0], 50) for name in (f"{OURS}: {GET}", f"{OURS}: {MEASURED}") if name in working}
        _print_counting(run_rounds(pair, 20 * ROUNDS))
        _print_observing(ours)
        _print_cold_start(url)
        _print_starts()


def _freeze(url: str) -> None:
    from urllib.request import Request, urlopen

    with urlopen(Request(url, b"{}", {"X-Amz-Target": "Bench.Freeze"})):
        pass


def _working(contestants: dict[str, tuple[Work, int]]) -> dict[str, tuple[Work, int]]:
    """Those that do not fail."""
    working = {}
    for name, (work, count) in contestants.items():
        try:
            work(1)
        except Exception as error:
            print(f"{name} is left out: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        else:
            working[name] = work, count
    return working


def _print_scores(scores: dict[str, Score], names: list[str]) -> None:
    print(f"\nµs of client CPU, median of {ROUNDS} rounds, and times ours")
    print(f"{'':26}" + "".join(f"{name:>18}" for name in names))
    for operation in (*OPERATIONS, CONCURRENT):
        cells = []
        for name in names:
            score = scores.get(f"{name}: {operation}")
            if score is None:
                cells.append(f"{'—':>18}")
            else:
                times = ratio(scores, f"{name}: {operation}", f"{OURS}: {operation}", cpu=True)
                cells.append(f"{score.cpu_us:9.0f} ({times:5.1f}×)")
        print(f"{operation:26}" + "".join(cells))


def _print_limits(scores: dict[str, Score]) -> None:
    print()
    wanted = [(operation, "boto3", limit) for operation, limit in LIMITS.items()] + [(CONCURRENT, "aioboto3", 10)]
    for operation, peer, limit in wanted:
        if f"{peer}: {operation}" in scores and f"{OURS}: {operation}" in scores:
            times = ratio(scores, f"{peer}: {operation}", f"{OURS}: {operation}", cpu=True)
            told = "holds" if times >= limit else "DOES NOT HOLD"
            print(f"{operation}: 1/{times:.1f} of {peer}'s CPU, at most 1/{limit}: {told}")
    behind = [
        name
        for name in scores
        if not name.startswith(OURS) and ratio(scores, name, f"{OURS}: {name.partition(': ')[2]}", cpu=True) < 1
    ]
    print(f"All others behind ours: {'holds' if not behind else 'DOES NOT HOLD for ' + ', '.join(behind)}")


def _print_counting(scores: dict[str, Score]) -> None:
    more = ratio(scores, f"{OURS}: {MEASURED}", f"{OURS}: {GET}", cpu=True) - 1
    print(f"Counting requests adds {more:.1%} to GetItem, at most 5%: {'holds' if more <= 0.05 else 'DOES NOT HOLD'}")


def _print_observing(works: dict[str, Work]) -> None:
    for plain, observed in OBSERVED.items():
        more = _more(works[observed], works[plain])
        print(f"A collector adds {more:.1%} to {plain}, at most 10%: {'holds' if more <= 0.1 else 'DOES NOT HOLD'}")


def _more(work: Work, than: Work) -> float:
    """How much more CPU time one takes than the other, as the median over rounds of many short turns each. Garbage is
    collected when it falls due, since what is kept for a while makes more of it."""
    shares = []
    for one in (work, than):
        one(TURNS * TURN_CALLS)
    for _ in range(ROUNDS):
        took = {work: 0.0, than: 0.0}
        for turn in range(TURNS):
            for one in (work, than) if turn % 2 else (than, work):
                began = time.process_time()
                one(TURN_CALLS)
                took[one] += time.process_time() - began
        shares.append(took[work] / took[than] - 1)
    return statistics.median(shares)


def _print_cold_start(url: str) -> None:
    """A program that starts, opens the table and sends one request, as a Lambda function does."""
    print(f"\n{'Cold start, ms':26}{'import':>12}{'open':>12}{'first request':>16}{'in all':>12}")
    for name, (imports, opens, asks) in COLD.items():
        program = COLD_START.replace("{imports}", imports).replace("{opens}", opens).replace("{asks}", asks)
        runs = []
        for _ in range(5):
            began = time.perf_counter()
            done = subprocess.run([sys.executable, "-c", program, url], capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{name} is left out: {done.stderr[-200:]}", file=sys.stderr)
                break
            runs.append([*map(float, done.stdout.split()), time.perf_counter() - began])
        else:
            medians = [statistics.median(figures) * 1000 for figures in zip(*runs, strict=True)]
            print(f"{name:26}{medians[0]:12.0f}{medians[1]:12.0f}{medians[2]:16.0f}{medians[3]:12.0f}")


def _print_starts() -> None:
    """What a start costs in CPU, with the end of the process, against the library that every model here is made of."""
    figures: dict[str, list[float]] = {name: [] for name in STARTS}
    # Installed packages were compiled when they were installed; so is ours, once it was started.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for program in STARTS.values():
        subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    for _ in range(ROUNDS):
        for name, program in STARTS.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", program], check=True, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            figures[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    base, *ours = ((name, statistics.median(found)) for name, found in figures.items())
    print(f"\n{base[0]}: {base[1] * 1000:.0f} ms of CPU")
    for name, cpu in ours:
        print(f"{name}, against {base[0]}: {cpu * 1000:.0f} ms, {cpu / base[1]:.2f}×")


if __name__ == "__main__":
    main()
