"""Editing surveys: each part is an item of its own, so that people who work in different parts never meet.

Whoever gives the version that they saw (`expected_version`) is refused with ConcurrentModificationError if somebody
else was faster; whoever gives none changes only the fields that they name. Whatever is written waits to be synchronised;
an edit without a field writes nothing, and is Refused.
"""

from tablewright import Transaction, between

from .edits import (
    LOST_EDITS,
    ComponentChanges,
    ElementChanges,
    SectionChanges,
    SurveyChanges,
    SurveyEdit,
    checked,
    edited,
)
from .surveys import Survey, SurveyComponent, SurveyElement, SurveySection
from .tenancy import PENDING, Refused, TenantStore, expecting


class Editing(TenantStore):
    """What people change in surveys."""

    def update_survey(self, survey_id: str, changes: SurveyChanges, *, expected_version: int | None = None) -> Survey:
        """Changes what a survey is about; its status has `move_survey`, its people have `share` and `hand_over`."""
        return self._db.update(
            self._survey(survey_id),
            set=edited(SurveyChanges, changes),
            expected_version=expecting(expected_version),
        )

    def update_section(
        self, survey_id: str, section_id: str, changes: SectionChanges, *, expected_version: int | None = None
    ) -> SurveySection:
        """Changes one section: one item is written. NotFoundError if there is none."""
        return self._db.update(
            self._section(survey_id, section_id),
            set=edited(SectionChanges, changes),
            expected_version=expecting(expected_version),
        )

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
        return self._db.update(
            self._element(survey_id, section_id, element_id),
            set=edited(ElementChanges, changes),
            expected_version=expecting(expected_version),
        )

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
        return self._db.update(
            self._component(survey_id, section_id, element_id, component_id),
            set=edited(ComponentChanges, changes),
            expected_version=expecting(expected_version),
        )

    def edit_survey(self, survey_id: str, edit: SurveyEdit) -> Survey:
        """Makes all changes of an edit in one transaction, or none; returns the survey as it is then.

        ConditionalCheckError if an edit with this mutation_id, or a later one, was made before, or none near it; Refused
        if it changes nothing.
        """
        if not (edit.survey or edit.sections or edit.elements or edit.components or edit.mutation_id):
            raise Refused("There is nothing to change: no field is given.")
        with self._db.transaction() as tx:
            self._add_survey(tx, survey_id, edit)
            self._add_parts(tx, survey_id, edit)
        return self._get(self._survey(survey_id), consistent=True)

    def _add_survey(self, tx: Transaction, survey_id: str, edit: SurveyEdit) -> None:
        changes = checked(SurveyChanges, edit.survey) | PENDING
        new = None
        if edit.mutation_id is not None:
            changes["last_mutation_id"] = edit.mutation_id
            new = between(Survey.last_mutation_id, max(0, edit.mutation_id - LOST_EDITS), edit.mutation_id - 1)
        tx.update(self._survey(survey_id), set=changes, when=new, expected_version=expecting(edit.expected_version))

    def _add_parts(self, tx: Transaction, survey_id: str, edit: SurveyEdit) -> None:
        for section in edit.sections:
            tx.update(
                self._section(survey_id, section.section_id),
                set=edited(SectionChanges, section.changes),
                expected_version=expecting(section.expected_version),
            )
        for element in edit.elements:
            tx.update(
                self._element(survey_id, element.section_id, element.element_id),
                set=edited(ElementChanges, element.changes),
                expected_version=expecting(element.expected_version),
            )
        for component in edit.components:
            tx.update(
                self._component(survey_id, component.section_id, component.element_id, component.component_id),
                set=edited(ComponentChanges, component.changes),
                expected_version=expecting(component.expected_version),
            )
