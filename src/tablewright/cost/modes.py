"""Ways to pay for a load that changes over the day, beside each other: by request, for the peak, and following it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.cost.estimating import Estimate, Planned, enough, peaks
from tablewright.cost.prices import MONTH, Prices, deployed_rates, load_prices, on_demand, provisioned
from tablewright.cost.profiles import Profile
from tablewright.cost.scaling import DAY, Limits, Policy, Scaled, follow
from tablewright.model.deployment import Provisioned
from tablewright.wording import counted, quantity

_BUSY = 2
"""Days that are looked at where a profile has one: what the second begins with, the first has left."""


class PlaceScaled(Struct, frozen=True):
    """The table or a global index, with capacity that follows its load."""

    place: str
    fixed: tuple[int, int]
    """Read and write units that are enough for the peak."""
    scaled: tuple[float, float]
    """Read and write units that are ready on average."""
    throttled: int
    """Minutes of a day in which something was refused."""
    refused: float
    """The share of the load that was."""
    decreases: float
    """Of a day."""
    delayed: int
    """Minutes of a day in which capacity was to fall, and no decrease was left."""


class ModesCompared(Struct, frozen=True):
    """What reads and writes of a month cost in each mode."""

    currency: str
    average: float
    """How busy it is on average, as a share of the peak."""
    months: Mapping[str, float]
    """By mode: on-demand, provisioned, and scaled; the cheapest first."""
    places: tuple[PlaceScaled, ...]
    notes: tuple[str, ...]

    @property
    def throttled(self) -> int:
        """Minutes of a day in which scaling comes too late, in all places."""
        return sum(place.throttled for place in self.places)


def compare_modes(
    table: Planned, found: Estimate, profile: Profile, prices: Prices | None = None, policy: Policy | None = None
) -> ModesCompared:
    """Holds the modes against each other for what was estimated. Without a policy, scaling is as the deployment has it, or
    between one unit and as many as are wanted."""
    prices, plan = prices or load_prices(), table.plan
    rates = deployed_rates(prices, plan.table.deployment)
    reads, writes = peaks(plan, found.reads), peaks(plan, found.writes)
    places = []
    for place in reads:
        own = policy or _deployed(plan, place)
        runs = _runs(profile, reads[place], writes[place], own)
        places.append(_place(place, runs, (reads[place], writes[place]), profile, own))
    month = MONTH * profile.average
    bills = {
        "on-demand": on_demand(
            rates, reads=sum(reads.values()) * month, writes=sum(writes.values()) * month, stored=0.0
        ),
        "provisioned": provisioned(
            rates, reads=sum(p.fixed[0] for p in places), writes=sum(p.fixed[1] for p in places), stored=0.0
        ),
        "scaled": provisioned(
            rates, reads=sum(p.scaled[0] for p in places), writes=sum(p.scaled[1] for p in places), stored=0.0
        ),
    }
    months = dict(sorted(((mode, bill.total) for mode, bill in bills.items()), key=lambda m: m[1]))
    return ModesCompared(prices.currency, profile.average, months, tuple(places), tuple(_notes(places, profile)))


def _deployed(plan: TablePlan, place: str) -> Policy:
    billing = plan.table.deployment.billing
    if not isinstance(billing, Provisioned):
        return Policy()
    own = billing.of(place)
    if own.max_read is None and own.max_write is None:
        return Policy(target=own.target / 100)
    return Policy(
        Limits(own.read, own.max_read or own.read), Limits(own.write, own.max_write or own.write), own.target / 100
    )


def _runs(profile: Profile, reads: float, writes: float, policy: Policy) -> Scaled:
    times = 1 if profile.observed else _BUSY
    return follow(profile.load(reads) * times, profile.load(writes) * times, policy)


def _place(place: str, run: Scaled, peak: tuple[float, float], profile: Profile, policy: Policy) -> PlaceScaled:
    """The last days of a run, as many as the profile has."""
    days = len(run.reads.capacity) / DAY
    ready = [side.capacity[-len(profile.minutes) :] for side in (run.reads, run.writes)]
    asked = sum(peak) * profile.average * len(run.reads.capacity) * 60
    return PlaceScaled(
        place,
        (enough(peak[0], policy.target), enough(peak[1], policy.target)),
        (sum(ready[0]) / len(ready[0]), sum(ready[1]) / len(ready[1])),
        round(run.throttled / days),
        sum(run.reads.refused + run.writes.refused) / asked if asked else 0.0,
        run.decreases / days,
        round(run.delayed / days),
    )


def _notes(places: list[PlaceScaled], profile: Profile) -> list[str]:
    found = [
        "Storage costs the same in each mode and is not counted. Scaling rises after two minutes and falls after fifteen, "
        "each some minutes later, and falls 27 times a day at most."
    ]
    late = [p for p in places if p.throttled]
    found += [
        f"{p.place}: scaling comes too late for {counted(p.throttled, 'minute')} a day, and {p.refused:.1%} of the load is "
        "refused; raise the least capacity, lower the target, or pay on demand."
        for p in late
    ]
    found += [
        f"{p.place}: for {counted(p.delayed, 'minute')} a day capacity should fall, and its decreases are used up."
        for p in places
        if p.delayed
    ]
    if profile.observed:
        found.append("Each place has its share of what all consumed in each minute, as it was observed.")
    return found


def shown_modes(compared: ModesCompared) -> str:
    """The comparison as lines of text."""
    lines = [
        f"Reads and writes of a month in {compared.currency}, at {compared.average:.0%} of the peak on average:",
        *(f"  {mode}: {month:,.2f}" for mode, month in compared.months.items()),
    ]
    for place in compared.places:
        ready = f"{quantity(round(place.scaled[0], 1))} read and {quantity(round(place.scaled[1], 1))} write units"
        fixed = f"{place.fixed[0]:,} and {place.fixed[1]:,}"
        lines.append(f"  {place.place}: {ready} on average where it scales, {fixed} for the peak")
    return "\n".join([*lines, *(f"  - {note}" for note in compared.notes)])
