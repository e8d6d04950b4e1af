"""Numbers and numbers of things, as messages say them."""

import pytest

from tablewright.wording import counted, nearest, quantity, span, span_left


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0"),
        (1.0, "1"),
        (20_000.0, "20,000"),
        (9_155_273.4375, "9,155,273.4"),
        (6.5, "6.5"),
        (0.5, "0.5"),
        (0.01, "0.01"),
        (1.005, "1"),
        (0.000123456, "0.000123"),
        (-2.25, "-2.25"),
        (float("inf"), "inf"),
    ],
)
def test_numbers(number: float, words: str) -> None:
    assert quantity(number) == words


@pytest.mark.parametrize(
    ("number", "what", "several", "words"),
    [
        (1, "item", None, "1 item"),
        (1_200, "item", None, "1,200 items"),
        (0, "pattern", None, "0 patterns"),
        (0.5, "read unit", None, "0.5 read units"),
        (1.0, "write", None, "1 write"),
        (2, "entity", "entities", "2 entities"),
        (1, "entity", "entities", "1 entity"),
    ],
)
def test_numbers_of_things(number: float, what: str, several: str | None, words: str) -> None:
    assert counted(number, what, several) == words


@pytest.mark.parametrize(
    ("seconds", "exact", "left"),
    [
        (0, "0 seconds", "0 seconds"),
        (5, "5 seconds", "5 seconds"),
        (60, "1 minute", "1 minute"),
        (4.2, "4.2 seconds", "5 seconds"),
        (5_400, "90 minutes", "90 minutes"),
        (7_201, "7,201 seconds", "3 hours"),
        (86_400, "1 day", "1 day"),
        (129_600, "36 hours", "36 hours"),
        (2_592_000 - 7, "2,591,993 seconds", "30 days"),
    ],
)
def test_spans(seconds: float, exact: str, left: str) -> None:
    assert (span(seconds), span_left(seconds)) == (exact, left)


def test_what_was_probably_meant() -> None:
    known = ["ListTables", "GetItem", "lost-reply"]
    assert nearest("listtables", known) == "ListTables"
    assert nearest("lost_reply", known) == "lost-reply"
    assert nearest("GetItems", known, cutoff=0.75) == "GetItem"
    assert nearest("nothing of the kind", known) is None
    assert nearest("anything", []) is None
