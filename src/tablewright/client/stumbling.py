"""Items that are none: a second look at what the service said, once something in it was stumbled over.

No good answer is looked at for this. Only when the steps of an operation fail in a way that nobody foresaw, the items that
they were given are checked; if these are sound, the failure stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any

from tablewright.client.calls import Call, Step
from tablewright.errors import DecodeError, TablewrightError, ValidationError
from tablewright.values.operations import WRITES
from tablewright.values.types import Item

STUMBLES = (AttributeError, TypeError, LookupError, ValueError, ArithmeticError)
"""What comes of taking something for an attribute value that is none."""


def stumbled(step: Step | None, said: Any, error: Exception) -> TablewrightError | None:
    """The error to raise in place of one that an answer, or the error that came instead of it, is to blame for."""
    if isinstance(error, TablewrightError) or not isinstance(step, Call) or said is None:
        return None
    failed = isinstance(said, TablewrightError)
    wrong = _wrong_in(items_of_error(said) if failed else items_of_answer(said), error)
    if wrong is None:
        return None
    written = "The write was made, but an" if step.operation in WRITES and not failed else "An"
    return _no_item(f"{written} item in the reply to {step.operation} {wrong}.", step.operation)


class Stumbling:
    """A block that goes through items which several answers brought."""

    __slots__ = ("_items", "_operation")

    def __init__(self, operation: str, items: Iterable[Item]) -> None:
        self._operation = operation
        self._items = items

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, STUMBLES) or isinstance(error, TablewrightError):
            return
        wrong = _wrong_in(self._items, error)
        if wrong is not None:
            raise _no_item(f"An item in a reply to {self._operation} {wrong}.", self._operation) from error


def _no_item(message: str, operation: str) -> DecodeError:
    return DecodeError(
        message,
        operation=operation,
        hint="DynamoDB stores no such item. Is this its address, or that of something in between?",
    )


def _wrong_in(items: Iterable[Any], error: Exception) -> str | None:
    """What is wrong with the first item that is none, without its values."""
    from tablewright.values.checks import check_value  # not above: hardly any program ever needs it

    missing = error.args[0] if isinstance(error, KeyError) and _ours(error) and error.args else None
    for item in items:
        if not isinstance(item, dict):  # read straight from JSON by a form, which has looked at it
            continue
        for name, value in item.items():
            try:
                check_value(value)
            except (ValidationError, *STUMBLES):
                return f"has {name!r}, which is no attribute value"
        if isinstance(missing, str) and missing not in item:
            return f"lacks {missing!r}"
    return None


def _ours(error: Exception) -> bool:
    """Whether it was this library that failed, and not a function of the user's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__")).startswith("tablewright.")


def items_of_answer(answer: dict[str, Any]) -> Iterator[Item]:
    """The stored items in an answer."""
    for member in ("Item", "Attributes"):
        if answer.get(member):
            yield answer[member]
    yield from answer.get("Items", ())
    responses = answer.get("Responses", ())
    if isinstance(responses, dict):
        for items in responses.values():
            yield from items
    else:
        for response in responses:
            if response.get("Item"):
                yield response["Item"]


def items_of_error(error: TablewrightError) -> Iterator[Item]:
    """The stored items that a failed condition brings along."""
    for holder in (error, *getattr(error, "reasons", ())):
        item = getattr(holder, "item", None)
        if isinstance(item, dict):
            yield item
