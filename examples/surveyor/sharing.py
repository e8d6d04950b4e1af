"""Who may see a survey: its owner, editors and viewers. The survey's lists, the owner's index and the Access items agree always."""

from dataclasses import dataclass
from typing import Literal

from tablewright import Page

from .base import Role
from .surveys import Access, Survey
from .tenancy import TenantStore


class NotAllowed(PermissionError):
    """Somebody may not do this with a survey, or may not see it at all."""


@dataclass(frozen=True)
class SharedSurvey:
    """A survey and what somebody may do with it."""

    role: Role
    survey: Survey


class Sharing(TenantStore):
    """Who may do what."""

    def role_of(self, survey_id: str, user_id: str) -> Role | None:
        """What somebody is for a survey; None if it is not for them."""
        raise NotImplementedError

    def allow(self, survey_id: str, user_id: str, role: Role) -> Role:
        """The role of somebody who may at least do what `role` may; NotAllowed if they may not."""
        raise NotImplementedError

    def people(self, survey_id: str) -> list[Access]:
        """Everybody who may see a survey, and as what."""
        raise NotImplementedError

    def surveys_seen_by(self, user_id: str, limit: int = 25, cursor: str | None = None) -> Page[SharedSurvey]:
        """A page of the surveys that somebody may see, as owner, editor or viewer."""
        raise NotImplementedError

    def share(self, survey_id: str, user_id: str, role: Literal["editor", "viewer"]) -> Survey:
        """Lets somebody see a survey, or gives them another role. The owner keeps theirs: NotAllowed."""
        raise NotImplementedError

    def unshare(self, survey_id: str, user_id: str) -> Survey:
        """Takes a survey away from an editor or viewer. NotFoundError if it was not shared with them."""
        raise NotImplementedError

    def hand_over(self, survey_id: str, owner: str) -> Survey:
        """Gives a survey another owner; the one before stays as an editor."""
        raise NotImplementedError
