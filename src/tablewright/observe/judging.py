"""What rules judge by: whether there is enough to go by, how figures are said, and what the model knows of what was seen."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from enum import Enum

from tablewright.compiler.fields import DECODING_FAILURES
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.compiler.paths import KeyPath
from tablewright.cost.prices import MONTH, deployed_rates, on_demand, usual_rates
from tablewright.errors import TablewrightError
from tablewright.lint.design import Design, Read
from tablewright.observe.recommendation import Observed
from tablewright.observe.snapshot import Snapshot
from tablewright.wording import counted, quantity

KILOBYTE = 1024
HOUR = 3_600.0
DAY = 24 * HOUR
_CERTAINTY = 3.0
"""Standard deviations: of a thousand guesses, one is too high."""
_LONGEST_KEY = 100

# ---------------------------------------------------------------------------------------------------- enough to go by


def at_least(part: float, whole: float) -> float:
    """The share that a part surely has of the whole that it is a sample of: the lower end of Wilson's interval."""
    if whole <= 0 or not math.isfinite(whole) or not part > 0:
        return 0.0
    share, spread = min(1.0, part / whole), _CERTAINTY**2 / whole
    middle = share + spread / 2
    return max(0.0, (middle - math.sqrt(spread * (share * (1 - share) + spread / 4))) / (1 + spread))


def at_most(part: float, whole: float) -> float:
    """The share that a part has at most, just as surely."""
    return 1.0 - at_least(whole - part, whole) if whole > 0 else 1.0


def share_of(part: float, whole: float) -> float:
    """A part of a whole, from 0 to 1; 0 of nothing."""
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0


def a_second(snapshot: Snapshot, number: float) -> float:
    """So many in all that time are so many in a second; 0 where no time is known."""
    seconds = snapshot.seconds
    return number / seconds if seconds > 0 else 0.0


def all_units(snapshot: Snapshot) -> float:
    """What all requests consumed; a write unit costs five times as much as a read unit, and counts as that."""
    return sum(t.read_units + 5 * t.write_units for t in snapshot.traffic)


# ------------------------------------------------------------------------------------------------------------ in words


def percent(share: float) -> str:
    """45%, and 0.4% where it is little."""
    hundredths = 100 * share
    return f"{quantity(round(hundredths, 0 if hundredths >= 10 else 1 if hundredths >= 1 else 2))}%"


def kilobytes(size: float) -> str:
    """120 KB, and 2.5 KB."""
    return f"{quantity(round(size / KILOBYTE, 0 if size >= 10 * KILOBYTE else 1))} KB"


def milliseconds(seconds: float) -> str:
    """12 ms, 2.5 ms, and 0.034 ms: never nothing for what took some time."""
    thousandths = seconds * 1000
    rounded = float(f"{thousandths:.2g}") if thousandths < 1 else round(thousandths, 0 if thousandths >= 10 else 1)
    return f"{quantity(rounded)} ms"


def money(amount: float) -> str:
    """1,234.50, and 0.0021 where it is little."""
    return f"{amount:,.2f}" if abs(amount) >= 1 or not amount else quantity(amount)


def lasted(seconds: float) -> str:
    """7 days, 2.5 hours, 10 minutes, 30 seconds."""
    for name, length in (("day", DAY), ("hour", HOUR), ("minute", 60.0), ("second", 1.0)):
        if seconds >= length or name == "second":
            number = round(seconds / length, 1)
            return f"{quantity(number)} {name}{'' if number == 1 else 's'}"
    raise AssertionError  # pragma: no cover


def about(number: int, what: str) -> str:
    """Some 340 keys, of an estimate that is exact where it is 1: 1 key."""
    return f"{'' if number == 1 else 'some '}{counted(number, what)}"


def quoted(key: str) -> str:
    """A key in quotes, cut where it is very long."""
    return repr(key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}…")


def in_code(text: str) -> str:
    """A text as it is written in Python, in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def shown_value(value: object) -> str:
    """A value as it is written in a model."""
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)


def listed(names: Iterable[str]) -> str:
    """As in "a, b and c"."""
    every = list(names)
    return " and ".join([", ".join(every[:-1]), every[-1]]) if len(every) > 1 else "".join(every)


# ----------------------------------------------------------------------------------------------- what the model knows


def design_of(seen: Observed) -> Design | None:
    """The model as rules of lint look at it, where there is one."""
    return None if seen.plan is None else Design(seen.plan)


def owners(design: Design, index: str | None, key: str) -> list[KeyPath]:
    """Keys of entities that this partition key of the table, or of an index, can be one of."""
    paths = [path for path in design.every_path() if path.index_name == index]
    return [path for path in paths if len(path.pk) != 1 or may_be(path.pk[0], key)]


def may_be(plan: KeyPlan, key: str) -> bool:
    """Whether a key may be one of a template's, or of a field's."""
    if not isinstance(plan, TemplateKey):
        return True
    try:
        plan.decode({"S": key})
    except (*DECODING_FAILURES, TablewrightError):
        return False
    return True


def called(patterns: Iterable[Read]) -> tuple[str, ...]:
    """The patterns of reads, each once, as people call them."""
    return tuple(dict.fromkeys(f"{read.pattern.name}()" for read in patterns))


def readers_of(design: Design | None, pattern: str | None) -> list[Read]:
    """The reads that a pattern makes by the model; none where it is not declared there."""
    return [] if design is None else [read for read in design.reads if read.pattern.name == pattern]


# ------------------------------------------------------------------------------------------------------ what it costs


def a_month(seen: Observed, *, reads: float = 0.0, writes: float = 0.0) -> float | None:
    """What so many units in all that time cost in a month on demand; None without prices, or of less than an hour."""
    seconds = seen.snapshot.seconds
    if seen.prices is None or seconds < HOUR:
        return None
    month = MONTH / seconds
    rates = usual_rates(seen.prices) if seen.plan is None else deployed_rates(seen.prices, seen.plan.table.deployment)
    return on_demand(rates, reads=reads * month, writes=writes * month, stored=0.0).total


def priced(seen: Observed, *, reads: float = 0.0, writes: float = 0.0) -> str:
    """The same as the end of a sentence, such as ", 12.50 USD a month on demand"; nothing where it is not known."""
    cost = a_month(seen, reads=reads, writes=writes)
    return "" if cost is None or seen.prices is None else f", {money(cost)} {seen.prices.currency} a month on demand"
