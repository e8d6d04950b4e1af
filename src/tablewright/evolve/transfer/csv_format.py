"""CSV: a header with the names of columns, then a row a line, or more where a cell holds several."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from tablewright.errors import ArgumentError
from tablewright.evolve.transfer.cells import write_cell
from tablewright.evolve.transfer.files import InputFile, written_text
from tablewright.evolve.transfer.forms import Form
from tablewright.evolve.transfer.rows import Problem, Row
from tablewright.model.entity import Entity
from tablewright.wording import counted

_LARGEST_CELL = 16 * 1024 * 1024
"""No item is larger, however its value is written down."""


class CsvSource:
    """Rows of a CSV file in UTF-8, with or without a byte order mark."""

    def __init__(self, path: Path, delimiter: str = ",") -> None:
        self._file = InputFile(path)
        self._delimiter = delimiter
        self.name = str(path)
        self.identity = f"csv {delimiter!r} {self._file.identity}"
        with closing(self._lines()) as lines:
            _, header = next(lines, (0, None))
            for _ in lines:
                pass  # what cannot be read is refused before anything is written
        if header is None:
            raise ArgumentError(f"{path} is empty.", hint="Its first line should name the columns.")
        twice = sorted({name for name in header if header.count(name) > 1})
        if twice:
            raise ArgumentError(f"{path} has two columns of one name: {twice[0]!r}.", hint="Rename one of them.")
        self.columns: tuple[str, ...] = tuple(header)
        self._texts = frozenset(header)

    def _lines(self) -> Generator[tuple[int, list[str]], None, None]:
        """The cells of each row, and the number of the line that it begins on; empty lines are no rows."""
        csv.field_size_limit(_LARGEST_CELL)
        with self._file.text() as text:
            lines, began = csv.reader(text, delimiter=self._delimiter, strict=True), 1
            try:
                for cells in lines:
                    if cells:
                        yield began, cells
                    began = lines.line_num + 1
            except UnicodeDecodeError:
                raise ArgumentError(
                    f"{self.name}, line {self._undecodable()}, is not in UTF-8.", hint="Convert it: iconv -t UTF-8."
                ) from None
            except csv.Error as error:
                raise ArgumentError(
                    f"{self.name}, line {lines.line_num}, is no CSV: {error}.",
                    hint="Cells with quotes, delimiters or line ends in them are quoted, and quotes doubled.",
                ) from None

    def _undecodable(self) -> int:
        """The first line that is not in UTF-8; a reader of text tells only how far it has read ahead."""
        number = 0
        with self._file.opened() as opened:
            for line in opened:
                number += 1
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError:
                    break
        return number

    def rows(self) -> Iterator[Row | Problem]:
        """All rows; one with more or fewer cells than the header is a problem."""
        with closing(self._lines()) as lines:
            next(lines)
            for began, cells in lines:
                yield self._row(f"line {began}", cells)

    def _row(self, place: str, cells: list[str]) -> Row | Problem:
        if len(cells) != len(self.columns):
            return Problem(
                place,
                f"it has {counted(len(cells), 'cell')} where the header has {len(self.columns)}",
                "Quote cells that hold the delimiter, or say it with --delimiter.",
            )
        return Row(place, dict(zip(self.columns, cells, strict=True)), texts=self._texts)

    def fraction(self) -> float | None:
        """How much of the file was read."""
        return self._file.fraction()


def write_csv(path: Path, final: Path, forms: dict[str, Form], entities: Iterable[Entity]) -> int:
    """Writes entities of one kind; how many."""
    count = 0
    with written_text(path, final) as text:
        # As RFC 4180 has it. With another end of lines, older Pythons leave a lone \r in a cell unquoted.
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow(forms)
        for entity in entities:
            cells = [write_cell(form, getattr(entity, name)) for name, form in forms.items()]
            # A lone empty cell would be an empty line, which is no row.
            if cells == [""]:
                text.write('""\r\n')
            else:
                writer.writerow(cells)
            count += 1
    return count
