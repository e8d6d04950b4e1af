"""Documents with their versions, and images. They belong to the tenant; every member may see and change them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from examples.surveyor.base import Id
from examples.surveyor.web.callers import Store
from examples.surveyor.web.problems import responses
from examples.surveyor.web.shapes import Cursor, Limit, Listed, NewId, Sent, Shown

router = APIRouter(tags=["documents and images"], responses=responses(400, 401, 404))

DocumentId = Annotated[Id, Path(description="Which document.")]
ImageId = Annotated[Id, Path(description="Which image.")]
StoredAt = Annotated[str, Field(max_length=500, description="Where its content lies.")]
Caption = Annotated[str, Field(max_length=500)]


class DocumentSent(Sent):
    """What a document is to be from now on."""

    title: Annotated[str, Field(max_length=200)]
    path: StoredAt


class DocumentShown(Shown):
    """A document, as it is or was."""

    document_id: str
    number: int = Field(description="Which version it is, from 1 on.")
    title: str
    path: str


class NewImage(Sent):
    """An image to be added."""

    image_id: NewId | None = Field(default=None, description="Chosen by the service if it is not given.")
    image_path: StoredAt
    caption: Caption = ""


class CaptionSent(Sent):
    """What is written below an image."""

    caption: Caption


class ImageShown(Shown):
    """An image."""

    image_id: str
    image_path: str
    caption: str


# ---------------------------------------------------------------------------------------------------------- documents


@router.post("/documents", status_code=201)
def add_document(store: Store, new: DocumentSent, response: Response) -> DocumentShown:
    """Adds a document in its first version."""
    made = store.save_document(new.title, new.path)
    response.headers["Location"] = f"/documents/{made.document_id}"
    return DocumentShown.of(made)


@router.put("/documents/{document_id}", responses=responses(409))
def save_document(
    store: Store,
    document_id: DocumentId,
    new: DocumentSent,
    expected_number: Annotated[
        int | None,
        Query(
            ge=0,
            le=2**53,
            description="The version that the caller saw, 0 for none; if there is another, nothing is written (409).",
        ),
    ] = None,
) -> DocumentShown:
    """Makes the next version of a document, or its first; earlier ones stay."""
    return DocumentShown.of(
        store.save_document(new.title, new.path, document_id=document_id, expected_number=expected_number)
    )


@router.get("/documents/{document_id}")
def show_document(store: Store, document_id: DocumentId) -> DocumentShown:
    """A document as it is now."""
    return DocumentShown.of(store.document(document_id))


@router.get("/documents/{document_id}/versions")
def list_document_versions(
    store: Store, document_id: DocumentId, limit: Limit = 25, cursor: Cursor = None
) -> Listed[DocumentShown]:
    """What a document was, newest first."""
    page = store.document_versions(document_id, limit, cursor)
    return Listed.of(map(DocumentShown.of, page), page)


@router.get("/documents/{document_id}/versions/{number}")
def show_document_version(
    store: Store,
    document_id: DocumentId,
    number: Annotated[int, Path(ge=1, lt=100_000_000, description="Which version.")],
) -> DocumentShown:
    """A document as it was in one version."""
    return DocumentShown.of(store.document_version(document_id, number))


@router.delete("/documents/{document_id}", status_code=204)
def remove_document(store: Store, document_id: DocumentId) -> None:
    """Deletes a document with all its versions, if there is one."""
    store.remove_document(document_id)


# ------------------------------------------------------------------------------------------------------------- images


@router.get("/images")
def list_images(store: Store, limit: Limit = 100, cursor: Cursor = None) -> Listed[ImageShown]:
    """The images of the tenant."""
    page = store.images(limit, cursor)
    return Listed.of(map(ImageShown.of, page), page)


@router.post("/images", status_code=201, responses=responses(409))
def add_image(store: Store, new: NewImage, response: Response) -> ImageShown:
    """Adds an image, which lies elsewhere."""
    made = store.add_image(new.image_path, new.caption, image_id=new.image_id)
    response.headers["Location"] = f"/images/{made.image_id}"
    return ImageShown.of(made)


@router.get("/images/{image_id}")
def show_image(store: Store, image_id: ImageId) -> ImageShown:
    """One image."""
    return ImageShown.of(store.image(image_id))


@router.patch("/images/{image_id}")
def caption_image(store: Store, image_id: ImageId, new: CaptionSent) -> ImageShown:
    """Writes another caption below an image."""
    return ImageShown.of(store.caption_image(image_id, new.caption))


@router.delete("/images/{image_id}", status_code=204)
def remove_image(store: Store, image_id: ImageId) -> None:
    """Forgets an image."""
    store.remove_image(image_id)
