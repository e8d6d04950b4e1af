"""What a report says of what was recorded, and when it says that something is wrong."""

import threading
from collections.abc import Iterable
from io import StringIO
from typing import Any

import msgspec
import pytest
from rich.console import Console

from tablewright.errors import CancellationReason, Throttled, ThrottlingReason, TransactionCanceled, ValidationError
from tablewright.load.calls import Request
from tablewright.load.live import drawn, line, looking_on
from tablewright.load.recording import Recorder, is_throttled
from tablewright.load.report import Limits, LoadReport, make_report
from tablewright.load.showing import shown
from tablewright.load.watching import Used
from tablewright.load.workload import Line, Mix

PAGE = Line("page", "read", 10, 20, latency_ms=50, results=3)
WRITE = Line("Post: create", "create", 5, 10)
THROTTLED = Throttled("too much", reasons=[ThrottlingReason("IndexWrite", "arn:aws:dynamodb:x:1:table/T/index/GSI1")])


def used(*partitions: tuple[str, str, float, float], writes: dict[str, str] | None = None) -> Used:
    found = Used(writes or {})
    for place, key, reads, written in partitions:
        found.requests += 1
        found.read_units += reads
        found.write_units += written
        found.add(place, key, reads, written)
        found.last = place, key
    return found


def note(
    recorder: Recorder, line: Line, at: float, found: Used, *, ms: float = 1, error: Exception | None = None
) -> None:
    request = Request(line, lambda db: 0, found.writes)
    recorder.note(request, found, at=at, seconds=ms / 1000, returned=0 if error else 3, error=error)


def report_of(recorder: Recorder, *, simulated: bool = False, limits: Limits | None = None) -> LoadReport:
    return make_report(
        recorder,
        table="Posts",
        target="memory:",
        simulated=simulated,
        seed=0,
        zipf=1,
        scale=0.5,
        seconds=10,
        limits=limits,
    )


@pytest.fixture
def recorder() -> Recorder:
    return Recorder(Mix((PAGE, WRITE)))


def test_figures_of_each_line(recorder: Recorder) -> None:
    for number in range(100):
        note(recorder, PAGE, number / 10, used(("", "A", 0.5, 0)), ms=number + 1)
    report = report_of(recorder)
    page, write = report.results
    assert (page.requests, page.rate, page.wanted_rate, page.declared_rate) == (100, 10, 10, 20)
    assert page.p50_ms == pytest.approx(50, rel=0.03)
    assert page.p95_ms == pytest.approx(95, rel=0.03)
    assert page.max_ms == 100
    assert (page.read_units, page.items, page.declared_items) == (50, 3, 3)
    assert write.requests == 0
    assert any("Too rare" in text and "Post: create" in text for text in report.notes)


def test_latency_beyond_what_the_model_expects_is_a_problem_in_real_time_only(recorder: Recorder) -> None:
    for number in range(100):
        note(recorder, PAGE, 0, used(("", "A", 0.5, 0)), ms=60 if number > 95 else 1)
    (problem,) = report_of(recorder).problems
    assert "page took" in problem
    assert "50 ms" in problem
    assert report_of(recorder, simulated=True).well


def test_the_busiest_second_is_of_one_partition_and_one_second(recorder: Recorder) -> None:
    for at, units in ((0.1, 3.0), (0.9, 4.0), (1.2, 5.0), (2.0, 1.0)):
        note(recorder, WRITE, at, used(("GSI1", "HOT", 0, units)))
    note(recorder, WRITE, 2.1, used(("", "COLD", 0, 1)))
    hot, cold = report_of(recorder).partitions
    assert (hot.place, hot.key, hot.busiest_writes) == ("GSI1", "HOT", 7.0)
    assert (cold.name, cold.busiest_writes) == ("'COLD' of the table", 1.0)


def test_shares_are_of_the_table_or_of_the_index(recorder: Recorder) -> None:
    for number in range(8):
        note(
            recorder,
            WRITE,
            0,
            used(("", f"T{number % 2}", 0, 1), ("GSI1", "B", 0, 1), ("GSI2", f"C{number % 4}", 0, 1)),
        )
    shares = {(one.place, one.key): (one.requests_share, one.write_share) for one in report_of(recorder).partitions}
    assert shares["", "T0"] == shares["", "T1"] == (0.5, 0.5)
    assert shares["GSI1", "B"] == (1, 1)
    assert shares["GSI2", "C0"] == (0.25, 0.25)
    assert "with their shares of the table or of the index:" in shown(report_of(recorder))


def test_a_burst_does_not_hide_what_cannot_last(recorder: Recorder) -> None:
    for at in range(10):
        note(recorder, WRITE, at, used(("", "A", 0, 12)))
    report = report_of(recorder, limits=Limits(100, 10))
    (problem,) = report.problems
    assert (
        "'A' of the table took 0 read and 12 write units a second on average, and a partition bears 100 and 10"
        in problem
    )
    assert "a longer run throttles it" in problem
    assert not any("busiest second" in text for text in report.notes)


def test_a_busy_second_that_a_burst_carried_is_told_of(recorder: Recorder) -> None:
    note(recorder, WRITE, 0, used(("", "A", 0, 12)))
    report = report_of(recorder, limits=Limits(100, 10))
    assert report.well
    (told,) = (text for text in report.notes if "busiest second" in text)
    assert "took 0 read and 12 write units in its busiest second; one bears 100 and 10. Bursts carried it" in told


def test_throttled_requests_are_charged_to_the_index_that_the_answer_names(recorder: Recorder) -> None:
    where = {"": "A", "GSI1": "B"}
    for number in range(10):
        note(recorder, WRITE, 0, used(("", "A", 0, 1), ("GSI1", "B", 0, 1), writes=where))
        if number < 5:
            note(recorder, WRITE, 0, Used(where, 1), error=THROTTLED)
    report = report_of(recorder, limits=Limits(100, 10))
    assert report.throttled == 5
    assert report.partitions[0].name == "'B' of GSI1"
    assert report.partitions[0].throttled == 5
    assert report.partitions[0].callers == ("Post: create",)
    told, hot = report.problems
    assert told == "5 of 15 requests were throttled (33.3%)."
    assert "'B' of GSI1 is hot: it was throttled 5 times (Post: create)" in hot
    assert "a partition bears 10" in hot


def test_one_in_a_thousand_may_be_throttled(recorder: Recorder) -> None:
    for number in range(1000):
        error = THROTTLED if number == 500 else None
        note(recorder, WRITE, 0, used(("", "A", 0, 1)), error=error)
    assert report_of(recorder).well
    note(recorder, WRITE, 0, used(("", "A", 0, 1)), error=THROTTLED)
    assert not report_of(recorder).well


def test_other_failures_are_problems_by_code(recorder: Recorder) -> None:
    note(recorder, PAGE, 0, Used({}, 1), error=ValidationError("no"))
    note(recorder, PAGE, 0, used(("", "A", 1, 0)))
    report = report_of(recorder)
    assert report.results[0].errors == {"VALIDATION_ERROR": 1}
    assert report.problems == ("page failed 1 time with VALIDATION_ERROR.",)


def test_a_target_that_does_not_keep_up_is_a_problem(recorder: Recorder) -> None:
    note(recorder, PAGE, 0, used(("", "A", 1, 0)))
    recorder.unsent = 3
    assert report_of(recorder).problems == ("The target did not keep up: 3 of 4 requests were never sent.",)


def test_a_machine_that_was_too_slow_is_told_of(recorder: Recorder) -> None:
    note(recorder, PAGE, 0, used(("", "A", 1, 0)))
    recorder.late = 1
    assert any("too slow for such a load" in text for text in report_of(recorder).notes)


def test_a_partition_beyond_the_limits_is_told_of_where_nothing_is_refused(recorder: Recorder) -> None:
    note(recorder, WRITE, 0, used(("", "A", 0, 1200)))
    report = report_of(recorder)
    assert report.well
    assert any("'A' of the table took" in text and "1,200 write units" in text for text in report.notes)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (THROTTLED, True),
        (
            TransactionCanceled(
                "no", reasons=[CancellationReason("None", None), CancellationReason("ThrottlingError", "x")]
            ),
            True,
        ),
        (TransactionCanceled("no", reasons=[CancellationReason("ConditionalCheckFailed", "x")]), False),
        (ValidationError("no"), False),
    ],
    ids=["throttled", "cancelled for it", "cancelled for something else", "refused"],
)
def test_what_counts_as_throttled(error: Exception, expected: bool) -> None:
    assert is_throttled(error) is expected


def test_memory_is_bounded_whatever_the_number_of_partitions(recorder: Recorder) -> None:
    for number in range(12_000):
        note(recorder, WRITE, number / 1000, used(("", f"K{number}", 0, 1), ("", "HOT", 0, 2)))
    assert len(recorder.peaks) <= 6000
    writes = recorder.places[""].writes
    assert len(writes.counts) <= 2 * writes.capacity
    assert report_of(recorder).partitions[0].key == "HOT"


def test_threads_lose_nothing(recorder: Recorder) -> None:
    def work() -> None:
        for number in range(500):
            note(recorder, PAGE, number / 100, used(("", "A", 1, 0)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report = report_of(recorder)
    assert (report.requests, report.results[0].read_units) == (2000, 2000.0)
    assert recorder.lines["page"].latency.count == 2000


# ------------------------------------------------------------------------------------------------------------- shown


def some(recorder: Recorder) -> Recorder:
    for number in range(30):
        note(recorder, PAGE, number / 10, used(("", "USER#\x1b[31mx", 0.5, 0)))
        note(recorder, WRITE, number / 10, used(("GSI1", "B", 0, 1)), error=THROTTLED if number % 3 == 0 else None)
    return recorder


def test_as_text_with_figures_partitions_and_problems(recorder: Recorder) -> None:
    text = shown(report_of(some(recorder)))
    rows: dict[str, list[str]] = {row.split()[0]: row.split() for row in text.splitlines() if row.split()}
    assert rows["page"][1:4] == ["30", "3.00", "10.00"]
    assert "'B' of GSI1" in text
    assert "PROBLEM 10 of 60 requests were throttled (16.7%)." in text
    assert "\x1b" not in text


def test_as_json_and_back(recorder: Recorder) -> None:
    report = report_of(some(recorder), limits=Limits())
    assert msgspec.json.decode(msgspec.json.encode(report), type=LoadReport) == report


def test_the_live_view_shows_lines_and_partitions(recorder: Recorder) -> None:
    console = Console(file=StringIO(), width=140)
    console.print(drawn(some(recorder), 3, 10))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    (page,) = [row.split() for row in text.splitlines() if row.strip().startswith("page")]
    assert page == ["page", "30", "10.0", "10.0", "1.0", "1.0", "0", "0"]
    assert "3 of 10 seconds: 60 requests, 10 throttled, 0 failed" in text
    assert "page" in text
    assert "'B' of GSI1: 100% of its write units" in text


def test_the_busiest_partition_is_the_one_whose_units_are_most_of_what_it_bears(recorder: Recorder) -> None:
    for _ in range(50):
        note(recorder, PAGE, 0, used(("", "A", 10, 0)))
    note(recorder, WRITE, 0, used(("GSI1", "B", 0, 1)))
    assert line(recorder, 1, 10).endswith("busiest partition 'A' with 100% of the read units of the table")
    for _ in range(200):
        note(recorder, WRITE, 0, used(("GSI1", "B", 0, 1)))
    assert line(recorder, 1, 10).endswith("busiest partition 'B' with 100% of the write units of GSI1")


def test_looking_on_disturbs_nobody(recorder: Recorder) -> None:
    over = threading.Event()

    def work() -> None:
        number = 0
        while not over.is_set():
            number += 1
            note(recorder, WRITE, 0, used(("", f"K{number}", 0, 1)))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for reached in range(30):
            assert drawn(recorder, reached, 30).row_count > 1
    finally:
        over.set()
        thread.join()


class Terminal(StringIO):
    """Something that says it is one."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [StringIO(), Terminal()], ids=["plain", "terminal"])
def test_somebody_looks_on(stream: StringIO, recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    moments: Iterable[float] = iter([0.0, 1.0, 2.5, 2.5, 3.0, 9.0, 9.0])
    monkeypatch.setattr("tablewright.load.live.time", type("clock", (), {"monotonic": lambda: next(moments)}))  # type: ignore[call-overload]
    with looking_on(stream, 10) as watch:
        for reached in (1.0, 2.5, 3.0):
            watch(some(recorder), reached)
    text: Any = stream.getvalue()
    assert "of 10 seconds" in text
    if not stream.isatty():
        assert text.count("\n") == 1  # a line every two seconds
        assert "\x1b" not in text
