"""How often advice is right: each rule is asked about traffic of which it is known whether the rule should speak up.

Run with `make bench-advice`, or `python -m bench.advice --only hot-partition --runs 50 --seeds tuning`. Sessions really ask a
table in memory; only the time is made up. Half of the runs of a rule should make it speak up, and half should not. Rules are made
with the tuning seeds in view. The held-out seeds are for judging them when they are done: digests of what
rules and situations are made of are printed beside, so that it can be seen what was judged.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bench import advice_design, advice_mixed, advice_partitions, advice_reads, advice_writes  # noqa: F401  # they add situations
from bench.advice_situations import SITUATIONS, of_seed
from tablewright import observe
from tablewright.observe.advising import all_rules

SEEDS = {"tuning": 1_000_000, "held-out": 4_000_000}
"""Where the seeds of each kind begin; neither ever reaches the other."""
RUNS = 200
LEAST = 0.95
"""What recall and precision must reach."""
MOST_ELSEWHERE = 0.01
"""In how many of the runs of other rules a rule may speak up, where nothing of its kind is wrong."""


@dataclass
class Score:
    """How often a rule was right in the runs that were made for it."""

    found: int = 0
    missed: int = 0
    silent: int = 0
    false: int = 0
    wrong: list[str] = field(default_factory=list)
    """The runs in which it was not right: the seed and the situation."""
    elsewhere: Counter[str] = field(default_factory=Counter)
    """How often it spoke up in runs that were made for others, by these."""
    elsewhere_runs: int = 0

    @property
    def recall(self) -> float:
        """How much of what it should find it found."""
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0

    @property
    def precision(self) -> float:
        """How much of what it said was right."""
        return self.found / (self.found + self.false) if self.found + self.false else 1.0

    @property
    def alarms(self) -> float:
        """In how many of the runs of others it spoke up."""
        return self.elsewhere.total() / self.elsewhere_runs if self.elsewhere_runs else 0.0

    @property
    def good(self) -> bool:
        """Whether that is enough."""
        return self.recall >= LEAST and self.precision >= LEAST and self.alarms <= MOST_ELSEWHERE


def judged(rules: Iterable[str], runs: int, first_seed: int, *, told: bool = False) -> dict[str, Score]:
    """Runs the situations of these rules, and tells how often which rule was right."""
    scores = {name: Score() for name in SITUATIONS}
    for rule in rules:
        began, score = time.perf_counter(), scores[rule]
        for seed in range(first_seed, first_seed + runs):
            situation = of_seed(rule, seed)
            said = situation.said(seed)
            match situation.ill, rule in said:
                case True, True:
                    score.found += 1
                case True, False:
                    score.missed += 1
                case False, False:
                    score.silent += 1
                case _:
                    score.false += 1
            if situation.ill != (rule in said):
                score.wrong.append(f"{seed} {situation.name}")
            for other, its in scores.items():
                if other != rule and other not in situation.beside:
                    its.elsewhere_runs += 1
                    its.elsewhere[situation.name] += other in said
        if told:
            print(f"{_line(rule, score)}  {time.perf_counter() - began:5.1f} s", flush=True)
            for wrong in score.wrong:
                print(f"    wrong: {wrong}", flush=True)
    return scores


def digests() -> tuple[str, str]:
    """What the rules are made of, and what the situations are, in a few letters each: the same as long as nothing changes."""
    rules = [file for folder in observe.__path__ for file in Path(folder).rglob("*.py")]
    return _digest(rules), _digest(Path(__file__).parent.glob("advice*.py"))


def _digest(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for file in sorted(files, key=lambda one: (one.parent.name, one.name)):
        found.update(file.name.encode() + file.read_bytes())
    return found.hexdigest()[:12]


_HEAD = f"{'rule':<26} {'found':>5} {'missed':>6} {'silent':>6} {'false':>5} {'recall':>7} {'precision':>9}"


def _line(rule: str, score: Score) -> str:
    return (
        f"{rule:<26} {score.found:>5} {score.missed:>6} {score.silent:>6} {score.false:>5} {score.recall:>7.3f} "
        f"{score.precision:>9.3f}"
    )


def main() -> None:
    """Judges the rules, and fails if one of them is not right often enough."""
    parser = argparse.ArgumentParser(prog="bench.advice", description="How often advice is right.")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of each rule")
    parser.add_argument(
        "--only", action="append", choices=sorted(SITUATIONS), help="judge this rule; may be given again"
    )
    parser.add_argument("--seeds", choices=sorted(SEEDS), default="held-out")
    given = parser.parse_args()
    unknown = set(all_rules()) ^ set(SITUATIONS)
    if unknown:
        sys.exit(f"No situations, or no rule, for {', '.join(sorted(unknown))}.")
    logging.getLogger("tablewright").setLevel(logging.ERROR)  # that items are large is what some of the runs are about
    first = SEEDS[given.seeds]
    rules, situations = digests()
    print(
        f"Seeds {first} to {first + given.runs - 1}, {given.seeds}. Rules {rules}, situations {situations}.\n\n{_HEAD}"
    )
    scores = judged(given.only or sorted(SITUATIONS), given.runs, first, told=True)
    print("\nSpoke up in runs that were made for other rules, where it should not:")
    for rule, score in scores.items():
        where = ", ".join(f"{name} {times}" for name, times in score.elsewhere.most_common() if times)
        if where:
            print(f"  {rule}: {score.elsewhere.total()} of {score.elsewhere_runs} ({score.alarms:.2%}): {where}")
    bad = [rule for rule, score in scores.items() if not score.good]
    if bad:
        sys.exit(f"\nNot right often enough: {', '.join(bad)}.")
    print("\nEvery rule is right often enough.")


if __name__ == "__main__":
    main()
