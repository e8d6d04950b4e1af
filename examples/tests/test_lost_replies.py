"""Whoever deletes something and does not hear the answer is never told that it was not there: it was, until they deleted it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from examples.kefir.errors import NotThere
from examples.kefir.model import kefir
from examples.kefir.store import Kefir
from examples.saas.model import saas
from examples.saas.store import NoInvitation, Service
from examples.surveyor.model import surveyor
from examples.surveyor.store import Surveyor
from tablewright import Session, Table
from tablewright.errors import NotFoundError, OutcomeUnknownError
from tablewright.testing import Faults, LostReply, OpenTable


@dataclass(frozen=True)
class Deleting:
    """A deletion in an application's words, what it is made on, and what the application says where there is nothing."""

    table: Table
    prepare: Callable[[Session], Any]
    delete: Callable[[Any], object]
    nothing: type[Exception]


def _device(db: Session) -> Kefir:
    store = Kefir(db)
    store.sign_up("olga", "olga@example.com")
    store.register_device("olga", "phone", "android", "token")
    return store


def _invitation(db: Session) -> Service:
    service = Service(db)
    for name in ("ann", "bob"):
        service.sign_up(name, f"{name}@example.com", name)
    service.found("ann", "Acme", org_id="acme")
    service.enter("ann", "acme").invite("bob@example.com")
    return service


def _survey(db: Session) -> Surveyor:
    store = Surveyor(db, "acme")
    store.add_image("a.jpg", image_id="i")
    store.add_library_section("Roof", 1, section_id="roof")
    store.add_phrase("Defect", "Crack", "A crack.", phrase_id="crack")
    store.create_survey("12 Elm Street", "ann", survey_id="s1", editors=["bob"])
    store.add_section("s1", "Roof", 1, section_id="roof")
    store.add_element("s1", "roof", "Tiles", 1, element_id="tiles")
    store.add_component("s1", "roof", "tiles", "Nail", 1, component_id="nail")
    return store


def _of_survey(delete: Callable[[Surveyor], object]) -> Deleting:
    return Deleting(surveyor, _survey, delete, NotFoundError)


WORKS = {
    "kefir device": Deleting(kefir, _device, lambda s: s.forget_device("olga", "phone"), NotThere),
    "saas declined": Deleting(saas, _invitation, lambda s: s.decline("bob", "acme"), NoInvitation),
    "saas withdrawn": Deleting(
        saas, _invitation, lambda s: s.enter("ann", "acme").withdraw("bob@example.com"), NoInvitation
    ),
    "surveyor image": _of_survey(lambda s: s.remove_image("i")),
    "surveyor phrase": _of_survey(lambda s: s.remove_phrase("Defect", "crack")),
    "surveyor component": _of_survey(lambda s: s.remove_component("s1", "roof", "tiles", "nail")),
    "surveyor element": _of_survey(lambda s: s.remove_element("s1", "roof", "tiles")),
    "surveyor section": _of_survey(lambda s: s.remove_section("s1", "roof")),
    "surveyor unshared": _of_survey(lambda s: s.unshare("s1", "bob")),
    "surveyor survey": _of_survey(lambda s: s.remove_survey("s1")),
}


@pytest.mark.parametrize("name", WORKS)
def test_a_deletion_whose_reply_is_lost_is_never_told_as_nothing_there(
    tablewright_table: OpenTable, tablewright_faults: Faults, name: str
) -> None:
    work = WORKS[name]
    db = tablewright_table(work.table, table_name="lost-replies")
    store = work.prepare(db)
    with tablewright_faults.inject(LostReply(operations="writes", times=1)) as lost:
        try:
            work.delete(store)
        except OutcomeUnknownError:
            if name == "surveyor survey":  # whose removal goes on with what is left
                work.delete(store)
    assert lost.fired == 1
    if name != "saas withdrawn":  # which is no error where there is none
        with pytest.raises(work.nothing):
            work.delete(store)
