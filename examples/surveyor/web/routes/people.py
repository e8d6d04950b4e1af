"""Who may see a survey. Only its owner says so."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path

from examples.surveyor.base import Id
from examples.surveyor.web.callers import AsOwner, AsViewer
from examples.surveyor.web.problems import responses
from examples.surveyor.web.shapes import NewOwner, PersonShown, Sent, SurveyShown

router = APIRouter(prefix="/surveys/{survey_id}", tags=["people"], responses=responses(400, 401, 404))

UserId = Annotated[Id, Path(description="Who it is about.")]


class NewRole(Sent):
    """What somebody may do."""

    role: Literal["editor", "viewer"]


@router.get("/people")
def list_people(at: AsViewer) -> list[PersonShown]:
    """Everybody who may see a survey, and as what."""
    return [PersonShown.of(each) for each in at.store.people(at.survey_id)]


@router.put("/people/{user_id}", responses=responses(403, 409))
def share(at: AsOwner, user_id: UserId, new: NewRole) -> SurveyShown:
    """Lets somebody see a survey, or gives them another role. The owner keeps theirs."""
    return SurveyShown.of(at.store.share(at.survey_id, user_id, new.role))


@router.delete("/people/{user_id}", responses=responses(403, 409))
def unshare(at: AsOwner, user_id: UserId) -> SurveyShown:
    """Takes a survey away from an editor or viewer."""
    return SurveyShown.of(at.store.unshare(at.survey_id, user_id))


@router.put("/owner", responses=responses(403, 409))
def hand_over(at: AsOwner, new: NewOwner) -> SurveyShown:
    """Gives a survey to somebody else; the caller stays as an editor."""
    return SurveyShown.of(at.store.hand_over(at.survey_id, new.owner))
