"""Phrases for reports, by their kind and by what they are offered for.

A phrase lists the elements, components and materials that it is for. Each of these is also an item of its own
(PhraseUse), which is how phrases are found; both are written in one transaction, which bounds how many there may be.
"""

from collections.abc import Iterable
from typing import Final

from tablewright import Key, Page, Transaction, key, ulid

from . import patterns as p
from .base import PhraseKind
from .edits import PhraseChanges, checked, edited
from .library import Phrase, PhraseUse, Subject
from .tenancy import PENDING, Refused, TenantStore

USES: Final = 49
"""What a phrase is offered for at most: another kind deletes it and them all, and writes them again, in 100 actions."""


class Phrases(TenantStore):
    """The sentences that reports are made of."""

    def phrases(self, kind: PhraseKind, limit: int = 100, cursor: str | None = None) -> Page[Phrase]:
        """A page of the phrases of one kind."""
        return self._db.run(p.phrases, self.tenant_id, kind).page(limit, cursor)

    def phrase(self, kind: PhraseKind, phrase_id: str) -> Phrase:
        """One phrase. NotFoundError if there is none."""
        return self._get(self._phrase(kind, phrase_id))

    def phrases_for_element(self, element_id: str, kind: PhraseKind | None = None) -> list[Phrase]:
        """The phrases that are offered for an element of the library, of one kind or of all."""
        return self._offered(self._db.run(p.phrases_for_element, self.tenant_id, element_id, kind))

    def phrases_for_component(self, component_id: str, kind: PhraseKind | None = None) -> list[Phrase]:
        """The phrases that are offered for a component of the library, of one kind or of all."""
        return self._offered(self._db.run(p.phrases_for_component, self.tenant_id, component_id, kind))

    def add_phrase(
        self,
        kind: PhraseKind,
        name: str,
        text: str,
        *,
        phrase_id: str | None = None,
        details: PhraseChanges | None = None,
    ) -> Phrase:
        """A new phrase, with what it is offered for."""
        made = Phrase(
            tenant_id=self.tenant_id,
            kind=kind,
            phrase_id=phrase_id or ulid(),
            **checked(PhraseChanges, details, name=name, text=text),
        )
        with self._db.transaction() as tx:
            tx.create(made)
            self._move_uses(tx, None, made)
        return self._get(self._phrase(kind, made.phrase_id), consistent=True)

    def update_phrase(
        self, kind: PhraseKind, phrase_id: str, changes: PhraseChanges, *, expected_version: int | None = None
    ) -> Phrase:
        """Changes a phrase, and what it is offered for. NotFoundError if there is none."""
        new = edited(PhraseChanges, changes)
        before = self._as_seen(self._phrase(kind, phrase_id), expected_version)
        with self._db.transaction() as tx:
            tx.update(before, set=new)
            self._move_uses(tx, before, before.model_copy(update=new))
        return self._get(self._phrase(kind, phrase_id), consistent=True)

    def change_kind(self, kind: PhraseKind, phrase_id: str, to: PhraseKind) -> Phrase:
        """Makes a defect a condition, or the other way round: another phrase with the same id, and the first one goes."""
        before = self._get(self._phrase(kind, phrase_id), consistent=True)
        if kind == to:
            return before
        after = Phrase(**{**before.model_dump(), "kind": to, **PENDING})
        with self._db.transaction() as tx:
            tx.delete(before)
            tx.create(after)
            self._move_uses(tx, before, after)
        return self._get(self._phrase(to, phrase_id), consistent=True)

    def remove_phrase(self, kind: PhraseKind, phrase_id: str, *, expected_version: int | None = None) -> None:
        """Deletes a phrase, which is then offered for nothing. NotFoundError if there is none."""
        before = self._as_seen(self._phrase(kind, phrase_id), expected_version)
        with self._db.transaction() as tx:
            tx.delete(before)
            self._move_uses(tx, before, None)

    def _phrase(self, kind: PhraseKind, phrase_id: str) -> Key[Phrase]:
        return key(Phrase, tenant_id=self.tenant_id, kind=kind, phrase_id=phrase_id)

    def _offered(self, uses: Iterable[PhraseUse]) -> list[Phrase]:
        found = self._db.get_many([self._phrase(use.kind, use.phrase_id) for use in uses])
        return [phrase for phrase in found if phrase is not None]

    def _move_uses(self, tx: Transaction, before: Phrase | None, after: Phrase | None) -> None:
        """Writes what a phrase is newly offered for, and deletes what it no longer is."""
        old, new = _uses(before), _uses(after)
        if len(new) > USES:
            raise Refused(f"A phrase is offered for {USES} elements, components and materials at most.")
        for use in old.keys() - new.keys():
            tx.delete(old[use])
        for use in new.keys() - old.keys():
            tx.put(new[use])


def _uses(phrase: Phrase | None) -> dict[tuple[Subject, str, PhraseKind], PhraseUse]:
    if phrase is None:
        return {}
    listed: dict[Subject, list[str]] = {
        "ELEMENT": phrase.element_ids,
        "COMPONENT": phrase.component_ids,
        "MATERIAL": phrase.material_ids,
    }
    return {
        (subject, each, phrase.kind): PhraseUse(
            tenant_id=phrase.tenant_id,
            subject=subject,
            subject_id=each,
            kind=phrase.kind,
            phrase_id=phrase.phrase_id,
        )
        for subject, ids in listed.items()
        for each in ids
    }
