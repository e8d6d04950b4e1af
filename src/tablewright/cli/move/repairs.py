"""What repairs tell."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.wording import counted


def show_repair(settled: int, left: Mapping[str, int], *, write: bool, as_json: bool) -> None:
    """How many items are right now, and why others are not."""
    if as_json:
        from tablewright.cli.move.opening import print_json

        print_json({"settled": settled, "left": dict(left), "written": write})
        return
    if settled:
        print(f"{counted(settled, 'item')} written.")
    for reason, count in sorted(left.items()):
        print(f"  left, {counted(count, 'item')}: {reason}")
    if not settled and not left:
        print("Nothing to do.")
