"""How surveys get on: sections are completed and reopened, and surveys go from draft to archive."""

from datetime import datetime

from .base import SurveyStatus
from .surveys import Survey, SurveySection
from .tenancy import TenantStore


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
        raise NotImplementedError

    def reopen_section(self, survey_id: str, section_id: str, *, expected_version: int | None = None) -> SurveySection:
        """A section is to be looked at again; the survey's count goes down in the same transaction."""
        raise NotImplementedError

    def move_survey(self, survey_id: str, status: SurveyStatus, *, expected_version: int | None = None) -> Survey:
        """Moves a survey to another status. ConditionalCheckError if it cannot go there from where it is."""
        raise NotImplementedError
