"""A model of many tenants with every kind of key, and a day of one of them."""

from __future__ import annotations

from tablewright import (
    GSI,
    LSI,
    Entity,
    Get,
    Keys,
    Query,
    Session,
    Table,
    Unique,
    get,
    key,
    query,
)
from tablewright.generate.iam.policies import table_arn

crm = Table("Crm", indexes=[GSI("GSI1"), GSI("Places", pk=["region", "tenant"], sk=["city"]), GSI("Due"), LSI("LSI1")])


class Account(Entity, table=crm):
    keys = Keys("TENANT#{tenant}", "ACCOUNT")
    tenant: str


class Person(Entity, table=crm):
    keys = Keys(
        "TENANT#{tenant}",
        "PERSON#{person_id}",
        GSI1=("TENANT#{tenant}#CITY#{city}", "PERSON#{person_id}"),
        LSI1="{email}",
        unique=[Unique("tenant", "email")],
    )
    tenant: str
    person_id: str
    email: str
    city: str = "c"


class Task(Entity, table=crm):
    keys = Keys(
        "TENANT#{tenant}#{project}",
        "TASK#{task_id}",
        Places=(("{region}", "{tenant}"), ("{city}",)),
        Due=("DUE#{due}", "{tenant}#{task_id}"),
    )
    tenant: str
    project: str
    task_id: str
    region: str
    city: str
    due: str


class Voucher(Entity, table=crm):
    keys = Keys("VOUCHER#{code}", "VOUCHER", unique=["number"])
    code: str
    number: int


@crm.pattern
def account(tenant: str) -> Get[Account]:
    return get(Account, Account.tenant == tenant)


@crm.pattern
def people(tenant: str) -> Query[Person]:
    return query(Person, Person.tenant == tenant)


@crm.pattern
def person_with(tenant: str, email: str) -> Get[Person]:
    return get(Person, Person.tenant == tenant, Person.email == email)


@crm.pattern
def people_in(tenant: str, city: str) -> Query[Person]:
    return query(Person, Person.tenant == tenant, Person.city == city)


@crm.pattern
def tasks_of(tenant: str, project: str) -> Query[Task]:
    return query(Task, Task.tenant == tenant, Task.project == project)


@crm.pattern
def tasks_in(tenant: str, region: str) -> Query[Task]:
    return query(Task, Task.tenant == tenant, Task.region == region)


@crm.pattern
def due_on(due: str) -> Query[Task]:
    return query(Task, Task.due == due)


ARN = table_arn(crm)


def a_day(db: Session, tenant: str, project: str = "p") -> None:
    """What a tenant does: every kind of write, and every pattern that is for tenants."""
    db.create(Account(tenant=tenant))
    for number in ("1", "2"):
        db.create(Person(tenant=tenant, person_id=number, email=f"{number}@x"))
    with db.batch() as batch:
        for number in ("1", "2"):
            batch.put(Task(tenant=tenant, project=project, task_id=number, region="r", city="c", due="d"))
    one = key(Task, tenant=tenant, project=project, task_id="1")
    db.update(one, set={"city": "e"})
    db.put(Person(tenant=tenant, person_id="1", email="3@x"))
    db.update(key(Person, tenant=tenant, person_id="1"), set={"email": "4@x"})
    db.get_many([one, key(Account, tenant=tenant)])
    db.run(account, tenant)
    db.run(people, tenant).all()
    db.run(person_with, tenant, "2@x")
    db.run(people_in, tenant, project).all()
    db.run(tasks_of, tenant, project).all()
    db.run(tasks_in, tenant, "r").all()
    with db.transaction() as transaction:
        transaction.check(key(Account, tenant=tenant))
        transaction.delete(one)
    db.delete(key(Person, tenant=tenant, person_id="2"))
