"""Documents with all their versions, and images: what lies elsewhere, and is described here."""

from tablewright import Page, exists, key, ulid
from tablewright.errors import AlreadyExistsError, ConcurrentModificationError

from . import patterns as p
from .others import Document, DocumentVersion, Image
from .tenancy import TenantStore


class Documents(TenantStore):
    """What belongs to a tenant beside surveys."""

    # -------------------------------------------------------------------------------------------------- documents

    def save_document(
        self, title: str, path: str, *, document_id: str | None = None, expected_number: int | None = None
    ) -> Document:
        """A new document, or the next version of one: it and the version are written in one transaction.

        With `expected_number`, the version that the caller saw, ConcurrentModificationError tells of a newer one.
        """
        chosen = document_id or ulid()
        while True:  # whoever is second with a number reads again, and somebody gets on each time
            number = self._next_number(chosen, expected_number)
            made = Document(tenant_id=self.tenant_id, document_id=chosen, number=number, title=title, path=path)
            try:
                with self._db.transaction() as tx:
                    tx.create(DocumentVersion(**made.model_dump()))
                    tx.put(made)
            except AlreadyExistsError:
                continue
            return made

    def document(self, document_id: str) -> Document:
        """A document as it is now. NotFoundError if there is none."""
        return self._get(key(Document, tenant_id=self.tenant_id, document_id=document_id))

    def document_versions(self, document_id: str, limit: int = 25, cursor: str | None = None) -> Page[DocumentVersion]:
        """A page of what a document was, newest first; the first is what it is now."""
        return self._db.run(p.versions_of, self.tenant_id, document_id).page(limit, cursor)

    def document_version(self, document_id: str, number: int) -> DocumentVersion:
        """A document as it was in one version. NotFoundError if there is none."""
        return self._get(key(DocumentVersion, tenant_id=self.tenant_id, document_id=document_id, number=number))

    def remove_document(self, document_id: str) -> int:
        """Deletes a document with all its versions; how many items that were."""
        document = key(Document, tenant_id=self.tenant_id, document_id=document_id)
        return self._db.delete_collection(document, reach="partition").items

    def _next_number(self, document_id: str, expected: int | None) -> int:
        current = self._db.get(key(Document, tenant_id=self.tenant_id, document_id=document_id), consistent=True)
        number = 0 if current is None else current.number
        if expected is not None and expected != number:
            raise ConcurrentModificationError(
                "The document has another version by now.", item=current, context={"entity": "Document"}
            )
        return number + 1

    # ----------------------------------------------------------------------------------------------------- images

    def add_image(self, image_path: str, caption: str = "", *, image_id: str | None = None) -> Image:
        """A new image, which lies at this path."""
        return self._db.create(
            Image(tenant_id=self.tenant_id, image_id=image_id or ulid(), image_path=image_path, caption=caption)
        )

    def images(self, limit: int = 100, cursor: str | None = None) -> Page[Image]:
        """A page of the tenant's images."""
        return self._db.run(p.images_of, self.tenant_id).page(limit, cursor)

    def image(self, image_id: str) -> Image:
        """One image. NotFoundError if there is none."""
        return self._get(key(Image, tenant_id=self.tenant_id, image_id=image_id))

    def caption_image(self, image_id: str, caption: str) -> Image:
        """Writes another caption below an image. NotFoundError if there is none."""
        return self._db.update(key(Image, tenant_id=self.tenant_id, image_id=image_id), set={"caption": caption})

    def remove_image(self, image_id: str) -> None:
        """Forgets an image. NotFoundError if there is none."""
        self._db.delete(key(Image, tenant_id=self.tenant_id, image_id=image_id), when=exists(Image.image_id))
