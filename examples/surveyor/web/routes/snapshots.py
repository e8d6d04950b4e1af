"""Snapshots of the library, which surveys go by. None is ever changed."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path

from examples.surveyor.web.callers import AsEditor, AsViewer
from examples.surveyor.web.library_shapes import ConfigShown, SnapshotShown
from examples.surveyor.web.problems import responses
from examples.surveyor.web.shapes import Moment

router = APIRouter(prefix="/surveys/{survey_id}/snapshots", tags=["snapshots"], responses=responses(400, 401, 404))


@router.get("")
def list_snapshots(at: AsViewer) -> list[ConfigShown]:
    """When snapshots were taken for a survey, newest first."""
    return [ConfigShown.of(each) for each in at.store.snapshots(at.survey_id)]


@router.post("", status_code=201, responses=responses(403, 409))
def take_snapshot(at: AsEditor) -> ConfigShown:
    """Keeps the library as it is now, and makes the survey go by it."""
    return ConfigShown.of(at.store.take_snapshot(at.survey_id))


@router.get("/{taken_at}")
def show_snapshot(
    at: AsViewer, taken_at: Annotated[Moment, Path(description="When it was taken, as the list tells it.")]
) -> SnapshotShown:
    """The library as it was then."""
    moment: datetime = taken_at
    return SnapshotShown.of_snapshot(moment, at.store.snapshot(at.survey_id, moment))
