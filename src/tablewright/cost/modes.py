"""Ways to pay for a load that changes over the day, beside each other: by request, for the peak, and following it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.cost.estimating import Estimate, Planned, enough, peaks
from tablewright.cost.prices import MONTH, Prices, Rates, deployed_rates, load_prices, on_demand, provisioned
from tablewright.cost.profiles import Profile
from tablewright.cost.scaling import DAY, Policy, Scaled, deployed_policy, follow
from tablewright.model.deployment import Provisioned
from tablewright.wording import counted, quantity


class Load(Struct, frozen=True):
    """Units a second in each minute, of the table or a global index."""

    reads: tuple[float, ...]
    writes: tuple[float, ...]

    @property
    def peak(self) -> tuple[float, float]:
        """The busiest minute of reads, and of writes."""
        return max(self.reads), max(self.writes)

    @property
    def average(self) -> tuple[float, float]:
        """Units a second."""
        return sum(self.reads) / len(self.reads), sum(self.writes) / len(self.writes)


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


def profile_loads(table: Planned, found: Estimate, profile: Profile) -> dict[str, Load]:
    """What was estimated, as it goes over the day. Two of them: what the second begins with, the first has left."""
    reads, writes = peaks(table.plan, found.reads), peaks(table.plan, found.writes)
    return {p: Load(tuple(profile.load(reads[p]) * 2), tuple(profile.load(writes[p]) * 2)) for p in reads}


def profile_notes(profile: Profile, share: float) -> list[str]:
    """What to know of a load that goes by a profile, where a month sees a share of the peak elsewhere."""
    found = []
    if profile.most != 1:
        found.append(
            f"The greatest number of the profile is {profile.most:g}. It stands for the peak that was said, and all were divided by it; "
            "a day that does not reach that peak has other rates in the model."
        )
    if share < 1:
        found.append(
            f"Here a day goes by the profile, at {profile.average:.0%} of the peak on average; the share of {share:.0%} is used above, "
            "and not here."
        )
    return found


def compare_modes(
    table: Planned,
    loads: Mapping[str, Load],
    prices: Prices | None = None,
    policy: Policy | None = None,
    *,
    notes: Sequence[str] = (),
) -> ModesCompared:
    """Holds the modes against each other for the load of each place. Without a policy, scaling is as the deployment has it,
    or between one unit and as many as are wanted. `notes` say what else is to be known of the load."""
    prices, plan = prices or load_prices(), table.plan
    rates = deployed_rates(prices, plan.table.deployment)
    places = [_place(place, load, policy or _deployed(plan, place)) for place, load in loads.items()]
    average = [sum(side) for side in zip(*(load.average for load in loads.values()), strict=True)]
    months = {
        "on-demand": on_demand(rates, reads=average[0] * MONTH, writes=average[1] * MONTH, stored=0.0).total,
        "provisioned": _kept(rates, [place.fixed for place in places]),
        "scaled": _kept(rates, [place.scaled for place in places]),
    }
    peak = sum(sum(load.peak) for load in loads.values())
    return ModesCompared(
        prices.currency,
        sum(average) / peak if peak else 0.0,
        dict(sorted(months.items(), key=lambda m: m[1])),
        tuple(places),
        (*notes, *_notes(places)),
    )


def _kept(rates: Rates, units: Sequence[tuple[float, float]]) -> float:
    return provisioned(rates, reads=sum(u[0] for u in units), writes=sum(u[1] for u in units), stored=0.0).total


def _deployed(plan: TablePlan, place: str) -> Policy:
    billing = plan.table.deployment.billing
    if not isinstance(billing, Provisioned):
        return Policy()
    own = billing.of(place)
    if own.max_read is None and own.max_write is None:
        return Policy(target=own.target / 100)
    return deployed_policy(own)


def _place(place: str, load: Load, policy: Policy) -> PlaceScaled:
    run: Scaled = follow(load.reads, load.writes, policy)
    days, asked = len(load.reads) / DAY, (sum(load.reads) + sum(load.writes)) * 60
    return PlaceScaled(
        place,
        (enough(load.peak[0], policy.target), enough(load.peak[1], policy.target)),
        (run.reads.average, run.writes.average),
        round(run.throttled / days),
        sum(run.reads.refused + run.writes.refused) / asked if asked else 0.0,
        run.decreases / days,
        round(run.delayed / days),
    )


def _notes(places: list[PlaceScaled]) -> list[str]:
    found = [
        "Storage costs the same in each mode and is not counted. Scaling rises after two minutes and falls after fifteen, "
        "each some minutes later, and falls 27 times a day at most."
    ]
    found += [
        f"{p.place}: scaling comes too late for {counted(p.throttled, 'minute')} a day, and {p.refused:.1%} of the load is "
        "refused; raise the least capacity, lower the target, or pay on demand."
        for p in places
        if p.throttled
    ]
    found += [
        f"{p.place}: for {counted(p.delayed, 'minute')} a day capacity should fall, and its decreases are used up."
        for p in places
        if p.delayed
    ]
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
