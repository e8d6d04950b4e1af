"""A migration as a file that people read and edit."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.migrations.step import Question, Step
from tablewright.evolve.migrations.steps.to_multi_attribute_keys import ToMultiAttributeKeys

_WIDTH = 120


def printed(name: str, source: str, steps: Sequence[Step], changes: Sequence[Change]) -> str:
    """The text of a migration file. The same models make the same text."""
    title = name.replace("_", " ").strip()
    lines = [f'"""{title[:1].upper()}{title[1:]}: from the model {_safe(source)} to the one beside this folder.', ""]
    told = [change for change in changes if change.impact != "additive"]
    for change in told:
        text = f"- {change.impact}: {_safe(change.subject)} {_safe(change.text)}"
        lines += textwrap.wrap(text, _WIDTH - 2, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    lines = [*lines, '"""'] if told else [f'{lines[0]}"""']
    used = {type(step).__name__ for step in steps} | {"Migration"}
    if any(isinstance(step, ToMultiAttributeKeys) for step in steps):
        used |= {"AddIndex", "DropIndex"}
    derived = {type(one).__name__ for step in steps for one in (getattr(step, "derive", None) or {}).values()}
    names = sorted(used)
    head = f"from tablewright.evolve.migrations import {', '.join(names)}"
    if len(head) > _WIDTH:
        head = "\n".join(["from tablewright.evolve.migrations import (", *(f"    {n}," for n in names), ")"])
    listed = [f"        {line}" for step in steps for line in _lines(step)]
    body = ["migration = Migration(", "    [", *listed, "    ]", ")"] if steps else ["migration = Migration([])"]
    heads = [f"from tablewright import {', '.join(sorted(derived))}", head] if derived else [head]
    return "\n".join([*lines, "", *heads, "", *body, ""])


def _lines(step: Step) -> list[str]:
    code = step.code()
    if len(code) + 9 <= _WIDTH and not isinstance(step, Question):
        return [f"{code},"]
    arguments: list[str] = []
    for argument in step.arguments():
        arguments += _wrapped(argument) if isinstance(step, Question) else [f"{argument},"]
    return [f"{type(step).__name__}(", *(f"    {line}" for line in arguments), "),"]


def _wrapped(argument: str) -> list[str]:
    """A long text as several, which Python reads as one."""
    room = _WIDTH - 16
    if len(argument) < room or not argument.endswith('"'):
        return [f"{argument},"]
    name, _, text = argument.partition('"')
    parts = textwrap.wrap(text[:-1], room - 4, break_long_words=False, break_on_hyphens=False)
    lines = [f'"{part}{" " if part is not parts[-1] else ""}"' for part in parts]
    if not name:
        return [*lines[:-1], f"{lines[-1]},"]
    return [f"{name}(", *(f"    {line}" for line in lines), "),"]


def _safe(text: str) -> str:
    """A text inside of a docstring."""
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
