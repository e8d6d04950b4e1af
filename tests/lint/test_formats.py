"""The forms in which findings are told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


URI = re.compile(r"(?:[a-z]+://)?(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+").fullmatch
TEXT, COUNT, TEXTS = "text", "count", "texts"
SHAPES: dict[str, dict[str, Any]] = {
    "log": {"$schema": URI, "version!": {"2.1.0"}, "runs!": ["run"]},
    "run": {"tool!": "tool", "columnKind": {"utf16CodeUnits", "unicodeCodePoints"}, "results": ["result"]},
    "tool": {"driver!": "component"},
    "component": {"name!": TEXT, "version": TEXT, "informationUri": URI, "rules": ["rule"]},
    "rule": {
        "id!": TEXT,
        "name": TEXT,
        "shortDescription": "string",
        "fullDescription": "string",
        "helpUri": URI,
        "defaultConfiguration": "configuration",
        "properties": "bag",
    },
    "string": {"text!": TEXT, "markdown": TEXT},
    "configuration": {"level": {"none", "note", "warning", "error"}},
    "bag": {"tags": TEXTS},
    "result": {
        "ruleId": TEXT,
        "ruleIndex": COUNT,
        "level": {"none", "note", "warning", "error"},
        "message!": "string",
        "partialFingerprints": "names",
        "locations": ["location"],
        "suppressions": ["suppression"],
    },
    "location": {"physicalLocation": "place"},
    "place": {"artifactLocation": "artifact", "region": "region"},
    "artifact": {"uri": URI},
    "region": {"startLine": COUNT},
    "suppression": {"kind!": {"inSource", "external"}, "justification": TEXT},
}
"""What SARIF 2.1.0 allows in each object of the kinds that are written here; a mark stands on what it requires."""


def faults(value: Any, shape: Any, where: str) -> Iterator[str]:
    """Everything that is not as a shape says."""
    if isinstance(shape, list):
        if not isinstance(value, list):
            yield f"{where} is no list"
        else:
            for number, one in enumerate(value):
                yield from faults(one, shape[0], f"{where}[{number}]")
    elif shape == TEXT:
        if not isinstance(value, str):
            yield f"{where} is no text"
    elif shape == COUNT:
        if type(value) is not int or value < 0:
            yield f"{where} is no count"
    elif shape == TEXTS:
        if not all(isinstance(one, str) for one in value) or len(set(value)) < len(value):
            yield f"{where} are no texts that differ"
    elif shape == "names":
        if not all(isinstance(one, str) for one in value.values()):
            yield f"{where} holds something else than texts"
    elif isinstance(shape, set):
        if value not in shape:
            yield f"{where} is {value!r}"
    elif callable(shape):
        if not shape(value):
            yield f"{where} is no URI: {value!r}"
    else:
        known = {name.rstrip("!"): inner for name, inner in SHAPES[shape].items()}
        yield from (f"{where} lacks {n}" for n in SHAPES[shape] if n.endswith("!") and n[:-1] not in value)
        for name, inner in value.items():
            if name in known:
                yield from faults(inner, known[name], f"{where}.{name}")
            else:
                yield f"{where} has {name}"


def test_sarif_is_what_the_standard_allows(findings: list[Finding], tmp_path: Path) -> None:
    odd = Place(str(tmp_path / "my shop" / "mödel#1.py"), 1)
    findings.append(Finding("TW304", "few-partitions", "warning", "Few.", "", odd, "Order"))
    log = json.loads(FORMATS["sarif"](findings))
    assert list(faults(log, "log", "log")) == []
    place = log["runs"][0]["results"][-1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "my%20shop/m%C3%B6del%231.py"
    assert list(faults(json.loads(FORMATS["sarif"]([])), "log", "log")) == []


def test_what_is_not_sarif_is_told(findings: list[Finding]) -> None:
    log = json.loads(FORMATS["sarif"](findings))
    (run,) = log["runs"]
    first, second, _ = run["results"]
    first["level"] = "info"
    first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "my shop.py"
    del first["message"]["text"]
    del second["suppressions"][0]["kind"]
    second["line"] = 3
    del run["tool"]["driver"]["name"]
    assert len(list(faults(log, "log", "log"))) == 6
