"""The tour that `tablewright demo` gives: the shop example, shown chapter by chapter. Each chapter is a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryDirectory

from tablewright.cli.tour import ending, mistakes, model, move, reads, table
from tablewright.cli.tour.look import Look
from tablewright.cli.tour.shop import model as shop_model


def run(file: Path | None, *, plain: bool = False) -> None:
    """Shows everything, on a table in `file`, or in a temporary file that goes away."""
    look = Look(plain=plain)
    with _place(file) as path, shop_model.shop.open(path, cursor_keys=[token_bytes(32)]) as db:
        model.show(look)
        table.show(look, db, path)
        reads.show(look, db)
        move.show(look, db)
        mistakes.show(look, db)
    ending.show(look, file)


@contextmanager
def _place(file: Path | None) -> Iterator[Path]:
    if file is not None:
        yield file
        return
    with TemporaryDirectory(prefix="tablewright-demo-") as folder:
        yield Path(folder) / "shop.db"
