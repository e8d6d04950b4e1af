"""One segment of the table: read page by page, its items settled many at once, and how far it is."""

from __future__ import annotations

from typing import Any

from tablewright.errors import ArgumentError
from tablewright.evolve.jobs.checkpoints import Segment
from tablewright.evolve.jobs.counting import Counts, Tally
from tablewright.evolve.jobs.in_table import is_ours
from tablewright.evolve.jobs.leaving import Left
from tablewright.evolve.jobs.settling import GONE, NOTHING, WRITTEN, Outcome, count
from tablewright.evolve.jobs.work import Work, WorkWithRemarks
from tablewright.transport.answers import next_start
from tablewright.transport.base import Response
from tablewright.values.types import Item
from tablewright.wording import nearest

_FIRST_PAGE = 100
"""Items of the first page where reads are limited; then it is known what they cost."""
_PAGE_SECONDS = 0.5
"""How much of the limit one page may take, so that the table is not read in bursts."""


_MEMBERS = frozenset(
    {
        "AttributesToGet",
        "ConditionalOperator",
        "ConsistentRead",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "FilterExpression",
        "IndexName",
        "Limit",
        "ProjectionExpression",
        "ReturnConsumedCapacity",
        "ScanFilter",
        "Select",
    }
)
"""What the reads of work may say; the service passes over what it does not know, a misspelt filter too."""


def check_reads(work: Work) -> None:
    """Refuses work that is none, and reads that would be others than was meant."""
    missing = [name for name in ("name", "identity", "table", "reads", "look") if not hasattr(work, name)]
    if missing:
        raise ArgumentError(
            f"The work of a job has no {' and no '.join(missing)}: {type(work).__name__}.",
            hint="Work has a name, an identity, the table that it reads, members of its Scan in `reads` ({} for none), and "
            "look(item).",
        )
    for name in work.reads:
        if name not in _MEMBERS:
            meant = nearest(str(name), _MEMBERS)
            raise ArgumentError(
                f"The reads of {work.name} have {name!r}, which is no member of a Scan that a job may set."
                f"{'' if meant is None else f' Did you mean {meant!r}?'}",
                hint=f"They may have {', '.join(sorted(_MEMBERS))}.",
            )


class Scanning:
    """How far a segment is. Items of a page are settled in any order; what counts is up to which one all of them are."""

    def __init__(self, work: Work, state: Segment, segments: int, key_names: tuple[str, ...], page_units: float | None):
        self._work = work
        self._remarks = work.remarks if isinstance(work, WorkWithRemarks) else None
        self._number = state.number
        self._key_names = key_names
        self._page_units = page_units
        self._request: dict[str, Any] = {**work.reads, "TableName": work.table}
        if segments > 1:
            self._request |= {"Segment": state.number, "TotalSegments": segments}
        self._limit = self._request.get("Limit") or (_FIRST_PAGE if page_units is not None else None)
        self._start = state.start
        self._after: Item | None = None
        self._tally = Tally(state.counts)
        self._items: list[Item] = []
        self._outcomes: list[Outcome | None] = []
        self._settled = 0
        self._read = 0
        self.done = state.done
        self.kept = state
        """As it was kept last."""
        self.due = 0.0
        """When it is to be kept next."""
        self.pages = 0
        self.evaluated = 0
        """Items that the table read for it, those that a filter dropped included."""
        self.untold: frozenset[Outcome] | None = None
        """Outcomes of items that nobody wants to know the keys of; None where nobody wants to know any."""
        self.left: list[Left] = []
        """Items that are counted already, and nobody was told of yet."""

    def request(self) -> dict[str, Any]:
        """The next page."""
        request = dict(self._request)
        if self._start is not None:
            request["ExclusiveStartKey"] = self._start
        if self._limit is not None:
            request["Limit"] = self._limit
        return request

    def page(self, response: Response) -> list[Item]:
        """The items of a page that are an application's."""
        self.pages += 1
        read = self._read = response.get("ScannedCount", len(response["Items"]))
        self.evaluated += read
        self._fit_pages(response, read)
        whole = not {"ProjectionExpression", "AttributesToGet"} & self._request.keys()
        self._items = [item for item in response["Items"] if not is_ours(item, self._key_names, whole=whole)]
        if self._items and not all(name in self._items[0] for name in self._key_names):
            raise ArgumentError(
                f"{self._work.name}: its reads bring items without their keys.",
                hint=f"Let the projection hold {' and '.join(self._key_names)}.",
            )
        self._outcomes = [None] * len(self._items)
        self._settled = 0
        self._after = next_start(response)
        return self._items

    def _fit_pages(self, response: Response, read: int) -> None:
        if self._page_units is None or not read or "Limit" in self._work.reads:
            return
        units = response.get("ConsumedCapacity", {}).get("CapacityUnits") or 0.5
        self._limit = max(1, min(2 * (self._limit or read), int(read / units * self._page_units)))

    def settle(self, index: int, outcome: Outcome) -> None:
        """What became of an item of this page."""
        self._outcomes[index] = outcome
        while self._settled < len(self._outcomes) and (settled := self._outcomes[self._settled]) is not None:
            count(self._tally, settled)
            if self._remarks is not None:
                for text in self._remarks(self._items[self._settled]):
                    self._tally.remark(text)
            if self.untold is not None and settled not in self.untold:
                key = self._key(self._items[self._settled])
                self.left.append(Left(key, None if settled == WRITTEN else settled))
            self._settled += 1

    def _key(self, item: Item) -> Item:
        return {name: item[name] for name in self._key_names}

    def turn(self) -> None:
        """All of the page is settled."""
        self._start, self.done = self._after, self._after is None
        self._items, self._outcomes, self._settled = [], [], 0

    @property
    def counts(self) -> Counts:
        """Items that are settled, as far as all before them are."""
        return self._tally.counts()

    @property
    def looked(self) -> int:
        """How many these are."""
        return self._tally.looked

    @property
    def passed(self) -> float:
        """As `evaluated`, without the share of the page at hand that is not settled yet."""
        left = 1 - self._settled / len(self._items) if self._items else 0.0
        return self.evaluated - self._read * left

    def state(self) -> Segment:
        """As it is kept."""
        start = self._start
        if self._settled:
            start = self._key(self._items[self._settled - 1])
        return Segment(self._number, start, self.done, self.counts)


SKIPPED_ONLY = frozenset((NOTHING, GONE, WRITTEN))
TO_WRITE_TOO = frozenset((NOTHING, GONE))


def page_units(limit: float | None, segments: int) -> float | None:
    """The units that a page may take where reads are limited."""
    return None if limit is None else max(1.0, limit * _PAGE_SECONDS / segments)
