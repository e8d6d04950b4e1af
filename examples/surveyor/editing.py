"""Editing surveys: each part is an item of its own, so that people who work in different parts never meet.

Whoever gives the version that they saw (`expected_version`) is refused with ConcurrentModificationError if somebody
else was faster; whoever gives none changes only the fields that they name. Whatever is written waits to be synchronised.
"""

from collections.abc import Sequence
from datetime import date, datetime

from pydantic import BaseModel, ConfigDict, Field, with_config
from typing_extensions import TypedDict

from .base import Condition, Id, Line, Notes, Photos, Position
from .surveys import (
    Phrases,
    ShortText,
    Survey,
    SurveyComponent,
    SurveyElement,
    SurveySection,
)
from .tenancy import TenantStore


@with_config(ConfigDict(extra="forbid"))
class SurveyChanges(TypedDict, total=False):
    """What may be changed of a survey; what is not given stays."""

    title: Line
    address: Line
    client_name: Line
    survey_date: date | datetime | None


@with_config(ConfigDict(extra="forbid"))
class SectionChanges(TypedDict, total=False):
    """What may be changed of a section; what is not given stays."""

    name: Line
    position: Position
    notes: Notes
    condition: Condition
    photos: Photos


@with_config(ConfigDict(extra="forbid"))
class ElementChanges(TypedDict, total=False):
    """What may be changed of an element; what is not given stays."""

    name: ShortText
    position: Position
    condition: Condition
    defects: Phrases
    notes: Notes
    photos: Photos
    measurements: dict[str, str]
    materials: list[ShortText]


@with_config(ConfigDict(extra="forbid"))
class ComponentChanges(TypedDict, total=False):
    """What may be changed of a component; what is not given stays."""

    name: ShortText
    position: Position
    material: ShortText
    condition: Condition
    age: ShortText | None
    last_maintenance: ShortText | None
    defects: Phrases
    notes: Notes
    photos: Photos
    specifications: dict[str, str]


class SectionEdit(BaseModel):
    """Changes of one section among those of a survey."""

    section_id: Id
    changes: SectionChanges
    expected_version: int | None = None


class ElementEdit(BaseModel):
    """Changes of one element among those of a survey."""

    section_id: Id
    element_id: Id
    changes: ElementChanges
    expected_version: int | None = None


class ComponentEdit(BaseModel):
    """Changes of one component among those of a survey."""

    section_id: Id
    element_id: Id
    component_id: Id
    changes: ComponentChanges
    expected_version: int | None = None


class SurveyEdit(BaseModel):
    """Changes of a survey and of its parts that are made together or not at all: 99 parts at most.

    `mutation_id` numbers the edits of a device; one that was made already is refused.
    """

    survey: SurveyChanges = Field(default_factory=SurveyChanges)
    sections: list[SectionEdit] = []
    elements: list[ElementEdit] = []
    components: list[ComponentEdit] = []
    expected_version: int | None = None
    mutation_id: int | None = Field(default=None, ge=1)


class Editing(TenantStore):
    """What people change in surveys."""

    # ------------------------------------------------------------------------------------------------ a new survey

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
        raise NotImplementedError

    def remove_survey(self, survey_id: str) -> int:
        """Deletes a survey with its parts, snapshots and Access items; how many items that were.

        The feed tells of it for a month. After a failure the same call goes on with what is left.
        """
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------ single edits

    def update_survey(self, survey_id: str, changes: SurveyChanges, *, expected_version: int | None = None) -> Survey:
        """Changes what a survey is about; its status has `move_survey`, its people have `share` and `hand_over`."""
        raise NotImplementedError

    def update_section(
        self, survey_id: str, section_id: str, changes: SectionChanges, *, expected_version: int | None = None
    ) -> SurveySection:
        """Changes one section: one item is written. NotFoundError if there is none."""
        raise NotImplementedError

    def update_element(
        self,
        survey_id: str,
        section_id: str,
        element_id: str,
        changes: ElementChanges,
        *,
        expected_version: int | None = None,
    ) -> SurveyElement:
        """Changes one element: one item is written. NotFoundError if there is none."""
        raise NotImplementedError

    def update_component(
        self,
        survey_id: str,
        section_id: str,
        element_id: str,
        component_id: str,
        changes: ComponentChanges,
        *,
        expected_version: int | None = None,
    ) -> SurveyComponent:
        """Changes one component: one item is written. NotFoundError if there is none."""
        raise NotImplementedError

    def edit_survey(self, survey_id: str, edit: SurveyEdit) -> Survey:
        """Makes all changes of an edit in one transaction, or none; returns the survey as it is then."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------- parts come and go

    def add_section(
        self,
        survey_id: str,
        name: str,
        position: int,
        *,
        section_id: str | None = None,
        details: SectionChanges | None = None,
    ) -> SurveySection:
        """A new section; the survey counts it in the same transaction."""
        raise NotImplementedError

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
        raise NotImplementedError

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
        raise NotImplementedError

    def remove_section(self, survey_id: str, section_id: str) -> None:
        """Deletes a section with all below it; the survey's counts follow in the same transaction."""
        raise NotImplementedError

    def remove_element(self, survey_id: str, section_id: str, element_id: str) -> None:
        """Deletes an element with its components."""
        raise NotImplementedError

    def remove_component(self, survey_id: str, section_id: str, element_id: str, component_id: str) -> None:
        """Deletes a component. NotFoundError if there is none."""
        raise NotImplementedError
