"""Findings as GitHub's workflow commands, which show them beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.lint.findings import Finding
from tablewright.lint.formats.places import relative_file

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def as_github(findings: Sequence[Finding]) -> str:
    """One command for each finding that is not waived."""
    lines = []
    for one in findings:
        if one.waived is None:
            properties = [f"title={_property(f'{one.code} {one.subject}')}"]
            if one.place is not None:
                properties = [f"file={_property(relative_file(one) or '')}", f"line={one.place.line}", *properties]
            told = f"{one.message}\n{one.hint}" if one.hint else one.message
            lines.append(f"::{_COMMANDS[one.severity]} {','.join(properties)}::{_data(told)}")
    return "".join(f"{line}\n" for line in lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
