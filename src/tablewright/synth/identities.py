"""Table keys that hold more than an identity: what that means, and how to have the identity alone."""

from __future__ import annotations

from msgspec import Struct

from tablewright.synth.facts import EntityFacts
from tablewright.synth.naming import KeyText


class WiderKey(Struct, frozen=True):
    """Words about a table key that holds fields beside its entity's identity."""

    caution: str
    alternative: str


def wider_key(facts: EntityFacts, key: KeyText) -> WiderKey | None:
    """What to know where two items of one identity could both be stored; None where they cannot."""
    identity = frozenset(facts.identity)
    more = sorted(key.shape.fields - identity)
    if key.index is not None or not more or any(identity.issuperset(rule) for rule in facts.unique):
        return None
    name, same, beside = facts.name, ", ".join(facts.identity), ", ".join(more)
    quoted = ", ".join(f'"{field}"' for field in facts.identity)
    handles = f"handles=[{quoted}]"
    return WiderKey(
        f"The table key of {name} holds {beside} beside its identity ({same}): two of them with the same {same} and another "
        f"{beside} are two items, and create() refuses neither. Who changes one must know {beside} too. Say {handles} on "
        f"{name}, or add a pattern that gets it by {same}, for a key of the identity alone.",
        f"{name} could have its table key by its identity alone, {same}, so that there is one item of each: say {handles}. "
        f"What the key serves by {beside} today then needs an index.",
    )
