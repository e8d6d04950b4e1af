"""The library that surveys are made from, and the phrases of reports. Members read it, managers change it."""

from typing import Annotated, cast

from fastapi import APIRouter, Depends, Path, Query, Response

from examples.surveyor.base import Id, PhraseKind
from examples.surveyor.edits import PhraseChanges
from examples.surveyor.web.callers import Calling, Store, manager
from examples.surveyor.web.library_shapes import (
    LibraryComponentShown,
    LibraryElementShown,
    LibrarySectionShown,
    LibraryShown,
    NewLibraryComponent,
    NewLibraryElement,
    NewLibrarySection,
    NewPhrase,
    PhraseShown,
)
from examples.surveyor.web.problems import responses
from examples.surveyor.web.shapes import Cursor, ExpectedVersion, Limit, Listed

router = APIRouter(tags=["library"], responses=responses(400, 401))
managed = APIRouter(tags=["library"], dependencies=[Depends(manager)], responses=responses(400, 401, 403, 404, 409))

Kind = Annotated[PhraseKind, Path(description="What kind of phrase.")]
OfKind = Annotated[PhraseKind | None, Query(description="Of one kind only.")]
PhraseId = Annotated[Id, Path(description="Which phrase.")]


@router.get("/library")
def show_library(store: Store) -> LibraryShown:
    """All sections, elements and components, each kind in its order, read with one query."""
    return LibraryShown.of_library(store.library())


@managed.post("/library/sections", status_code=201)
def add_library_section(store: Store, calling: Calling, new: NewLibrarySection) -> LibrarySectionShown:
    """Adds a section to the library. For managers of the tenant."""
    made = store.add_library_section(**new.model_dump(), created_by=calling.user_id)
    return LibrarySectionShown.of(made)


@managed.post("/library/elements", status_code=201)
def add_library_element(store: Store, new: NewLibraryElement) -> LibraryElementShown:
    """Adds an element for a section of the library. For managers of the tenant."""
    return LibraryElementShown.of(store.add_library_element(**new.model_dump()))


@managed.post("/library/components", status_code=201)
def add_library_component(store: Store, new: NewLibraryComponent) -> LibraryComponentShown:
    """Adds a component for an element of the library. For managers of the tenant."""
    return LibraryComponentShown.of_component(store.add_library_component(**new.model_dump()))


# ------------------------------------------------------------------------------------------------------------ phrases


@router.get("/phrases/{kind}")
def list_phrases(store: Store, kind: Kind, limit: Limit = 100, cursor: Cursor = None) -> Listed[PhraseShown]:
    """The phrases of one kind."""
    page = store.phrases(kind, limit, cursor)
    return Listed.of(map(PhraseShown.of, page), page)


@router.get("/phrases/{kind}/{phrase_id}", responses=responses(404))
def show_phrase(store: Store, kind: Kind, phrase_id: PhraseId) -> PhraseShown:
    """One phrase."""
    return PhraseShown.of(store.phrase(kind, phrase_id))


@router.get("/library/elements/{element_id}/phrases")
def list_phrases_for_element(
    store: Store, element_id: Annotated[Id, Path(description="Which element of the library.")], kind: OfKind = None
) -> list[PhraseShown]:
    """The phrases that are offered for an element of the library."""
    return [PhraseShown.of(each) for each in store.phrases_for_element(element_id, kind)]


@router.get("/library/components/{component_id}/phrases")
def list_phrases_for_component(
    store: Store, component_id: Annotated[Id, Path(description="Which component of the library.")], kind: OfKind = None
) -> list[PhraseShown]:
    """The phrases that are offered for a component of the library."""
    return [PhraseShown.of(each) for each in store.phrases_for_component(component_id, kind)]


@managed.post("/phrases/{kind}", status_code=201)
def add_phrase(store: Store, kind: Kind, new: NewPhrase, response: Response) -> PhraseShown:
    """Adds a phrase, with what it is offered for. For managers of the tenant."""
    details = cast(PhraseChanges, new.details("phrase_id", "name", "text"))
    made = store.add_phrase(kind, new.name, new.text, phrase_id=new.phrase_id, details=details)
    response.headers["Location"] = f"/phrases/{kind}/{made.phrase_id}"
    return PhraseShown.of(made)


@managed.patch("/phrases/{kind}/{phrase_id}")
def update_phrase(
    store: Store, kind: Kind, phrase_id: PhraseId, changes: PhraseChanges, expected_version: ExpectedVersion = None
) -> PhraseShown:
    """Changes what is given of a phrase; the rest stays. For managers of the tenant."""
    return PhraseShown.of(store.update_phrase(kind, phrase_id, changes, expected_version=expected_version))


@managed.delete("/phrases/{kind}/{phrase_id}", status_code=204)
def remove_phrase(store: Store, kind: Kind, phrase_id: PhraseId, expected_version: ExpectedVersion = None) -> None:
    """Deletes a phrase, which is then offered for nothing. For managers of the tenant."""
    store.remove_phrase(kind, phrase_id, expected_version=expected_version)
