"""Surveys and their parts come and go; what a survey counts is written in the same transaction.

Whoever adds a part stamps its parent, so that somebody who removes the parent at the same time notices.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeVar

from tablewright import Entity, Mixed, Query, is_in, key, stored, ulid
from tablewright.errors import ConcurrentModificationError, NotFoundError

from . import patterns as p
from . import snapshots
from .base import Role
from .edits import ComponentChanges, ElementChanges, SectionChanges, SurveyChanges, checked
from .surveys import Access, Survey, SurveyComponent, SurveyElement, SurveySection
from .tenancy import IN_WORK, PENDING, Refused, TenantStore, expecting, missing_item

P = TypeVar("P", SurveyComponent, SurveyElement | SurveyComponent)
TOGETHER = 90
"""So many parts are deleted in a transaction; more go in several, from the leaves up."""


class Building(TenantStore):
    """What people add to surveys and take out of them."""

    # ---------------------------------------------------------------------------------------------------- surveys

    def create_survey(
        self,
        title: str,
        owner: str,
        *,
        survey_id: str | None = None,
        editors: Sequence[str] = (),
        viewers: Sequence[str] = (),
        details: SurveyChanges | None = None,
    ) -> Survey:
        """A new survey without sections, together with the Access items of its people."""
        made = Survey(
            tenant_id=self.tenant_id,
            survey_id=survey_id or ulid(),
            owner=owner,
            editors=list(editors),
            viewers=list(viewers),
            **checked(SurveyChanges, details, title=title),
        )
        people: dict[str, Role] = {owner: "owner"}
        for role, users in (("editor", editors), ("viewer", viewers)):
            for user in users:
                if user in people:
                    raise Refused("Everybody has one role in a survey, and somebody was given two.")
                people[user] = "editor" if role == "editor" else "viewer"
        with self._db.transaction() as tx:
            tx.create(made)
            for user, held in people.items():
                tx.create(Access(tenant_id=self.tenant_id, user_id=user, survey_id=made.survey_id, role=held))
        return self._get(self._survey(made.survey_id), consistent=True)

    def remove_survey(self, survey_id: str, *, expected_version: int | None = None) -> int:
        """Deletes a survey with its parts, snapshots and Access items; how many items that were.

        The feed tells of it for a month. After a failure the same call goes on with what is left: the survey and the Access
        items go last and together, so that whoever may remove it may do so until it is gone, and nobody can make another
        one with its id before. One that is made after that is left alone, however long a removal was on its way.
        """
        seen = self._as_seen(self._survey(survey_id), expected_version)
        return self._until_alone(lambda: self._remove_survey(seen))

    # ------------------------------------------------------------------------------------------------ parts come

    def add_section(
        self,
        survey_id: str,
        name: str,
        position: int,
        *,
        section_id: str | None = None,
        details: SectionChanges | None = None,
    ) -> SurveySection:
        """A new section; the survey counts it in the same transaction.

        ConditionalCheckError if the survey is no longer worked on: what is done has no section that is not.
        """
        made = SurveySection(
            tenant_id=self.tenant_id,
            survey_id=survey_id,
            section_id=section_id or ulid(),
            **checked(SectionChanges, details, name=name, position=position),
        )
        with self._db.transaction() as tx:
            tx.update(
                self._survey(survey_id), add={"section_count": 1}, set=PENDING, when=is_in(Survey.status, IN_WORK)
            )
            tx.create(made)
        return self._get(self._section(survey_id, made.section_id), consistent=True)

    def add_element(
        self,
        survey_id: str,
        section_id: str,
        name: str,
        position: int,
        *,
        element_id: str | None = None,
        details: ElementChanges | None = None,
    ) -> SurveyElement:
        """A new element of a section that exists."""
        made = SurveyElement(
            tenant_id=self.tenant_id,
            survey_id=survey_id,
            section_id=section_id,
            element_id=element_id or ulid(),
            **checked(ElementChanges, details, name=name, position=position),
        )
        with self._db.transaction() as tx:
            tx.update(self._section(survey_id, section_id), set=PENDING)
            tx.create(made)
        return self._get(self._element(survey_id, section_id, made.element_id), consistent=True)

    def add_component(
        self,
        survey_id: str,
        section_id: str,
        element_id: str,
        name: str,
        position: int,
        *,
        component_id: str | None = None,
        details: ComponentChanges | None = None,
    ) -> SurveyComponent:
        """A new component of an element that exists."""
        made = SurveyComponent(
            tenant_id=self.tenant_id,
            survey_id=survey_id,
            section_id=section_id,
            element_id=element_id,
            component_id=component_id or ulid(),
            **checked(ComponentChanges, details, name=name, position=position),
        )
        with self._db.transaction() as tx:
            tx.update(self._element(survey_id, section_id, element_id), set=PENDING)
            tx.create(made)
        return self._get(self._component(survey_id, section_id, element_id, made.component_id), consistent=True)

    # -------------------------------------------------------------------------------------------------- parts go

    def remove_section(self, survey_id: str, section_id: str, *, expected_version: int | None = None) -> None:
        """Deletes a section with all below it; the survey's counts follow in the same transaction as the section.

        After a failure the same call goes on with what is left. ConditionalCheckError if the survey is no longer worked on.
        """
        if expected_version is not None:
            self._as_seen(self._section(survey_id, section_id), expected_version)
        self._until_alone(lambda: self._remove_section(survey_id, section_id))

    def remove_element(
        self, survey_id: str, section_id: str, element_id: str, *, expected_version: int | None = None
    ) -> None:
        """Deletes an element with its components. After a failure the same call goes on with what is left."""
        if expected_version is not None:
            self._as_seen(self._element(survey_id, section_id, element_id), expected_version)
        self._until_alone(lambda: self._remove_element(survey_id, section_id, element_id))

    def remove_component(
        self,
        survey_id: str,
        section_id: str,
        element_id: str,
        component_id: str,
        *,
        expected_version: int | None = None,
    ) -> None:
        """Deletes a component. NotFoundError if there is none."""
        target = self._component(survey_id, section_id, element_id, component_id)
        if self._db.delete(target, expected_version=expecting(expected_version)) is None:
            raise missing_item(SurveyComponent)

    def _remove_survey(self, seen: Survey) -> int:
        survey = self._db.get(self._survey(seen.survey_id), consistent=True)
        if survey is None or _made(survey) != _made(seen):
            return 0  # another removal has ended; what is there now is another survey
        try:
            return self._take_apart(survey)
        except NotFoundError as error:
            raise ConcurrentModificationError("Somebody else removes it, too.", item=survey) from error

    def _take_apart(self, survey: Survey) -> int:
        ids = self.tenant_id, survey.survey_id
        # until nothing is found: somebody may add an element to a section that is about to go, but not after it is gone
        removed = 0
        while found := self._delete_all(
            survey, self._db.execute(p.snapshots_of(*ids).consistent()), snapshots.PARTS_TOGETHER
        ):
            removed += found
        while found := self._delete_all(
            survey, reversed(self._db.execute(p.below_survey(*ids).consistent()).all()), TOGETHER
        ):
            removed += found
        people = [survey.owner, *survey.editors, *survey.viewers]
        with self._db.transaction() as tx:
            for user in people:
                tx.delete(key(Access, tenant_id=self.tenant_id, user_id=user, survey_id=survey.survey_id))
            tx.delete(survey)  # as it was read: whoever added a section or a person meanwhile has stamped it
        return removed + len(people) + 1

    def _delete_all(self, survey: Survey, contents: Iterable[Entity], together: int) -> int:
        """Deletes what belongs to a survey, while that is what was read; how many items that were."""
        found, removed = iter(contents), 0
        while some := list(islice(found, together)):
            with self._db.transaction() as tx:
                tx.check(survey)
                for each in some:
                    tx.delete(each)
            removed += len(some)
        return removed

    def _remove_section(self, survey_id: str, section_id: str) -> None:
        section = self._get(self._section(survey_id, section_id), consistent=True)
        below = self._delete_leaves(p.below_section(self.tenant_id, survey_id, section_id), of=survey_id)
        counted = (
            {"section_count": -1} if section.completed_at is None else {"section_count": -1, "completed_sections": -1}
        )
        with self._db.transaction() as tx:
            for part in below:
                tx.delete(part)
            tx.delete(section)
            tx.update(self._survey(survey_id), add=counted, set=PENDING, when=is_in(Survey.status, IN_WORK))

    def _remove_element(self, survey_id: str, section_id: str, element_id: str) -> None:
        element = self._get(self._element(survey_id, section_id, element_id), consistent=True)
        below = self._delete_leaves(p.below_element(self.tenant_id, survey_id, section_id, element_id))
        with self._db.transaction() as tx:
            for part in below:
                tx.delete(part)
            tx.delete(element)

    def _delete_leaves(self, below: Query[P] | Mixed[P], *, of: str | None = None) -> list[P]:
        """Deletes what is more than one transaction takes, from the end, which is from the leaves up; the rest.

        With a survey that they are `of`, only while it is worked on.
        """
        found = self._db.execute(below.consistent()).all()
        while len(found) > TOGETHER:
            with self._db.transaction() as tx:
                if of is not None:
                    tx.check(self._survey(of), is_in(Survey.status, IN_WORK))
                for part in found[-TOGETHER:]:
                    tx.delete(part)
            del found[-TOGETHER:]
        return found


def _made(survey: Survey) -> str | None:
    """When a survey was made, which tells it from a later one with the same id."""
    known = stored(survey)
    return None if known is None else known.created
