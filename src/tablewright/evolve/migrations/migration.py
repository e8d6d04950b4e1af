"""One migration: its steps, as a file gives them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec.structs import fields, replace

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations.contradicting import contradiction
from tablewright.evolve.migrations.following import Stage, following
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.step import Part, Question, Step
from tablewright.evolve.migrations.steps.fill_keys import FillKeys
from tablewright.evolve.migrations.steps.merge_attributes import MergeAttributes
from tablewright.evolve.migrations.steps.rename_attribute import RenameAttribute
from tablewright.evolve.migrations.steps.split_attribute import SplitAttribute
from tablewright.evolve.migrations.steps.split_item import SplitItem
from tablewright.evolve.migrations.steps.to_multi_attribute_keys import ToMultiAttributeKeys
from tablewright.evolve.migrations.steps.upgrade_entity import UpgradeEntity
from tablewright.evolve.migrations.works.claiming import Claiming
from tablewright.evolve.migrations.works.guarding import identity
from tablewright.evolve.migrations.works.pairing import Pairs
from tablewright.evolve.migrations.works.recasting import Recast

_MAKE = (MergeAttributes, RenameAttribute, SplitAttribute)
"""Steps that make attributes of others."""
_MADE_OF = (FillKeys, ToMultiAttributeKeys, UpgradeEntity)
"""Steps that make something of attributes."""
_MENDED = frozenset(("by", "back", "parts", "when", "wins"))
"""Arguments that may be mended while a migration is on its way: functions, also where there was none, who wins, and what is a part."""


class Migration:
    """The steps from one model to the next, in their order.

    `migration = Migration([AddIndex("GSI2", ...), FillKeys("Order", "GSI2")])`
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        if isinstance(steps, Step) or not all(isinstance(step, Step) for step in steps):
            raise ArgumentError("A migration is a list of steps.", hint='Write Migration([FillKeys("Order", "GSI2")]).')
        self.steps = tuple(steps)

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is still to be decided."""
        return tuple(step for step in self.steps if isinstance(step, Question))

    def contradiction(self) -> str | None:
        """What cannot be meant: one attribute that becomes two, or is made twice, or of itself, or is removed and still needed."""
        return contradiction(self.steps)

    @property
    def outline(self) -> str:
        """The steps in short: neither their functions nor who wins, which may be mended while a migration is on its way."""
        return identity(*map(_outline, self.steps))

    def stage(self, what: str, ground: Ground) -> Stage:
        """The parts of each step for `run`, `retire` or `undo`, in the order in which they are carried out."""
        order = _filled_late(self.steps)
        steps = list(reversed(order)) if what == "undo" else order
        # What ends a pair comes before all that would make a difference between the two, and what makes one behind it.
        steps.sort(key=_pairs if what == "run" else _late)
        known = replace(ground, steps=self.steps)
        if what == "retire":
            steps = _upgraded_first(steps)
        parts = [(step, getattr(step, what)(known)) for step in steps]
        if what == "retire":
            parts = [(step, (*self._followed(step, known), *some)) for step, some in parts]
        return following(_repeated(parts) if what == "run" else parts, what, known)

    def filled_at_the_end(self, ground: Ground) -> list[str]:
        """Indexes that items of older schema versions come into when they are upgraded: they have fields of the new one as keys, which
        those hold only then."""
        upgraded = {step.entity for step in self.steps if isinstance(step, UpgradeEntity)}
        plans = [plan for name, plan in ground.entities.items() if name in upgraded]
        found = {
            binding.index.name
            for plan in plans
            for binding in plan.kept
            if binding.shared and any(binding.index.name in step.fills(plan.name) for step in self.steps)
        }
        return sorted(found)

    def _followed(self, step: Step, ground: Ground) -> Iterator[Part]:
        """Before an upcast takes away what it is made of, all that code of the old model has written since is followed once more."""
        if isinstance(step, UpgradeEntity):
            for other in self.steps:
                if isinstance(other, (*_MAKE, SplitItem)) and other.entity == step.entity:
                    yield from other.run(ground)

    @property
    def entities(self) -> frozenset[str]:
        """Whose items it is about."""
        return frozenset(name for step in self.steps for name in _entities(step))

    def pairs(self, entities: Collection[str], ground: Ground) -> list[tuple[Step, Part]]:
        """What lets items of these entities and their copies be alike, while they have two keys."""
        paired = [step for step in self.steps if step.pairs and not _entities(step).isdisjoint(entities)]
        return [(step, part) for step in paired for part in step.run(ground) if isinstance(part, Pairs)]

    @property
    def paired(self) -> frozenset[str]:
        """Whose items may have two keys while it is open."""
        return frozenset(name for step in self.steps if step.pairs for name in _entities(step))

    def taken_further(self, others: Iterable[Migration]) -> frozenset[str]:
        """The entities of which later migrations make something of what this one makes."""
        taken = {
            (step.entity, name)
            for other in others
            for step in other.steps
            if isinstance(step, _MAKE)
            for name in step.takes
        }
        made = ((step.entity, name) for step in self.steps if isinstance(step, _MAKE) for name in step.makes)
        return frozenset(entity for entity, name in made if (entity, name) in taken)

    def beside_pairs(self, entities: Collection[str], ground: Ground) -> list[tuple[Step, Part]]:
        """What makes both forms of items of these entities alike once more: pairs of another migration were ended, or a later one
        has changed what this one makes."""
        found = [(step, part) for step, parts in self.stage("run", ground) for part in parts]
        return [
            (step, replace(part, again=True) if isinstance(part, Recast) else part)
            for step, part in found
            if isinstance(part, Recast | Claiming) and part.plan.name in entities
            if not (isinstance(part, Recast) and part.again)
        ]


def _entities(step: Step) -> frozenset[str]:
    """Whose items a step is about; none where it is about an index."""
    one: str | None = getattr(step, "entity", None)
    return frozenset(getattr(step, "entities", () if one is None else (one,)))


def _repeated(stage: Stage) -> Stage:
    """A run that ends pairs leaves items of which code of the new model has written one form alone: steps that may do so are
    followed by what makes the other one."""
    recasts = [part for _, parts in stage for part in parts if isinstance(part, Recast)]
    return [
        (step, (*parts, *(replace(one, again=True) for one in recasts if one.plan.name in _entities(step))))
        if any(isinstance(part, Pairs) for part in parts)
        else (step, parts)
        for step, parts in stage
    ]


def _outline(step: Step) -> str:
    values = ((field.name, getattr(step, field.name)) for field in fields(step) if field.name not in _MENDED)
    return f"{type(step).__name__} {list(values)}"


def _filled_late(steps: Sequence[Step]) -> list[Step]:
    """Keys are made of attributes, and current items of older ones: behind the steps that make these, wherever they stand in the
    file."""
    order = list(steps)
    for step in steps:
        if isinstance(step, _MADE_OF):
            entities = _entities(step)
            made = [at for at, other in enumerate(order) if isinstance(other, _MAKE) and other.entity in entities]
            if made and order.index(step) < made[-1]:
                order.remove(step)
                order.insert(made[-1], step)
    return order


def _upgraded_first(steps: Sequence[Step]) -> list[Step]:
    """Older items are upgraded behind what ends their pairs, and before anything is removed that upcasts may read."""
    order = list(steps)
    for step in steps:
        own = [one for one in order if isinstance(step, UpgradeEntity) and step.entity in _entities(one)]
        taking = [at for at, one in enumerate(order) if one in own and one.takes]
        if taking and taking[0] < order.index(step):
            first = [*(one for one in own if one.pairs and not one.takes), step]
            at = taking[0] - sum(order.index(one) < taking[0] for one in first)
            order = [one for one in order if one not in first]
            order[at:at] = first
    return order


def _pairs(step: Step) -> bool:
    return step.pairs


def _late(step: Step) -> bool:
    return not step.pairs
