"""capacity-mode: far more capacity is kept ready than is used, or hardly enough."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.observe.capacity import LEAST_IDLE, LEAST_STRAINED, CapacityReport, capacity_mode, shown_costs
from tablewright.observe.judging import percent
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import TABLE
from tablewright.observe.telling import place
from tablewright.wording import quantity


class CapacityMode(Rule):
    """Far more capacity is kept ready than is used, or hardly enough.

    Provisioned capacity is paid by the hour, used or not; what goes beyond it is throttled. On-demand capacity is paid by the
    request, and costs some three and a half times as much for each unit: it is the cheaper one below 29% of use.

    It goes by the average over the window, which is what was observed of the last seven days at most, and tells the busiest
    minute beside it. It fires when reads or writes use less than 30% of what is provisioned, of the table and its indexes
    together, over a day or more, and another way to pay saves at least a twentieth (info); or more than 80%, together or of what the table
    or an index has for itself, over an hour or more (warning): an index whose writes are throttled holds up those of the table. Where nobody knows how the table is paid for, and for tables on demand, it says nothing;
    `capacity_mode(observed)` answers for those as well.

    Change the mode of billing, or the units that are provisioned. What the table and each index should have goes by their
    shares of what all of them took. A table can change to on-demand capacity four times in a
    day.

    > Reads use 15% of what is provisioned on average, and 85% at the peak.
    """

    name = "capacity-mode"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        if seen.snapshot.billing.mode != "provisioned":
            return
        report = capacity_mode(seen)
        saved = report.savings or 0.0
        if report.strained and report.seconds >= LEAST_STRAINED:
            yield _told(report, strained=True)
        elif report.idle and report.seconds >= LEAST_IDLE and saved > 0:
            yield _told(report, strained=False)

    def waits_for(self, seen: Observed) -> str | None:
        mode, seconds = seen.snapshot.billing.mode, seen.snapshot.seconds
        if mode == "unknown":
            return "how the table is paid for, which a session learns when it is asked for advice"
        if mode != "provisioned" or seconds >= LEAST_IDLE:
            return None
        return "a day" if seconds >= LEAST_STRAINED else "an hour to see too little capacity, and a day to see too much"


def _told(report: CapacityReport, *, strained: bool) -> Recommendation:
    uses = [(what, use) for what, use in (("Reads", report.reads), ("Writes", report.writes)) if use.share is not None]
    what, use = (max if strained else min)(uses, key=lambda one: one[1].share or 0.0)
    tightest = report.tight[0] if strained and report.tight else None
    if tightest is not None and (tightest.use.share or 0.0) > (use.share or 0.0):
        what, use = f"{tightest.kind.capitalize()} of {place(tightest.place)}", tightest.use
    share, peak = use.share or 0.0, use.peak_share or 0.0
    saved, monthly = report.savings or 0.0, report.monthly or 0.0
    return Recommendation(
        rule=CapacityMode.name,
        severity="warning" if strained else "info",
        category="capacity",
        subject="capacity",
        message=f"{what} use {percent(share)} of what is provisioned on average, and {percent(peak)} at the peak.",
        details=" ".join((report.reasoning, shown_costs(report), *report.notes)),
        action=_action(report),
        code=_code(report),
        saves=saved / monthly if monthly and saved > 0 else None,
        evidence={
            "seconds": report.seconds,
            "average_share": share,
            "peak_share": peak,
            "monthly": monthly,
            "monthly_recommended": report.monthly_recommended or 0.0,
            "savings": saved,
            "recommended": report.recommended,
        },
        impact=min(1.0, abs(saved) / monthly) if monthly else 0.0,
        effort=1,
    )


def _action(report: CapacityReport) -> str:
    if report.recommended == "on-demand":
        return "Change the table to on-demand capacity."
    if report.recommended == "scaled":
        return "Let the capacity follow the load between a least and a greatest number of units."
    reads, writes = report.ready or (1, 1)
    whole = (
        f"Provision {quantity(reads)} read and {quantity(writes)} write units, for the table and its indexes together"
    )
    if len(report.places) < 2:
        return f"{whole}."
    parts = [f"{quantity(r)} and {quantity(w)} for {place(name)}" for name, (r, w) in report.places.items()]
    return f"{whole}: {', '.join(parts)}."


def _code(report: CapacityReport) -> str:
    if report.recommended == "on-demand":
        return 'Table(..., deployment=Deployment(billing="on-demand"))'
    if report.recommended == "scaled":
        return (
            "Table(..., deployment=Deployment(billing=Provisioned(read=..., write=..., max_read=..., max_write=...)))"
        )
    units = {name: f"read={reads}, write={writes}" for name, (reads, writes) in report.places.items()}
    own = units.pop(TABLE, "read=1, write=1")
    indexes = ", ".join(f'"{name}": Provisioned({of})' for name, of in units.items())
    billing = f"Provisioned({own}, indexes={{{indexes}}})" if indexes else f"Provisioned({own})"
    return f"Table(..., deployment=Deployment(billing={billing}))"
