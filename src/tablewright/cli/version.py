"""`tablewright version`."""

from __future__ import annotations

import typer


def version() -> None:
    """Print the versions of Tablewright and Python.

    Example: tablewright version
    """
    import platform

    from tablewright import __version__

    print(f"tablewright {__version__} (Python {platform.python_version()})")


def wanted(asked: bool) -> None:
    """The option `--version`, which many try first."""
    if asked:
        version()
        raise typer.Exit
