"""The tree of commands is built once for all tests: typer's runner builds it for every call, which takes longer than most commands."""

from __future__ import annotations

import sys
from functools import cache


def pytest_collection_finish() -> None:
    """Where tests use the runner, it remembers the tree of each application."""
    testing = sys.modules.get("typer.testing")
    if testing is not None:
        testing._get_command = cache(testing._get_command)  # type: ignore[attr-defined]
