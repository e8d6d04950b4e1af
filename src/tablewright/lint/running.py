"""Running the rules over a model, and applying its waivers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tablewright.lint.design import Compiled, Design
from tablewright.lint.findings import SEVERITIES, Finding, Found
from tablewright.lint.places import Places
from tablewright.lint.registry import all_rules
from tablewright.lint.rule import Rule
from tablewright.lint.waivers import Waivers
from tablewright.model.inspection import Refused


def lint(
    table: Compiled,
    refused: Sequence[Refused] = (),
    *,
    rules: Iterable[type[Rule]] | None = None,
    beside: Sequence[Compiled] = (),
    sources: Sequence[Path] = (),
    access: Sequence[str] = (),
) -> list[Finding]:
    """What the rules find in a table, waived findings included, the gravest first.

    `refused` is what was refused when the model was read leniently, `beside` other tables of the same application. Rules
    about source code look at the files in `sources`, and let DynamoDB be called in the folders of `access`.
    """
    chosen = list(all_rules().values() if rules is None else rules)
    design = Design(
        table.plan,
        [one for one in refused if one.table is table.plan.table],
        [other.plan for other in beside if other is not table],
        sources,
        access,
    )
    places = Places(design.table)
    waivers = Waivers(design)
    found = [(rule, one) for rule in chosen for one in rule().check(design)]
    findings = [_finding(rule, one, places, waivers.reason(rule.code, one)) for rule, one in found]
    findings += [_finding(rule, one, places, None) for rule, one in waivers.findings(chosen)]
    order = {code: position for position, code in enumerate(all_rules())}
    return sorted(dict.fromkeys(findings), key=lambda f: (SEVERITIES.index(f.severity), order[f.code]))


def _finding(rule: type[Rule], found: Found, places: Places, waived: str | None) -> Finding:
    return Finding(
        code=rule.code,
        rule=rule.name,
        severity=found.severity or rule.severity,
        message=found.message,
        hint=found.hint,
        place=found.place or places.of(found.subject),
        subject=found.subject.name,
        waived=waived,
    )
