"""large-item: items of more than 100 KB are read or written."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.shapes import collections, endless
from tablewright.observe.judging import KILOBYTE, a_second, kilobytes, listed, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import by_boto
from tablewright.values.sizes import LARGE_ITEM, MAX_ITEM_SIZE, READ_UNIT, WRITE_UNIT
from tablewright.wording import counted

_NEAR = 350 * KILOBYTE


class LargeItem(Rule):
    """Items of more than 100 KB are read or written.

    An item of 100 KB takes 100 write units for any change of it, in the table and in every index that holds it whole, and 25
    read units if it is read consistently. Beyond 400 KB DynamoDB refuses it.

    It fires when the largest item that was seen has more than 100 KB: one is enough, since sizes are no matter of chance. It is a
    warning, and an error beyond 350 KB, where the next change may be refused. Few items are measured; of the others, the size
    follows from the units that they took, so that it is said to be at least that.

    Make items of their own of what grows in it, or keep the large values compressed or outside of the table. Fields of the
    model that nothing bounds are named.

    > The largest Report has at least 380 KB; DynamoDB refuses items of more than 400 KB.
    """

    name = "large-item"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        whose: dict[str | None, list[Traffic]] = {}
        for traffic in seen.snapshot.traffic:
            whose.setdefault(traffic.entity, []).append(traffic)
        for entity, own in whose.items():
            if max(t.largest for t in own) > LARGE_ITEM:
                yield _told(seen, entity, own)


def _told(seen: Observed, entity: str | None, traffic: list[Traffic]) -> Recommendation:
    snapshot = seen.snapshot
    most = max(t.largest for t in traffic)
    sized, size, requests = (
        sum(t.sized for t in traffic),
        sum(t.size for t in traffic),
        sum(t.requests for t in traffic),
    )
    writes, reads = -(-most // WRITE_UNIT), -(-most // READ_UNIT)
    figures = (
        f"Writing it takes {counted(writes, 'unit')}, and as many in each index that holds it whole; reading it takes "
        f"{counted(reads / 2, 'unit')}, or {reads:,} if the read is consistent."
    )
    if sized:
        figures += f" On average of {counted(sized, 'item')}, they have {kilobytes(size / sized)}."
    lists, texts = _growing(seen, entity)
    growing = list(dict.fromkeys((*lists, *texts)))
    boto = all(by_boto(seen.plan, one) for one in traffic)
    return Recommendation(
        rule=LargeItem.name,
        severity="error" if most > _NEAR else "warning",
        category="performance",
        subject=entity or "items",
        message=(
            f"The largest {entity or 'item'} has at least {most // KILOBYTE} KB; DynamoDB refuses items of more than "
            f"{kilobytes(MAX_ITEM_SIZE)}."
        ),
        details=figures,
        action=(
            f"Make items of their own of what grows in it{f': nothing bounds {listed(growing)}' if growing else ''}. Or keep "
            f"{_kept(boto)}."
        ),
        code=_code(boto, texts),
        affected=tuple(dict.fromkeys(t.name for t in traffic if t.largest > LARGE_ITEM)),
        evidence={"largest": most, "limit": MAX_ITEM_SIZE, "write_units": writes},
        impact=share_of(requests, snapshot.requests),
        frequency=a_second(snapshot, requests),
        effort=2,
    )


def _kept(boto: bool) -> str:
    if boto:
        return "the large attribute compressed, or in S3 with its name in the item"
    return "large values compressed (Compressed), or outside of the table (Offloaded)"


def _code(boto: bool, texts: list[str]) -> str | None:
    """How a large value is kept smaller: in boto3's words where there is no model, and of a field that is known to be one."""
    if boto:
        return "item[name] = gzip.compress(item[name].encode())  # name: the large attribute; it is read with gzip.decompress(item[name].value)"
    field = next((name for name in texts if "." not in name), None)
    if field is None:
        return None
    return f"{field}: Annotated[str, Compressed(above=1024)]\n{field}: Annotated[str, Offloaded(store, above=10_000)]  # or outside"


def _growing(seen: Observed, entity: str | None) -> tuple[list[str], list[str]]:
    """Fields of an entity that nothing bounds: collections without a maximum, and what may hold anything of any length."""
    plan = None if seen.plan is None else next((p for p in seen.plan.entities.values() if p.name == entity), None)
    if plan is None:
        return [], []
    return [held.path for _, held in collections(plan) if held.most is None], endless(plan)
