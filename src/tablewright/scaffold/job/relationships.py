"""How a relationship is best stored: questions with answers, and the strategy that follows; and which kind of key."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.model.relationships import MAX_EMBEDDED, Cardinality, Strategy


class Question(Struct, frozen=True, kw_only=True):
    """What is known of a relationship between a source and a target."""

    cardinality: Cardinality
    count: int | None = None
    """How many targets one source has at most, where there is a most."""
    alone: bool = False
    """Whether targets are read, changed or found without their source."""
    large: bool = False
    """Whether a target, or all of a source's together, is large."""
    link_data: bool = False
    """Whether the link itself has fields, such as a role or a date."""
    both_ways: bool = True
    """Whether it is read from both ends."""
    kinds: int = 1
    """How many kinds of link start at one entity."""
    stable: bool = False
    """Whether all that the source shows of a target hardly ever changes."""
    together: bool = True
    """Whether both ends are read at once."""


class Decision(Struct, frozen=True):
    """The strategy, and why."""

    strategy: Strategy
    reason: str
    keys: str
    """How the keys look, with S and T for the two ids."""
    read: str
    """How it is read."""
    price: str
    """What it costs."""
    path: tuple[str, ...]
    """The answers that led here."""


def decide(question: Question) -> Decision:
    """Goes down the tree."""
    if question.count is not None and question.count < 1:
        raise ArgumentError("A relationship to fewer than one target is none.")
    match question.cardinality:
        case "1:1":
            return _one_to_one(question)
        case "1:N":
            return _one_to_many(question)
    return _many_to_many(question)


def _one_to_one(question: Question) -> Decision:
    if question.alone or question.large:
        why = "read or changed without its source" if question.alone else "large, and not always needed"
        return Decision(
            "item collection",
            f"The target is {why}, so it is an item of its own, beside its source.",
            "source: SOURCE#{s} / SOURCE#{s}; target: SOURCE#{s} / TARGET",
            "Query the source's partition for both, or GetItem for one.",
            "Two items to write together, in a transaction.",
            ("1:1", why),
        )
    return Decision(
        "embedded",
        "There is one, and it is always read with its source.",
        "a map in the source's item",
        "GetItem of the source.",
        "It cannot be found on its own, and every change writes the whole source.",
        ("1:1", "read with its source"),
    )


def _one_to_many(question: Question) -> Decision:
    bounded = question.count is not None and question.count < MAX_EMBEDDED
    if bounded and not question.alone and not question.large:
        return Decision(
            "embedded",
            f"At most {question.count} targets, fewer than {MAX_EMBEDDED}, and never read without their source.",
            "a list or a map in the source's item, with a declared maximum",
            "GetItem of the source.",
            "Every change writes the whole source; two writers may meet; the maximum must hold.",
            ("1:N", f"bounded below {MAX_EMBEDDED}", "never read alone"),
        )
    if not bounded:
        why = "without a bound" if question.count is None else f"{MAX_EMBEDDED} or more"
    else:
        why = "read alone" if question.alone else "large"
    return Decision(
        "item collection",
        f"Targets are {why}, so each is an item in the partition of its source.",
        "source: SOURCE#{s} / SOURCE#{s}; target: SOURCE#{s} / TARGET#{order}#{t}",
        "Query the partition: all, a range, newest first, page by page; the source with them if wanted.",
        "The source's partition takes all their traffic; a target is found by its own id through an index only.",
        ("1:N", why),
    )


def _many_to_many(question: Question) -> Decision:
    few = question.count is not None and question.count < MAX_EMBEDDED
    if not question.together:
        return Decision(
            "normalised",
            "The two ends are not read at once, so each names the other's ids and is read by them.",
            "ids of the targets in the source, or the link alone",
            "One request for the source, then BatchGetItem for the targets.",
            "Two requests one after another; nothing is repeated, nothing gets stale.",
            ("M:N", "not read together"),
        )
    if question.kinds > 1:
        return Decision(
            "materialised graph",
            f"{question.kinds} kinds of link start at one entity, and all of them are read from it.",
            "node: NODE#{s} / NODE; link: NODE#{s} / KIND#{kind}#{t}, and the other way on an index",
            "Query the node's partition: everything that it is linked with, or one kind.",
            "What a link repeats of its ends must be refreshed when they change.",
            ("M:N", "several kinds of link"),
        )
    if few and question.stable and not question.link_data and not question.both_ways:
        return Decision(
            "shallow duplication",
            "A source shows little of few targets, and that hardly ever changes.",
            "the shown fields repeated in the source's item",
            "GetItem of the source shows its targets.",
            "Copies get stale: a pattern must find them when a target changes.",
            ("M:N", f"fewer than {MAX_EMBEDDED}, stable, read from one end"),
        )
    return Decision(
        "adjacency list",
        "Each link is an item" + (", which also holds its own fields" if question.link_data else "") + ".",
        "link: SOURCE#{s} / TARGET#{t}, and the other way on an index, or a mirrored item",
        "Query the source's partition for its targets, the index for the sources of a target.",
        "A link costs two writes: the item and its copy on the index, or its mirror.",
        ("M:N", "read together", "from both ends" if question.both_ways else "from one end"),
    )


def key_kind(*, single_table: bool, grouped: bool, ranged: bool) -> tuple[Literal["simple", "composite"], str]:
    """Whether a table needs a sort key, and why."""
    if single_table:
        return "composite", "One table for all entities always has a sort key: it tells the items of a partition apart."
    if grouped or ranged:
        why = "several items share a partition" if grouped else "items are read by a range"
        return "composite", f"A sort key is needed, since {why}."
    return "simple", "Every item is read by its own id and by nothing else."
