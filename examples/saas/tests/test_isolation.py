"""Two organizations see nothing of each other, whatever their ids, their people's names and addresses hold."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from examples.saas.model import saas
from examples.saas.office import NotAMember, Office
from examples.saas.store import Service
from examples.saas.tests.conftest import Clock

PARTS = ["a", "b", "#", "%", "%23", "$", " ", "ORG#", "USER#", "TEAM#", "INVITATION#", "EMAIL#", "é", "😀"]
ids = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("".join).filter(str.strip)


def seen(office: Office, people: list[str]) -> dict[str, object]:
    """Everything an office can show."""
    return {
        "account": office.account(),
        "plan": office.plan(),
        "people": office.people().items,
        "invitations": office.invitations(),
        "teams": office.teams(),
        "team members": [office.team_members(team.team_id) for team in office.teams()],
        "teams of": [office.teams_of(name) for name in people],
    }


def furnish(service: Service, org_id: str, team_id: str, people: list[str]) -> Office:
    """An organization with two members, an invitation and a team."""
    founder, member, *_ = people
    service.found(founder, f"of {founder}", org_id=org_id)
    office = service.enter(founder, org_id)
    office.invite(service.person(member).email)
    service.accept(member, org_id)
    office.invite(f"guest of {org_id}@example.com")
    office.create_team("team", team_id=team_id)
    office.add_to_team(team_id, member)
    return office


def orgs_in(office: Office, people: list[str]) -> set[str]:
    """The organizations whose items show in what an office sees."""
    shown = [*office.people(), *office.invitations(), *office.teams()]
    shown += [m for team in office.teams() for m in office.team_members(team.team_id)]
    shown += [m for name in people for m in office.teams_of(name)]
    return {item.org_id for item in shown}


@settings(max_examples=settings().max_examples // 4)
@given(
    st.lists(ids, min_size=2, max_size=2, unique=True),
    st.lists(ids, min_size=2, max_size=2, unique=True),
    st.lists(ids, min_size=3, max_size=3, unique=True),
)
def test_an_organization_is_alone(orgs: list[str], teams: list[str], people: list[str]) -> None:
    with saas.open("memory:", cursor_keys=[b"a secret of the tests"]) as db:
        service = Service(db, clock=Clock())
        for number, name in enumerate(people):
            service.sign_up(name, f"{name}{number}@example.com", name)
        one = furnish(service, orgs[0], teams[0], people)
        other = furnish(service, orgs[1], teams[1], people[::-1])
        assert orgs_in(one, people) == {orgs[0]}
        assert orgs_in(other, people) == {orgs[1]}
        before = seen(other, people)

        member = people[1]
        one.set_role(member, "Admin")
        one.choose_plan("enterprise", Clock().now)
        one.withdraw(f"guest of {orgs[0]}@example.com")
        one.invite(service.person(people[2]).email, "Admin")
        service.accept(people[2], orgs[0])
        one.create_team("another", team_id=teams[1])
        one.add_to_team(teams[1], people[2])
        one.close_team(teams[0])
        one.remove(people[2])
        service.enter(member, orgs[0]).leave()
        one.cancel()

        assert seen(other, people) == before
        assert [m.username for m in one.people()] == [people[0]]
        assert {choice.organization.org_id for choice in service.organizations(people[2])} == {orgs[1]}


@settings(max_examples=settings().max_examples // 2)
@given(ids, ids)
def test_nobody_enters_by_a_name_that_looks_like_another(mine: str, wanted: str) -> None:
    assume(mine != wanted)
    with saas.open("memory:") as db:
        service = Service(db, clock=Clock())
        service.sign_up("ann", "ann@example.com", "Ann")
        service.found("ann", "mine", org_id=mine)
        for username, org_id in (("ann", wanted), (wanted, mine), (mine, wanted)):
            with pytest.raises(NotAMember):
                service.enter(username, org_id)
