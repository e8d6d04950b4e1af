"""`python -m examples.surveyor.legacy COMMAND --at PLACE`: the surveyor's move, step by step; it tries unless `--write` is given."""

import argparse
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tablewright.errors import ArgumentError, ResourceInUse, ResourceNotFound, TablewrightError
from tablewright.evolve.jobs import InFile, JobOptions, run
from tablewright.evolve.moving import MovingSession, open_moving
from tablewright.values.wire import from_wire_item

from . import generating, tables
from .moving import reads, surveyor_moving
from .runbook import surveyor_runbook
from .values import taken_id

NEXT: Final = {"legacy": "dual", "dual": "shadow", "shadow": "switched", "switched": "new"}
BEFORE: Final = {after: before for before, after in NEXT.items()}
OPERATOR: Final = "operator"
"""Who reads when this program compares."""


def _now() -> datetime:
    return datetime.now(UTC)


class Program:
    """One command. Clock and sleep are passed in, so that a rehearsal need not take a month."""

    def __init__(
        self, given: argparse.Namespace, clock: Callable[[], datetime], sleep: Callable[[float], object]
    ) -> None:
        self.given = given
        self.clock = clock
        self.sleep = sleep
        self.moving = surveyor_moving(given.form, given.prefix)

    def run(self) -> int:
        """Carries the command out; what the process ends with."""
        if self.given.command == "runbook":
            print(surveyor_runbook(self.moving), end="")
            return 0
        name = f"{self.given.prefix}{self.moving.table.name}"
        fresh = self.given.command == "demo" and self.given.write
        with open_moving(self.moving, self.given.at, clock=self.clock, table_name=name, create=fresh) as session:
            command: Callable[[MovingSession], int] = getattr(self, self.given.command)
            return command(session)

    # ------------------------------------------------------------------------------------------------ looking only

    def plan(self, session: MovingSession) -> int:
        """Tries the mapping."""
        found = session.plan(None if self.given.all else 1000)
        print(found.text())
        return found.exit_code

    def status(self, session: MovingSession) -> int:
        """Says how far it is."""
        try:
            progress, flag = session.progress(), session.flag()
        except ResourceNotFound:
            print("The move has not begun.")
            return 0
        print(f"phase {progress.at(self.clock().timestamp())}, {flag.percent} % of readers switched", end="")
        print(", killed" if flag.killed else "")
        return 0

    def verify(self, session: MovingSession) -> int:
        """Compares both sides; 0 where all is well, 1 where something differs, 2 where rows cannot be moved."""
        found = session.verify(writing=self.given.writing)
        print(found.text())
        return found.exit_code

    # ----------------------------------------------------------------------------------------------------- phases

    def dual(self, session: MovingSession) -> int:
        """Makes the new table and the ledger, and lets both sides be written."""
        if self._would("make the new table and the ledger, and write both sides"):
            return 0
        session.prepare()
        return self._advance(session, "dual")

    def shadow(self, session: MovingSession) -> int:
        """Lets reads be compared."""
        if self._would("let reads be compared"):
            return 0
        return self._advance(session, "shadow")

    def switch(self, session: MovingSession) -> int:
        """Lets a share of users read the new table."""
        if self._would(f"let {self.given.percent} % of users read the new table"):
            return 0
        if session.progress().phase == "shadow":
            self._advance(session, "switched")
        session.switch(self.given.percent)
        print(f"{self.given.percent} % of users read the new table.")
        return 0

    def kill(self, session: MovingSession) -> int:
        """Lets everybody read the legacy tables at once."""
        if self._would("let everybody read the legacy tables"):
            return 0
        session.kill()
        print("Everybody reads the legacy tables.")
        return 0

    def back(self, session: MovingSession) -> int:
        """Goes to the phase before."""
        phase = session.progress().phase
        if phase not in BEFORE:
            raise ArgumentError("The move has not begun; there is nothing to go back to.")
        before: Any = BEFORE[phase]
        if self._would(f"go back from {phase} to {before}"):
            return 0
        self._hold(session.go_back(before).since)
        print(f"Back in the phase {before}.")
        return 0

    def finish(self, session: MovingSession) -> int:
        """Lets the new table alone be written, after the safety period."""
        if self._would("write the new table only"):
            return 0
        return self._advance(session, "new")

    def retire(self, session: MovingSession) -> int:
        """Archives and deletes the legacy tables."""
        if self._would("archive the legacy tables, read the archives, and delete the tables"):
            return 0
        for table, archived in session.retire(self.given.folder).items():
            print(f"{table}: {archived.items} items archived, table deleted")
        session.delete_ledgers()
        return 0

    def _advance(self, session: MovingSession, to: Any) -> int:
        progress = session.progress()
        if progress.phase != to:
            progress = session.advance(to)
        self._hold(progress.since)
        print(f"The phase {to} holds.")
        return 0

    def _hold(self, since: float) -> None:
        """Waits until every process knows of a change."""
        while (left := since - self.clock().timestamp()) > 0:
            self.sleep(left)

    def _would(self, what: str) -> bool:
        if not self.given.write:
            print(f"Would {what}. Nothing was changed; give --write to do it.")
        return not self.given.write

    # ----------------------------------------------------------------------------------------------------- data

    def demo(self, session: MovingSession) -> int:
        """Makes the legacy tables, with rows of all kinds."""
        if self._would("make legacy tables with made-up rows"):
            return 0
        flat = self.given.form == "flat"
        prefix = self.given.prefix
        for definition in tables.definitions(prefix) + (tables.flat_definitions(prefix) if flat else []):
            try:
                session.db.send("CreateTable", definition)
            except ResourceInUse:
                continue
        count = 0
        for made in (generating.rows(surveys=self.given.surveys), generating.odd_rows()):
            count += generating.fill(session.db.send, generating.as_flat(made) if flat else made, prefix)
        print(f"{count} rows in {len(self.moving.keys)} legacy tables.")
        return 0

    def backfill(self, session: MovingSession) -> int:
        """Moves what was there before. A run that was killed is gone on with; a second one changes nothing."""
        given, left = self.given, 0
        options: JobOptions = {"write": given.write}
        if given.max_write_units is not None:
            options["max_write_units"] = given.max_write_units
        if given.write:
            Path(given.checkpoints).mkdir(parents=True, exist_ok=True)
        for work in session.backfills():
            if given.write:
                options["checkpoints"] = InFile(Path(given.checkpoints) / f"{work.table}.json", lease=given.lease)
            options["progress"] = self._teller(work.table)
            report = run(work, session.db, **options)
            print(report)
            left += report.counts.left
        if not given.write:
            print(session.plan(None).text())
            print("Nothing was written; give --write to do it.")
            return 0
        repaired = session.repair(max_write_units=given.max_write_units, progress=self._teller("parts"))
        for reason, count in repaired.failed.items():
            print(f"not written: {reason}, {count} items")
        print(f"{repaired.settled} items were written in parts.")
        return 1 if left or repaired.failed else 0

    def compare(self, session: MovingSession) -> int:
        """Reads a sample on both sides, as the application does, and tells the ledger."""
        asked = 0
        known = reads(self.given.form, self.given.prefix)
        for row in self._sample(session, tables.TENANTS, "Tenant"):
            tenant = row.get("id") or row["pk"].removeprefix("TENANT#")
            for name in ("tenant", "library_sections", "images_of"):
                asked += self._ask(session, known[name], tenant)
            for kind in ("Defect", "Condition"):
                asked += self._ask(session, known["phrases"], tenant, kind)
        for row in self._sample(session, tables.SURVEYS, "SurveyMeta"):
            for name in ("survey", "sections_of", "people_of"):
                asked += self._ask(session, known[name], row.get("tenantId"), row["id"])
            asked += self._ask(session, known["surveys_owned_by"], row.get("tenantId"), row.get("owner"))
        for row in self._sample(session, tables.ELEMENTS, "Element"):
            asked += self._ask(session, known["library_elements"], row.get("tenantId"), row.get("sectionId"))
        for row in self._sample(session, tables.COMPONENTS, "Component"):
            asked += self._ask(session, known["library_components"], row.get("tenantId"), row.get("elementId"))
        for row in self._sample(session, tables.DOCUMENTS):
            tenant, _, document = row["pk"].partition("#")
            for name in ("document", "versions_of"):
                asked += self._ask(session, known[name], tenant, document)
        report = session.shadow_report()
        print(f"{asked} reads. {report.text()}")
        session.tell()
        return 1 if report.differed or report.new.errors else 0

    def _ask(self, session: MovingSession, read: Any, *ids: Any) -> int:
        """One read on both sides. Ids for which others stand now cannot be asked for by the same words on both sides."""
        if not all(isinstance(each, str) and taken_id(each) == each for each in ids):
            return 0
        session.read(read, *ids, subject=OPERATOR)
        return 1

    def _sample(self, session: MovingSession, table: str, kind: str = "") -> list[dict[str, Any]]:
        """Some rows of a table, or some of a kind in the flat form."""
        request: dict[str, Any] = {"TableName": f"{self.given.prefix}{table}"}
        if self.given.form == "flat" and kind:
            request = {
                "TableName": f"{self.given.prefix}{tables.FLAT}",
                "FilterExpression": "#type = :kind",
                "ExpressionAttributeNames": {"#type": "type"},
                "ExpressionAttributeValues": {":kind": {"S": kind}},
            }
        found = session.db.send("Scan", request)["Items"]
        return [from_wire_item(item) for item in found[: self.given.sample]]

    def _teller(self, what: str) -> Callable[[object], None]:
        """Word on the progress, a few times a minute."""
        last = [time.monotonic()]

        def tell(progress: object) -> None:
            if time.monotonic() - last[0] >= self.given.every:
                last[0] = time.monotonic()
                print(f"  {what}: {progress}", file=sys.stderr, flush=True)

        return tell


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m examples.surveyor.legacy", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("demo", *_COMMANDS):
        known = commands.add_parser(
            name, help=(getattr(Program, name).__doc__ if name != "runbook" else "The runbook.")
        )
        known.add_argument("--at", default="surveyor-legacy.db", help="a file, a URL, or aws:REGION")
        known.add_argument("--form", choices=("tables", "flat"), default="tables", help="how legacy rows are stored")
        known.add_argument("--prefix", default="", help="what names of tables begin with")
        known.add_argument("--write", action="store_true", help="do it, instead of trying")
        known.add_argument("--every", type=float, default=5.0, help="seconds between two words on the progress")
        if name == "plan":
            known.add_argument("--all", action="store_true", help="every row, instead of a sample")
        if name == "verify":
            known.add_argument("--writing", action="store_true", help="applications go on meanwhile")
        if name == "switch":
            known.add_argument("percent", type=int, choices=range(101), metavar="PERCENT")
        if name == "retire":
            known.add_argument("folder", metavar="FOLDER")
        if name == "backfill":
            known.add_argument("--max-write-units", type=float, help="write units a second at most")
            known.add_argument(
                "--lease", type=float, default=60.0, help="seconds after which a killed run is taken over"
            )
            known.add_argument("--checkpoints", default="surveyor-checkpoints", help="a folder")
        if name == "compare":
            known.add_argument("--sample", type=int, default=100, help="rows of each table")
        if name == "demo":
            known.add_argument("--surveys", type=int, default=3, help="of each tenant")
    return parser


_COMMANDS: Final = (
    "plan",
    "dual",
    "backfill",
    "verify",
    "shadow",
    "compare",
    "switch",
    "kill",
    "back",
    "finish",
    "retire",
    "status",
    "runbook",
)


def main(
    arguments: list[str],
    *,
    clock: Callable[[], datetime] = _now,
    sleep: Callable[[float], object] = time.sleep,
) -> int:
    """Runs a command; what the process ends with."""
    try:
        return Program(_parser().parse_args(arguments), clock, sleep).run()
    except TablewrightError as error:
        print(f"{error.message} {error.hint or ''}".strip(), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
