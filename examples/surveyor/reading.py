"""Reading surveys: lists, whole trees, and one level after another for screens that show no more."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tablewright import Entity, Page, key

from . import patterns as p
from .base import SURVEYS_ARE_WITH
from .others import Tenant
from .patterns import Parts, Snapshot
from .surveys import Outline, Survey, SurveyComponent, SurveyElement, SurveySection, SurveyTree
from .tenancy import TenantStore


@dataclass(frozen=True)
class Ref:
    """An item of the tenant by its own ids: `Ref(SurveySection, {"survey_id": "s1", "section_id": "roof"})`."""

    entity: type[Entity]
    ids: Mapping[str, Any]


@dataclass(frozen=True)
class CompleteSurvey:
    """A survey with all its parts, and the library as it was when the survey's current snapshot was taken."""

    tree: SurveyTree
    config: Snapshot | None


class Reading(TenantStore):
    """What screens and reports show."""

    def tenant(self) -> Tenant:
        """The tenant itself. NotFoundError if there is none."""
        return self._get(key(Tenant, tenant_id=self.tenant_id))

    # ------------------------------------------------------------------------------------------------- lists

    def surveys(self, limit: int = 25, cursor: str | None = None) -> Page[Outline]:
        """A page of the tenant's surveys, without their parts; `page.cursor` leads to the next one."""
        return self._db.run(p.surveys_of_tenant, self.tenant_id).page(limit, cursor)

    def every_survey(self) -> Iterator[Outline]:
        """All surveys of the tenant, one page of 25 at a time, as they are needed."""
        return iter(self._db.run(p.surveys_of_tenant, self.tenant_id))

    def surveys_owned_by(self, user_id: str, limit: int = 25, cursor: str | None = None) -> Page[Survey]:
        """A page of the surveys that belong to somebody."""
        return self._db.run(p.surveys_owned_by, self.tenant_id, user_id).page(limit, cursor)

    # --------------------------------------------------------------------------------------- a survey as a whole

    def complete_survey(self, survey_id: str, *, consistent: bool = False) -> SurveyTree:
        """A survey with sections, elements and components as a tree, each level in its order, read with one query.

        `tree.orphans` are parts whose parent is missing. NotFoundError if there is no survey. It is the operation that people wait
        for, so that it is measured as a whole: GetCompleteSurvey.
        """
        with self._db.track("GetCompleteSurvey"):
            return self._db.load_tree(SurveyTree, self._survey(survey_id), consistent=consistent)

    def complete_survey_with_config(self, survey_id: str) -> CompleteSurvey:
        """The same with the survey's current snapshot of the library: two queries, none where no snapshot was taken."""
        tree = self.complete_survey(survey_id)
        taken_at = tree.entity.current_config
        config = None if taken_at is None else self._db.run(p.snapshot, self.tenant_id, survey_id, taken_at)
        return CompleteSurvey(tree, config)

    def parts(self, survey_id: str, limit: int = 100, cursor: str | None = None) -> Page[Parts]:
        """A page of all that a survey consists of, in key order: the survey first, each section before its elements."""
        return self._db.run(p.whole_survey, self.tenant_id, survey_id).page(limit, cursor)

    # --------------------------------------------------------------------------------------- one level at a time

    def survey(self, survey_id: str) -> Survey:
        """What a survey is about, without its parts. NotFoundError if there is none."""
        return self._get(self._survey(survey_id))

    def section(self, survey_id: str, section_id: str) -> SurveySection:
        """One section. NotFoundError if there is none."""
        return self._get(self._section(survey_id, section_id))

    def element(self, survey_id: str, section_id: str, element_id: str) -> SurveyElement:
        """One element. NotFoundError if there is none."""
        return self._get(self._element(survey_id, section_id, element_id))

    def component(self, survey_id: str, section_id: str, element_id: str, component_id: str) -> SurveyComponent:
        """One component. NotFoundError if there is none."""
        return self._get(self._component(survey_id, section_id, element_id, component_id))

    def sections(self, survey_id: str, limit: int = 100, cursor: str | None = None) -> Page[SurveySection]:
        """A page of a survey's sections, in their order."""
        return self._db.run(p.sections_of, self.tenant_id, survey_id).page(limit, cursor)

    def elements(
        self, survey_id: str, section_id: str, limit: int = 100, cursor: str | None = None
    ) -> Page[SurveyElement]:
        """A page of a section's elements, in their order."""
        return self._db.run(p.elements_of, self.tenant_id, survey_id, section_id).page(limit, cursor)

    def components(
        self, survey_id: str, section_id: str, element_id: str, limit: int = 100, cursor: str | None = None
    ) -> Page[SurveyComponent]:
        """A page of an element's components, in their order."""
        return self._db.run(p.components_of, self.tenant_id, survey_id, section_id, element_id).page(limit, cursor)

    # ------------------------------------------------------------------------------------------------- many items

    def everything(self) -> Iterator[Entity]:
        """All that the tenant's partition holds, of every kind, page after page; surveys that have partitions of their
        own after it."""
        yield from self._db.run(p.everything_of, self.tenant_id)
        if SURVEYS_ARE_WITH == "survey":
            for outline in self.every_survey():
                yield from self._db.run(p.whole_survey, self.tenant_id, outline.survey_id)
                yield from self._db.execute(p.snapshots_of(self.tenant_id, outline.survey_id))

    def items(self, refs: Sequence[Ref]) -> list[Entity | None]:
        """Items of any kinds, in the order asked for, a hundred in a request; None where there is none."""
        return self._db.get_many([key(ref.entity, tenant_id=self.tenant_id, **ref.ids) for ref in refs])
