"""What the service refused, in our words: refusals that depend on the stored item, so that no check could foresee them."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.client.writes.items import too_large
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import (
    ArgumentError,
    CancellationReason,
    DecodeError,
    NumberError,
    RequestRefused,
    TablewrightError,
    TransactionCanceled,
    TransactionError,
)
from tablewright.model.entity import with_article


def explained(error: RequestRefused, plans: Sequence[EntityPlan]) -> TablewrightError:
    """A refused request as an error that says what to do; the service's own error where there is nothing to add."""
    if "4MB" in error.message or "4 MB" in error.message:
        return TransactionError(
            "The items of the transaction are larger than the 4 MB that DynamoDB allows.",
            constraint="4 MB",
            hint="Nothing was written; make it smaller.",
        )
    return by_message(error.message, plans) or error


def explained_reason(reason: CancellationReason, plan: EntityPlan, canceled: TransactionCanceled) -> TablewrightError:
    """The same for one action of a cancelled transaction."""
    return by_message(reason.message or "", [plan]) or canceled


def by_message(message: str, plans: Sequence[EntityPlan]) -> TablewrightError | None:
    """What the service's words mean for items of these entities; None where there is nothing to add."""
    name = " or ".join(dict.fromkeys(plan.name for plan in plans))
    if "Expression size" in message:
        return ArgumentError(
            f"This write of {with_article(name)} takes an expression of more than the 4 KB that DynamoDB allows.",
            constraint="4 KB",
            hint="Nothing was written; change fewer fields at once, or keep many small values in one map.",
        )
    if "size" in message and "exceeded" in message:
        return too_large(name, "would become too large")
    if "incorrect data type" in message or "document path" in message:
        return DecodeError(
            f"A stored {name} holds something else than its fields say where it was to be changed.",
            hint="Nothing was written; the item was written by other code or an older model.",
        )
    if "Number overflow" in message or "Number underflow" in message or "significant digits" in message:
        return NumberError(
            f"A number of {with_article(name)} would leave what DynamoDB can hold.",
            constraint="38 digits, 1E-130 to 9.9E+125",
            hint="Nothing was written.",
        )
    return None
