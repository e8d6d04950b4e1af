"""Surveys: lists, whole trees, and what each is about."""

from typing import cast

from fastapi import APIRouter, Response

from examples.surveyor.edits import SurveyChanges, SurveyEdit
from examples.surveyor.web.callers import AsEditor, AsOwner, AsViewer, Calling, Store
from examples.surveyor.web.library_shapes import ItemShown
from examples.surveyor.web.problems import responses
from examples.surveyor.web.shapes import (
    Cursor,
    ExpectedVersion,
    Limit,
    Listed,
    Move,
    NewSurvey,
    SharedShown,
    SurveyShown,
    WholeSurvey,
)

router = APIRouter(prefix="/surveys", tags=["surveys"], responses=responses(400, 401, 404))


@router.get("")
def list_surveys(store: Store, calling: Calling, limit: Limit = 25, cursor: Cursor = None) -> Listed[SharedShown]:
    """The surveys that the caller may see, as owner, editor or viewer."""
    page = store.surveys_seen_by(calling.user_id, limit, cursor)
    return Listed.of(map(SharedShown.of_shared, page), page)


@router.post("", status_code=201, responses=responses(409))
def create_survey(store: Store, calling: Calling, new: NewSurvey, response: Response) -> SurveyShown:
    """Makes a survey without sections. It belongs to the caller; editors and viewers may be named at once."""
    made = store.create_survey(
        new.title,
        calling.user_id,
        survey_id=new.survey_id,
        editors=new.editors,
        viewers=new.viewers,
        details=cast(SurveyChanges, new.details("survey_id", "title", "editors", "viewers")),
    )
    response.headers["Location"] = f"/surveys/{made.survey_id}"
    return SurveyShown.of(made)


@router.get("/{survey_id}")
def show_survey(at: AsViewer) -> SurveyShown:
    """What a survey is about, without its parts."""
    return SurveyShown.of(at.store.survey(at.survey_id))


@router.get("/{survey_id}/whole")
def show_whole_survey(at: AsViewer) -> WholeSurvey:
    """A survey with its sections, elements and components, each level in its order, read with one query."""
    return WholeSurvey.of_tree(at.store.complete_survey(at.survey_id))


@router.get("/{survey_id}/parts")
def list_parts(at: AsViewer, limit: Limit = 100, cursor: Cursor = None) -> Listed[ItemShown]:
    """All that a survey consists of, page by page: the survey first, each section before its elements."""
    page = at.store.parts(at.survey_id, limit, cursor)
    return Listed.of(map(ItemShown.of, page), page)


@router.patch("/{survey_id}", responses=responses(403, 409))
def update_survey(at: AsEditor, changes: SurveyChanges, expected_version: ExpectedVersion = None) -> SurveyShown:
    """Changes what is given; the rest stays."""
    return SurveyShown.of(at.store.update_survey(at.survey_id, changes, expected_version=expected_version))


@router.post("/{survey_id}/edits", responses=responses(403, 409))
def edit_survey(at: AsEditor, edit: SurveyEdit) -> SurveyShown:
    """Changes a survey and many of its parts together, or nothing at all."""
    return SurveyShown.of(at.store.edit_survey(at.survey_id, edit))


@router.post("/{survey_id}/status", responses=responses(403, 409))
def move_survey(at: AsEditor, move: Move, expected_version: ExpectedVersion = None) -> SurveyShown:
    """Moves a survey on. A completed survey can be published, a draft cannot (409)."""
    return SurveyShown.of(at.store.move_survey(at.survey_id, move.status, expected_version=expected_version))


@router.delete("/{survey_id}", status_code=204, responses=responses(403, 409))
def remove_survey(at: AsOwner, expected_version: ExpectedVersion = None) -> None:
    """Deletes a survey with all its parts and snapshots, and takes it from everybody's list. If it fails, send it again: it goes on."""
    at.store.remove_survey(at.survey_id, expected_version=expected_version)
