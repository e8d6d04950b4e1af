"""What the templates of `was=` are made of: fields of the model, and attributes that other steps of the migration know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace
from pydantic import TypeAdapter

from tablewright.compiler.codecs import codec_for
from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.keys import KeyPlan
from tablewright.errors import KeyTemplateError
from tablewright.evolve.migrations.ground import Ground, keys_with
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.steps.merge_attributes import MergeAttributes
from tablewright.evolve.migrations.steps.remove_attributes import RemoveAttributes
from tablewright.evolve.migrations.steps.rename_attribute import RenameAttribute
from tablewright.evolve.migrations.steps.split_attribute import SplitAttribute
from tablewright.evolve.migrations.steps.upgrade_entity import UpgradeEntity
from tablewright.evolve.migrations.works.former import FormerKeys
from tablewright.evolve.migrations.works.indexing import sources_of
from tablewright.evolve.migrations.works.recasting import Recast
from tablewright.model.keys import Derived
from tablewright.values.keycodec import KeyTemplate

_Recasting = RenameAttribute | SplitAttribute | MergeAttributes


def former_keys(
    ground: Ground,
    plan: EntityPlan,
    pk: tuple[str, ...],
    sk: tuple[str, ...],
    was: tuple[str, ...],
    derive: Mapping[str, Derived] | None = None,
    when: Callable[..., Any] | None = None,
) -> FormerKeys:
    """How attributes such as "GSI1PK (S)" were made. Templates that nothing can be made by are refused."""
    steps = _steps(ground, plan)
    known, raw = _knowing(ground, plan, was, derive)
    # What was renamed comes back, so that it was not there before either where it is not there then.
    about = {name for step in steps for name in _about(step) if not isinstance(step, RenameAttribute)}
    upgraded = any(isinstance(step, UpgradeEntity) for step in steps)
    optional = frozenset(
        name
        for name, field in known.sources.items()
        if field.nullable and field.path[0] not in about
        if ground.steps is not None and not upgraded
    )
    keys = keys_with(known, pk, sk, was, derive)
    recasts = _recasts(part for step in reversed(steps) if isinstance(step, _Recasting) for part in step.undo(ground))
    return FormerKeys(known, keys, raw, recasts, optional, when)


def former_primary_key(
    ground: Ground, plan: EntityPlan, was: tuple[str, ...], derive: Mapping[str, Derived] | None = None
) -> tuple[KeyPlan, ...]:
    """How the primary key was made."""
    known, _ = _knowing(ground, plan, was, derive)
    return keys_with(known, *primary_key(plan), was, derive)


def primary_key(plan: EntityPlan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes of the primary key, such as "PK (S)"."""
    pk, sk = ((f"{a.name} ({a.tag})",) if a is not None else () for a in (plan.table.pk, plan.table.sk))
    return pk, sk


def _knowing(
    ground: Ground, plan: EntityPlan, was: tuple[str, ...], derive: Mapping[str, Derived] | None
) -> tuple[EntityPlan, frozenset[str]]:
    """The entity with what older templates name beside its fields, and those names: attributes as they are stored."""
    renamed = {step.to: step.attribute for step in _steps(ground, plan) if isinstance(step, RenameAttribute)}
    raw: dict[str, FieldPlan] = {}
    for name in _named(plan, was, derive):
        field = plan.sources.get(name)
        if field is not None and (stored := _before(ground, plan, renamed, field.path[0])) != field.path[0]:
            raw[name] = replace(field, path=(stored, *field.path[1:]))
        elif field is None and (found := _attribute(ground, plan, name, renamed)) is not None:
            raw[name] = found
    return replace(plan, sources={**plan.sources, **raw}), frozenset(raw)


def _before(ground: Ground, plan: EntityPlan, renamed: Mapping[str, str], attribute: str) -> str:
    """What an attribute was called before the migration, and those after it."""
    for step in reversed(ground.later):
        if isinstance(step, RenameAttribute) and (step.entity, step.to) == (plan.name, attribute):
            attribute = step.attribute
    return renamed.get(attribute, attribute)


def recasts_of(ground: Ground, plan: EntityPlan) -> tuple[Recast, ...]:
    """What makes the attributes of the new model of those of the old one: keys are made of what it makes, even where it is carried
    out after they are, or by a later migration."""
    steps = [*_steps(ground, plan), *(step for step in ground.later if getattr(step, "entity", None) == plan.name)]
    return _recasts(part for step in steps if isinstance(step, _Recasting) for part in step.run(ground))


def recasts_about(ground: Ground, plan: EntityPlan, bindings: Iterable[IndexBinding]) -> tuple[Recast, ...]:
    """The same, where keys on these indexes are made of what it makes."""
    recasts = recasts_of(ground, plan)
    sources = {plan.sources[name].path[0] for binding in bindings for name in sources_of(binding)}
    return recasts if any(name in sources for one in recasts for name in one.targets) else ()


def _steps(ground: Ground, plan: EntityPlan) -> list[Step]:
    return [step for step in ground.steps or () if getattr(step, "entity", None) == plan.name]


def _named(plan: EntityPlan, was: Iterable[str], derive: Mapping[str, Derived] | None) -> set[str]:
    """What templates are made of, also by way of placeholders."""
    specs: dict[str, Derived] = {**plan.entity.keys.derive, **(derive or {})}
    try:
        names = {name for text in was for name in KeyTemplate.parse(text, plan.table.key_style).fields}
    except KeyTemplateError:
        return set()  # told where keys are made of them
    return (names - specs.keys()) | {field for name in names & specs.keys() for field in specs[name].fields}


def _attribute(ground: Ground, plan: EntityPlan, name: str, renamed: Mapping[str, str]) -> FieldPlan | None:
    """An attribute that is no field any more. What one under another name holds is known; others are taken as the texts that
    they are."""
    for field in plan.fields.values():
        if name == _before(ground, plan, renamed, field.path[0]) != field.path[0]:
            return replace(field, name=name, path=(name,), default=None)
    later = [step for step in ground.later if getattr(step, "entity", None) == plan.name]
    if any(isinstance(step, UpgradeEntity) or name in _about(step) for step in (*_steps(ground, plan), *later)):
        return FieldPlan(name, plan.name, (name,), str, codec_for(str), False, None, TypeAdapter(str))
    return None


def _about(step: Step) -> tuple[str, ...]:
    """The attributes that a step takes away."""
    return step.takes if isinstance(step, _Recasting | RemoveAttributes) else ()


def _recasts(parts: Iterable[Part]) -> tuple[Recast, ...]:
    return tuple(part for part in parts if isinstance(part, Recast))
