"""What all parts of the store share: an open table, and the one tenant whose part of it they may see."""

from typing import TypeVar

from tablewright import Entity, Key, Session, key
from tablewright.errors import NotFoundError

from .surveys import Survey, SurveyComponent, SurveyElement, SurveySection

E = TypeVar("E", bound=Entity)


class TenantStore:
    """The part of the table that belongs to one tenant. No method takes a tenant, so none can name another."""

    def __init__(self, db: Session, tenant_id: str) -> None:
        self._db = db
        self.tenant_id = tenant_id

    def _survey(self, survey_id: str) -> Key[Survey]:
        return key(Survey, tenant_id=self.tenant_id, survey_id=survey_id)

    def _section(self, survey_id: str, section_id: str) -> Key[SurveySection]:
        return key(SurveySection, tenant_id=self.tenant_id, survey_id=survey_id, section_id=section_id)

    def _element(self, survey_id: str, section_id: str, element_id: str) -> Key[SurveyElement]:
        return key(
            SurveyElement,
            tenant_id=self.tenant_id,
            survey_id=survey_id,
            section_id=section_id,
            element_id=element_id,
        )

    def _component(self, survey_id: str, section_id: str, element_id: str, component_id: str) -> Key[SurveyComponent]:
        return key(
            SurveyComponent,
            tenant_id=self.tenant_id,
            survey_id=survey_id,
            section_id=section_id,
            element_id=element_id,
            component_id=component_id,
        )

    def _get(self, target: Key[E]) -> E:
        found = self._db.get(target)
        if found is None:
            raise NotFoundError(f"There is no such {target.entity.__name__}.", operation="get", key=target.fields)
        return found
