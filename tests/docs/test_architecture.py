"""The map fits the land: ARCHITECTURE.md names every room, and no file that is not there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "src" / "tablewright"
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_every_room_is_on_the_map() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    on_the_map = set(re.findall(r"^\| `(\w+)` \|", TEXT, re.MULTILINE))
    assert on_the_map == rooms


def test_every_file_on_the_map_is_there() -> None:
    named = {name for name in re.findall(r"`([\w/.]+)`", TEXT) if "/" in name}
    assert len(named) > 30
    assert {name for name in named if not (PACKAGE / name).exists() and not (ROOT / name).exists()} == set()
