"""Marks of sealed fields, stores and ciphers, and hooks of entities."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, assert_type

from tablewright import (
    AesGcm,
    Changing,
    Compressed,
    Deleting,
    Encrypted,
    Entity,
    FolderStore,
    Keys,
    Offloaded,
    Orphan,
    S3Store,
    Session,
    Table,
    ValueContext,
    Written,
    after_write,
    before_create,
    before_delete,
    before_put,
    before_update,
)

table = Table("Tests")


class OwnCipher:
    def encrypt(self, plaintext: bytes, context: ValueContext) -> tuple[str, bytes]:
        return "k", plaintext + context.associated_data()

    def decrypt(self, key_id: str, ciphertext: bytes, context: ValueContext) -> bytes:
        return ciphertext


class OwnStore:
    def put(self, name: str, data: bytes) -> None: ...
    def get(self, name: str) -> bytes:
        return b""

    def delete(self, name: str) -> None: ...
    def names(self, prefix: str) -> Iterator[tuple[str, datetime]]:
        return iter(())


class NoStore:
    def get(self, name: str) -> bytes:
        return b""


Compressed(above=10, level=9)
Compressed("10")  # E
Encrypted(AesGcm({"k": b""}))
Encrypted(AesGcm(lambda: {"k": b""}))
Encrypted(OwnCipher(), plain=True)
Encrypted(b"a key")  # E
Encrypted(OwnStore())  # E
AesGcm({"k": "text"})  # E
Offloaded(FolderStore("x"), above=10)
Offloaded(OwnStore())
Offloaded(NoStore())  # E
Offloaded("a folder")  # E
S3Store(object(), bucket=5)  # E


class Doc(Entity, table=table):
    keys = Keys("DOC#{doc_id}", "DOC")
    doc_id: str
    body: Annotated[str, Compressed(), Encrypted(OwnCipher()), Offloaded(OwnStore())] = ""

    @before_create
    @before_put
    def tidy(self) -> None:
        self.body = self.body.strip()

    @staticmethod
    @before_update
    def follow(changes: Changing) -> None:
        assert_type(changes.fields, frozenset[str])
        changes.set(body="x")
        changes.set("body")  # E

    @staticmethod
    @before_delete
    def keep(deleting: Deleting) -> None:
        assert_type(deleting.key["doc_id"], Any)

    @staticmethod
    @after_write
    def tell(written: "Written[Doc]") -> None:
        assert_type(written.entity, "Doc | None")
        if written.kind == "inserted":  # E: mypy
            print(written.entity)

    @before_put  # E
    async def waits(self) -> None: ...

    @staticmethod  # E: mypy
    @before_update  # E: pyright
    def wrong(changes: Written[Any]) -> None: ...

    @staticmethod  # E: mypy
    @after_write  # E: pyright
    def wrong_too() -> None: ...


Doc(doc_id="1", body=5)  # E
assert_type(Doc(doc_id="1").body, str)


def cleaning(db: Session) -> None:
    assert_type(db.orphaned_values(), list[Orphan])
    db.orphaned_values(older_than=5)  # E
