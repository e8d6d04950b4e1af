"""Guides that people write: the sections that each must have, and whether they say anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

GUIDES: Mapping[str, tuple[str, ...]] = {
    "implementation-guide.md": (
        "Where the model is, and who may change it",
        "How a new access pattern is added",
        "How the table is deployed, and by whom",
        "How an index is added to a table in use",
    ),
    "api.md": ("Endpoints", "Errors", "Who may call what"),
    "troubleshooting.md": ("What is seen, and what to look at", "What the alarms say", "Whom to call"),
}
"""The sections that a guide must have. The templates of the job have the same ones."""
_LEAST = 3
"""Words that a section has at least."""
TO_FILL_IN = "(fill in"


def unwritten(path: Path, sections: tuple[str, ...]) -> str | None:
    """What is missing in a guide."""
    if not path.is_file():
        return f"{path} is missing"
    found = parts(path.read_bytes().decode(errors="replace"))
    for section in sections:
        text = found.get(section)
        if text is None:
            return f"{path} has no section {section!r}"
        if TO_FILL_IN in text:
            return f"{path}: {section!r} is still to be filled in"
        if len(re.findall(r"\w+", text)) < _LEAST:
            return f"{path}: {section!r} says nothing"
    return None


def without_comments(text: str) -> str:
    """What a reader sees; a comment that is never closed goes to the end."""
    return re.sub(r"<!--.*?(-->|\Z)", "", text, flags=re.DOTALL)


def parts(text: str) -> dict[str, str]:
    """The text below each heading; comments say nothing, and what stands in code is no heading."""
    found: dict[str, str] = {}
    heading, fence = "", ""
    for line in without_comments(text).splitlines():
        mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if mark is not None and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        title = re.fullmatch(r" {0,3}#{1,6} +(.*?)(?: +#+)? *", line)
        if title is not None and not fence:
            heading = title[1]
            found.setdefault(heading, "")
        elif not re.fullmatch(r"[\s|:-]*", line):  # the line below the head of a table
            found[heading] = f"{found.get(heading, '')}{line}\n"
    return found


def code_in(text: str) -> str:
    """What stands in code, in blocks or between backticks."""
    text = without_comments(text)
    fenced = r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(.*?)^ {0,3}\1"
    blocks = [m[1] for m in re.findall(fenced, text, re.DOTALL | re.MULTILINE)]
    spans = re.findall(r"`+([^`\n]+)`+", re.sub(fenced, "", text, flags=re.DOTALL | re.MULTILINE))
    indented = re.findall(r"^(?: {4,}|\t)(.*)$", text, re.MULTILINE)
    return "\n".join([*blocks, *spans, *indented])
