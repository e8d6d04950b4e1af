"""The export: all of a user's data and nobody else's, written as it is read, and no cell that a spreadsheet computes."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.kefir import seed
from examples.kefir.csv_export import COLUMNS, cell, plain
from examples.kefir.errors import NotThere
from examples.kefir.model import BatchEvent, kefir
from examples.kefir.store import Kefir
from tablewright import Session

FORMULA = re.compile(r"""[\s"\x00-\x20\ufeff\u200b-\u200f]*[=+\-@＝＋－＠]""")
NASTY = st.text(st.sampled_from("=+-@;,|\t\r\n\"' aA1(){}!\ufeff\u200b＝％"), max_size=12) | st.text(max_size=12)


def cells(text: str) -> list[str]:
    """Where cells could begin for whoever goes by another separator, or by none of the quotes."""
    return re.split("[,;|\t\r\n]", text)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_user_with_all_that_belongs_to_them(store: Kefir) -> None:
    out = io.StringIO()
    assert store.export("mia", out) == 23
    rows = rows_of(out.getvalue())
    assert rows[0].keys() == set(COLUMNS)
    listed = [(r["record"], r["event_id"] or r["reminder_id"] or r["batch_id"] or r["device_id"]) for r in rows]
    assert (
        listed
        == [
            ("User", ""),
            *(("Device", "laptop"), ("Device", "phone")),
            *(("Batch", "b01"), *(("BatchEvent", f"b01-e{n}") for n in (1, 2, 3, 4)), ("Reminder", "r01")),
            *(("Batch", "b02"), *(("BatchEvent", f"b02-e{n}") for n in (1, 2, 3))),
            *(("Batch", "b03"), *(("BatchEvent", f"b03-e{n}") for n in (1, 2)), ("Reminder", "r02")),
            *(("Batch", "b04"), *(("BatchEvent", f"b04-e{n}") for n in (1, 2)), ("Reminder", "r03")),
            *(("Batch", "b05"), ("Reminder", "r04")),
        ][: len(listed)]
    )
    assert len(listed) == 23
    user, phone, first = rows[0], rows[2], rows[3]
    assert (user["email"], user["preferences.default_temperature_c"]) == ("mia@example.com", "21.5")
    assert (phone["platform"], phone["device_info.os_version"]) == ("ios", "17.4")
    assert (first["temperature_c"], first["is_public"], first["started_at"]) == (
        "21.5",
        "no",
        "2026-03-01T08:00:00+00:00",
    )
    assert {r["user_id"] for r in rows} == {"mia"}
    assert all(r["created_at"] and r["updated_at"] for r in rows)


def test_nobody_has_no_export(store: Kefir) -> None:
    with pytest.raises(NotThere):
        store.export("nobody", io.StringIO())
    with pytest.raises(NotThere):
        store.export_step("nobody")


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_an_export_in_steps_is_the_same(store: Kefir, rows: int) -> None:
    whole, text, cursor, count = io.StringIO(), "", None, 0
    store.export("mia", whole)
    while True:
        step = store.export_step("mia", cursor, rows)
        text, cursor, count = text + step.text, step.cursor, count + step.rows
        if cursor is None:
            break
    assert text == whole.getvalue()
    assert count == 23


def test_it_is_written_as_it_is_read(db: Session) -> None:
    """With a thousand events, the first rows are out before the last page was asked for."""
    events = [
        BatchEvent(
            batch_id="b05", event_id=f"e{n:04}", at=seed.day(n / 1000), user_id="mia", event_type="note", note="x" * 500
        )
        for n in range(1_000)
    ]
    with db.batch() as batch:
        for event in events:
            batch.put(event)

    class Watching(io.StringIO):
        requests_at_first_row = 0

        def write(self, text: str, /) -> int:
            if "BatchEvent" in text and not self.requests_at_first_row:
                self.requests_at_first_row = len(meter.requests)
            return super().write(text)

    with db.measure() as meter:
        out = Watching()
        Kefir(db).export("mia", out)
    assert out.requests_at_first_row < len(meter.requests) - 5


# ---------------------------------------------------------------------------------------------------- formulas


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1+cmd|'/c calc'!A1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", '"=1', "a;=1", 'a";"=1', "＝1"],
)
def test_a_formula_becomes_a_text(store: Kefir, text: str) -> None:
    store.add_note("mia", "b05", text)
    out = io.StringIO()
    store.export("mia", out)
    assert [part for part in cells(out.getvalue()) if FORMULA.match(part)] == []
    (note,) = [r["note"] for r in rows_of(out.getvalue()) if r["note"] and r["batch_id"] == "b05"]
    assert not re.match(r"\s*[=+\-@＝]", note)
    assert plain(note) == text


@given(NASTY)
def test_no_cell_begins_like_a_formula_and_every_text_comes_back(text: str) -> None:
    made = cell(text)
    assert plain(made) == text
    assert [part for part in cells(made) if FORMULA.match(part)] == []


@given(st.lists(NASTY, min_size=1, max_size=4))
def test_a_file_reads_back_as_it_was(texts: list[str]) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerow(map(cell, texts))
    (row,) = csv.reader(io.StringIO(out.getvalue(), newline=""))
    assert list(map(plain, row)) == texts


def test_numbers_stay_numbers() -> None:
    assert [cell(value) for value in (-5, 1.5, True, None)] == ["-5", "1.5", "yes", ""]


def test_every_field_has_a_column() -> None:
    flat = {c.partition(".")[0] for c in COLUMNS}
    assert {f for entity in kefir.entities.values() for f in entity.model_fields} <= flat
