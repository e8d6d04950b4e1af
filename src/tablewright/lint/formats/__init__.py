"""How findings are told: to people, to programs, to code scanning and to GitHub. Each form is a function to a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from tablewright.lint.findings import Finding
from tablewright.lint.formats.github import as_github
from tablewright.lint.formats.json import as_json
from tablewright.lint.formats.sarif import as_sarif
from tablewright.lint.formats.text import as_text

Format: TypeAlias = Literal["text", "json", "sarif", "github"]
FORMATS: dict[str, Callable[[Sequence[Finding]], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}
"""Every form by its name."""
