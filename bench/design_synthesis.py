"""How long keys take to find: a design of 30 entities and 100 patterns, made of a seed.

Run it with `python -m bench.design_synthesis`. The bound is 60 seconds for each design on one quiet core.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from tablewright.synth.proposal import propose

BOUND = 60.0
SEEDS = (1, 2, 3)


def design_text(entities: int, patterns: int, seed: int) -> str:
    """A design in which children point to parents, and reads are what applications have: one, some, in order, with the parent."""
    chance = random.Random(seed)
    lines = [
        "from dataclasses import dataclass",
        "from datetime import datetime",
        "from typing import Literal",
        "from pydantic import Field",
        "from tablewright import Collection, Design, Entity, Get, Query, collect, get, many, one, query",
        'made = Design("Made")',
    ]
    parents: list[int | None] = []
    for number in range(entities):
        parent = chance.choice([None, *range(max(0, number - 6), number)]) if number else None
        parents.append(parent)
        lines += [
            f'class E{number}(Entity, table=made, identity=["e{number}_id"]):',
            f"    e{number}_id: str",
            *([] if parent is None else [f"    e{parent}_id: str = Field(frozen=True)"]),
            "    owner: str",
            '    status: Literal["open", "busy", "done"]',
            "    made_at: datetime = Field(frozen=True)",
            "    rank: int = Field(ge=0, le=999)",
        ]
    for number in range(patterns):
        entity = number % entities
        lines += _pattern(number, entity, parents[entity], chance)
    return "\n".join(lines) + "\n"


def _pattern(number: int, entity: int, parent: int | None, chance: random.Random) -> list[str]:
    e = f"E{entity}"
    kinds = ["by id", "of owner", "of owner in status", "with status"] + (
        ["of parent", "with parent"] * 2 if parent is not None else []
    )
    kind = "by id" if number < entity + 1 else chance.choice(kinds)
    order = chance.choice([f".sorted_by({e}.made_at)", f".sorted_by({e}.rank)", ""])
    known = {
        "of owner": ["owner"],
        "of owner in status": ["owner", "status"],
        "with status": ["status"],
        "of parent": [f"e{parent}_id"],
    }.get(kind)
    if kind == "by id":
        return [
            "@made.pattern",
            f"def p{number}(e{entity}_id: str) -> Get[{e}]:",
            f"    return get({e}, {e}.e{entity}_id == e{entity}_id)",
        ]
    if known is not None:
        parameters = ", ".join(
            'status: Literal["open", "busy", "done"]' if k == "status" else f"{k}: str" for k in known
        )
        tests = ", ".join(f"{e}.{k} == {k}" for k in known)
        return [
            "@made.pattern",
            f"def p{number}({parameters}) -> Query[{e}]:",
            f"    return query({e}, {tests}){order}",
        ]
    return [
        "@dataclass",
        f"class Page{number}:",
        f"    parent: E{parent} | None",
        f"    children: list[{e}]",
        "@made.pattern",
        f"def p{number}(e{parent}_id: str) -> Collection[Page{number}]:",
        f"    return collect(Page{number}, parent=one(query(E{parent}, E{parent}.e{parent}_id == e{parent}_id)),",
        f"        children=many(query({e}, {e}.e{parent}_id == e{parent}_id){order}))",
    ]


def main() -> None:
    """Prints a line for each seed, and ends with 1 where one took longer than the bound."""
    slow = False
    with tempfile.TemporaryDirectory() as folder:
        for seed in SEEDS:
            path = Path(folder) / f"design_{seed}.py"
            path.write_text(design_text(30, 100, seed), encoding="utf-8")
            began = time.perf_counter()
            found = propose(path)
            took = time.perf_counter() - began
            slow = slow or took > BOUND
            proved = "proved minimal" if found.minimal else "not proved minimal"
            print(f"seed {seed}: 30 entities, 100 patterns, {len(found.indexes)} indexes, {proved}, {took:.1f} s")
    if slow:
        sys.exit(f"A design took longer than {BOUND:g} s.")


if __name__ == "__main__":
    main()
