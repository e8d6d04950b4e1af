"""What to look at before a table is deployed: each point with what the model says of it, and whether that is safe."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.generate.documents.blocks import Grid, Heading, Text, code, codes
from tablewright.generate.documents.markdown import to_markdown
from tablewright.generate.iam.needs import of_pattern
from tablewright.generate.infrastructure.description import Infrastructure, describe
from tablewright.generate.material import Material


class Point(Struct, frozen=True):
    """One point: what the model says, and what to think of; nothing where all is well."""

    name: str
    found: str
    look: str = ""


def deployment_checklist(material: Material) -> str:
    """The list as a page."""
    points = list(checked(material.plan))
    open_ones = sum(bool(point.look) for point in points)
    return to_markdown(
        [
            Heading(1, f"Before {material.table.label} is deployed"),
            Text(f"Made from the model by {code('tablewright generate')}. Points to look at: {open_ones or 'none'}."),
            Grid(
                ("", "Point", "The model says", "To look at"),
                tuple(("look" if p.look else "ok", p.name, p.found, p.look) for p in points),
            ),
        ]
    )


def checked(plan: TablePlan) -> Iterator[Point]:
    """Every point."""
    described = describe(plan)
    request = described.request
    bare = "" if described.staged else "Two stages cannot share an account and a region: write {stage} in the name."
    yield Point("Name", code(described.name), bare)
    yield Point("Keys", _keys(request["KeySchema"]))
    yield _indexes(plan, described)
    yield _billing(described)
    stream = request.get("StreamSpecification", {}).get("StreamViewType")
    yield Point("Stream", code(stream) if stream else "none: nothing follows the changes of this table")
    yield Point("Time to live", code(described.ttl) if described.ttl else "none: no item expires")
    yield Point(
        "Recovery",
        "none" if described.recovery is None else f"to any time of the last {described.recovery} days",
        "" if described.recovery else "What is overwritten or deleted by mistake is lost.",
    )
    yield _protection(described)
    encryption = request["SSESpecification"]
    managed = "a key that AWS manages for this account" if encryption["Enabled"] else "a key of AWS's own"
    own = encryption.get("KMSMasterKeyId")
    yield Point("Encryption", f"with {managed if own is None else f'the key {code(own)}'}")
    yield _alarms(described)


def _keys(schema: list[dict[str, str]]) -> str:
    return codes([e["AttributeName"] for e in schema])


def _indexes(plan: TablePlan, described: Infrastructure) -> Point:
    read = {need.index for name in plan.patterns for need in of_pattern(plan, name)}
    names = [index["IndexName"] for index in (*described.global_indexes, *described.local_indexes)]
    unread = [name for name in names if name not in read]
    return Point("Indexes", codes(names) or "none", f"No pattern reads {codes(unread)}." if unread else "")


def _billing(described: Infrastructure) -> Point:
    units = described.request.get("ProvisionedThroughput")
    if units is None:
        limits = described.request.get("OnDemandThroughput", {})
        most = [
            f"{limits[f'Max{kind.capitalize()}RequestUnits']:,} {kind} units"
            for kind in ("read", "write")
            if f"Max{kind.capitalize()}RequestUnits" in limits
        ]
        return Point("Billing", f"on demand, up to {' and '.join(most)} a second" if most else "on demand")
    found = f"{units['ReadCapacityUnits']} read and {units['WriteCapacityUnits']} write units a second"
    scaled = {(s.index, s.reads) for s in described.scaling}
    wanted = {(i, r) for i in (None, *(x["IndexName"] for x in described.global_indexes)) for r in (True, False)}
    fixed = sorted({index or "the table" for index, _ in wanted - scaled})
    return Point("Billing", found, f"The capacity of {', '.join(fixed)} does not follow the load." if fixed else "")


def _protection(described: Infrastructure) -> Point:
    protected = described.request["DeletionProtectionEnabled"]
    found = "refused by DynamoDB" if protected else "allowed by DynamoDB"
    found += ", the stack leaves the table" if described.retain else ", the stack takes the table with it"
    safe = protected and described.retain
    return Point("Deletion", found, "" if safe else "A mistake in a stack deletes every item.")


def _alarms(described: Infrastructure) -> Point:
    if not described.alarms:
        return Point("Alarms", "none", "Nobody notices throttling and errors.")
    told = (
        "" if described.topic else "Name the topic that they tell: Alarms(topic=...), or the parameter of the output."
    )
    return Point("Alarms", f"{len(described.alarms)}", told)
