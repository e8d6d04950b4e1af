"""Relationship decisions: the strategy of each relationship, why, the keys and reads that carry it, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from msgspec import Struct

from tablewright.compiler.aggregates import BranchPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.served import Served
from tablewright.generate.documents.blocks import Block, Bullets, Grid, Heading, Text, code, codes, prose
from tablewright.generate.documents.key_tables import primary
from tablewright.generate.documents.markdown import to_markdown
from tablewright.generate.documents.wording import entity_name, reads_of
from tablewright.generate.material import Material
from tablewright.model.relationships import Relationship, Strategy


class _Weighed(Struct, frozen=True):
    """What speaks for a strategy in general, and what it costs."""

    why: str
    gains: tuple[str, ...]
    costs: tuple[str, ...]


_WEIGHED: dict[Strategy, _Weighed] = {
    "embedded": _Weighed(
        "They are few, and wanted whenever their owner is.",
        ("One item holds both: one read, one write, always consistent.",),
        (
            "The item grows with each of them, and every change writes all of it.",
            "They cannot be looked up by themselves.",
        ),
    ),
    "item collection": _Weighed(
        "There is no bound on their number, and they are read with or by their owner.",
        ("One query reads the owner, the others, or both, in the order of the sort key.", "Each is written by itself."),
        ("All of them share one partition, and so its throughput.",),
    ),
    "shallow duplication": _Weighed(
        "A read wants a few fields of the other side, and should not need a second request for them.",
        ("One request shows both sides.",),
        ("The copies must follow when the original changes.", "They take storage in every item that has them."),
    ),
    "adjacency list": _Weighed(
        "Both sides have many of the other, and are asked from both.",
        ("A link is an item, with fields of its own.", "Each direction is one query."),
        ("The second direction costs an index or a mirrored item, written with each link.",),
    ),
    "materialised graph": _Weighed(
        "Links are asked from either side, by an index over them.",
        ("Each direction is one query over keys.",),
        ("An index holds the other direction: each link is written twice, and read there a moment later.",),
    ),
    "normalised": _Weighed(
        "The two are seldom wanted together, or one of them changes too often to be repeated.",
        ("Nothing is stored twice, so nothing becomes stale.",),
        ("Reading both takes requests one after the other.",),
    ),
}


def relationship_decisions(material: Material) -> str:
    """Every declared relationship."""
    return to_markdown(relationship_blocks(material.plan))


def relationship_blocks(plan: TablePlan) -> list[Block]:
    """A table of all, a section for each, and the trees of items."""
    declared = plan.table.relationships
    blocks: list[Block] = [Heading(1, f"{plan.table.name}: relationship decisions")]
    if not declared:
        blocks.append(Text("The model declares no relationships."))
    else:
        rows = [
            (r.source.__name__, entity_name(r.target), r.cardinality, r.strategy, prose(r.reason)) for r in declared
        ]
        blocks.append(Grid(("From", "To", "Cardinality", "Strategy", "Reason"), tuple(rows)))
        for relationship in declared:
            blocks += _decision(plan, relationship)
    if plan.aggregates:
        blocks += _trees(plan)
    return blocks


def _decision(plan: TablePlan, relationship: Relationship) -> Iterator[Block]:
    source, target = relationship.source.__name__, entity_name(relationship.target)
    weighed = _WEIGHED[relationship.strategy]
    yield Heading(2, f"{source} to {target}")
    yield Bullets(
        (
            f"Cardinality: {relationship.cardinality}",
            f"Strategy: {relationship.strategy}",
            f"Rationale: {prose(relationship.reason) or weighed.why}",
        )
    )
    yield Heading(3, "Keys")
    yield Bullets(tuple(_keys(plan, relationship)))
    yield Heading(3, "Reads")
    reads = _reads(plan, relationship)
    yield Bullets(tuple(reads)) if reads else Text("No declared access pattern follows it.")
    yield Heading(3, "Trade-offs")
    yield Bullets((*(f"For: {gain}" for gain in weighed.gains), *(f"Against: {cost}" for cost in weighed.costs)))


def _keys(plan: TablePlan, relationship: Relationship) -> Iterator[str]:
    source = plan.of(relationship.source)
    target = None if isinstance(relationship.target, str) else plan.entities.get(relationship.target)
    match relationship.strategy:
        case "embedded":
            most = None if relationship.field is None else source.fields[relationship.field].max_length
            bound = "" if most is None else f", {most} at most"
            pronoun = "it" if relationship.cardinality == "1:1" else "them"
            yield f"{source.name} holds {pronoun} in {code(relationship.field or '')}{bound}."
            yield from _of(source)
        case "shallow duplication":
            for own, theirs in relationship.copies.items():
                yield f"{code(f'{source.name}.{own}')} repeats {code(f'{entity_name(relationship.target)}.{theirs}')}."
            if relationship.found_by is not None:
                yield f"Copies are found by the pattern {code(relationship.found_by.name)}."
        case "adjacency list" | "materialised graph":
            for links in (relationship.via, relationship.mirror):
                if links is not None:
                    yield from _of(plan.of(links), indexes=True)
            for end, fields in (("source", relationship.source_fields), ("target", relationship.target_fields)):
                yield f"The {end} is told by {codes(tuple(fields))}."
        case _:
            for entity in (source, target):
                if entity is not None:
                    yield from _of(entity)
            yield from dict.fromkeys(
                f"{served.path.plan.name} on {served.path.index_name}: {codes([str(key) for key in (*served.path.pk, *served.path.sk)])}"
                for _, served in _following(plan, relationship)
                if served.path.index is not None
            )


def _of(entity: EntityPlan, *, indexes: bool = False) -> Iterator[str]:
    yield f"{entity.name}: {codes([str(key) for key in primary(entity)])}"
    for binding in entity.bindings if indexes else ():
        yield f"{entity.name} on {binding.index.name}: {codes([str(key) for key in binding.keys])}"


def _reads(plan: TablePlan, relationship: Relationship) -> list[str]:
    following = _following(plan, relationship)
    return list(dict.fromkeys(f"{code(name)} by {s.path.index_name or 'the table'}" for name, s in following))


def _following(plan: TablePlan, relationship: Relationship) -> Iterator[tuple[str, Served]]:
    """The patterns that follow it: they read the far side by what it holds of the near one. What is embedded or repeated
    is read with its holder."""
    for name, variants in plan.patterns.items():
        for variant in variants.values():
            for entity, served in reads_of(variant):
                if _follows(plan, relationship, entity, served.known.keys()):
                    yield name, served


def _follows(plan: TablePlan, relationship: Relationship, entity: EntityPlan, known: AbstractSet[str]) -> bool:
    if relationship.strategy in ("embedded", "shallow duplication"):
        return entity.entity is relationship.source
    if relationship.via is not None:
        ends = (set(relationship.source_fields), set(relationship.target_fields))
        return entity.entity in (relationship.via, relationship.mirror) and any(end <= known for end in ends)
    held = plan.of(relationship.source).key_fields & entity.fields.keys()
    return entity.entity is relationship.target and held <= known


def _trees(plan: TablePlan) -> Iterator[Block]:
    yield Heading(2, "Trees")
    yield Text("Trees are loaded with one query and saved as one transaction.")
    for tree, aggregate in plan.aggregates.items():
        yield Heading(3, tree.__name__)
        lines = [f"{aggregate.plan.name}: {codes([str(key) for key in primary(aggregate.plan)])}"]
        yield Bullets((*lines, *(_branch(branch) for branch in aggregate.every())))


def _branch(branch: BranchPlan) -> str:
    many = "many" if branch.level.hanging.many else "at most one"
    keys = codes([str(key) for key in primary(branch.plan)])
    return f"{branch.parent.name} has {code(branch.name)}, {many} {branch.plan.name}: {keys}"
