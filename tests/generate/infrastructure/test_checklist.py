"""The list of what to look at before a deployment: nothing for a careful model, each point for a careless one."""

from __future__ import annotations

from tablewright import GSI, Alarms, Deployment, Entity, Keys, Provisioned, Query, Table, query
from tablewright.generate.documents.blocks import code
from tablewright.generate.infrastructure.checklist import checked, deployment_checklist
from tablewright.generate.material import Material

NAMES = ["Name", "Keys", "Indexes", "Billing", "Stream", "Time to live", "Recovery", "Deletion", "Encryption", "Alarms"]


def careful() -> Table:
    topic = Alarms(topic="arn:aws:sns:eu-west-1:123456789012:alarms")
    table = Table("app-{stage}", indexes=[GSI("GSI1")], deployment=Deployment(alarms=topic))

    class Order(Entity, table=table):
        keys = Keys("USER#{username}", "ORDER#{order_id}", GSI1=("STATUS#{status}", "{order_id}"))
        username: str
        order_id: str
        status: str

    @table.pattern
    def orders_with(status: str) -> Query[Order]:
        return query(Order, Order.status == status)

    return table


def test_a_careful_model_leaves_nothing_to_look_at() -> None:
    points = list(checked(careful().plan))
    assert [p.name for p in points] == NAMES
    assert [p.look for p in points] == [""] * len(points)
    page = deployment_checklist(Material(careful().plan))
    assert "Points to look at: none." in page
    assert "| ok | Name | `app-{stage}` |  |" in page


def test_every_careless_choice_is_told() -> None:
    table = Table(
        "AppTable",
        indexes=[GSI("GSI1")],
        deployment=Deployment(
            billing=Provisioned(read=1, write=1, max_read=5),
            recovery=False,
            deletion_protection=False,
            retain=False,
            alarms=None,
        ),
    )
    looked = {p.name: p.look for p in checked(table.plan) if p.look}
    assert sorted(looked) == ["Alarms", "Billing", "Deletion", "Indexes", "Name", "Recovery"]
    assert looked["Billing"] == "The capacity of GSI1, the table does not follow the load."
    assert looked["Indexes"] == f"No pattern reads {code('GSI1')}."
    assert "Points to look at: 6." in deployment_checklist(Material(table.plan))


def test_alarms_that_tell_nobody_are_told() -> None:
    (alarms,) = [p for p in checked(Table("app-{stage}").plan) if p.name == "Alarms"]
    assert "Name the topic" in alarms.look
