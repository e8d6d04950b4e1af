"""The changes of surveys and their sections that have a name, each with what must hold for it."""

from datetime import datetime

from tablewright import exists, is_in, missing, require

from .base import surveyor
from .surveys import Survey, SurveySection


@surveyor.change
def complete_section(s: SurveySection, at: datetime, by: str) -> None:
    "Somebody is done with a section; the survey's count is written with it."
    require(missing(s.completed_at))
    s.completed_at, s.completed_by, s.sync_status = at, by, "pending"


@surveyor.change
def reopen_section(s: SurveySection) -> None:
    "A section is to be looked at again."
    require(exists(s.completed_at))
    s.completed_at, s.completed_by, s.sync_status = None, None, "pending"


@surveyor.change
def start_work(s: Survey) -> None:
    "Work on a survey begins, or begins again after it was thought to be done."
    require(is_in(s.status, ["draft", "completed", "published"]))
    s.status, s.sync_status = "in_progress", "pending"


@surveyor.change
def finish_work(s: Survey, sections: int) -> None:
    "All sections of a survey, so many, are completed."
    require(s.status == "in_progress")
    require(s.section_count == sections)
    require(s.completed_sections == sections)
    s.status, s.sync_status = "completed", "pending"


@surveyor.change
def publish(s: Survey) -> None:
    "A completed survey is shown to the client."
    require(s.status == "completed")
    s.status, s.sync_status = "published", "pending"


@surveyor.change
def archive(s: Survey) -> None:
    "A survey is put away."
    require(s.status != "archived")
    s.status, s.sync_status = "archived", "pending"


@surveyor.change
def take_out(s: Survey) -> None:
    "A survey that was put away is a draft again."
    require(s.status == "archived")
    s.status, s.sync_status = "draft", "pending"


@surveyor.change
def hand_over(s: Survey, owner: str, editors: list[str], viewers: list[str]) -> None:
    "A survey gets another owner; GSI5 follows, the Access items are written with it."
    s.owner, s.editors, s.viewers, s.sync_status = owner, editors, viewers, "pending"


@surveyor.change
def share_with(s: Survey, editors: list[str], viewers: list[str]) -> None:
    "A survey is shared with these people; the Access items are written with it."
    s.editors, s.viewers, s.sync_status = editors, viewers, "pending"
