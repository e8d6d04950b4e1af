"""File names of findings as others want them: relative to the folder that the command runs in."""

from __future__ import annotations

from pathlib import Path

from tablewright.lint.findings import Finding


def relative_file(finding: Finding) -> str | None:
    """The file of a finding, with forward slashes, relative where it lies below the working folder."""
    if finding.place is None:
        return None
    path = Path(finding.place.file).resolve()
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def shown_place(finding: Finding) -> str:
    """`model.py:12`"""
    return "" if finding.place is None else f"{relative_file(finding)}:{finding.place.line}"
