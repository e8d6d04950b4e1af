"""What a project must install to have this library: as the running one was installed, as far as that can be known."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from msgspec import Struct

_NAME = "tablewright[aws]"
_ELSEWHERE = f'"{_NAME} @ git+https://..." with the address of a repository, or with `tablewright new --tablewright`'


class Requirement(Struct, frozen=True):
    """A line of `dependencies`, and what must be known of it."""

    text: str
    note: str = ""

    @property
    def is_direct(self) -> bool:
        """Whether it names a place in place of a version."""
        return " @ " in self.text


def running_requirement(find: Callable[[str], Distribution] = distribution) -> Requirement:
    """What would install the library that is running: the place that pip noted, or its name where it noted none."""
    try:
        noted = find("tablewright").read_text("direct_url.json")
    except PackageNotFoundError:
        noted = None
    try:
        origin = json.loads(noted or "{}")
    except ValueError:
        origin = {}
    url, vcs = origin.get("url"), origin.get("vcs_info")
    if url and vcs:
        return Requirement(f"{_NAME} @ {vcs['vcs']}+{url}@{vcs['commit_id']}")
    if url:
        return Requirement(
            f"{_NAME} @ {url}",
            "`pyproject.toml` takes Tablewright from where this project was made with it, which other machines and CI do "
            f"not have. For them write {_ELSEWHERE}.",
        )
    return Requirement(
        _NAME,
        "Tablewright is not on a package index yet. Install it from a clone of its repository first: "
        f"`pip install '/path/to/the/clone[aws]'`. For CI write {_ELSEWHERE}, into `pyproject.toml`.",
    )
