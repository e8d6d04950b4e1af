"""What follows attributes that are made of others: keys on indexes, and the markers of unique values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec.structs import replace

from tablewright.compiler.entity_plan import EntityPlan, IndexBinding, UniquePlan
from tablewright.compiler.entity_planner import usual_marker
from tablewright.compiler.keys import TemplateKey
from tablewright.evolve.differences.keytexts import renamed_template
from tablewright.evolve.migrations.former import primary_key, recasts_of
from tablewright.evolve.migrations.ground import Ground, keys_with
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.steps.change_key import ChangeKey
from tablewright.evolve.migrations.steps.merge_attributes import MergeAttributes
from tablewright.evolve.migrations.steps.rename_attribute import RenameAttribute
from tablewright.evolve.migrations.steps.split_attribute import SplitAttribute
from tablewright.evolve.migrations.works.claiming import Claim, Release
from tablewright.evolve.migrations.works.indexing import sources_of
from tablewright.evolve.migrations.works.recasting import Recast

Stage: TypeAlias = list[tuple[Step, tuple[Part, ...]]]
_MAKE = RenameAttribute | SplitAttribute | MergeAttributes
_CHANGES = _MAKE | ChangeKey
"""Steps that make other attributes of items, or end what had two keys."""


def following(stage: Stage, what: str, ground: Ground) -> Stage:
    """The stage with all that follows: index keys in the same writes, markers when an entity's steps are done."""
    found = [
        (step, tuple(_with_keys(part, ground) if isinstance(part, Recast) else part for part in parts))
        for step, parts in stage
    ]
    last = {step.entity: at for at, (step, _) in enumerate(found) if isinstance(step, _CHANGES)}
    for name, at in last.items():
        step, parts = found[at]
        found[at] = step, (*parts, *_markers(ground.entity(name), what, ground))
    return found


def _with_keys(part: Recast, ground: Ground) -> Recast:
    bindings = _bindings(part, ground)
    if not bindings:
        return part
    sources = {part.plan.sources[name].path[0] for binding in bindings for name in sources_of(binding)}
    pair = {frozenset(part.sources), frozenset(part.targets)}
    others = tuple(
        one for one in recasts_of(ground, part.plan) if {frozenset(one.sources), frozenset(one.targets)} != pair
    )
    return replace(part, bindings=bindings, others=others if sources & {n for o in others for n in o.targets} else ())


def _bindings(part: Recast, ground: Ground) -> tuple[IndexBinding, ...]:
    """The keys that are made of its attributes, but for those that are filled by steps of this migration or of a later one."""
    plan, touched = part.plan, {*part.sources, *part.targets}
    filled = {index for step in (*(ground.steps or ()), *ground.later) for index in step.fills(plan.name)}
    return tuple(
        binding
        for binding in plan.kept
        if binding.written and binding.index.name not in filled
        if any(plan.sources[name].path[0] in touched for name in sources_of(binding))
    )


# ------------------------------------------------------------------------------------------------- unique values


def _markers(plan: EntityPlan, what: str, ground: Ground) -> tuple[Part, ...]:
    """What keeps the markers of the rules that are concerned, by the words of each model."""
    own = [step for step in ground.steps or () if getattr(step, "entity", None) == plan.name]
    later = [step for step in ground.later if getattr(step, "entity", None) == plan.name]
    now = _before(plan, later)
    before = _before(now, own)
    touched, unknown = _rules_about(now, before, own)
    # What ends pairs knows the rules of the model, and not what later steps make of them.
    if any(step.pairs for step in own):
        more, not_known = _rules_about(plan, now, later)
        touched, unknown = touched | more, unknown | not_known
    known = touched - unknown
    if not touched:
        return ()
    own_only = known | {number for number in unknown if _is_new(plan, number)}
    match what:
        case "run":  # code of each model writes, and refuses what it finds claimed by its own rules
            kept = [_only(plan, touched), _only(now, known), _only(before, known)]
            looked = [_only(plan, own_only), _only(now, known), _only(before, known)]
        case "retire":
            kept = [_only(plan, touched), _only(now, known)]
            looked = [*kept, _only(before, known)]
        case _:
            kept = [_only(before, known)]
            looked = [_only(plan, own_only), _only(now, known), *kept]
    holders = _distinct(kept)
    rules = tuple(rule for one in _distinct(looked) for rule in one.uniques)
    release = (Release(plan, ground.table, holders, rules),) if rules else ()
    return (*release, *((Claim(plan, ground.table, holders),) if holders else ()))


def _only(plan: EntityPlan, rules: set[int]) -> EntityPlan:
    """The entity with some of its rules."""
    return replace(plan, uniques=tuple(rule for number, rule in enumerate(plan.uniques) if number in rules))


def _distinct(plans: Sequence[EntityPlan]) -> tuple[EntityPlan, ...]:
    """Those that have rules, each once."""
    found = {
        tuple((rule.name, *(plan.fields[name].path for name in sorted(rule.fields))) for rule in plan.uniques): plan
        for plan in reversed(plans)
        if plan.uniques
    }
    return tuple(reversed(found.values()))


def _rules_about(now: EntityPlan, before: EntityPlan, steps: Sequence[Step]) -> tuple[set[int], set[int]]:
    """The numbers of rules about attributes that steps make or take away; and of those of which nobody knows what they were."""
    changed = {name for step in steps if isinstance(step, _MAKE) for name in (*step.makes, *step.takes)}
    others = {name for step in steps if isinstance(step, SplitAttribute | MergeAttributes) for name in step.makes}
    touched = {n for n in range(len(now.uniques)) if (_paths(now, n) | _paths(before, n)) & changed}
    return touched, {n for n in touched if _paths(now, n) & others}


def _is_new(plan: EntityPlan, rule: int) -> bool:
    """Whether no rule of a model that did not have its attributes can have made such markers: they tell the attributes by name."""
    own, names = plan.uniques[rule], plan.uniques[rule].name.split("+")
    usual = str(own.keys[0]) == usual_marker(plan.entity, plan.table.key_style, names)
    return usual and all(plan.fields[name].path == (name,) for name in own.fields)


def _paths(plan: EntityPlan, rule: int) -> set[str]:
    return {plan.fields[name].path[0] for name in plan.uniques[rule].fields}


def _before(plan: EntityPlan, steps: Sequence[Step]) -> EntityPlan:
    """The entity as it was: fields and rules in the words of the model before these steps."""
    for step in reversed(steps):
        if not isinstance(step, RenameAttribute):
            continue
        names = {name: step.field_before(name) for name, field in plan.fields.items() if field.path[0] == step.to}
        fields = {**plan.fields}
        for name, old in names.items():
            field = plan.fields[name]
            fields[old] = replace(field, name=old, path=(step.attribute, *field.path[1:]))
        # What code of the old model reads is what is stored, whatever an upcast would make of it.
        made = replace(plan, fields=fields, sources={**plan.sources, **fields}, versions=None)
        plan = replace(made, uniques=tuple(_former(made, rule, names) for rule in plan.uniques))
    return plan


def _former(before: EntityPlan, rule: UniquePlan, names: dict[str, str]) -> UniquePlan:
    """A rule with the fields that it had, and the markers that follow from them, unless their template is given."""
    listed = [names.get(name, name) for name in rule.name.split("+")]
    name = "+".join(listed)
    given = str(rule.keys[0])
    own = given != usual_marker(before.entity, before.table.key_style, rule.name.split("+"))
    text = renamed_template(given, names) if own else usual_marker(before.entity, before.table.key_style, listed)
    attributes = tuple(part for side in primary_key(before) for part in side)
    keys = keys_with(before, attributes, (), (text,) * len(attributes))
    return UniquePlan(name, rule.type_name, frozenset(listed), tuple(k for k in keys if isinstance(k, TemplateKey)))
