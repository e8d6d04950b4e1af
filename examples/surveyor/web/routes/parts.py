"""The parts of surveys: sections, their elements, and the components of these. Each is changed on its own."""

from typing import Annotated, cast

from fastapi import APIRouter, Path, Response

from examples.surveyor.base import Id
from examples.surveyor.edits import ComponentChanges, ElementChanges, SectionChanges
from examples.surveyor.web.callers import AsEditor, AsViewer
from examples.surveyor.web.problems import responses
from examples.surveyor.web.shapes import (
    ComponentShown,
    Cursor,
    ElementShown,
    ExpectedVersion,
    Limit,
    Listed,
    NewComponent,
    NewElement,
    NewSection,
    SectionShown,
)

SectionId = Annotated[Id, Path(description="Which section of the survey.")]
ElementId = Annotated[Id, Path(description="Which element of the section.")]
ComponentId = Annotated[Id, Path(description="Which component of the element.")]

SECTIONS = "/surveys/{survey_id}/sections"
ELEMENTS = SECTIONS + "/{section_id}/elements"
COMPONENTS = ELEMENTS + "/{element_id}/components"
CHANGED = responses(403, 409)

router = APIRouter(tags=["parts of surveys"], responses=responses(400, 401, 404))

# ----------------------------------------------------------------------------------------------------------- sections


@router.get(SECTIONS)
def list_sections(at: AsViewer, limit: Limit = 100, cursor: Cursor = None) -> Listed[SectionShown]:
    """The sections of a survey, in their order."""
    page = at.store.sections(at.survey_id, limit, cursor)
    return Listed.of(map(SectionShown.of, page), page)


@router.post(SECTIONS, status_code=201, responses=CHANGED)
def add_section(at: AsEditor, new: NewSection, response: Response) -> SectionShown:
    """Adds a section; the survey counts it in the same transaction."""
    details = cast(SectionChanges, new.details("section_id", "name", "position"))
    made = at.store.add_section(at.survey_id, new.name, new.position, section_id=new.section_id, details=details)
    response.headers["Location"] = f"/surveys/{at.survey_id}/sections/{made.section_id}"
    return SectionShown.of(made)


@router.get(SECTIONS + "/{section_id}")
def show_section(at: AsViewer, section_id: SectionId) -> SectionShown:
    """One section, without its elements."""
    return SectionShown.of(at.store.section(at.survey_id, section_id))


@router.patch(SECTIONS + "/{section_id}", responses=CHANGED)
def update_section(
    at: AsEditor, section_id: SectionId, changes: SectionChanges, expected_version: ExpectedVersion = None
) -> SectionShown:
    """Changes what is given; the rest stays. People who work in different sections never meet."""
    return SectionShown.of(
        at.store.update_section(at.survey_id, section_id, changes, expected_version=expected_version)
    )


@router.delete(SECTIONS + "/{section_id}", status_code=204, responses=CHANGED)
def remove_section(at: AsEditor, section_id: SectionId, expected_version: ExpectedVersion = None) -> None:
    """Deletes a section with all below it; the survey's counts follow."""
    at.store.remove_section(at.survey_id, section_id, expected_version=expected_version)


@router.post(SECTIONS + "/{section_id}/completion", responses=CHANGED)
def complete_section(at: AsEditor, section_id: SectionId, expected_version: ExpectedVersion = None) -> SectionShown:
    """The caller is done with a section; the survey counts it in the same transaction."""
    return SectionShown.of(
        at.store.complete_section(at.survey_id, section_id, at.caller.user_id, expected_version=expected_version)
    )


@router.delete(SECTIONS + "/{section_id}/completion", responses=CHANGED)
def reopen_section(at: AsEditor, section_id: SectionId, expected_version: ExpectedVersion = None) -> SectionShown:
    """A section is to be looked at again."""
    return SectionShown.of(at.store.reopen_section(at.survey_id, section_id, expected_version=expected_version))


# ----------------------------------------------------------------------------------------------------------- elements


@router.get(ELEMENTS)
def list_elements(
    at: AsViewer, section_id: SectionId, limit: Limit = 100, cursor: Cursor = None
) -> Listed[ElementShown]:
    """The elements of a section, in their order."""
    page = at.store.elements(at.survey_id, section_id, limit, cursor)
    return Listed.of(map(ElementShown.of, page), page)


@router.post(ELEMENTS, status_code=201, responses=CHANGED)
def add_element(at: AsEditor, section_id: SectionId, new: NewElement, response: Response) -> ElementShown:
    """Adds an element to a section."""
    details = cast(ElementChanges, new.details("element_id", "name", "position"))
    made = at.store.add_element(
        at.survey_id, section_id, new.name, new.position, element_id=new.element_id, details=details
    )
    response.headers["Location"] = f"/surveys/{at.survey_id}/sections/{section_id}/elements/{made.element_id}"
    return ElementShown.of(made)


@router.get(ELEMENTS + "/{element_id}")
def show_element(at: AsViewer, section_id: SectionId, element_id: ElementId) -> ElementShown:
    """One element, without its components."""
    return ElementShown.of(at.store.element(at.survey_id, section_id, element_id))


@router.patch(ELEMENTS + "/{element_id}", responses=CHANGED)
def update_element(
    at: AsEditor,
    section_id: SectionId,
    element_id: ElementId,
    changes: ElementChanges,
    expected_version: ExpectedVersion = None,
) -> ElementShown:
    """Changes what is given; the rest stays."""
    return ElementShown.of(
        at.store.update_element(at.survey_id, section_id, element_id, changes, expected_version=expected_version)
    )


@router.delete(ELEMENTS + "/{element_id}", status_code=204, responses=CHANGED)
def remove_element(
    at: AsEditor, section_id: SectionId, element_id: ElementId, expected_version: ExpectedVersion = None
) -> None:
    """Deletes an element with its components."""
    at.store.remove_element(at.survey_id, section_id, element_id, expected_version=expected_version)


# --------------------------------------------------------------------------------------------------------- components


@router.get(COMPONENTS)
def list_components(
    at: AsViewer, section_id: SectionId, element_id: ElementId, limit: Limit = 100, cursor: Cursor = None
) -> Listed[ComponentShown]:
    """The components of an element, in their order."""
    page = at.store.components(at.survey_id, section_id, element_id, limit, cursor)
    return Listed.of(map(ComponentShown.of, page), page)


@router.post(COMPONENTS, status_code=201, responses=CHANGED)
def add_component(
    at: AsEditor, section_id: SectionId, element_id: ElementId, new: NewComponent, response: Response
) -> ComponentShown:
    """Adds a component to an element."""
    details = cast(ComponentChanges, new.details("component_id", "name", "position"))
    made = at.store.add_component(
        at.survey_id, section_id, element_id, new.name, new.position, component_id=new.component_id, details=details
    )
    within = f"/surveys/{at.survey_id}/sections/{section_id}/elements/{element_id}"
    response.headers["Location"] = f"{within}/components/{made.component_id}"
    return ComponentShown.of(made)


@router.get(COMPONENTS + "/{component_id}")
def show_component(
    at: AsViewer, section_id: SectionId, element_id: ElementId, component_id: ComponentId
) -> ComponentShown:
    """One component."""
    return ComponentShown.of(at.store.component(at.survey_id, section_id, element_id, component_id))


@router.patch(COMPONENTS + "/{component_id}", responses=CHANGED)
def update_component(
    at: AsEditor,
    section_id: SectionId,
    element_id: ElementId,
    component_id: ComponentId,
    changes: ComponentChanges,
    expected_version: ExpectedVersion = None,
) -> ComponentShown:
    """Changes what is given; the rest stays."""
    return ComponentShown.of(
        at.store.update_component(
            at.survey_id, section_id, element_id, component_id, changes, expected_version=expected_version
        )
    )


@router.delete(COMPONENTS + "/{component_id}", status_code=204, responses=CHANGED)
def remove_component(
    at: AsEditor,
    section_id: SectionId,
    element_id: ElementId,
    component_id: ComponentId,
    expected_version: ExpectedVersion = None,
) -> None:
    """Deletes a component."""
    at.store.remove_component(at.survey_id, section_id, element_id, component_id, expected_version=expected_version)
