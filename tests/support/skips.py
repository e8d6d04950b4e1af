"""A skipped test is a failed run unless `tests/allowed_skips.txt` lists it; the same holds for expected failures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ALLOWED_SKIPS = Path(__file__).parent.parent / "allowed_skips.txt"


@dataclass(frozen=True, slots=True)
class AllowedSkip:
    """One line of the list."""

    node_pattern: str
    reason_pattern: str

    def covers(self, node_id: str, reason: str) -> bool:
        # Brackets are literal in node ids but a character class in patterns; xdist appends "@group" to some ids.
        pattern = self.node_pattern.replace("[", "[[]")
        named = fnmatchcase(node_id, pattern) or fnmatchcase(node_id.rpartition("@")[0], pattern)
        return named and fnmatchcase(reason, self.reason_pattern)


def read_allowed_skips(text: str, environment: Mapping[str, str]) -> list[AllowedSkip]:
    """The lines of the list that count in this environment."""
    return list(_lines(text, environment))


def _lines(text: str, environment: Mapping[str, str]) -> Iterator[AllowedSkip]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        columns = [column.strip() for column in line.split("|")]
        if len(columns) not in (2, 3) or not all(columns):
            raise pytest.UsageError(f"{ALLOWED_SKIPS.name}:{number}: expected 'node id pattern | reason pattern'")
        if len(columns) == 3:
            word, _, variable = columns[2].partition(" ")
            if word != "unless" or not variable:
                raise pytest.UsageError(f"{ALLOWED_SKIPS.name}:{number}: the third column must be 'unless VARIABLE'")
            if environment.get(variable):
                continue
        yield AllowedSkip(columns[0], columns[1])


class SkipPolice:
    """Hears every report, from this process or from xdist's workers, and fails the run at its end."""

    def __init__(self, allowed: list[AllowedSkip]) -> None:
        self.allowed = allowed
        self.refused: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.judge(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.judge(report)

    def judge(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if not report.skipped:
            return
        if hasattr(report, "wasxfail"):
            kind, reason = "expected failure", str(report.wasxfail)
        else:
            # A skip's longrepr is (path, line, "Skipped: reason").
            kind, reason = "skip", str(report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr)
            reason = reason.removeprefix("Skipped: ")
        if not any(line.covers(report.nodeid, reason) for line in self.allowed):
            self.refused[report.nodeid] = f"{kind}: {reason}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.refused and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.refused:
            return
        terminalreporter.section("skips that are not allowed", red=True, bold=True)
        for node_id, reason in sorted(self.refused.items()):
            terminalreporter.write_line(f"{node_id}: {reason}")
        terminalreporter.write_line("A test may only be skipped when tests/allowed_skips.txt lists it.")


def pytest_configure(config: pytest.Config) -> None:
    # Workers only report; the process that the user started judges.
    if not hasattr(config, "workerinput"):
        allowed = read_allowed_skips(ALLOWED_SKIPS.read_text(encoding="utf-8"), os.environ)
        config.pluginmanager.register(SkipPolice(allowed), "tablewright-skip-police")
