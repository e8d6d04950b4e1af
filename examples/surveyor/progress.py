"""How surveys get on: sections are completed and reopened, and surveys go from draft to archive."""

from datetime import datetime

from tablewright import is_in

from . import changes
from .base import SurveyStatus
from .surveys import Survey, SurveySection
from .tenancy import IN_WORK, PENDING, TenantStore

_MOVES = {
    "draft": changes.take_out,
    "in_progress": changes.start_work,
    "published": changes.publish,
    "archived": changes.archive,
}


class Progress(TenantStore):
    """What people complete."""

    def complete_section(
        self,
        survey_id: str,
        section_id: str,
        by: str,
        *,
        at: datetime | None = None,
        expected_version: int | None = None,
    ) -> SurveySection:
        """Somebody is done with a section; the survey counts it in the same transaction.

        ConditionalCheckError if it is completed already, or if the survey is no longer worked on.
        """
        target = self._section(survey_id, section_id)
        with self._db.transaction() as tx:
            tx.apply(changes.complete_section, self._locked(target, expected_version), at=at or self._clock(), by=by)
            tx.update(
                self._survey(survey_id),
                add={"completed_sections": 1},
                set=PENDING,
                when=is_in(Survey.status, IN_WORK),
            )
        return self._get(target, consistent=True)

    def reopen_section(self, survey_id: str, section_id: str, *, expected_version: int | None = None) -> SurveySection:
        """A section is to be looked at again; the survey's count goes down in the same transaction.

        ConditionalCheckError if it is not completed, or if the survey is no longer worked on.
        """
        target = self._section(survey_id, section_id)
        with self._db.transaction() as tx:
            tx.apply(changes.reopen_section, self._locked(target, expected_version))
            tx.update(
                self._survey(survey_id),
                add={"completed_sections": -1},
                set=PENDING,
                when=is_in(Survey.status, IN_WORK),
            )
        return self._get(target, consistent=True)

    def move_survey(self, survey_id: str, status: SurveyStatus, *, expected_version: int | None = None) -> Survey:
        """Moves a survey to another status. ConditionalCheckError if it cannot go there from where it is."""
        target = self._survey(survey_id)
        if status == "completed":
            survey = self._as_seen(target, expected_version)
            return self._db.apply(changes.finish_work, survey, sections=survey.section_count)
        return self._db.apply(_MOVES[status], self._locked(target, expected_version))
