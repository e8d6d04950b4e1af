"""Who agrees with what: the roles that sign, and what each of them signs. What changed since then wants to be signed again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from tablewright.errors import ArgumentError
from tablewright.generate.documents.entities import shown
from tablewright.generate.documents.review import SIGNERS
from tablewright.generate.documents.wording import response
from tablewright.scaffold.job.evidence import Evidence
from tablewright.scaffold.job.people import Signature, digest


class Role(Struct, frozen=True, eq=False):
    """Somebody who signs."""

    name: str
    who: str
    agrees: str
    """With what, as a sentence."""
    subject: Callable[[Evidence], Any]
    documents: tuple[str, ...]
    """The outputs that show it, and that people read before they sign."""

    def missing(self, evidence: Evidence) -> str | None:
        """What keeps this from being signed; None where it is."""
        signature = evidence.signatures.get(self.name)
        how = f"tablewright design sign {evidence.overview.job} {self.name} --name NAME"
        if signature is None:
            return f"not signed by {self.who}; {how}"
        if signature.of != self.signed(evidence):
            return f"changed since {signature} signed; {how}"
        return None

    def signed(self, evidence: Evidence) -> str:
        """The digest of what is to be signed, as it is now."""
        return digest(self.subject(evidence))

    def said_by(self, evidence: Evidence) -> str:
        """Who signed, and when."""
        signature = evidence.signatures.get(self.name)
        return "" if signature is None else str(signature)


def _entities(evidence: Evidence) -> Any:
    """Entities with their fields, and how they are related: not how they are stored, which is found later."""
    found = shown(evidence.plan)
    fields = [
        [e.name, e.about, e.embedded, [[f.name, f.type, f.optional, f.about] for f in e.fields]] for e in found.entities
    ]
    return [fields, [[link.source, link.target, link.cardinality] for link in found.links if not link.aside]]


def _patterns(evidence: Evidence) -> Any:
    """What is asked, with what is known, how often and how fast: not by which key."""
    plan = evidence.plan
    return [
        [
            name,
            pattern.doc,
            {n: str(a) for n, a in pattern.parameters.annotations.items()},
            response(pattern, plan),
            asdict(plan.table.expectations.of_pattern(name)),
        ]
        for name, pattern in plan.table.patterns.items()
    ]


def _everything(evidence: Evidence) -> Any:
    """What there is, by name, and what it is for."""
    overview, table = evidence.overview, evidence.plan.table
    return [
        overview.purpose,
        asdict(overview.actions),
        sorted(entity.__name__ for entity in evidence.plan.entities),
        sorted([name, pattern.doc] for name, pattern in table.patterns.items()),
    ]


def _design(evidence: Evidence) -> Any:
    """The whole design, and what the linter found in it."""
    findings = [[f.code, f.severity, f.subject, f.message, f.waived] for f in evidence.material.findings]
    return [[evidence.made(name) for name in ("keys", "patterns", "relationships", "json-schema")], findings]


OF_REQUIREMENTS = (
    Role(
        "technical-lead",
        "the technical lead",
        "The technical lead agrees with entities and relationships.",
        _entities,
        ("erd",),
    ),
    Role(
        "product-manager",
        "the product manager",
        "The product manager agrees with the access patterns.",
        _patterns,
        ("patterns",),
    ),
    Role(
        "stakeholder",
        "a stakeholder",
        "A stakeholder agrees that nothing is left out.",
        _everything,
        ("erd", "patterns"),
    ),
)
_REVIEWED = ("keys", "patterns", "relationships", "review")
OF_REVIEW = tuple(
    Role(name, who[0].lower() + who[1:], f"{who} has reviewed the design.", _design, _REVIEWED)
    for name, who in SIGNERS.items()
)


def role(name: str) -> Role:
    """The role of this name."""
    roles = {one.name: one for one in (*OF_REQUIREMENTS, *OF_REVIEW)}
    if name not in roles:
        raise ArgumentError(f"Nobody signs as {name!r}.", hint=f"There are: {', '.join(roles)}.")
    return roles[name]


def signature(of: Role, evidence: Evidence, name: str, date: str) -> Signature:
    """The signature of somebody under what there is now."""
    if not evidence.has_model:
        raise ArgumentError(
            "There is no model yet, and so nothing to sign.", hint="Name it: --model, or places.model in the overview."
        )
    for document in of.documents:
        stale = evidence.output(document)
        if stale is not None:
            what, _, how = stale.partition("; ")
            raise ArgumentError(f"What would be signed is not what people can read: {what}.", hint=f"First: {how}.")
    try:
        return Signature(name, date, of.signed(evidence))
    except ValueError as error:
        raise ArgumentError(str(error)) from None
