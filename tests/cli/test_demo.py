"""The demo: it shows what it promises, at every width, plain or not, twice on one file, and from an installed wheel."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from examples.shop.model import order, orders_with_status, shop
from tablewright.scaffold.project import EXAMPLES

ROOT = Path(__file__).parent.parent.parent
PATTERNS = list(shop.patterns)


def demo(*arguments: str, folder: Path, columns: int = 80, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from tablewright.cli import main; main()", "demo", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def chapters(output: str) -> dict[str, str]:
    """Each numbered chapter's text by its title."""
    parts = re.split(r"^\d\. (.*?) [─-]+$", output, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("columns", [60, 80, 100, 120])
def test_it_tells_the_whole_story_at_any_width(tmp_path: Path, columns: int) -> None:
    done = demo(folder=tmp_path, columns=columns)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= columns
    assert "\x1b" not in done.stdout  # no terminal, no colours

    told = chapters(done.stdout)
    assert list(told) == [
        "The model",
        "Every access pattern, proved when the file is imported",
        "A table in a file",
        "Every pattern, run",
        "An order is shipped, and its index key moves",
        "When something is wrong",
    ]
    proved, run = told["Every access pattern, proved when the file is imported"], told["Every pattern, run"]
    assert [name for name in PATTERNS if not re.search(rf"^. {name}\b", proved, re.MULTILINE)] == []
    assert [name for name in PATTERNS if f"{name}(" not in run] == []
    assert "What next" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_order_is_in_the_other_partition_afterwards(tmp_path: Path) -> None:
    told = chapters(demo("--plain", folder=tmp_path, columns=60).stdout)["An order is shipped, and its index key moves"]
    before, after = told.split("After:")

    def partitions(text: str) -> list[list[str]]:
        return [re.findall(r"Z#(o\d+)", part) for part in text.split("GSI2: STATUS#")[1:]]

    assert partitions(before) == [["o1027", "o1028", "o1029", "o1030"], ["o1025", "o1026"]]
    assert partitions(after) == [["o1027", "o1028", "o1030"], ["o1025", "o1026", "o1029"]]


def test_plain_is_plain(tmp_path: Path) -> None:
    done = demo("--plain", folder=tmp_path, FORCE_COLOR="1")
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout
    assert demo(folder=tmp_path, FORCE_COLOR="1", TERM="xterm").stdout.count("\x1b") > 100


def test_dates_money_and_types_read_as_one_would_write_them(tmp_path: Path) -> None:
    told = chapters(demo("--plain", folder=tmp_path, columns=110).stdout)["Every pattern, run"]
    assert "9 Orders, newest first, 2025-01-08 to 2025-12-15" in told
    assert "4 Orders, oldest first, 2025-12-09 to 2025-12-18" in told
    assert re.findall(r"\d\.\d\b(?! +\|)|Decimal\(", told) == []  # what is left are read units
    assert "OrderLine(product_id=travel-mug, quantity=1, price=22.00)" in told
    assert re.search(r"tracking .*str \| None +\|$", told, re.MULTILINE)
    assert re.search(r"total +\| 71\.80 .*Decimal +\|$", told, re.MULTILINE)


def test_a_terminal_without_unicode_gets_plain_text(tmp_path: Path) -> None:
    done = demo(folder=tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_mistakes_are_answered_kindly(tmp_path: Path) -> None:
    told = chapters(demo(folder=tmp_path).stdout)["When something is wrong"]
    assert "The pattern orders_above() cannot be served." in told
    assert "belongs to another Customer" in told
    assert "Traceback" not in told


def test_a_file_of_ones_own_stays_and_can_be_used_again(tmp_path: Path) -> None:
    for _ in range(2):
        done = demo("--file", "shop.db", folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert "The table stays  shop.db" in done.stdout
        with shop.open(tmp_path / "shop.db") as db:
            assert [o.order_id for o in db.run(orders_with_status, "SHIPPED")] == ["o1025", "o1026", "o1029"]
            shipped = db.run(order, "o1029")
            assert shipped is not None
            assert shipped.tracking == "TW1029"


def test_it_works_from_an_installed_wheel(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    installed, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    elsewhere.mkdir()

    done = demo(folder=elsewhere, columns=200, PYTHONPATH=str(installed))

    assert (done.returncode, done.stderr) == (0, "")
    assert re.sub(r"\s+|│", "", str(installed / "tablewright" / "_examples" / "shop" / "model.py")) in re.sub(
        r"\s+|│", "", done.stdout
    )
    assert str(ROOT) not in done.stdout
    for example in EXAMPLES:
        packed, ours = installed / "tablewright" / "_examples" / example, ROOT / "examples" / example
        assert {p.name: p.read_bytes() for p in packed.iterdir() if p.is_file()} == {
            p.name: p.read_bytes() for p in ours.glob("*.py")
        }
