"""Phase 2: keys, relationships, indexes and schemas."""

from __future__ import annotations

from typing import Any

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.lint.design import Design
from tablewright.lint.heat import bearable, own_paths, share
from tablewright.model.annotations import members, without_none
from tablewright.scaffold.job.evidence import Evidence
from tablewright.scaffold.job.items import Checklist, Item, Phase, composite, lints, listing, made, refusals
from tablewright.scaffold.job.signing import OF_REVIEW


def _typed_items(evidence: Evidence) -> str | None:
    plans = evidence.plan.entities.values()
    return listing([p.name for p in plans if not p.type_attribute or not p.type_name], "stores no type") or (
        None if plans else "the model has no entities"
    )


def _traffic_known(evidence: Evidence) -> str | None:
    """Without these nobody can say how hot a partition gets."""
    table = evidence.plan.table
    silent = [e.__name__ for e in evidence.plan.entities if table.expectations.of(e).writes is None]
    unread = [f"{n}()" for n in table.patterns if table.expectations.of_pattern(n).rate is None]
    unsaid = listing(silent, "expect(..., writes=) is not said") or listing(unread, "expect(..., rate=) is not said")
    if unsaid is not None:
        return unsaid
    design = Design(evidence.plan)
    for path in own_paths(design):
        if share(design, path) is None and not bearable(design, path):
            where = path.index_name or "the table"
            return f"{path.plan.name}: how it spreads over partitions of {where} is not said; expect(..., distinct=, hottest=)"
    return None


def _sizes_known(evidence: Evidence) -> str | None:
    """Without these nobody can say what a copy of whole items costs."""
    table = evidence.plan.table
    silent = [
        entity.__name__
        for entity, plan in evidence.plan.entities.items()
        if any(binding.index.projection == "ALL" for binding in plan.bindings)
        and table.expectations.of(entity).size is None
    ]
    return listing(silent, "is copied whole, and expect(..., size=) is not said")


def _all_served(evidence: Evidence) -> str | None:
    refused = [f"{r.name}()" for r in evidence.refused if r.kind == "pattern"]
    if not refused and not evidence.plan.table.patterns:
        return "the model has no patterns"
    return listing(refused, "no key serves it; see tablewright check")


def _reasons(evidence: Evidence) -> str | None:
    plain = [
        str(r).removeprefix("The relationship ") for r in evidence.plan.table.relationships if not r.reason.strip()
    ]
    return listing(plain, "no reason is given for its strategy")


def _nothing_untyped(evidence: Evidence) -> str | None:
    loose = [
        f"{plan.name}.{name}"
        for plan in evidence.plan.entities.values()
        for name, field in plan.fields.items()
        if Any in members(without_none(field.annotation))
    ]
    return listing(loose, "may hold anything")


def _key_lengths(evidence: Evidence) -> str | None:
    endless = [
        f"{plan.name}.{name}"
        for plan in evidence.plan.entities.values()
        for name, field in plan.fields.items()
        if name in _in_keys(plan) and str in members(without_none(field.annotation)) and field.max_length is None
    ]
    return listing(endless, "stands in a key and has no max_length")


def _in_keys(plan: EntityPlan) -> frozenset[str]:
    return plan.key_fields.union(*(key.sources for binding in plan.bindings for key in binding.keys))


def _reviewed(evidence: Evidence) -> str | None:
    """The review is there, nothing in it failed, and three people signed it as it is."""
    missing = evidence.output("review")
    if missing is not None:
        return missing
    failed = [f.code for f in evidence.material.findings if f.waived is None and f.severity != "info"]
    open_ones = listing(list(dict.fromkeys(failed)), "failed in the review; mend it, or waive it with a reason")
    if open_ones is not None:
        return open_ones
    for role in OF_REVIEW:
        unsigned = role.missing(evidence)
        if unsigned is not None:
            return unsigned
    names = [evidence.signatures[role.name].name.strip().casefold() for role in OF_REVIEW]
    return None if len(set(names)) == len(names) else "three different people sign the review"


def _reviewers(evidence: Evidence) -> str:
    return "; ".join(role.said_by(evidence) for role in OF_REVIEW)


KEYS = Checklist(
    "Keys",
    (
        Item("Every item names the type of its entity.", _typed_items),
        Item("The primary key is composite.", composite),
        lints("Key attributes have general names, such as PK and SK.", "TW101"),
        lints("No two entities can make the same key, and no read reaches a neighbour.", "TW003", "TW109"),
        Item("Every access pattern is a GetItem or a Query.", _all_served),
        lints("No partition takes all the traffic.", "TW301", "TW302", "TW304", first=_traffic_known),
    ),
)

RELATIONSHIPS = Checklist(
    "Relationships",
    (
        Item("Every relationship has a strategy and a reason.", _reasons),
        lints("What is embedded has a maximum, and stays small.", "TW501", "TW502"),
        lints("Every many-to-many relationship can be read in both directions.", "TW602"),
        lints("It is known how repeated fields are kept fresh.", "TW605"),
        lints("Lists of ids do not stand in for relationships.", "TW606"),
    ),
)

INDEXES = Checklist(
    "Indexes",
    (
        lints("Every index serves a pattern.", "TW201"),
        lints("There are no more indexes than can be looked after.", "TW202"),
        lints("No two indexes could be one.", "TW203"),
        lints("An index that holds few items is sparse.", "TW205"),
        lints("The projection of every index is chosen.", "TW206", "TW207", first=_sizes_known),
        lints("Nothing must be up to date that a global index answers.", "TW208"),
        lints("No index repeats the key of the table.", "TW209"),
    ),
)

SCHEMAS = Checklist(
    "Schemas",
    (
        Item("Every definition is accepted.", refusals),
        Item("Every field has a type.", _nothing_untyped),
        Item("Every text that stands in a key has a greatest length.", _key_lengths),
        lints("Times are times, and not texts; expiry is in whole seconds.", "TW801", "TW802", "TW803", "TW804"),
        lints("Money is no float.", "TW507"),
        lints("Secrets are not stored as they are, and unique fields are kept unique.", "TW702", "TW703"),
    ),
)

DELIVERABLES = Checklist(
    "What comes out of it",
    (
        made("The table of keys of the main table and of each index.", "keys"),
        made("The table of access patterns, with index, key condition and parameters.", "patterns"),
        made("Decisions on relationships.", "relationships"),
        made("Schemas of the entities.", "json-schema"),
        Item("The review for anti-patterns, signed.", _reviewed, said_by=_reviewers),
        made("The design in one document.", "book"),
    ),
)

DESIGN = Phase("Phase 2: design", "phase-2.md", "5 to 7", (KEYS, RELATIONSHIPS, INDEXES, SCHEMAS, DELIVERABLES))
