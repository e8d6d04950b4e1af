"""Generated parts of a Markdown file that people write: what stands between two comments is made anew, the rest is theirs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePath

from tablewright.errors import ArgumentError
from tablewright.generate.documents.markdown import fenced

_BEGIN = re.compile(r"<!-- tablewright:(?P<name>[\w-]+) -->").fullmatch
_END = "<!-- tablewright:end -->"
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})").match
_HEADING = re.compile(r"(?P<marks>#{1,6})(?= )").match
_LANGUAGES = {
    ".mmd": "mermaid",
    ".puml": "plantuml",
    ".json": "json",
    ".ts": "typescript",
    ".yaml": "yaml",
    ".py": "python",
    ".tf": "hcl",
    ".sh": "bash",
}
_HOW = f"Write <!-- tablewright:keys --> and {_END} around what is to be generated, each on a line of its own."


def embed(text: str, make: Callable[[str], Mapping[str, str]]) -> str:
    """The file with every marked part as the function makes it: the files of an output, by the name of the output."""
    lines: list[str] = []
    walk = _Walk()
    begun: str | None = None
    ending = "\r" if "\r\n" in text else ""
    for line in text.split("\n"):
        outside = walk.meet(line) if begun is None else True
        stripped = line.strip()
        if begun is None:
            lines.append(line)
            begin = _BEGIN(stripped) if outside else None
            if begin is not None and stripped != _END:
                name = begun = begin["name"]
                lines += [made + ending for made in ("", *_shown(name, make(name), walk.level), "")]
            elif begin is not None:
                raise ArgumentError(f"{_END} ends a part that nothing begins.", hint=_HOW)
        elif stripped == _END:
            begun = None
            lines.append(line)
        elif _BEGIN(stripped):
            raise ArgumentError(f"The part {begun!r} is not ended before {stripped} begins another.", hint=_HOW)
    if begun is not None:
        raise ArgumentError(f"The part {begun!r} is not ended.", hint=_HOW)
    if not any(_BEGIN(line.strip()) for line in lines):
        raise ArgumentError("The file has no part that is generated.", hint=_HOW)
    return "\n".join(lines)


class _Walk:
    """Where in a Markdown file a line stands: in a listing or not, and below a heading of which level."""

    def __init__(self) -> None:
        self.level = 0
        self._fence = ""

    def meet(self, line: str) -> bool:
        """Goes on to a line; tells whether it stands outside of listings."""
        fence = _FENCE(line)
        if self._fence:
            if fence is not None and fence["marks"].startswith(self._fence) and not line[fence.end() :].strip():
                self._fence = ""
            return False
        if fence is not None:
            self._fence = fence["marks"]
            return False
        heading = _HEADING(line)
        if heading is not None:
            self.level = len(heading["marks"])
        return True


def _shown(name: str, files: Mapping[str, str], level: int) -> list[str]:
    """The files of an output below a heading of this level. A title of a document that stands alone is left to the author."""
    shown: list[str] = []
    for filename, text in files.items():
        kind = PurePath(filename).suffix
        if shown:
            shown.append("")
        if kind == ".md":
            shown += _below(text.splitlines(), level, titled=len(files) > 1)
        elif kind in _LANGUAGES:
            shown += fenced(_LANGUAGES[kind], text).splitlines()
        else:
            raise ArgumentError(
                f"{name} makes {filename}, which cannot stand in a Markdown file.",
                hint="tablewright generate MODEL --to FOLDER writes it as a file.",
            )
    return shown


def _below(lines: list[str], level: int, *, titled: bool) -> list[str]:
    """A document whose headings are of a lower level."""
    walk, found = _Walk(), []
    for number, line in enumerate(lines):
        heading = _HEADING(line) if walk.meet(line) else None
        if heading is None:
            found.append(line)
        elif number or titled:
            depth = level + len(heading["marks"]) - (not titled)
            found.append("#" * min(max(depth, 1), 6) + line[heading.end() :])
    while found and not found[0]:
        del found[0]
    return found
