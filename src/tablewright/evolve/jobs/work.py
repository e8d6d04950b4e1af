"""What a job does: it looks at each item of a table, and says what has to be written for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

from tablewright.values.types import Item

if TYPE_CHECKING:
    from tablewright.evolve.jobs.checkpoints import Checkpoints


class Writes(Struct, frozen=True):
    """What has to be written for an item, as actions of TransactWriteItems: `{"Update": {"TableName": …, "Key": …, …}}`.

    One is sent by itself, several as one transaction. Each has a condition that fails when the item has changed since it was
    read, or is gone: then it is read again, and looked at anew. Nothing is written without one.
    """

    actions: tuple[dict[str, Any], ...]
    met: Met | None = None
    """Where other items are written than the one that was looked at: what it means that one of them stood in the way. It gets
    the first action whose condition failed, and the item that it failed on; other writes are sent instead. Without it, the item is
    looked at anew."""
    notes: bool = False
    """Whether it only notes something for later, and changes nothing that anybody else reads: then it is not counted, and not
    asked for in a dry run."""
    later: tuple[Writes, ...] = ()
    """What others will write because of it: a dry run prices that along."""


class Skipped(Struct, frozen=True):
    """An item that is left as it is, although it is one of those that the job is for."""

    reason: str
    """Why, in words that hold no value of the item: reasons are counted and shown."""
    compared: bool = False
    """Whether it follows from the item together with what was read beside it: then the item is read once more, and looked at
    anew unless it is still the same, since both may have been changed in between."""


class Again(Struct, frozen=True):
    """The item has to be looked at anew."""


Decision: TypeAlias = Writes | Skipped | None
"""What work says of an item: Writes, Skipped, or None where nothing has to be done, because it is done or the item is none of
the job's."""


Met: TypeAlias = Callable[[dict[str, Any], Item], Decision | Again]


class Work(Protocol):
    """One kind of work. It may be asked by several threads at once, and again for the same item; the answer depends on
    nothing but the item."""

    @property
    def name(self) -> str:
        """What is done, in a few words: "fill GSI2 of Member"."""
        ...

    @property
    def identity(self) -> str:
        """A text that is another one where the work is: nobody goes on where other work has stopped."""
        ...

    @property
    def table(self) -> str:
        """The table that is read."""
        ...

    @property
    def reads(self) -> dict[str, Any]:
        """Members of Scan beside the table and the segment, such as a filter."""
        ...

    def look(self, item: Item) -> Decision:
        """What has to be done about an item."""
        ...


@runtime_checkable
class WorkWithRemarks(Work, Protocol):
    """Work that has something to say of items, whatever becomes of them: it is counted and shown."""

    def remarks(self, item: Item) -> Sequence[str]:
        """What, in words that hold no value of the item."""
        ...


@runtime_checkable
class WorkForLater(Work, Protocol):
    """Work that may only note what has to be written."""

    @property
    def later(self) -> str | None:
        """Who writes it, as in "repair writes them"; None where the work does it itself."""
        ...


@runtime_checkable
class WorkBeside(Work, Protocol):
    """Work whose answer also depends on other items: whether what an item becomes is there already, in another table."""

    @property
    def writes_to(self) -> tuple[str, ...]:
        """The tables that it writes to."""
        ...

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """Tables and keys of the other items; they are read where the item itself is."""
        ...

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """What has to be done about an item, with what was found beside it, in the order of `beside`."""
        ...

    def checkpoints(self, lease: float) -> Checkpoints:
        """Where is kept how far it is, unless a job is told otherwise."""
        ...
