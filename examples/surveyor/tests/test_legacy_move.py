"""The move through all its phases: with an application that goes on, with kills, differences, and the way back."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from examples.surveyor.legacy import generating, tables
from examples.surveyor.legacy.generating import as_flat, fill, hopeless_rows, odd_rows, rows
from examples.surveyor.legacy.moving import reads
from examples.surveyor.store import Surveyor
from examples.surveyor.tests.legacy_ground import Ground, both, opened
from examples.surveyor.tests.legacy_truth import Truth, an_id
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError, NetworkError, ResourceNotFound
from tablewright.evolve.jobs import InFile, run
from tablewright.transport.base import Transport
from tablewright.values.wire import from_wire_item, to_wire_item


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as engine:
        yield engine


def answers(ground: Ground) -> None:
    """The store says of every survey what the legacy rows say now."""
    held = {name: [from_wire_item(i) for i in ground.scan(name)] for name in tables.NAMES}
    truth = Truth(held, ground.taken_at())
    for tenant in {row["tenantId"] for row in held["Surveys"]}:
        store = Surveyor(ground.session.db, tenant)
        assert [o.survey_id for o in store.every_survey()] == [s["survey_id"] for s in truth.surveys(tenant)]
        for row in truth.of("Surveys", tenant):
            found = store.complete_survey(an_id(row["id"]))
            assert found.entity.model_dump() == truth.survey(row)
            shown = [
                (
                    s.entity.model_dump(),
                    [(e.entity.model_dump(), [c.model_dump() for c in e.components]) for e in s.elements],
                )
                for s in found.sections
            ]
            assert shown == truth.tree(row)
        assert [s.model_dump() for s in store.library_sections()] == truth.sections(tenant)


def retitled(row: dict[str, Any], title: str) -> dict[str, Any]:
    """A legacy edit of a survey: the whole content is written anew."""
    return {**row, "content": json.dumps({**json.loads(row["content"]), "title": title})}


def test_all_phases(engine: Engine, tmp_path: Path) -> None:
    made = both(rows(), odd_rows())
    with opened(engine, tmp_path, made, prefix="") as ground:
        session = ground.session
        assert session.plan(None).well
        assert ground.stored() == {}
        ground.into("dual")
        reports = ground.backfill()
        assert sum(r.counts.looked for r in reports) == sum(map(len, made.values()))
        assert session.verify().well, session.verify().text()
        ground.into("shadow")
        known = reads()
        assert len(session.read(known["sections_of"], "tenant-0", "tenant-0-su0", subject="ann")) == 3
        assert len(session.read(known["elements_of"], "tenant-0", "tenant-0-su0", "sec1", subject="ann")) == 3
        assert (
            len(session.read(known["components_of"], "tenant-0", "tenant-0-su0", "sec1", "el1-2", subject="ann")) == 2
        )
        assert session.read_one(known["survey"], "tenant-1", "tenant-0-su0", subject="eve") is None  # of another tenant
        report = session.shadow_report()
        assert (report.compared, report.differed) == (4, 0), report.text()
        session.tell()
        ground.into("switched")
        for percent in (10, 50, 100):
            session.switch(percent)
            ground.pass_(days=1)
        mine = session.read_one(known["survey"], "tenant-0", "tenant-0-su0", subject="ann")
        assert mine is not None
        assert mine.title == json.loads(made["Surveys"][0]["content"])["title"]
        answers(ground)
        with pytest.raises(ArgumentError, match="safety period"):
            session.advance("new")
        ground.pass_(days=30)
        assert session.verify().well
        ground.into("new")
        store = Surveyor(session.db, "tenant-0")
        store.update_section("tenant-0-su0", "sec1", {"notes": "Written by the new application."})
        archives = session.retire(tmp_path / "archive")
        assert {name: a.items for name, a in archives.items()} == {
            n: len(made[n]) for n in session._meanwhile.place.moving.keys
        }
        session.delete_ledgers()
        with pytest.raises(ResourceNotFound):
            ground.scan("Surveys")
        assert store.section("tenant-0-su0", "sec1").notes == "Written by the new application."
        assert all("moved_from" not in item for item in ground.stored().values())


def test_a_second_run_changes_nothing(engine: Engine, tmp_path: Path) -> None:
    with opened(engine, tmp_path, both(rows(), odd_rows())) as ground:
        ground.into("dual")
        ground.backfill()
        before = ground.stored()
        ground.pass_(days=2)
        for report in ground.backfill(restart=True):
            assert report.nothing_to_change
            assert not report.counts.skipped
        assert ground.stored() == before


class Dying:
    """A transport whose process dies at a request; nothing is known of whether it arrived."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner
        self.left = -1

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if self.left == 0 and operation in ("TransactWriteItems", "UpdateItem"):
            raise KeyboardInterrupt
        if operation in ("TransactWriteItems", "UpdateItem"):
            self.left -= 1
        return self.inner.send(operation, request)

    def close(self) -> None: ...


@pytest.mark.parametrize("at", [0, 5, 10, 11, 12, 13, 14])
def test_it_goes_on_after_a_death_anywhere(engine: Engine, tmp_path: Path, at: int) -> None:
    """Ten rows go over one by one, then a survey is noted, announced, written in two transactions, and settled."""
    made = rows(tenants=1, surveys=0, sections=1, elements=1, components=1, phrases=1, images=1, documents=1)
    content = {"title": "Large", "sections": [{"id": f"s{n}", "name": "S", "order": n} for n in range(130)]}
    made["Surveys"] = [{"id": "large", "tenantId": "tenant-0", "owner": "ann", "content": json.dumps(content)}]
    with opened(engine, tmp_path, made) as ground:
        ground.into("dual")
        way = ground.session._ways["new"]
        dying = Dying(way.transport)
        way.transport = dying
        way._read = None
        dying.left = at
        if at <= 10:
            with pytest.raises(KeyboardInterrupt):
                _backfill(ground, dying)
        else:
            _backfill(ground, dying)
            with pytest.raises(KeyboardInterrupt):
                ground.session.repair()
        dying.left = -1
        ground.backfill()
        assert ground.session.verify().well, ground.session.verify().text()
        answers(ground)


def _backfill(ground: Ground, way: Any) -> None:
    for work in ground.session.backfills():
        for item in ground.scan(work.table.removeprefix(ground.prefix)):
            _carry_out(way, work.look(item))


def _carry_out(way: Any, decision: Any) -> None:
    if decision is None:
        return
    (first, *_) = decision.actions
    if len(decision.actions) == 1:
        way.send("UpdateItem", first["Update"])
    else:
        way.send("TransactWriteItems", {"TransactItems": list(decision.actions)})


def test_a_job_that_is_stopped_goes_on(engine: Engine, tmp_path: Path) -> None:
    """Requests fail for good in the midst of the job: the next run begins where its checkpoint says."""
    with opened(engine, tmp_path, rows(tenants=3, components=3)) as ground:
        ground.into("dual")
        (work,) = [w for w in ground.session.backfills() if w.table.endswith(tables.COMPONENTS)]
        sent = 0

        class Failing:
            def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
                nonlocal sent
                sent += operation == "TransactWriteItems"
                if sent > 20:
                    raise NetworkError("away", sent=False)
                return engine.execute(operation, request)

            def close(self) -> None: ...

        options: dict[str, Any] = {"write": True, "checkpoint_every": 0.0, "segments": 4, "in_flight": 1}
        with pytest.raises(NetworkError):
            run(work, Failing(), checkpoints=InFile(tmp_path / "job", lease=0.001), patience=0.01, **options)
        report = run(work, engine, checkpoints=InFile(tmp_path / "job", lease=0.001), **options)
        assert report.finished
        assert report.resumed
        ground.backfill()
        assert ground.session.verify().well


def test_the_application_goes_on_meanwhile(engine: Engine, tmp_path: Path) -> None:
    made = rows(surveys=5)
    with opened(engine, tmp_path, made) as ground:
        session = ground.session
        ground.into("dual")
        failures: list[BaseException] = []

        def work(number: int) -> None:
            try:
                surveys, sections = ground.table("Surveys"), ground.table("Sections")
                for turn in range(6):
                    survey = made["Surveys"][(number + turn) % len(made["Surveys"])]
                    session.revise(surveys, {"id": survey["id"]}, partial(retitled, title=f"T {number} {turn}"))
                    section = made["Sections"][number % 3]
                    session.update(sections, {"id": section["id"]}, set={"name": f"By {number}"})
                    new = {**survey, "id": f"new-{number}-{turn}"}
                    session.create(surveys, new)
                    if turn % 2:
                        session.delete(surveys, {"id": f"new-{number}-{turn}"})
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        ground.backfill()
        for thread in threads:
            thread.join()
        assert failures == []
        assert session.repair().exit_code == 0
        assert session.verify().well, session.verify().text()
        answers(ground)


def test_writes_on_both_sides(engine: Engine, tmp_path: Path) -> None:
    with opened(engine, tmp_path, rows(tenants=1)) as ground:
        ground.into("dual")
        ground.backfill()
        session, store = ground.session, Surveyor(ground.session.db, "tenant-0")
        surveys = ground.table("Surveys")
        content: dict[str, Any] = {"title": "Large"}
        content["sections"] = [{"id": f"s{n}", "name": "S", "order": n} for n in range(230)]
        row = {"id": "large", "tenantId": "tenant-0", "owner": "ann", "updatedAt": "2026-01-01T00:00:00Z"}
        assert session.create(surveys, {**row, "content": json.dumps(content)}).settled
        assert len(store.complete_survey("large").sections) == 230
        content["sections"] = [content["sections"][7]]
        assert session.put(surveys, {**row, "content": json.dumps(content), "viewers": ["zoe"]}).settled
        assert [s.entity.section_id for s in store.complete_survey("large").sections] == ["s7"]
        assert store.role_of("large", "zoe") == "viewer"
        assert session.delete(surveys, {"id": "large"}).settled
        assert "large" not in {o.survey_id for o in store.every_survey()}
        assert store.role_of("large", "ann") is None
        phrase = {"id": "new", "tenantId": "tenant-0", "type": "Defect", "name": "N", "text": "T"}
        session.create(ground.table("Phrases"), {**phrase, "associatedElementIds": ["e1", "e2"]})
        assert [p.phrase_id for p in store.phrases_for_element("e2")] == ["new"]
        session.put(ground.table("Phrases"), {**phrase, "associatedElementIds": ["e1"]})
        assert store.phrases_for_element("e2") == []
        answers(ground)
        assert session.verify().well, session.verify().text()


def test_verification_finds_what_differs(engine: Engine, tmp_path: Path) -> None:
    with opened(engine, tmp_path, rows(tenants=1)) as ground:
        ground.into("dual")
        ground.backfill()
        session, table = ground.session, f"{ground.prefix}SurveyorData"
        assert session.verify().exit_code == 0
        items = ground.stored()
        parts = [i for i in items.values() if i["Type"]["S"] == "SurveyElement"]
        elsewhere = {**parts[3], "SK": {"S": parts[3]["SK"]["S"] + "-ghost"}}
        for request in (
            ("DeleteItem", {"TableName": table, "Key": {n: parts[0][n] for n in ("PK", "SK")}}),
            ("PutItem", {"TableName": table, "Item": {**parts[1], "condition": {"S": "Poor!"}}}),
            ("PutItem", {"TableName": table, "Item": {**parts[2], "GSI4SK": {"S": "stale"}}}),
            ("PutItem", {"TableName": table, "Item": elsewhere}),
        ):
            engine.execute(*request)
        found = session.verify()
        assert found.exit_code == 1
        assert found.differences == {
            ("SurveyElement", "missing"): 1,
            ("SurveyElement", "field condition"): 1,
            ("SurveyElement", "field GSI4SK"): 1,
            ("SurveyElement", "no origin"): 1,
            ("SurveyComponent", "no parent"): 2,
        }
        assert "Poor!" not in found.text()
        assert not found.entities["SurveyElement"].equal
        with pytest.raises(ArgumentError, match="no verification"):
            _later(ground)
        session.mend()
        assert session.verify().well, session.verify().text()
        assert ground.stored().keys() == items.keys()


def _later(ground: Ground) -> None:
    """A verification of before this phase counts for nothing."""
    ground.session.go_back("legacy")
    ground.pass_(seconds=11)
    ground.into("dual")
    ground.session.advance("shadow")


def test_what_cannot_be_moved_is_told(engine: Engine, tmp_path: Path) -> None:
    with opened(engine, tmp_path, rows(tenants=1)) as ground:
        fill(engine.execute, hopeless_rows(), ground.prefix)
        plan = ground.session.plan(None)
        assert plan.exit_code == 1
        reasons = sorted(reason for _, reason in plan.problems)
        assert reasons[-1] == "survey: it belongs to no tenant"
        assert ["name" in reasons[0], "notes" in reasons[1]] == [True, True], reasons
        assert sum(plan.problems.values()) == 3
        assert "nnnn" not in plan.text()
        ground.into("dual")
        for work in ground.session.backfills():
            run(work, engine, write=True, checkpoints=InFile(tmp_path / work.table))
        assert sum(ground.session.repair().failed.values()) == 2
        found = ground.session.verify()
        assert found.exit_code == 1
        assert sum(found.unfit.values()) == 3
        # Whoever mends the rows gets on.
        ground.session.delete(ground.table("Surveys"), {"id": "no-tenant"})
        ground.session.update(ground.table("Surveys"), {"id": "long-notes"}, set={"content": "{}"})
        ground.session.update(ground.table("Sections"), {"id": "long-name"}, set={"name": "Short"})
        assert ground.session.repair().exit_code == 0
        assert ground.session.verify().well, ground.session.verify().text()


def test_the_way_back(engine: Engine, tmp_path: Path) -> None:
    made = rows(tenants=1)
    with opened(engine, tmp_path, made) as ground:
        session, known = ground.session, reads(prefix=ground.prefix)
        ground.into("dual")
        ground.backfill()
        assert session.verify().well
        ground.into("shadow")
        session.read(known["tenant"], "tenant-0", subject="ann")
        session.tell()
        ground.into("switched")
        session.switch(100)
        ground.pass_(seconds=6)
        survey = made["Surveys"][0]
        session.revise(ground.table("Surveys"), {"id": survey["id"]}, lambda row: retitled(row, "After the switch"))
        # The new table is in trouble: everybody reads the legacy tables, which have every write.
        key = next(k for k, i in ground.stored().items() if i["Type"]["S"] == "SurveyMeta" and k[1].endswith("su0"))
        engine.execute(
            "DeleteItem",
            {"TableName": f"{ground.prefix}SurveyorData", "Key": to_wire_item({"PK": key[0], "SK": key[1]})},
        )
        assert session.read_one(known["survey"], "tenant-0", survey["id"], subject="ann") is None
        session.kill()
        ground.pass_(seconds=6)
        found = session.read_one(known["survey"], "tenant-0", survey["id"], subject="ann")
        assert found is not None
        assert found.title == "After the switch"
        for phase in ("shadow", "dual", "legacy"):
            session.go_back(phase)
            ground.pass_(seconds=11)
        session.revise(ground.table("Surveys"), {"id": survey["id"]}, lambda row: retitled(row, "Legacy alone"))
        ground.into("dual")  # and once more
        ground.backfill(restart=True)
        session.mend()
        assert session.verify().well, session.verify().text()
        answers(ground)


def test_the_flat_form_becomes_the_same(engine: Engine, tmp_path: Path) -> None:
    """But for one section without a time: no query of the legacy tables found it, and the flat form has it."""
    made = both(rows(), odd_rows())
    made["Sections"] = [row for row in made["Sections"] if row["id"] != "timeless-section"]
    (tmp_path / "flat").mkdir()
    with (
        opened(engine, tmp_path, made) as ground,
        opened(engine, tmp_path / "flat", made, form="flat") as flat,
    ):
        for each in (ground, flat):
            each.into("dual")
            each.backfill()
            assert each.session.verify().well, each.session.verify().text()
        one, other = ([{**i, "moved_from": {}} for i in each.stored().values()] for each in (ground, flat))
        assert one == other
        answers(ground)
        known = reads("flat", flat.prefix)
        assert flat.session.read_one(known["tenant"], "tenant-0", subject="ann") is not None
        assert len(flat.session.read(known["library_elements"], "tenant-0", "tenant-0-sec1", subject="ann")) == 3
        assert len(flat.session.read(known["sections_of"], "tenant-0", "tenant-0-su1", subject="ann")) == 3
    assert len(as_flat(made)[tables.FLAT]) == sum(len(some) for name, some in made.items() if name != tables.DOCUMENTS)


@pytest.mark.full
@pytest.mark.parametrize("place", ["memory", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def test_many_large_surveys(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """About 10,000 items, each survey of more parts than four transactions hold."""
    made = generating.rows(7, tenants=2, surveys=10, sections=12, elements=8, components=3, phrases=200, words=30)
    with open_engine("memory:") as memory:
        target = memory if place == "memory" else request.getfixturevalue("dynamodb_local_url")
        with opened(target, tmp_path, made) as ground:
            ground.into("dual")
            ground.backfill()
            found = ground.session.verify()
            assert found.well, found.text()
            assert found.entities["SurveyComponent"].found == 2 * 10 * 12 * 8 * 3
            answers(ground)
