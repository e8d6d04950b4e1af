"""How two tables are deployed, compared: nothing that is stored depends on it, but whether it can be read, or lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.describing import ModelDescription

SUBJECT = "the deployment"
_LOST = {
    "recovery": "keeps no copies to restore the table from, to any point of time",
    "deletion_protection": "no longer protects the table against deletion",
    "retain": "deletes the table with its stack, or when the stack replaces it",
    "alarms": "has no alarms any more",
}
_GRANT = "Allow everybody who reads or writes the table to use the key {key}, before the table is switched to it."
_OLD_KEY = "Keep the key {key}: backups that were made with it cannot be restored without it."


def compare_deployments(old: ModelDescription, new: ModelDescription) -> Iterator[Change]:
    """What differs in how the table is run."""
    before, after = old.deployment, new.deployment
    for name in dict.fromkeys((*after, *before)):
        was, now = before.get(name), after.get(name)
        if was == now or name in ("encryption", "key"):
            continue
        if name in _LOST and now in ("False", "None"):
            yield Change("protection-lost", "additive", SUBJECT, _LOST[name], "Make sure that this is meant.")
        else:
            text = f"has {name.replace('_', ' ')} {now or 'none'}, and had {was or 'none'}"
            yield Change("deployment-changed", "additive", SUBJECT, text)
    if _key(before) != _key(after):
        yield _other_key(before, after)


def _other_key(before: Mapping[str, str], after: Mapping[str, str]) -> Change:
    text = f"encrypts with {_key(after)}, and did with {_key(before)}"
    own, was_own = after.get("key"), before.get("key")
    remedies = [_GRANT.format(key=own)] if own else []
    remedies += [_OLD_KEY.format(key=was_own)] if was_own else []
    kind = "encryption-changed" if own or not was_own else "protection-lost"
    return Change(kind, "breaking" if own else "additive", SUBJECT, text, " ".join(remedies))


def _key(deployment: Mapping[str, str]) -> str:
    words = {"aws-owned": "a key of AWS's own", "aws-managed": "AWS's key for this account"}
    return deployment.get("key") or words.get(deployment["encryption"], deployment["encryption"])
