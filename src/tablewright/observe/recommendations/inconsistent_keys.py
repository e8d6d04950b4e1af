"""Keys of one table that are not written alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.lint.keyfacts import pieces
from tablewright.observe.judging import percent, share_of
from tablewright.observe.markers import is_marker_form
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Snapshot
from tablewright.wording import counted, quantity

_KEYS = 20
"""Keys of an entity before anything is said of them."""
_TIMES = 5
_SHARE = 0.01
"""A form that is rarer than both of these is a slip, which a look at the items finds better."""
_FORMS = 6
"""More forms than these are values: names and addresses have dots and hyphens in them, too."""
_ENTITIES = 3
"""Entities that must be there before one differs from the others."""
_BESIDE_A_VALUE = re.compile(r"[^A-Za-z0-9*](?=\*)|(?<=\*)[^A-Za-z0-9*]")


class _Style(Struct, frozen=True):
    """How a key is written, values left out."""

    separator: str | None
    """What stands between its parts; None where there is one part only."""
    case: str | None
    """Upper, lower or mixed; None where there are no literals."""
    prefixed: bool


class InconsistentKeys(Rule):
    """Keys of one table are not written alike.

    Code that writes `USER#1` and code that reads `user#1` speak of two items. Within one entity that means data that nobody
    finds; from one entity to the next it means that everybody has to look up how keys are written, and sooner or later
    somebody guesses.

    It fires when the partition keys of one entity have two forms or more, each at least five times and 1% of 20 keys or more:
    a warning. And when, of three entities or more, most have one separator, one case, or a prefix, and another has not: a
    note. Where keys begin with a value there is nothing to compare, and the keys of markers of unique values are the library's own.

    Let one place make the keys: the templates of a model (Keys), or tablewright.keybuilding where there is none. Items
    with keys of the other form have to be written anew.

    > Partition keys of User are written in 2 forms: USER#* and user#*.
    """

    name = "inconsistent-keys"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        usual: dict[str, tuple[str, int]] = {}
        for entity, forms in sorted(_by_entity(seen).items()):
            if len(forms) > _FORMS or _begins_with_a_value(seen.plan, entity):
                continue
            total = sum(forms.values())
            kept = {f: n for f, n in forms.items() if n >= _TIMES and n >= _SHARE * total}
            if total < _KEYS or not kept:
                continue
            usual[entity] = max(kept.items(), key=lambda pair: (pair[1], pair[0]))
            if len(kept) > 1:
                yield _within(seen.snapshot, entity, kept, total)
        yield from _across(seen.snapshot, usual)


def _by_entity(seen: Observed) -> dict[str, dict[str, int]]:
    """The forms of each entity, markers left out: these are written with their items. Of requests that name none, what has the same
    word at its beginning is taken for one."""
    chosen = {
        entity: {form: times for form, times in forms.items() if not is_marker_form(seen.plan, form)}
        for entity, forms in seen.snapshot.key_forms.items()
    }
    named = {entity: forms for entity, forms in chosen.items() if entity}
    for form, times in chosen.get("", {}).items():
        word = re.match("[A-Za-z]*", form)
        named.setdefault(f"{word[0].lower() if word else ''}*", {})[form] = times
    return {entity: forms for entity, forms in named.items() if entity != "*" and (len(forms) > 1 or entity[-1] != "*")}


def _begins_with_a_value(plan: TablePlan | None, entity: str) -> bool:
    """Whether keys of an entity begin with a value by the model, so that their forms say nothing."""
    known = next((e for e in plan.entities.values() if e.name == entity), None) if plan is not None else None
    return known is not None and any(piece.text is None for piece in pieces(known.pk)[:1])


def _within(snapshot: Snapshot, entity: str, forms: Mapping[str, int], total: int) -> Recommendation:
    ordered = sorted(forms, key=lambda form: (-forms[form], form))
    others = total - forms[ordered[0]]
    return Recommendation(
        rule=InconsistentKeys.name,
        severity="warning",
        category="best-practice",
        subject=entity,
        message=f"Partition keys of {entity} are written in {counted(len(forms), 'form')}: {' and '.join(ordered[:2])}.",
        details=(
            f"Of {counted(total, 'key')}: {', '.join(f'{form} {quantity(forms[form])}' for form in ordered)}. "
            f"{percent(share_of(others, total))} are not as most are, and whoever asks for one form does not find the other."
        ),
        action=(
            f"Let one template make them all, as in Keys(...) of {entity}, or tablewright.keybuilding beside a model; then write "
            "the items of the other form anew."
        ),
        affected=(entity,),
        evidence={"forms": len(forms), "keys": total, "other_forms": others},
        impact=share_of(others, _all_keys(snapshot)),
        effort=3,
    )


def _across(snapshot: Snapshot, usual: Mapping[str, tuple[str, int]]) -> Iterator[Recommendation]:
    """Entities whose keys are written in another way than those of most entities."""
    styles = {entity: _style(form) for entity, (form, _) in usual.items()}
    separator = _most(s.separator for s in styles.values() if s.separator is not None)
    case = _most(s.case for s in styles.values() if s.case is not None)
    prefixed = _most("yes" if s.prefixed else "no" for s in styles.values()) == "yes"
    apart: dict[str, list[str]] = {}
    for entity, style in styles.items():
        apart[entity] = told = []
        if separator is not None and style.separator not in (None, separator):
            told.append(f"its parts are separated by {style.separator!r}, those of most by {separator!r}")
        if case is not None and style.case not in (None, case):
            told.append(f"its words are in {style.case} case, those of most in {case} case")
        if prefixed and not style.prefixed:
            told.append("it begins with a value, and most begin with a word that says what they are")
    example = next((f", such as {usual[entity][0]}" for entity, told in apart.items() if not told), "")
    for entity, told in apart.items():
        if told:
            form, times = usual[entity]
            yield Recommendation(
                rule=InconsistentKeys.name,
                severity="info",
                category="best-practice",
                subject=entity,
                message=f"Partition keys of {entity} are written as {form}, unlike those of most entities.",
                details=f"Of {counted(len(styles), 'entity', 'entities')}, this one is apart: {'; '.join(told)}{example}.",
                action=(
                    "Write new keys as the others are: templates of a model keep them alike, and so does tablewright.keybuilding "
                    "beside one. To change keys that are stored is a migration, and seldom worth it for the looks alone."
                ),
                affected=(entity,),
                evidence={"entities": len(styles), "keys": times},
                impact=share_of(times, _all_keys(snapshot)),
                effort=3,
            )


def _style(form: str) -> _Style:
    letters = "".join(c for c in form if c.isalpha())
    case = None if not letters else "upper" if letters.isupper() else "lower" if letters.islower() else "mixed"
    beside = _BESIDE_A_VALUE.search(form)
    return _Style(None if beside is None else beside[0], case, form[:1].isalnum())


def _most(found: Iterable[str]) -> str | None:
    """What more than half of them have, if there are enough of them."""
    times = Counter(found)
    if times.total() < _ENTITIES:
        return None
    value, count = times.most_common(1)[0]
    return value if count * 2 > times.total() else None


def _all_keys(snapshot: Snapshot) -> int:
    return sum(sum(forms.values()) for forms in snapshot.key_forms.values())
