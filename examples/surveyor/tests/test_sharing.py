"""A survey's lists, the index of owners and the Access items tell the same, whatever is shared, taken back or handed over."""

from collections.abc import Callable
from typing import Any

import pytest

from examples.surveyor.sharing import NotAllowed
from examples.surveyor.store import Surveyor
from examples.surveyor.tenancy import Refused
from tablewright import Session
from tablewright.errors import FieldTypeError, NotFoundError


def agreed(store: Surveyor) -> dict[str, str]:
    """Everybody's role, told by the survey's lists, by Access items both ways, and by the index of owners."""
    survey = store.survey("s1")
    listed = {survey.owner: "owner"} | dict.fromkeys(survey.editors, "editor") | dict.fromkeys(survey.viewers, "viewer")
    assert {access.user_id: access.role for access in store.people("s1")} == listed
    for user in ("ann", "bob", "cleo", "dan"):
        assert store.role_of("s1", user) == listed.get(user)
        seen = [(shared.role, shared.survey) for shared in store.surveys_seen_by(user)]
        assert seen == ([(listed[user], survey)] if user in listed else [])
        assert store.surveys_owned_by(user).items == ((survey,) if listed.get(user) == "owner" else ())
    return listed


def test_people_come_go_and_change_roles(db: Session, house: Surveyor) -> None:
    assert agreed(house) == {"ann": "owner", "bob": "editor", "cleo": "viewer"}
    with db.measure() as meter:
        house.share("s1", "dan", "viewer")
    assert [r.operation for r in meter.requests] == ["GetItem", "TransactWriteItems", "GetItem"]
    assert agreed(house) == {"ann": "owner", "bob": "editor", "cleo": "viewer", "dan": "viewer"}
    house.share("s1", "dan", "editor")
    house.share("s1", "bob", "viewer")
    assert house.share("s1", "bob", "viewer").viewers == ["cleo", "bob"]
    assert agreed(house) == {"ann": "owner", "bob": "viewer", "cleo": "viewer", "dan": "editor"}
    assert house.unshare("s1", "bob").viewers == ["cleo"]
    assert agreed(house) == {"ann": "owner", "cleo": "viewer", "dan": "editor"}


def test_a_survey_is_handed_over(house: Surveyor) -> None:
    assert house.hand_over("s1", "bob").owner == "bob"
    assert agreed(house) == {"bob": "owner", "ann": "editor", "cleo": "viewer"}
    house.hand_over("s1", "dan")
    assert agreed(house) == {"dan": "owner", "bob": "editor", "ann": "editor", "cleo": "viewer"}
    assert house.hand_over("s1", "dan").owner == "dan"
    assert agreed(house) == {"dan": "owner", "bob": "editor", "ann": "editor", "cleo": "viewer"}


def test_a_survey_with_many_people_is_handed_over(store: Surveyor) -> None:
    editors, viewers = ([f"{role}-{number}" for number in range(19)] for role in ("editor", "viewer"))
    store.create_survey("12 Elm Street", "ann", survey_id="s1", editors=editors, viewers=viewers[:18])
    assert store.hand_over("s1", "dan").viewers == [*viewers[:18], "ann"]
    assert agreed(store)["ann"] == "viewer"
    before = store.survey("s1")
    with pytest.raises(Refused):  # neither among the editors nor among the viewers is there room for dan
        store.hand_over("s1", "eve")
    assert store.survey("s1") == before
    assert store.hand_over("s1", "ann").viewers == [*viewers[:18], "dan"]
    assert store.hand_over("s1", "editor-0").editors == [*editors[1:], "ann"]
    assert agreed(store)["editor-0"] == "owner"


def test_what_is_refused_changes_nothing(house: Surveyor) -> None:
    refused: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: house.share("s1", "ann", "viewer"), NotAllowed),
        (lambda: house.unshare("s1", "ann"), NotAllowed),
        (lambda: house.unshare("s1", "dan"), NotFoundError),
        (lambda: house.share("s2", "dan", "viewer"), NotFoundError),
        (lambda: house.hand_over("s2", "dan"), NotFoundError),
    ]
    for attempt, error in refused:
        with pytest.raises(error):
            attempt()
    for number in range(18):
        house.share("s1", f"viewer-{number}", "viewer")
    with pytest.raises(FieldTypeError):  # nineteen at most
        house.share("s1", "dan", "viewer")
    assert house.role_of("s1", "dan") is None
    for number in range(18):
        house.unshare("s1", f"viewer-{number}")
    assert agreed(house) == {"ann": "owner", "bob": "editor", "cleo": "viewer"}


def test_roles_allow_what_they_say(db: Session, house: Surveyor) -> None:
    ranks = {"viewer": 1, "editor": 2, "owner": 3}
    roles: list[Any] = list(ranks)
    for user, held in (("ann", "owner"), ("bob", "editor"), ("cleo", "viewer"), ("dan", None)):
        for needed in roles:
            if held is not None and ranks[held] >= ranks[needed]:
                assert house.allow("s1", user, needed) == held
            else:
                with pytest.raises(NotAllowed) as refused:
                    house.allow("s1", user, needed)
                assert refused.value.role == held
    with db.measure() as meter:
        house.allow("s1", "ann", "viewer")
    assert [(r.operation, r.pattern) for r in meter.requests] == [("GetItem", "access")]


def test_two_who_share_at_once_both_succeed(db: Session, house: Surveyor, monkeypatch: pytest.MonkeyPatch) -> None:
    other, once = Surveyor(db, house.tenant_id), ["dan"]
    get = house._get

    def reading(target: Any, **options: Any) -> Any:
        found = get(target, **options)
        if once:
            other.share("s1", once.pop(), "viewer")
        return found

    monkeypatch.setattr(house, "_get", reading)
    house.share("s1", "eve", "editor")
    monkeypatch.undo()
    assert agreed(house) == {"ann": "owner", "bob": "editor", "cleo": "viewer", "dan": "viewer", "eve": "editor"}


def test_shared_surveys_come_in_pages(db: Session, house: Surveyor) -> None:
    for number in range(2, 5):
        house.create_survey(f"Survey {number}", "dan", survey_id=f"s{number}", viewers=["cleo"])
    with db.measure() as meter:
        first = house.surveys_seen_by("cleo", 3)
    assert [r.operation for r in meter.requests] == ["Query", "BatchGetItem"]
    assert [shared.survey.survey_id for shared in first] == ["s1", "s2", "s3"]
    assert [shared.survey.survey_id for shared in house.surveys_seen_by("cleo", 3, first.cursor)] == ["s4"]
