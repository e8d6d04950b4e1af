"""What rules say of themselves, and how recommendations are told to people."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from tablewright.errors import ArgumentError
from tablewright.observe.advising import all_rules
from tablewright.observe.judging import percent
from tablewright.observe.recommendation import SEVERITIES, Recommendation, Rule
from tablewright.wording import counted

_CALLED = {"error": "error", "warning": "warning", "info": "note"}


def rule(name: str) -> Rule:
    """The rule of this name."""
    every = all_rules()
    if name in every:
        return every[name]
    near = get_close_matches(name.lower(), every, n=3)
    hint = f"Did you mean {' or '.join(near)}?" if near else "See `tablewright advise --rules` for all of them."
    raise ArgumentError(f"There is no rule {name!r}.", field=name, hint=hint)


def summary(one: Rule) -> str:
    """The first sentence of what a rule says of itself."""
    return " ".join(inspect.cleandoc(type(one).__doc__ or "").partition("\n\n")[0].split())


def explained(one: Rule) -> str:
    """Why a rule is there, when it fires and what to do."""
    return f"{one.name}\n\n{inspect.cleandoc(type(one).__doc__ or '')}"


def shown(recommendations: Sequence[Recommendation], waiting: Mapping[str, str] | None = None) -> str:
    """Recommendations as lines of text, in their order, how many there are, and which rules wait, for what."""
    lines = [line for one in recommendations for line in _lines(one)]
    counts = [(severity, sum(one.severity == severity for one in recommendations)) for severity in SEVERITIES]
    told = [counted(number, _CALLED[severity]) for severity, number in counts if number]
    lines.append(f"{', '.join(told)}." if told else "Nothing to recommend.")
    if waiting:
        lines += ["", "Not judged yet, for want of:", *(f"  {name}: {what}" for name, what in waiting.items())]
    return "\n".join(lines)


def _lines(one: Recommendation) -> Iterator[str]:
    yield f"{one.severity} {one.rule}: {one.message}"
    yield f"    {one.details}"
    yield f"    {one.action}"
    gains = [
        f"{percent(share)} of the {what}" for share, what in ((one.saves, "capacity"), (one.faster, "time")) if share
    ]
    if gains:
        yield f"    It would save up to {' and '.join(gains)}."
    if one.breaks:
        yield f"    Patterns that this changes: {', '.join(one.breaks)}."
    if one.code is not None:
        yield from (f"        {line}".rstrip() for line in one.code.splitlines())
