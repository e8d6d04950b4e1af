"""The forms in which findings are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tablewright.lint import Finding, Place
from tablewright.lint.formats import FORMATS


@pytest.fixture
def findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    monkeypatch.chdir(tmp_path)
    place = Place(str(tmp_path / "shop" / "model.py"), 12)
    return [
        Finding(
            "TW104", "time-in-partition-key", "error", "No: 100%, never.\n  - second", "Do, this.", place, "Order.at"
        ),
        Finding(
            "TW304", "few-partitions", "warning", "Few | many.", "Add.", Place("/elsewhere/model.py", 3), "Order", "few"
        ),
        Finding("TW505", "reserved-words", "info", "Words.", "", None, "table App"),
    ]


def test_text(findings: list[Finding]) -> None:
    assert FORMATS["text"](findings) == (
        "shop/model.py:12: error TW104 Order.at: No: 100%, never.\n    - second\n    Do, this.\n"
        "info TW505 table App: Words.\n"
        "waived TW304 Order: few\n"
        "1 error, 1 note, 1 waived.\n"
    )
    assert FORMATS["text"]([]) == "Nothing found.\n"


def test_json(findings: list[Finding]) -> None:
    told = json.loads(FORMATS["json"](findings))
    assert [one["code"] for one in told] == ["TW104", "TW304", "TW505"]
    assert told[0]["place"] == {"file": "shop/model.py", "line": 12}
    assert (told[1]["waived"], told[2]["place"]) == ("few", None)


def test_github(findings: list[Finding]) -> None:
    assert FORMATS["github"](findings) == (
        "::error file=shop/model.py,line=12,title=TW104 Order.at::No: 100%25, never.%0A  - second%0ADo, this.\n"
        "::notice title=TW505 table App::Words.\n"
    )


def test_sarif(findings: list[Finding]) -> None:
    log = json.loads(FORMATS["sarif"](findings))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["TW104", "TW304", "TW505"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [r["ruleId"] for r in run["results"]]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    first, second, third = run["results"]
    where = first["locations"][0]["physicalLocation"]
    assert (where["artifactLocation"]["uri"], where["region"]["startLine"]) == ("shop/model.py", 12)
    assert second["suppressions"] == [{"kind": "inSource", "justification": "few"}]
    assert second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///elsewhere/model.py"
    assert "locations" not in third
