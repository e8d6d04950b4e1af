"""Tokens: nobody gets past them, whatever they write into one."""

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from examples.surveyor.web.settings import Settings
from examples.surveyor.web.tokens import DAY, BadToken, Caller, Tokens

OLD, NEW = 32 * b"o", 32 * b"n"
ANN = Caller(tenant_id="acme", user_id="ann")
ids = st.text(alphabet=string.ascii_letters + string.digits + "_.~-", min_size=1, max_size=36)
tenants = st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=36)


@given(tenants, ids, st.booleans(), st.booleans())
def test_a_token_says_who_it_was_issued_to(tenant: str, user: str, manager: bool, operator: bool) -> None:
    caller = Caller(tenant_id=tenant, user_id=user, manager=manager, operator=operator)
    assert Tokens([OLD]).read(Tokens([OLD]).issue(caller)) == caller


@given(st.data())
def test_a_token_with_another_character_is_refused(data: st.DataObject) -> None:
    tokens = Tokens([OLD])
    token = tokens.issue(ANN)
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters())
    assume(token[place] != other)
    with pytest.raises(BadToken):
        tokens.read(token[:place] + other + token[place + 1 :])


@given(st.text(max_size=200))
def test_no_other_text_is_a_token(text: str) -> None:
    with pytest.raises(BadToken):
        Tokens([OLD]).read(text)


def test_the_parts_of_two_tokens_make_no_third() -> None:
    tokens = Tokens([OLD])
    mine = tokens.issue(ANN).split(".")
    theirs = tokens.issue(Caller(tenant_id="other", user_id="ann")).split(".")
    with pytest.raises(BadToken):
        tokens.read(".".join([mine[0], theirs[1], mine[2]]))


def test_a_token_ends() -> None:
    now = 1_000_000.0
    tokens = Tokens([OLD], now=lambda: now)
    token = tokens.issue(ANN)
    now += DAY - 1
    assert tokens.read(token) == ANN
    now += 1
    with pytest.raises(BadToken):
        tokens.read(token)


def test_secrets_can_be_changed_without_signing_everybody_out() -> None:
    before = Tokens([OLD]).issue(ANN)
    assert Tokens([NEW, OLD]).read(before) == ANN
    with pytest.raises(BadToken):
        Tokens([NEW]).read(before)
    with pytest.raises(BadToken):
        Tokens([OLD]).read(Tokens([NEW, OLD]).issue(ANN))


@pytest.mark.parametrize("secrets", [[], [b"short"], [OLD, 31 * b"x"]], ids=["none", "short", "one of them short"])
def test_short_secrets_are_refused(secrets: list[bytes]) -> None:
    with pytest.raises(ValueError, match="at least 32 bytes"):
        Tokens(secrets)


@pytest.mark.parametrize("wrong", [{"user_id": "a/b"}, {"tenant_id": ""}, {"admin": True}], ids=lambda w: next(iter(w)))
def test_a_caller_has_ids_that_the_table_can_have(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Caller.model_validate({"tenant_id": "acme", "user_id": "ann", **wrong})


def test_a_deployment_says_its_table_and_its_secret() -> None:
    with pytest.raises(ValueError, match="Set SURVEYOR_TABLE and SURVEYOR_SECRET in the environment"):
        Settings.of({})
    with pytest.raises(ValueError, match="at least 32 bytes"):
        Settings.of({"SURVEYOR_TABLE": "aws:eu-west-1", "SURVEYOR_SECRET": "short"})
    told = Settings.of({"SURVEYOR_TABLE": "aws:eu-west-1", "SURVEYOR_SECRET": 40 * "x", "SURVEYOR_DEBUG": "1"})
    assert (told.table, told.debug, told.seeded) == ("aws:eu-west-1", True, False)
    assert "xxx" not in repr(told)
    assert told.token_secret != told.cursor_key
