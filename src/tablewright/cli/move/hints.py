"""Hints of the library as whoever types commands reads them: with commands and options instead of calls and arguments."""

from __future__ import annotations

import re

_CALL = re.compile(
    r"\b(prepare|plan|advance|backfill|repair|mend|verify|tell|switch|kill|restore_legacy|retire)\((\d*)\)"
)
_FLAG = re.compile(r"\b(write|restart|take_over)=True")
_OPTION = re.compile(r"\b(sample|segments|in_flight|max_read_units|max_write_units|lease)=")


def in_commands(hint: str) -> str:
    """The same hint, for the command line."""
    hint = _CALL.sub(lambda call: f"`tablewright move {_command(call[1], call[2])}`", hint)
    hint = _FLAG.sub(lambda option: f"--{option[1].replace('_', '-')}", hint)
    hint = hint.replace("bad_row=", "--bad-rows")
    return _OPTION.sub(lambda option: f"--{option[1].replace('_', '-')}", hint)


def _command(name: str, argument: str) -> str:
    if name == "tell":
        return "shadow --reads FILE --tell"
    return f"{name.replace('_', '-')} {argument}".strip()
