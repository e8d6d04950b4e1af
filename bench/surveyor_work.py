"""What the surveyor does all day, in the legacy tables and in the one table: the same things, with the requests that each side needs."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from examples.surveyor.legacy import tables
from examples.surveyor.store import Surveyor
from examples.surveyor.surveys import Access, Survey, SurveyComponent, SurveyElement, SurveySection
from tablewright import Entity, Session
from tablewright.values.wire import from_wire_item, to_wire_item

Send = Callable[[str, dict[str, Any]], dict[str, Any]]
TENANT = "tenant-0"
LIBRARY = (tables.SECTIONS, tables.ELEMENTS, tables.COMPONENTS)
PAGE = 25
"""What a list shows."""
SOME = 5
"""Surveys that were edited since a device asked last."""


class LegacySide:
    """The legacy application: one item for a survey, a query for each table, and a filter where no index helps."""

    def __init__(self, send: Send, surveys: list[str]) -> None:
        self.send = send
        self._surveys = surveys
        self._turn = count()
        self.since = ""

    def survey_id(self) -> str:
        """Another survey each time."""
        return self._surveys[next(self._turn) % len(self._surveys)]

    # ------------------------------------------------------------------------------------------------------- reads

    def load(self, survey_id: str) -> dict[str, Any]:
        request = {"TableName": tables.SURVEYS, "Key": {"id": {"S": survey_id}}}
        row = from_wire_item(self.send("GetItem", request)["Item"])
        return row | {"content": json.loads(row["content"])}

    def of_tenant(self, table: str, most: float = math.inf, **more: Any) -> list[dict[str, Any]]:
        """All rows of a tenant, or as many as a page shows."""
        values = {":t": {"S": TENANT}, **more.pop("values", {})}
        request: dict[str, Any] = {
            "TableName": table,
            "IndexName": tables.BY_TENANT,
            "KeyConditionExpression": "tenantId = :t" + more.pop("also", ""),
            "ExpressionAttributeValues": values,
            **more,
        }
        found: list[dict[str, Any]] = []
        while True:
            response = self.send("Query", request)
            found += [from_wire_item(item) for item in response["Items"]]
            if "LastEvaluatedKey" not in response or len(found) >= most:
                return found
            request["ExclusiveStartKey"] = response["LastEvaluatedKey"]
            if "Limit" in request and "FilterExpression" not in request:
                request["Limit"] = PAGE - len(found)

    def load_survey(self) -> None:
        self.load(self.survey_id())

    def load_with_library(self) -> None:
        """A survey kept no snapshot: the library of today is read beside it."""
        self.load(self.survey_id())
        for table in (*LIBRARY, tables.PHRASES):
            self.of_tenant(table)

    def list_surveys(self) -> None:
        """Titles are in the content, so that all of it is read."""
        for row in self.of_tenant(tables.SURVEYS, PAGE, Limit=PAGE)[:PAGE]:
            json.loads(row["content"])

    def check_access(self) -> None:
        """Owner, editors and viewers are attributes of the survey."""
        request = {"TableName": tables.SURVEYS, "Key": {"id": {"S": self.survey_id()}}}
        wanted = {"ProjectionExpression": "#o, editors, viewers", "ExpressionAttributeNames": {"#o": "owner"}}
        from_wire_item(self.send("GetItem", request | wanted)["Item"])

    def list_sections(self) -> None:
        self.load(self.survey_id())["content"]["sections"].sort(key=lambda section: section["order"])

    def recent_changes(self) -> None:
        for table in tables.OF_TENANTS[:-1]:
            self.of_tenant(table, also=" AND updatedAt > :s", values={":s": {"S": self.since}})

    def sync_queue(self) -> None:
        names: dict[str, Any] = {
            "ExpressionAttributeNames": {"#s": "syncStatus"},
            "FilterExpression": "#s = :w",
        }
        self.of_tenant(tables.SURVEYS, PAGE, values={":w": {"S": "pending"}}, Limit=PAGE, **names)

    def library(self) -> None:
        for table in LIBRARY:
            self.of_tenant(table)

    def phrases(self) -> None:
        names: dict[str, Any] = {"ExpressionAttributeNames": {"#k": "type"}, "FilterExpression": "#k = :k"}
        self.of_tenant(tables.PHRASES, values={":k": {"S": "Defect"}}, **names)

    # ------------------------------------------------------------------------------------------------------ writes

    def _edit(self, change: Callable[[dict[str, Any]], None], survey_id: str | None = None) -> None:
        row = self.load(survey_id or self.survey_id())
        change(row["content"])
        request = {
            "TableName": tables.SURVEYS,
            "Key": {"id": {"S": row["id"]}},
            "UpdateExpression": "SET content = :c, updatedAt = :u, syncStatus = :s",
            "ExpressionAttributeValues": {
                ":c": {"S": json.dumps(row["content"])},
                ":u": {"S": datetime.now(UTC).isoformat()},
                ":s": {"S": "pending"},
            },
        }
        self.send("UpdateItem", request)

    def edit_section(self) -> None:
        self._edit(lambda content: content["sections"][1].update(notes=f"Noted at {datetime.now(UTC)}."))

    def edit_component(self) -> None:
        def change(content: dict[str, Any]) -> None:
            content["sections"][0]["elements"][0]["components"][0]["notes"] = f"Noted at {datetime.now(UTC)}."

        self._edit(change)

    def complete_section(self) -> None:
        self._edit(lambda content: content["sections"][1].update(completedAt=datetime.now(UTC).isoformat()))

    def edit_some(self) -> None:
        """Since then a device was away."""
        self.since = datetime.now(UTC).isoformat()
        for survey_id in self._surveys[:SOME]:
            self._edit(lambda content: content["sections"][0].update(notes="Edited."), survey_id)

    def note(self, section: int, words: str) -> None:
        """One of many who work on the same survey."""
        self._edit(lambda content: content["sections"][section].update(notes=words), self._surveys[0])

    def noted(self, section: int) -> str:
        notes: str = self.load(self._surveys[0])["content"]["sections"][section]["notes"]
        return notes

    def create_survey(self) -> None:
        row = self.load(self._surveys[0])
        now = {"updatedAt": datetime.now(UTC).isoformat()}
        new = row | {"id": f"new-{next(self._turn)}", "content": json.dumps(row["content"])} | now
        self.send("PutItem", {"TableName": tables.SURVEYS, "Item": to_wire_item(new)})


class SingleSide:
    """The surveyor's own store on the one table."""

    def __init__(self, db: Session, surveys: list[str]) -> None:
        self.db = db
        self._store = Surveyor(db, TENANT)
        self._surveys = surveys
        self._turn = count()
        self.since = datetime.now(UTC)

    def survey_id(self) -> str:
        """Another survey each time."""
        return self._surveys[next(self._turn) % len(self._surveys)]

    def load_survey(self) -> None:
        self._store.complete_survey(self.survey_id())

    def load_with_library(self) -> None:
        self._store.complete_survey_with_config(self.survey_id())

    def list_surveys(self) -> None:
        self._store.surveys(PAGE)

    def check_access(self) -> None:
        self._store.role_of(self.survey_id(), "ann")

    def list_sections(self) -> None:
        self._store.sections(self.survey_id())

    def recent_changes(self) -> None:
        self._store.recent_changes(self.since)

    def sync_queue(self) -> None:
        self._store.sync_queue("pending", PAGE)

    def library(self) -> None:
        self._store.library()

    def phrases(self) -> None:
        self._store.phrases("Defect", 1000)

    def edit_section(self) -> None:
        self._store.update_section(self.survey_id(), "sec1", {"notes": f"Noted at {datetime.now(UTC)}."})

    def edit_component(self) -> None:
        notes = f"Noted at {datetime.now(UTC)}."
        self._store.update_component(self.survey_id(), "sec0", "el0-0", "co0-0-0", {"notes": notes})

    def complete_section(self) -> None:
        """It can be completed once only, so that it is reopened, unseen by whoever measures."""
        self._store.complete_section(self.survey_id(), "sec1", "ann")

    def reopen(self) -> None:
        for survey_id in self._surveys:
            section = self._store.section(survey_id, "sec1")
            if section.completed_at is not None:
                self._store.reopen_section(survey_id, "sec1")

    def edit_some(self) -> None:
        self.since = datetime.now(UTC)
        for survey_id in self._surveys[:SOME]:
            self._store.update_section(survey_id, "sec0", {"notes": "Edited."})

    def note(self, section: int, words: str) -> None:
        self._store.update_section(self._surveys[0], f"sec{section}", {"notes": words})

    def noted(self, section: int) -> str:
        return self._store.section(self._surveys[0], f"sec{section}").notes

    def create_survey(self) -> None:
        """A copy of a survey with all its parts, a hundred in a transaction, as trees are saved."""
        parts = list(self._copied(f"new-{next(self._turn)}"))
        for at in range(0, len(parts), 100):
            with self.db.transaction() as tx:
                for entity in parts[at : at + 100]:
                    tx.create(entity)

    def _copied(self, survey_id: str) -> Iterator[Entity]:
        tree = self._store.complete_survey(self._surveys[0])
        own = {"survey_id": survey_id}
        yield Survey(**tree.entity.model_dump() | own)
        yield Access(tenant_id=TENANT, user_id="ann", survey_id=survey_id, role="owner")
        for section in tree.sections:
            yield SurveySection(**section.entity.model_dump() | own)
            for element in section.elements:
                yield SurveyElement(**element.entity.model_dump() | own)
                for component in element.components:
                    yield SurveyComponent(**component.model_dump() | own)


def crowd(side: LegacySide | SingleSide, people: int, edits: int) -> tuple[int, float]:
    """Many work on one survey at once, each in a section of their own, and look whether what they wrote is still there when they
    write again: how many edits were lost, and how many a second were made."""

    def work(person: int) -> int:
        lost = 0
        for turn in range(edits):
            words = f"Edit {turn} of person {person}."
            side.note(person, words)
            lost += side.noted(person) != words
        return lost

    began = time.perf_counter()
    with ThreadPoolExecutor(people) as pool:
        lost = sum(pool.map(work, range(people)))
    return lost, people * edits / (time.perf_counter() - began)


@dataclass(frozen=True)
class Operation:
    """One thing that both sides do."""

    name: str
    method: str
    rate: float
    """How often in a second, in the month that is priced: what the model expects."""
    kind: str
    """read or write"""


OPERATIONS = (
    Operation("load a survey", "load_survey", 5, "read"),
    Operation("load it with its library", "load_with_library", 2, "read"),
    Operation("list 25 surveys", "list_surveys", 5, "read"),
    Operation("sections of a survey", "list_sections", 10, "read"),
    Operation("may somebody see it", "check_access", 50, "read"),
    Operation("what changed since", "recent_changes", 5, "read"),
    Operation("what waits to be sent", "sync_queue", 2, "read"),
    Operation("the library", "library", 1, "read"),
    Operation("phrases of a kind", "phrases", 2, "read"),
    Operation("edit a section", "edit_section", 10, "write"),
    Operation("edit a component", "edit_component", 20, "write"),
    Operation("complete a section", "complete_section", 0.5, "write"),
    Operation("create a whole survey", "create_survey", 0.02, "write"),
)
