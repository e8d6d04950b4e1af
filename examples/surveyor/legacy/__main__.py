"""`python -m examples.surveyor.legacy demo|reads|runbook`: what a rehearsal needs beside `tablewright move`."""

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from examples.surveyor.model import surveyor
from tablewright import Session
from tablewright.errors import ResourceInUse
from tablewright.values.wire import from_wire_item

from . import generating, tables
from .moving import surveyor_moving
from .runbook import surveyor_runbook
from .values import taken_id


def demo(db: Session, form: str, surveys: int) -> int:
    """Makes the legacy tables, with rows of all kinds; how many."""
    flat = form == "flat"
    for definition in tables.definitions() + (tables.flat_definitions() if flat else []):
        try:
            db.send("CreateTable", definition)
        except ResourceInUse:
            continue
    count = 0
    for made in (generating.rows(surveys=surveys), generating.odd_rows()):
        count += generating.fill(db.send, generating.as_flat(made) if flat else made)
    return count


def sampled_reads(db: Session, form: str, sample: int) -> Iterator[dict[str, Any]]:
    """Reads of the application for some rows of each table, as `tablewright move shadow --reads` takes them."""
    for row in _rows(db, form, tables.TENANTS, "Tenant", sample):
        tenant = row.get("id") or row["pk"].removeprefix("TENANT#")
        for name in ("tenant", "library_sections", "images_of"):
            yield _read(name, tenant_id=tenant)
        for kind in ("Defect", "Condition"):
            yield _read("phrases", tenant_id=tenant, kind=kind)
    for row in _rows(db, form, tables.SURVEYS, "SurveyMeta", sample):
        for name in ("survey", "sections_of", "people_of"):
            yield _read(name, tenant_id=row.get("tenantId"), survey_id=row["id"])
        yield _read("surveys_owned_by", tenant_id=row.get("tenantId"), owner=row.get("owner"))
    for row in _rows(db, form, tables.ELEMENTS, "Element", sample):
        yield _read("library_elements", tenant_id=row.get("tenantId"), section_id=row.get("sectionId"))
    for row in _rows(db, form, tables.COMPONENTS, "Component", sample):
        yield _read("library_components", tenant_id=row.get("tenantId"), element_id=row.get("elementId"))
    for row in _rows(db, form, tables.DOCUMENTS, "", sample):
        tenant, _, document = row["pk"].partition("#")
        for name in ("document", "versions_of"):
            yield _read(name, tenant_id=tenant, document_id=document)


def _read(name: str, **ids: Any) -> dict[str, Any]:
    return {"read": name, "with": ids}


def is_same_on_both_sides(read: dict[str, Any]) -> bool:
    """Ids for which others stand now cannot be asked for by the same words on both sides."""
    return all(isinstance(each, str) and taken_id(each) == each for each in read["with"].values())


def _rows(db: Session, form: str, table: str, kind: str, sample: int) -> list[dict[str, Any]]:
    """Some rows of a table, or some of a kind in the flat form."""
    request: dict[str, Any] = {"TableName": table}
    if form == "flat" and kind:
        request = {
            "TableName": tables.FLAT,
            "FilterExpression": "#type = :kind",
            "ExpressionAttributeNames": {"#type": "type"},
            "ExpressionAttributeValues": {":kind": {"S": kind}},
        }
    return [from_wire_item(item) for item in db.send("Scan", request)["Items"][:sample]]


def main(arguments: list[str]) -> int:
    """Runs a command; what the process ends with."""
    parser = argparse.ArgumentParser("python -m examples.surveyor.legacy", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("runbook", help="Print the runbook.")
    for name, help_text in (
        ("demo", "Make legacy tables with made-up rows, in a file or behind a URL."),
        ("reads", "Print reads to be compared, a line each."),
    ):
        known = commands.add_parser(name, help=help_text)
        known.add_argument("place", help="a file, or a URL")
        known.add_argument("--form", choices=("tables", "flat"), default="tables", help="how legacy rows are stored")
        if name == "demo":
            known.add_argument("--surveys", type=int, default=3, help="of each tenant")
        else:
            known.add_argument("--sample", type=int, default=100, help="rows of each table")
    given = parser.parse_args(arguments)
    if given.command == "runbook":
        print(surveyor_runbook(surveyor_moving()), end="")
        return 0
    with surveyor.open(given.place, create=given.command == "demo") as db:
        if given.command == "demo":
            print(f"{demo(db, given.form, given.surveys)} legacy rows.")
        else:
            for read in filter(is_same_on_both_sides, sampled_reads(db, given.form, given.sample)):
                print(json.dumps(read))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
