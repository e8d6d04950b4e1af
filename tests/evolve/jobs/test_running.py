"""What a job does to a table: it writes what is to be written, once, and tells what it did."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, Table, open_table
from tablewright.client.calls import Steps
from tablewright.engine import Engine, open_engine
from tablewright.errors import (
    AccessRefused,
    ArgumentError,
    JobError,
    RequestRefused,
    ResourceNotFound,
    ServiceError,
    Throttled,
    TransactionCanceled,
)
from tablewright.evolve.jobs import Decision, InFile, InTable, Job, Progress, Skipped, Writes
from tablewright.evolve.jobs.checkpoints import Checkpoints, Held, Segment
from tablewright.evolve.jobs.scanning import Scanning
from tablewright.evolve.jobs.settling import NOTHING, WRITTEN
from tablewright.evolve.jobs.sizing import TOO_LARGE
from tablewright.model.indexes import KeyAttribute
from tablewright.server import serve_in_thread
from tablewright.testing import LostReply, Throttle
from tablewright.transport.embedded import EmbeddedTransport
from tablewright.values.types import Item
from tests.evolve.jobs.shelf import TABLE, Between, Label, Split, book, items, job, label_of, make_table, run


def test_every_item_is_looked_at_and_written_once(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 20)
    engine.execute("PutItem", {"TableName": TABLE, "Item": {**book(99), "withdrawn": {"BOOL": True}}})
    report = run(Label(), transport, segments=4, in_flight=8)
    assert (report.counts.looked, report.counts.written, report.counts.skipped) == (21, 20, {"withdrawn": 1})
    assert report.finished
    assert not report.nothing_to_change
    assert [one.get("label") for one in items(engine)] == [*(label_of(book(n)) for n in range(20)), None]


def test_a_second_run_changes_nothing_and_says_so(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 20)
    run(Label(), transport)
    before = items(engine)
    report = run(Label(), transport)
    assert items(engine) == before
    assert report.nothing_to_change
    assert not report.resumed
    assert "nothing to change" in str(report)


def test_nothing_of_the_job_is_left_in_the_table(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 20)
    run(Label(), transport)
    assert {one["PK"]["S"][:5] for one in items(engine)} == {"BOOK#"}


def test_several_actions_are_one_transaction(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 6)
    report = run(Split(), transport)
    assert report.counts.written == 6
    assert len([one for one in items(engine) if one["SK"]["S"] == "CARD"]) == 6


def test_a_dry_run_writes_nothing_and_tells_what_it_would_cost(engine: Engine) -> None:
    make_table(engine, 20, index=True)
    before = items(engine)
    wire = Between(EmbeddedTransport(engine, owned=False), lambda *_: None)
    report = Job(Label(), wire, segments=2).run()
    assert items(engine) == before
    assert set(wire.sent) == {"DescribeTable", "Scan"}
    assert report.dry_run
    assert report.counts.written == 20
    assert report.estimate is not None
    assert report.estimate.write_units == 40  # each in the table and in the index
    real = run(Label(), EmbeddedTransport(engine, owned=False))
    keeping = real.spent.write_units - report.estimate.write_units
    assert 20 <= keeping <= 40  # checkpoints after each item, and the lease
    assert report.estimate.cost > 0


def test_a_sample_is_projected_to_the_whole_table(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 40)
    work = Label()
    work.reads = {"Limit": 5}
    report = Job(work, transport, segments=1, sample=2).run()
    assert report.counts.looked == 10
    assert not report.finished
    assert report.estimate is not None
    assert (report.estimate.items, report.estimate.share, report.estimate.write_units) == (40, 0.25, 40)
    assert "projected from 25.0% of the table" in str(report)


@pytest.mark.parametrize(
    "action",
    [
        {"Update": {"TableName": TABLE, "Key": {}, "UpdateExpression": "SET label = :l"}},
        {"Put": {"TableName": TABLE, "Item": {}, "ConditionExpression": ""}},
        {"Delete": {"TableName": TABLE, "Key": {}}},
        {"Nothing": {}},
    ],
)
def test_a_write_without_a_condition_is_refused_before_it_is_sent(engine: Engine, action: dict[str, Any]) -> None:
    make_table(engine, 3)
    wire = Between(EmbeddedTransport(engine, owned=False), lambda *_: None)

    class Blind(Label):
        def look(self, item: Item) -> Decision:
            return Writes((action,))

    with pytest.raises(ArgumentError, match="label books"):
        run(Blind(), wire)
    assert "TransactWriteItems" not in wire.sent
    assert not any("label" in one for one in items(engine))


def test_in_a_transaction_each_action_needs_its_condition(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 3)

    class HalfBlind(Label):
        def look(self, item: Item) -> Decision:
            put = {"Put": {"TableName": TABLE, "Item": book(7)}}
            return Writes(({"Update": self.update(item, label_of(item))}, put))

    with pytest.raises(ArgumentError, match="a Put has no condition"):
        run(HalfBlind(), transport)

    class Blind(Label):
        def look(self, item: Item) -> Decision:
            update = self.update(item, label_of(item))
            return Writes(({"Update": {**update, "ConditionExpression": ""}},))

    with pytest.raises(ArgumentError, match="an Update has no condition"):
        run(Blind(), transport)
    assert not any("label" in one for one in items(engine))


def test_an_item_that_others_change_is_looked_at_anew(engine: Engine) -> None:
    make_table(engine, 1)

    def rename(_: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "UpdateItem" and "title = :title" in request["ConditionExpression"] and not renamed:
            renamed.append(1)
            engine.execute("PutItem", {"TableName": TABLE, "Item": {**book(0), "title": {"S": "New"}}})

    renamed: list[int] = []
    report = run(Label(), Between(EmbeddedTransport(engine, owned=False), rename))
    assert items(engine)[0]["label"] == {"S": "LABEL New"}
    assert (report.counts.written, report.spent.overtaken) == (1, 1)


def test_an_item_that_others_change_each_time_is_skipped(engine: Engine) -> None:
    make_table(engine, 1)

    def hurry(number: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "UpdateItem" and "title = :title" in request["ConditionExpression"]:
            engine.execute("PutItem", {"TableName": TABLE, "Item": {**book(0), "title": {"S": f"Title {number}"}}})

    report = run(Label(), Between(EmbeddedTransport(engine, owned=False), hurry))
    assert report.counts.skipped == {"overtaken by others again and again": 1}
    assert report.spent.overtaken == 10


def test_an_item_that_is_gone_stays_gone(engine: Engine) -> None:
    make_table(engine, 3)

    def delete(_: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "UpdateItem" and request["Key"]["PK"] == {"S": "BOOK#001"}:
            engine.execute("DeleteItem", {"TableName": TABLE, "Key": request["Key"]})

    report = run(Label(), Between(EmbeddedTransport(engine, owned=False), delete))
    assert (report.counts.written, report.counts.gone) == (2, 1)
    assert [one["PK"]["S"] for one in items(engine)] == ["BOOK#000", "BOOK#002"]


def test_throttling_is_waited_for_and_told(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 10)
    with engine.faults.inject(Throttle(table=TABLE, every=3)) as throttle:
        report = run(Label(), transport)
    assert throttle.fired > 3
    assert report.spent.retries == throttle.fired
    assert report.counts.written == 10


class LabelOnce(Label):
    """Never writes over a label, so that a write that is sent again fails."""

    def update(self, item: Item, wanted: dict[str, Any]) -> dict[str, Any]:
        update = super().update(item, wanted)
        return update | {"ConditionExpression": f"{update['ConditionExpression']} AND attribute_not_exists(label)"}


class Withdraw(Label):
    """Takes books off the shelf."""

    def look(self, item: Item) -> Decision:
        key = {name: item[name] for name in ("PK", "SK")}
        condition = {"ConditionExpression": "attribute_exists(PK)"}
        return Writes(({"Delete": {"TableName": TABLE, "Key": key, **condition}},))


@pytest.mark.parametrize(("work", "operation"), [(LabelOnce(), "UpdateItem"), (Withdraw(), "DeleteItem")])
@pytest.mark.parametrize("every", [1, 2, 3])
def test_a_write_whose_reply_is_lost_counts_once_as_written(
    engine: Engine, transport: EmbeddedTransport, tmp_path: Path, work: Label, operation: str, every: int
) -> None:
    make_table(engine, 12)
    fault = LostReply(table=TABLE, operations=(operation,), every=every, times=12 if every > 1 else 1)
    with engine.faults.inject(fault) as lost:
        report = run(work, transport, checkpoints=InFile(tmp_path / "job.json"), segments=1)
    assert lost.fired
    assert (report.counts.looked, report.counts.written, report.counts.gone) == (12, 12, 0)
    assert not report.nothing_to_change
    assert report.spent.overtaken == 0


@pytest.mark.parametrize("more", [{}, {"run": {"S": "fast"}}])
def test_keys_of_an_application_may_begin_like_those_of_a_job(
    engine: Engine, transport: EmbeddedTransport, more: Item
) -> None:
    make_table(engine)
    for text in ("TABLEWRIGHT#x", "TABLEWRIGHT#JOB#y", "TABLEWRIGHT#JOB#label books"):
        for other in ("BOOK", f"{text}#SEGMENT#000000", text):
            item = {**book(1), "PK": {"S": text}, "SK": {"S": other}, **more}
            if (text, other) != ("TABLEWRIGHT#JOB#label books",) * 2:  # that one is the job's
                engine.execute("PutItem", {"TableName": TABLE, "Item": item})
    report = run(Label(), transport, segments=2)
    assert (report.counts.looked, report.counts.written) == (8, 8)
    assert all("label" in one for one in items(engine))


@pytest.mark.parametrize(
    "reads",
    [{}, {"ProjectionExpression": "PK, SK, title, version"}, {"AttributesToGet": ["PK", "SK", "title", "version"]}],
)
def test_items_of_jobs_are_not_looked_at(engine: Engine, transport: EmbeddedTransport, reads: dict[str, Any]) -> None:
    make_table(engine, 3)
    other = Label()
    other.name = "another one, which was stopped"
    for number in range(2):
        text = {"S": f"TABLEWRIGHT#JOB#{other.name}" + f"#SEGMENT#{number:06d}" * number}
        kept = {"identity" if not number else "counts": {"S": "{}"}, "run": {"S": "r"}, "title": {"S": "t"}}
        engine.execute("PutItem", {"TableName": TABLE, "Item": {"PK": text, "SK": text, **kept}})
    work = Label()
    work.reads = reads
    report = run(work, transport)
    assert (report.counts.looked, report.counts.written) == (3, 3)


def test_a_table_that_never_answers_ends_the_job_and_keeps_where_it_was(engine: Engine) -> None:
    make_table(engine, 10)
    troubled = [True]

    def refuse(number: int, operation: str, request: dict[str, Any]) -> None:
        if troubled and operation == "UpdateItem" and request["Key"]["PK"] == {"S": "BOOK#005"}:
            raise Throttled("slow down")

    wire = Between(EmbeddedTransport(engine, owned=False), refuse)
    ticks = iter(range(10**9))
    with pytest.raises(Throttled):
        run(Label(), wire, segments=1, timer=lambda: float(next(ticks)), patience=50.0)
    troubled.clear()
    report = run(Label(), wire, segments=1)
    assert report.resumed
    assert report.counts.looked == 10


def added(work: Label, item: Item) -> dict[str, Any]:
    """An update that the service refuses for what the item holds: a title is no number."""
    return {**work.update(item, {"N": "1"}), "UpdateExpression": "ADD title :label"}


def test_a_write_that_the_service_refuses_is_skipped(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 3)

    class AddedToText(Label):
        def look(self, item: Item) -> Decision:
            wrong = item["PK"] == {"S": "BOOK#001"}
            if "label" in item:
                return None
            return Writes(({"Update": added(self, item) if wrong else self.update(item, label_of(item))},))

    report = run(AddedToText(), transport)
    assert report.counts.written == 2
    assert report.counts.skipped == {"the service refused to write it (ValidationException)": 1}


@pytest.mark.parametrize("work", [Label, Split], ids=["a write", "a transaction"])
def test_items_that_the_service_will_not_have_are_skipped_however_many_there_are(
    engine: Engine, transport: EmbeddedTransport, work: type[Label]
) -> None:
    """In a first run others were written meanwhile; in the next ones these were all there was, and each of them failed."""
    make_table(engine, 220)

    class AddedToText(work):  # type: ignore[misc, valid-type]
        def update(self, item: Item, wanted: dict[str, Any]) -> dict[str, Any]:
            update: dict[str, Any] = super().update(item, wanted)
            return added(work(), item) if item["PK"]["S"] >= "BOOK#005" else update

    for written in (5, 0, 0):
        report = run(AddedToText(), transport)
        assert (report.finished, report.counts.written) == (True, written)
        assert [*report.counts.skipped.values()] == [215]


@pytest.mark.parametrize(
    "wrong",
    [
        {"UpdateExpression": "SET label ="},
        {"UpdateExpression": "SET label = :missing"},
        {"UpdateExpression": "SET title = :title"},
        {"ExpressionAttributeNames": {}},
        {"ExpressionAttributeNames": {"label": "label"}},
        {"ExpressionAttributeNames": {"#label": "label"}},
        {"Key": {"PK": {"S": "BOOK#001"}}},
    ],
    ids=str,
)
@pytest.mark.parametrize("work", [Label, Split], ids=["a write", "a transaction"])
def test_work_of_which_every_write_is_malformed_ends_the_job(
    engine: Engine, transport: EmbeddedTransport, work: type[Label], wrong: dict[str, Any]
) -> None:
    make_table(engine, 120)

    class Wrong(work):  # type: ignore[misc, valid-type]
        def update(self, item: Item, wanted: dict[str, Any]) -> dict[str, Any]:
            update: dict[str, Any] = super().update(item, wanted)
            return update | wrong

    with pytest.raises((RequestRefused, TransactionCanceled)):
        run(Wrong(), transport)


@pytest.mark.parametrize("error", [AccessRefused, ResourceNotFound])
def test_what_hits_every_request_ends_the_job_at_once(engine: Engine, error: type[ServiceError]) -> None:
    make_table(engine, 20)

    def refuse(number: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "UpdateItem" and request["Key"]["PK"]["S"].startswith("BOOK"):
            raise error("no")

    wire = Between(EmbeddedTransport(engine, owned=False), refuse)
    with pytest.raises(error):
        run(Label(), wire, segments=1)
    assert wire.sent.count("UpdateItem") < 10


def test_progress_tells_how_far_it_is(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 10)
    told: list[Progress] = []
    run(Label(), transport, progress=told.append)
    last = told[-1]
    assert (last.counts.looked, last.share, last.segments_done, last.segments) == (10, 1.0, 2, 2)
    assert last.seconds_left == 0
    assert "10 items, 10 written, 0 skipped" in str(last)


def test_a_job_can_be_paused_and_stopped_and_goes_on(engine: Engine) -> None:
    make_table(engine, 30)
    reached, go_on = threading.Event(), threading.Event()

    def hold(number: int, operation: str, _: dict[str, Any]) -> None:
        if operation == "UpdateItem" and number > 10:
            reached.set()
            go_on.wait(10)

    told: list[Progress] = []
    one = job(Label(), Between(EmbeddedTransport(engine, owned=False), hold), progress=told.append)
    reports = []
    thread = threading.Thread(target=lambda: reports.append(one.run()))
    thread.start()
    assert reached.wait(10)
    one.pause()
    go_on.set()
    while not any(progress.waits_for == "paused" for progress in told):
        thread.join(0.05)
    written = sum("label" in item for item in items(engine))
    one.stop()
    thread.join(10)
    assert not reports[0].finished
    assert reports[0].counts.written == written < 30
    rest = run(Label(), EmbeddedTransport(engine, owned=False))
    assert rest.resumed
    assert (rest.counts.looked, rest.counts.written) == (30, 30)
    with pytest.raises(JobError, match="already"):
        one.run()


class _Slowly(InFile):
    """Takes its time to let a job go."""

    def release(self, held: Held) -> Steps[None]:
        time.sleep(0.3)
        yield from super().release(held)


def test_ctrl_c_stops_at_a_checkpoint(engine: Engine, transport: EmbeddedTransport, tmp_path: Path) -> None:
    make_table(engine, 60)

    def press() -> None:
        while not any("label" in one for one in items(engine)):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run(Label(), transport, max_write_units=40.0, checkpoints=_Slowly(tmp_path / "job.json"))
    thread.join()
    assert 0 < sum("label" in one for one in items(engine)) < 60
    rest = run(Label(), transport, checkpoints=InFile(tmp_path / "job.json"))  # nobody holds it any more
    assert rest.resumed
    assert rest.counts.looked == 60


def test_one_of_something_is_told_as_one(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 1)
    told = str(Job(Label(), transport, segments=1).run())
    assert "looked at 1 item, 1 to write" in told
    assert "about 1 item to write: 0.5 read units and 1 write unit," in told


def test_the_report_is_json(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 3)
    told = json.loads(json.dumps(Job(Label(), transport).run().to_dict()))
    assert told["counts"] == {"looked": 3, "written": 3, "gone": 0, "skipped": {}, "remarks": {}}
    assert told["nothing_to_change"] is False
    assert told["estimate"]["write_units"] == 3


class _Book(Entity, table=Table(TABLE, indexes=[GSI("GSI1")])):
    keys = Keys("BOOK#{number}", "BOOK")
    number: int
    title: str


def test_sessions_are_targets(tmp_path: Path) -> None:
    table: Any = _Book.__table__  # type: ignore[attr-defined]
    with open_engine(str(tmp_path / "shelf.db")) as engine:
        with table.open(engine) as db:
            db.create(_Book(number=1, title="One"))
            work = Label()
            work.look = lambda item: None  # type: ignore[method-assign]
            assert run(work, db).counts.looked == 1
        with open_table(TABLE, engine) as plain:
            assert run(work, plain).nothing_to_change


def test_many_writes_are_under_way_at_once_over_http(engine: Engine) -> None:
    make_table(engine, 60)
    with serve_in_thread(engine) as server:
        report = run(Label(), server.url, in_flight=16)
    assert report.counts.written == 60
    assert all("label" in item for item in items(engine))


def test_a_table_with_numbers_as_keys_keeps_checkpoints_in_a_file(engine: Engine, tmp_path: Path) -> None:
    make_table(engine, 5, kind="N")
    transport = EmbeddedTransport(engine, owned=False)
    with pytest.raises(Exception, match="InFile"):
        run(Label(), transport)
    report = run(Label(), transport, checkpoints=InFile(tmp_path / "job.json"))
    assert report.counts.written == 5
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options", [{"segments": 0}, {"in_flight": True}, {"max_write_units": 0}, {"sample": 2}, {"threads": 4}]
)
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        job(Label(), None, **options)


class _EachItsOwn(Label):
    """Gives a reason of its own for each item, as reasons should not be."""

    def look(self, item: Item) -> Decision:
        return Skipped(f"it is {item['number']['N']}" if "number" in item else f"it is {item['PK']['S']}")


def test_reasons_without_an_end_do_not_fill_the_checkpoint(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 300)
    report = run(_EachItsOwn(), transport, checkpoint_every=0.0)
    assert report.counts.left == 300
    assert len(report.counts.skipped) == 101
    assert report.counts.skipped["other reasons"] == 200


class _Failing(Label):
    """Fails at one item, and says too much."""

    def look(self, item: Item) -> Decision:
        if item["PK"] == book(7)["PK"]:
            raise KeyError("secret")
        return super().look(item)


class _Chatty(Label):
    def look(self, item: Item) -> Decision:
        return "secret"  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("work", "said"),
    [(_Failing(), "failed at an item, with KeyError"), (_Chatty(), "answered with str")],
    ids=["failing", "chatty"],
)
def test_work_that_fails_is_told_without_values_and_holds_no_job(
    engine: Engine, transport: EmbeddedTransport, work: Label, said: str
) -> None:
    make_table(engine, 20)
    for options in ({"write": False}, {"write": True}):
        with pytest.raises(ArgumentError, match=said) as told:
            run(work, transport, segments=2, **options)
        assert "secret" not in f"{told.value}"
    mended = run(Label(), transport)
    assert mended.resumed
    assert mended.counts.looked == 20


@pytest.mark.parametrize(
    "options",
    [{"checkpoint_every": "5"}, {"checkpoint_every": -1}, {"max_write_units": True}, {"restart": "no"}, {"write": 1}],
    ids=str,
)
def test_options_that_are_none_are_refused_before_the_job_is_held(
    engine: Engine, transport: EmbeddedTransport, options: dict[str, Any]
) -> None:
    make_table(engine, 2)
    with pytest.raises(ArgumentError):
        run(Label(), transport, **options)
    assert run(Label(), transport).finished


def test_a_transaction_that_the_service_refuses_is_skipped(engine: Engine, transport: EmbeddedTransport) -> None:
    make_table(engine, 3)

    class AddedToText(Split):
        def update(self, item: Item, wanted: dict[str, Any]) -> dict[str, Any]:
            wrong = item["PK"] == {"S": "BOOK#001"}
            return added(Label(), item) if wrong else super().update(item, wanted)

    report = run(AddedToText(), transport)
    assert report.counts.written == 2
    assert report.counts.skipped == {"the service refused to write it (TransactionCanceledException)": 1}


@pytest.mark.parametrize("how", ["values", "copies", "put"])
@pytest.mark.parametrize("write", [False, True])
def test_what_would_grow_too_large_is_skipped_in_a_dry_run_too(
    engine: Engine, transport: EmbeddedTransport, write: bool, how: str
) -> None:
    make_table(engine, 3)
    key = {"PK": {"S": "BOOK#001"}, "SK": {"S": "BOOK"}}
    long = {"UpdateExpression": "SET notes = :long", "ExpressionAttributeValues": {":long": {"S": "x" * 204_000}}}
    engine.execute("UpdateItem", {"TableName": TABLE, "Key": key, **long})

    class TooLarge(Split if how == "put" else Label):  # type: ignore[misc]
        def look(self, item: Item) -> Decision:
            decision = super().look(item)
            if how == "put" and isinstance(decision, Writes) and "notes" in item:
                put = decision.actions[1]["Put"]
                put["Item"] |= {"notes": item["notes"], "more": item["notes"], "yet": item["notes"]}
            return decision  # type: ignore[no-any-return]

        def update(self, item: Item, wanted: dict[str, Any]) -> dict[str, Any]:
            update: dict[str, Any] = super().update(item, wanted)
            if how == "values" and "notes" in item:
                update["ExpressionAttributeValues"][":label"] = {"S": "x" * 206_000}
            if how == "copies" and "notes" in item:
                update["UpdateExpression"] += ", more = notes, yet = notes"
            return update

    before = engine.execute("GetItem", {"TableName": TABLE, "Key": key})["Item"]
    report = run(TooLarge(), transport, write=write)
    assert (report.counts.written, report.counts.skipped) == (2, {TOO_LARGE: 1})
    assert engine.execute("GetItem", {"TableName": TABLE, "Key": key})["Item"] == before


class Paired(Label):
    """Tells of books that have no card."""

    writes_to = (TABLE,)

    def beside(self, item: Item) -> list[tuple[str, Item]]:
        """The card."""
        return [(TABLE, {"PK": item["PK"], "SK": {"S": "CARD"}})] if "title" in item else []

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """A withdrawn book needs none."""
        if not found or "withdrawn" in item:
            return None
        return Skipped("it has no card", compared=True) if found[0] is None else None

    def checkpoints(self, lease: float) -> Checkpoints:
        """In the table."""
        return InTable(TABLE, (KeyAttribute("PK"), KeyAttribute("SK")), lease=lease)


@pytest.mark.parametrize(("done", "reasons"), [(True, {}), (False, {"it has no card": 1})])
def test_a_reason_that_comes_from_a_comparison_is_looked_at_twice(
    engine: Engine, done: bool, reasons: dict[str, int]
) -> None:
    """The item and what stands beside it are read one after the other: both may have changed in between."""
    make_table(engine, 1)
    engine.execute("PutItem", {"TableName": TABLE, "Item": {**book(0), "SK": {"S": "CARD"}}})

    def withdraw(number: int, operation: str, request: dict[str, Any]) -> None:
        if operation == "BatchGetItem":
            engine.execute("DeleteItem", {"TableName": TABLE, "Key": {"PK": {"S": "BOOK#000"}, "SK": {"S": "CARD"}}})
            if done:
                engine.execute("PutItem", {"TableName": TABLE, "Item": {**book(0), "withdrawn": {"BOOL": True}}})

    class Books(Paired):
        def beside(self, item: Item) -> list[tuple[str, Item]]:
            return super().beside(item) if item["SK"] == {"S": "BOOK"} else []

    report = run(Books(), Between(EmbeddedTransport(engine, owned=False), withdraw), segments=1)
    assert report.counts.skipped == reasons


def test_what_is_read_and_not_settled_yet_is_not_passed() -> None:
    segment = Scanning(Label(), Segment(0), 1, ("PK", "SK"), None)
    some = [{"PK": {"S": str(n)}, "SK": {"S": "x"}} for n in range(4)]
    segment.page({"Items": some, "ScannedCount": 40, "LastEvaluatedKey": some[-1]})
    assert (segment.evaluated, segment.passed) == (40, 0)
    segment.settle(0, WRITTEN)
    assert segment.passed == 10
    for index in (1, 2, 3):
        segment.settle(index, NOTHING)
    segment.turn()
    assert segment.passed == 40


def test_work_that_lacks_something_is_refused_by_what_it_lacks() -> None:
    class Half:
        name, identity, table = "half", "half", "Shop"

        def look(self, item: Item) -> Decision:
            return None

    with pytest.raises(ArgumentError, match="The work of a job has no reads: Half"):
        run(Half(), "memory:")


def test_a_misspelt_member_of_reads_is_refused(engine: Engine, transport: EmbeddedTransport) -> None:
    work = Label()
    work.reads = {"FilterExpresion": "attribute_exists(nosuch)"}
    make_table(engine, 3)
    before = items(engine)
    for write in (False, True):
        with pytest.raises(ArgumentError, match="Did you mean 'FilterExpression'"):
            run(work, transport, write=write)
    assert items(engine) == before


def test_work_that_fails_tells_at_which_item_without_showing_it(engine: Engine, transport: EmbeddedTransport) -> None:
    class Failing(Label):
        def look(self, item: Item) -> Decision:
            return Decision() if item["PK"] else None  # type: ignore[operator]

    make_table(engine, 1)
    with pytest.raises(ArgumentError, match="failed at an item, with TypeError") as caught:
        run(Failing(), transport, write=True)
    found = caught.value.context["key"]
    assert found == {name: book(0)[name] for name in ("PK", "SK")}
    assert found["PK"]["S"] not in str(caught.value)
