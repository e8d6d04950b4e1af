"""Documents keep all their versions in the order of their numbers; images are listed, captioned and forgotten."""

from typing import Any

import pytest

from examples.surveyor.store import Surveyor
from tablewright import Session
from tablewright.errors import AlreadyExistsError, ConcurrentModificationError, NotFoundError


def test_each_saving_is_a_version(db: Session, store: Surveyor) -> None:
    with db.measure() as meter:
        first = store.save_document("Report", "a/1")
    assert [r.operation for r in meter.requests] == ["GetItem", "TransactWriteItems"]
    document = first.document_id
    for number in range(2, 13):
        assert store.save_document("Report", f"a/{number}", document_id=document).number == number
    with db.measure() as meter:
        assert store.document(document).path == "a/12"
        page = store.document_versions(document, 5)
    assert [(r.operation, r.index) for r in meter.requests] == [("GetItem", None), ("Query", None)]
    rest = store.document_versions(document, 25, page.cursor)
    assert [version.number for version in (*page, *rest)] == list(range(12, 0, -1))
    assert store.document_version(document, 9).path == "a/9"
    for missing in (
        lambda: store.document_version(document, 13),
        lambda: store.document(f"{document}1"),
    ):
        with pytest.raises(NotFoundError):
            missing()


def test_who_saw_an_older_version_is_refused(store: Surveyor) -> None:
    store.save_document("Report", "a/1", document_id="d", expected_number=0)
    store.save_document("Report", "a/2", document_id="d", expected_number=1)
    with pytest.raises(ConcurrentModificationError):
        store.save_document("Report", "a/x", document_id="d", expected_number=1)
    assert store.document("d").path == "a/2"


def test_two_who_save_at_once_get_a_version_each(db: Session, store: Surveyor, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save_document("Report", "a/1", document_id="d")
    number, other = store._next_number, Surveyor(db, store.tenant_id)
    once = ["theirs"]

    def counting(*arguments: Any) -> int:
        found = number(*arguments)
        if once:
            other.save_document("Report", once.pop(), document_id="d")
        return found

    monkeypatch.setattr(store, "_next_number", counting)
    assert store.save_document("Report", "ours", document_id="d").number == 3
    assert [version.path for version in store.document_versions("d")] == ["ours", "theirs", "a/1"]


def test_a_document_goes_with_its_versions(store: Surveyor) -> None:
    for document in ("d", "d1"):
        store.save_document("Report", "1", document_id=document)
        store.save_document("Report", "2", document_id=document)
    assert store.remove_document("d") == 3
    assert store.document_versions("d").items == ()
    assert len(store.document_versions("d1")) == 2
    assert store.remove_document("d") == 0


def test_images(db: Session, store: Surveyor) -> None:
    for name in "cab":
        store.add_image(f"images/{name}.jpg", image_id=name)
    with db.measure() as meter:
        first = store.images(2)
    assert [(r.operation, r.index, r.pattern) for r in meter.requests] == [("Query", None, "images_of")]
    assert [image.image_id for image in (*first, *store.images(2, first.cursor))] == ["a", "b", "c"]
    assert store.caption_image("b", "The roof").caption == "The roof"
    assert store.image("b").image_path == "images/b.jpg"
    store.remove_image("b")
    for missing in (
        lambda: store.image("b"),
        lambda: store.caption_image("b", "x"),
        lambda: store.remove_image("b"),
    ):
        with pytest.raises(NotFoundError):
            missing()
    with pytest.raises(AlreadyExistsError):
        store.add_image("elsewhere", image_id="a")
