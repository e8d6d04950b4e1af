"""The tenant's library: sections, elements and components that surveys are made of."""

from collections.abc import Sequence
from typing import TypeVar

from tablewright import ulid

from . import patterns as p
from .library import Component, Element, Material, Section
from .patterns import Library
from .tenancy import TenantStore, missing_item

T = TypeVar("T", Section, Element, Component)


class Templates(TenantStore):
    """What new surveys are made from."""

    def library(self) -> Library:
        """All sections, elements and components, each kind in its order, read with one query."""
        return self._db.run(p.library_of, self.tenant_id)

    def library_sections(self) -> list[Section]:
        """The sections of the library, in their order."""
        return self._db.run(p.library_sections, self.tenant_id).all()

    def library_elements(self, section_id: str) -> list[Element]:
        """The elements for a section, in their order."""
        return self._db.run(p.library_elements, self.tenant_id, section_id).all()

    def library_components(self, element_id: str) -> list[Component]:
        """The components for an element, in their order."""
        return self._db.run(p.library_components, self.tenant_id, element_id).all()

    def add_library_section(
        self,
        name: str,
        position: int,
        *,
        section_id: str | None = None,
        description: str = "",
        category: str | None = None,
        tags: Sequence[str] = (),
        created_by: str | None = None,
    ) -> Section:
        """A new section for surveys."""
        return self._db.create(
            Section(
                tenant_id=self.tenant_id,
                section_id=section_id or ulid(),
                name=name,
                position=position,
                description=description,
                category=category,
                tags=list(tags),
                created_by=created_by,
            )
        )

    def add_library_element(
        self, section_id: str, name: str, position: int, *, element_id: str | None = None, description: str = ""
    ) -> Element:
        """A new element for a section."""
        return self._db.create(
            Element(
                tenant_id=self.tenant_id,
                element_id=element_id or ulid(),
                section_id=section_id,
                name=name,
                position=position,
                description=description,
            )
        )

    def add_library_component(
        self,
        element_id: str,
        name: str,
        position: int = 0,
        *,
        component_id: str | None = None,
        materials: Sequence[str] = (),
    ) -> Component:
        """A new component for an element."""
        return self._db.create(
            Component(
                tenant_id=self.tenant_id,
                component_id=component_id or ulid(),
                element_id=element_id,
                name=name,
                position=position,
                materials=[Material(name=each) for each in materials],
            )
        )

    def save_template(self, template: T) -> T:
        """Stores a section, element or component that was read and changed.

        ConcurrentModificationError if somebody else was faster, NotFoundError if it is gone, or another tenant's.
        """
        changed = self._own(template).model_copy(update={"sync_status": "pending", "sync_error": None})
        return self._db.save(changed)

    def remove_template(self, template: T) -> None:
        """Takes a section, element or component out of the library. Surveys that were made from it stay as they are."""
        if self._db.delete(self._own(template)) is None:
            raise missing_item(type(template))
