"""Phase 1: what the application is, its entities and how they are read."""

from __future__ import annotations

from tablewright.model.operations import Collection, Mixed
from tablewright.scaffold.job.evidence import Evidence
from tablewright.scaffold.job.items import Checklist, Item, Phase, answered, lints, listing, made
from tablewright.scaffold.job.signing import OF_REQUIREMENTS


def _named(actions: list[str]) -> bool:
    return any(action.strip() for action in actions)


def _entities_listed(evidence: Evidence) -> str | None:
    modelled = {entity.__name__ for entity in evidence.plan.entities}
    listed = set(evidence.listed_entities)
    if not listed:
        return "entities.md lists none"
    return listing(sorted(listed - modelled), "listed, but not in the model") or listing(
        sorted(modelled - listed), "in the model, but not listed"
    )


def _described(evidence: Evidence) -> str | None:
    plain = [e.__name__ for e in evidence.plan.entities if not (e.__dict__.get("__doc__") or "").strip()]
    return listing(plain, "without a docstring that says what it is")


def _links_resolved(evidence: Evidence) -> str | None:
    refused = [r.name for r in evidence.refused if r.kind == "relationship"]
    one_sided = [
        str(r).removeprefix("The relationship ")
        for r in evidence.plan.table.relationships
        if r.cardinality == "M:N" and r.strategy in ("embedded", "item collection")
    ]
    return listing(refused, "refused; see tablewright check") or listing(
        one_sided, "many to many, and stored on one side"
    )


def _reads(evidence: Evidence) -> set[str]:
    found: set[str] = set()
    for pattern in evidence.plan.table.patterns.values():
        for operation in pattern.variants.values():
            match operation:
                case Collection():
                    found |= {part.query.entity.__name__ for part in operation.parts}
                case Mixed():
                    found |= {query.entity.__name__ for query in operation.queries}
                case _:
                    found.add(operation.entity.__name__)
    return found


def _every_entity_read(evidence: Evidence) -> str | None:
    return listing(sorted({e.__name__ for e in evidence.plan.entities} - _reads(evidence)), "no pattern reads it")


def _no_patterns(evidence: Evidence) -> str | None:
    table = evidence.plan.table
    return None if table.patterns or table.unserved else "the model has no patterns"


def _patterns(evidence: Evidence, expectation: str, what: str) -> str | None:
    table = evidence.plan.table
    patterns = {**table.patterns, **table.unserved}
    said = table.expectations
    return _no_patterns(evidence) or listing(
        [f"{n}()" for n in patterns if not _is_said(getattr(said.of_pattern(n), expectation))], what
    )


def _is_said(expected: object) -> bool:
    return bool(expected.strip() if isinstance(expected, str) else expected)


def _documented(evidence: Evidence) -> str | None:
    patterns = {**evidence.plan.table.patterns, **evidence.plan.table.unserved}
    return _no_patterns(evidence) or listing(
        [f"{n}()" for n, p in patterns.items() if not p.doc.strip()], "no docstring says what is asked"
    )


PREREQUISITES = Checklist(
    "Before the work begins",
    (
        answered(
            "The purpose of the application is written down.",
            lambda e: bool(e.overview.purpose.strip()),
            "purpose is empty",
        ),
        answered(
            "What users do is known.",
            lambda e: _named(e.overview.actions.user),
            "actions.user is empty in the overview",
        ),
        answered(
            "It is known how entities are related, and how settled the requirements are.",
            lambda e: bool(e.overview.situation.relationships and e.overview.situation.requirements),
            "answer situation.relationships and situation.requirements",
        ),
        answered(
            "Somebody of the team knows DynamoDB, or has done the tutorial.",
            lambda e: e.overview.situation.experience in ("some", "much") or e.overview.situation.tutorial_done,
            "answer situation.experience or situation.tutorial_done",
        ),
    ),
)

OVERVIEW = Checklist(
    "Overview",
    (
        answered("Actions of users are listed.", lambda e: _named(e.overview.actions.user), "actions.user is empty"),
        answered("Actions of admins are listed.", lambda e: _named(e.overview.actions.admin), "actions.admin is empty"),
        answered(
            "Actions of the system are listed.", lambda e: _named(e.overview.actions.system), "actions.system is empty"
        ),
        answered(
            "Scale is known: requests in a second, items.",
            lambda e: e.overview.scale.requests_per_second > 0 and e.overview.scale.items > 0,
            "answer scale.requests_per_second and scale.items",
        ),
        answered(
            "Latency is known: of half of the requests, of 99 in 100.",
            lambda e: 0 < e.overview.needs.p50_ms <= e.overview.needs.p99_ms,
            "answer needs.p50_ms and needs.p99_ms",
        ),
        answered(
            "Consistency and cost are known.",
            lambda e: bool(e.overview.needs.consistency) and e.overview.needs.budget_usd_a_month > 0,
            "answer needs.consistency and needs.budget_usd_a_month",
        ),
    ),
)

ERD = Checklist(
    "Entities and relationships",
    (
        Item(
            "Every entity of the list is in the model, and every entity of the model is in the list.", _entities_listed
        ),
        Item("Every entity says what it is.", _described),
        lints("Every field that names another entity is a recorded relationship.", "TW601"),
        Item("Every many-to-many relationship has an entity for its links, or another strategy.", _links_resolved),
        made("The diagram is there and up to date.", "erd-plantuml"),
    ),
)

PATTERNS = Checklist(
    "Access patterns",
    (
        Item("Every pattern says what is asked.", _documented),
        lints("Every pattern has parameters.", "TW403", first=_no_patterns),
        Item("Every pattern has a frequency.", lambda e: _patterns(e, "rate", "expect(..., rate=) is not said")),
        Item(
            "Every pattern has a target for its latency.",
            lambda e: _patterns(e, "latency_ms", "expect(..., latency_ms=) is not said"),
        ),
        Item(
            "Every pattern names the screen or endpoint that needs it.",
            lambda e: _patterns(e, "source", "expect(..., source=) is not said"),
        ),
        Item("Every entity is read by a pattern.", _every_entity_read),
    ),
)

SIGN_OFFS = Checklist(
    "Sign-offs", tuple(Item(role.agrees, role.missing, said_by=role.said_by) for role in OF_REQUIREMENTS)
)

DELIVERABLES = Checklist(
    "What comes out of it",
    (
        made("The diagram of entities and relationships.", "erd"),
        made("The table of access patterns.", "patterns"),
        made("The table of keys, as a draft.", "keys"),
    ),
)

REQUIREMENTS = Phase(
    "Phase 1: requirements", "phase-1.md", "3 to 5", (PREREQUISITES, OVERVIEW, ERD, PATTERNS, SIGN_OFFS, DELIVERABLES)
)
