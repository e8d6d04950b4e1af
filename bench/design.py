"""How long a large model takes to be read and proved: 200 entities, 1,000 access patterns, three indexes.

Run with `make bench-design`. Each figure is the processor time of a fresh interpreter, the import of Tablewright included.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ENTITIES = int(os.environ.get("DESIGN_ENTITIES", "200"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
_PATTERNS = 5
_LIMIT = 5.0

_HEAD = """
from datetime import datetime
from typing import Literal

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

large = Table("Large", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("GSI3")])
Status = Literal["NEW", "OPEN", "DONE"]
"""
# All entities share the partitions of a tenant, so that each is held against all others.
_ENTITY = """

class E_N_(Entity, table=large):
    keys = Keys(
        "TENANT#{tenant}",
        "E_N_#{made_at}#{number}",
        GSI1=("E_N_#{number}", "E_N_"),
        GSI2=("E_N_STATUS#{status}", "{made_at}#{number}"),
        GSI3=("TENANT#{tenant}", "E_N_#{owner}#{made_at}#{number}"),
    )
    tenant: str
    number: str
    made_at: datetime
    owner: str
    status: Status = "NEW"
    title: str = ""


@large.pattern
def e_N_(number: str) -> Get[E_N_]:
    "One."
    return get(E_N_, E_N_.number == number)


@large.pattern
def e_N__of(tenant: str, since: datetime | None = None) -> Query[E_N_]:
    "All of a tenant, newest first."
    return query(E_N_, E_N_.tenant == tenant).when(since, lambda t: E_N_.made_at >= t).newest_first()


@large.pattern
def e_N__with_status(status: Status, since: datetime | None = None) -> Query[E_N_]:
    "All in one status."
    return query(E_N_, E_N_.status == status).when(since, lambda t: E_N_.made_at >= t)


@large.pattern
def e_N__owned(tenant: str, owner: str) -> Query[E_N_]:
    "All of an owner."
    return query(E_N_, E_N_.tenant == tenant, E_N_.owner == owner)


@large.pattern
def e_N__exactly(tenant: str, made_at: datetime, number: str) -> Get[E_N_]:
    "One by its key."
    return get(E_N_, E_N_.tenant == tenant, E_N_.made_at == made_at, E_N_.number == number)
"""
_PROGRAM = """
import sys, time
sys.path.insert(0, sys.argv[1])
import large_model
read = time.process_time()
from tablewright.compiler.proofs import prove
proof = prove(large_model.large)
assert proof.holds
print(len(proof.patterns), read, time.process_time() - read)
"""


def main() -> None:
    """Writes the model, reads and proves it a few times, and prints the best."""
    with tempfile.TemporaryDirectory() as folder:
        source = _HEAD + "".join(_ENTITY.replace("_N_", str(n)) for n in range(ENTITIES))
        (Path(folder) / "large_model.py").write_text(source)
        times, patterns = [], "0"
        for _ in range(ROUNDS):
            done = subprocess.run(
                [sys.executable, "-c", _PROGRAM, folder],
                check=True,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
            patterns, read, proved = done.stdout.split()
            times.append((float(read) + float(proved), float(read), float(proved)))
    total, reading, proving = min(times)
    print(f"{ENTITIES} entities, {patterns} patterns: read in {reading:.2f} s, proved in {proving:.2f} s.")
    if total > _LIMIT and ENTITIES * _PATTERNS <= 1_000:
        sys.exit(f"That is more than {_LIMIT:.0f} seconds.")


if __name__ == "__main__":
    main()
