"""What a question comes to: units, bytes and money of a month, against the model as it is."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from tablewright.cost.beside import NOTHING, Beside
from tablewright.cost.estimating import Estimate, Planned, estimate
from tablewright.cost.prices import Bill, Prices, deployed_billing, load_prices
from tablewright.cost.showing import shown_bytes
from tablewright.cost.what_if.asking import Pay, asked
from tablewright.cost.what_if.trying import Trial, Unserved
from tablewright.model.entity import Entity
from tablewright.wording import quantity


class Figures(Struct, frozen=True):
    """What a model uses and costs."""

    reads: float
    """Units a second at the peak, of the table and all indexes."""
    writes: float
    stored: int
    """Bytes that are paid for."""
    bill: Bill


class WhatIf(Struct, frozen=True):
    """One question and its answer."""

    question: str
    currency: str
    before: Figures
    after: Figures
    unserved: tuple[Unserved, ...]
    """Patterns that would no longer be served; what they cost is not in what comes after."""
    lost: float
    """What these read now, in a month on demand."""
    notes: tuple[str, ...]

    @property
    def month(self) -> float:
        """How much more a month would cost; less than 0 where it saves."""
        return self.after.bill.total - self.before.bill.total


def what_if(
    table: Planned,
    *questions: str,
    prices: Prices | None = None,
    share: float = 1.0,
    beside: Beside = NOTHING,
    creates: Mapping[str, float] | None = None,
) -> tuple[WhatIf, ...]:
    """What each of these would change, on its own: `what_if(shop, "drop GSI2", "GSI1: keys-only", "ttl Event 30d")`. Several
    changes at once stand in one question, with semicolons between them: `"drop GSI2; GSI1: keys-only"`.

    Money is that of the mode and table class that the model is deployed with. `creates` says how many items of an entity
    are made in a second at the peak, where not every write makes one: `{"Event": 2.5}`.
    """
    prices, plan = prices or load_prices(), table.plan
    mode, own = deployed_billing(prices, plan.table.deployment)
    before = estimate(table, prices, share=share, beside=beside)

    def created(entity: type[Entity]) -> float | None:
        rate = (creates or {}).get(entity.__name__, plan.table.expectations.created(entity))
        return None if rate is None else rate * share

    answers = []
    for text in questions:
        trial, new_mode, new_class = Trial(plan, created), mode, own
        for part in text.split(";"):
            question = asked(trial.table, part.strip())
            trial.ask(question)
            if isinstance(question, Pay):
                new_mode, new_class = (
                    (question.value, new_class) if question.what == "mode" else (new_mode, question.value)
                )
        model = trial.compiled()
        after = estimate(model, prices, share=share, beside=beside, held=model.held)
        gone = {f"{unserved.pattern}()" for unserved in model.unserved}
        answers.append(
            WhatIf(
                text,
                prices.currency,
                _figures(before, mode, own),
                _figures(after, new_mode, new_class),
                model.unserved,
                sum(part.month for part in before.shares if part.subject in gone),
                model.notes,
            )
        )
    return tuple(answers)


def _figures(found: Estimate, mode: str, table_class: str) -> Figures:
    return Figures(sum(found.reads.values()), sum(found.writes.values()), found.stored, found.bill(mode, table_class))


def shown_what_if(answers: tuple[WhatIf, ...]) -> str:
    """The answers as lines of text."""
    lines = []
    for answer in answers:
        before, after = answer.before, answer.after
        share = f" ({answer.month / before.bill.total:+z.1%})" if before.bill.total else ""
        lines.append(
            f"What if {answer.question!r}: {after.bill.total:,.2f} {answer.currency} a month instead of "
            f"{before.bill.total:,.2f}, {answer.month:+z,.2f}{share}"
        )
        parts = [
            f"{what} {quantity(round(then, 2))} -> {quantity(round(now, 2))} a second"
            for what, then, now in (
                ("read units", before.reads, after.reads),
                ("write units", before.writes, after.writes),
            )
            if round(then, 2) != round(now, 2)
        ]
        if before.stored != after.stored:
            parts.append(f"stored {shown_bytes(before.stored)} -> {shown_bytes(after.stored)}")
        lines += [f"  {part}" for part in parts]
        lines += [f"  no longer served: {u.pattern}(), since {u.reason}" for u in answer.unserved]
        if answer.unserved:
            lines.append(f"  - What these read now, {answer.lost:,.2f} a month on demand, is not in what comes after.")
        lines += [f"  - {note}" for note in answer.notes]
    return "\n".join(lines)
