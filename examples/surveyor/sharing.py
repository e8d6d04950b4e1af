"""Who may see a survey: its owner, editors and viewers.

The survey's lists, the index of owners and the Access items are written in one transaction, so that they always agree.
"""

from dataclasses import dataclass
from typing import Literal

from tablewright import Page, key

from . import changes
from . import patterns as p
from .base import Role
from .surveys import MOST_PEOPLE, Access, Survey
from .tenancy import Refused, TenantStore, missing_item

RANKS: dict[Role, int] = {"viewer": 1, "editor": 2, "owner": 3}


class NotAllowed(PermissionError):
    """Somebody may not do this with a survey; `role` is what they are for it, None if they may not even see it."""

    def __init__(self, message: str, role: Role | None = None) -> None:
        super().__init__(message)
        self.role = role


@dataclass(frozen=True)
class SharedSurvey:
    """A survey and what somebody may do with it."""

    role: Role
    survey: Survey


class Sharing(TenantStore):
    """Who may do what."""

    def role_of(self, survey_id: str, user_id: str) -> Role | None:
        """What somebody is for a survey; None if it is not for them."""
        found = self._db.run(p.access, self.tenant_id, user_id, survey_id)
        return None if found is None else found.role

    def allow(self, survey_id: str, user_id: str, role: Role) -> Role:
        """The role of somebody who may at least do what `role` may; NotAllowed if they may not."""
        held = self.role_of(survey_id, user_id)
        if held is None or RANKS[held] < RANKS[role]:
            raise NotAllowed(f"This takes the {role} of the survey.", held)
        return held

    def people(self, survey_id: str) -> list[Access]:
        """Everybody who may see a survey, and as what."""
        return self._db.run(p.people_of, self.tenant_id, survey_id).all()

    def surveys_seen_by(self, user_id: str, limit: int = 25, cursor: str | None = None) -> Page[SharedSurvey]:
        """A page of the surveys that somebody may see, as owner, editor or viewer."""
        page = self._db.run(p.surveys_seen_by, self.tenant_id, user_id).page(limit, cursor)
        surveys = self._db.get_many([self._survey(access.survey_id) for access in page])
        seen = [
            SharedSurvey(access.role, survey)
            for access, survey in zip(page, surveys, strict=True)
            if survey is not None
        ]
        return Page(tuple(seen), page.cursor)

    def share(self, survey_id: str, user_id: str, role: Literal["editor", "viewer"]) -> Survey:
        """Lets somebody see a survey, or gives them another role. The owner keeps theirs: NotAllowed."""
        return self._until_alone(lambda: self._share(survey_id, user_id, role))

    def unshare(self, survey_id: str, user_id: str) -> Survey:
        """Takes a survey away from an editor or viewer; NotFoundError if it was not shared with them."""
        return self._until_alone(lambda: self._share(survey_id, user_id, None))

    def hand_over(self, survey_id: str, owner: str) -> Survey:
        """Gives a survey another owner; the one before stays as an editor, or as a viewer if there are editors enough.

        Refused if there is room for them nowhere.
        """
        return self._until_alone(lambda: self._hand_over(survey_id, owner))

    def _share(self, survey_id: str, user_id: str, role: Literal["editor", "viewer"] | None) -> Survey:
        survey = self._get(self._survey(survey_id), consistent=True)
        if user_id == survey.owner:
            raise NotAllowed("A survey stays with its owner until it is handed over.", "owner")
        if role is None and user_id not in (*survey.editors, *survey.viewers):
            raise missing_item(Access)
        editors, viewers = _without(survey.editors, user_id), _without(survey.viewers, user_id)
        if role is not None:
            (editors if role == "editor" else viewers).append(user_id)
        with self._db.transaction() as tx:
            tx.apply(changes.share_with, survey, editors=editors, viewers=viewers)
            if role is None:
                tx.delete(key(Access, tenant_id=self.tenant_id, user_id=user_id, survey_id=survey_id))
            else:
                tx.put(self._access(survey_id, user_id, role))
        return self._get(self._survey(survey_id), consistent=True)

    def _hand_over(self, survey_id: str, owner: str) -> Survey:
        survey = self._get(self._survey(survey_id), consistent=True)
        if owner == survey.owner:
            return survey
        editors, viewers = _without(survey.editors, owner), _without(survey.viewers, owner)
        role: Role = "editor" if len(editors) < MOST_PEOPLE else "viewer"
        if role == "viewer" and len(viewers) == MOST_PEOPLE:
            raise Refused("The survey has no room for its owner as editor or viewer; take it away from somebody first.")
        (editors if role == "editor" else viewers).append(survey.owner)
        with self._db.transaction() as tx:
            tx.apply(changes.hand_over, survey, owner=owner, editors=editors, viewers=viewers)
            tx.put(self._access(survey_id, owner, "owner"))
            tx.put(self._access(survey_id, survey.owner, role))
        return self._get(self._survey(survey_id), consistent=True)

    def _access(self, survey_id: str, user_id: str, role: Role) -> Access:
        return Access(tenant_id=self.tenant_id, user_id=user_id, survey_id=survey_id, role=role)


def _without(people: list[str], user_id: str) -> list[str]:
    return [each for each in people if each != user_id]
