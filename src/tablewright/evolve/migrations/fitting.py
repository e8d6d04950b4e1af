"""Whether what steps name is what the model has: a misspelt name, or the wrong model, would take away what readers need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.versions import FIRST
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations.contradicting import indexes_of
from tablewright.evolve.migrations.former import former_primary_key
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.indexes import MakeOne
from tablewright.evolve.migrations.migration import Migration
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.steps.add_index import AddIndex
from tablewright.evolve.migrations.steps.change_key import ChangeKey
from tablewright.evolve.migrations.steps.drop_index import DropIndex
from tablewright.evolve.migrations.steps.fill_keys import FillKeys
from tablewright.evolve.migrations.steps.remove_attributes import RemoveAttributes
from tablewright.evolve.migrations.steps.to_multi_attribute_keys import ToMultiAttributeKeys
from tablewright.evolve.migrations.steps.upgrade_entity import UpgradeEntity
from tablewright.evolve.migrations.works.guarding import key_texts
from tablewright.model.entity import did_you_mean

_WRONG_MODEL = (
    "Give the command the model that the migration leads to, and not the one from before; or correct the step."
)


def refuse_misfit(migration: Migration, later: Sequence[Migration], ground: Ground) -> None:
    """Refuses steps about what the model does not have, or still needs; steps of later migrations may take it away again."""
    for at, step in enumerate(migration.steps):
        after = [*migration.steps[at + 1 :], *(one for other in later for one in other.steps)]
        plan = ground.entities.get(getattr(step, "entity", ""))
        if plan is not None:
            _refuse_taking(step, plan)
            _refuse_making(step, plan, [*migration.steps[:at], *after])
        match step:
            case FillKeys():
                _refuse_unknown_index(step, after, ground)
            case ChangeKey() if plan is not None and not any(_moves_again(one, step) for one in after):
                _refuse_same_key(step, plan, ground)
            case UpgradeEntity(was=int(was)) if plan is not None and plan.versions is not None:
                _refuse_no_older(step, was, plan.versions.number)
            case _:
                pass


def refuse_dropping(migration: Migration, later: Sequence[Migration], ground: Ground) -> None:
    """Refuses to drop an index that the model has: its readers would fail. Until the end a model may have both, the old and the new; and
    a later migration may make another one of its name."""
    made = {index for one in later for step in one.steps for index in indexes_of(step, AddIndex)}
    for step in _drops(migration.steps):
        if step.index in ground.model.indexes and step.index not in made:
            raise ArgumentError(
                f"{step.code()} drops an index that the model has.",
                hint=f"{_WRONG_MODEL} Retire it when the model without {step.index} is deployed.",
            )


def refuse_indexes(stage: Sequence[tuple[Step, Sequence[Part]]], ground: Ground | None) -> None:
    """Refuses indexes that no table could have; and, where the ground is known on which they are made, those that this one cannot."""
    live = {} if ground is None else dict(ground.live)
    for part in (part for _, parts in stage for part in parts if isinstance(part, MakeOne)):
        part.form.check()
        if ground is not None:
            part.refuse_other(live)
            live = part.made_in(live)


def _refuse_taking(step: Step, plan: EntityPlan) -> None:
    """What items are found by, or what the model cannot do without. While two models are in use, a model between them may have both
    forms of an attribute, as long as the old one may be missing."""
    for name in step.takes:
        _refuse_own(step, plan, name, "takes away")
        fields = [field for field in plan.fields.values() if field.path[0] == name]
        bare = isinstance(step, RemoveAttributes)
        needed = {*plan.key_fields, *(source for b in plan.kept for source in b.required)}
        for field in fields:
            if bare or field.name in needed or not (field.nullable or field.default is not None):
                raise ArgumentError(
                    f"{step.code()} takes away {name}, which {plan.name}.{field.name} of the model is stored as.",
                    hint=_WRONG_MODEL,
                )
        if name in {attribute for b in plan.kept for attribute in b.written}:
            raise ArgumentError(
                f"{step.code()} takes away {name}, which the model makes for an index of {plan.name}.",
                hint=_WRONG_MODEL,
            )


def _refuse_making(step: Step, plan: EntityPlan, others: Sequence[Step]) -> None:
    """An attribute that nobody reads. Upcasts may, and other steps."""
    known = {field.path[0] for field in plan.fields.values()}
    taken = {name for one in others if getattr(one, "entity", None) == plan.name for name in one.takes}
    for name in step.makes:
        _refuse_own(step, plan, name, "makes")
        if name not in known | taken and plan.versions is None:
            raise ArgumentError(
                f"{step.code()} makes {name}, which {plan.name} of the model does not store.{did_you_mean(name, sorted(known))}",
                hint=_WRONG_MODEL,
            )


def _refuse_own(step: Step, plan: EntityPlan, name: str, does: str) -> None:
    names, table = plan.names, plan.table
    keys = {key.name for key in (table.pk, table.sk) if key is not None}
    fields = {field.path[0] for field in plan.fields.values()}
    own = {*names.own(), plan.type_attribute, names.owner, names.deleted, names.remains} - fields
    if name in keys or name in own:
        what = "a key of the table" if name in keys else "an attribute that the library writes itself"
        raise ArgumentError(f"{step.code()} {does} {name}, {what}.", hint="Name an attribute that is a field's.")


def _refuse_unknown_index(step: FillKeys, after: Sequence[Step], ground: Ground) -> None:
    known = ground.model.indexes
    if step.index not in known and step.index not in {one.index for one in _drops(after)}:
        raise ArgumentError(
            f"{step.code()} is about an index that the model does not have.{did_you_mean(step.index, sorted(known))}",
            hint=_WRONG_MODEL,
        )


def _refuse_no_older(step: UpgradeEntity, was: int, number: int) -> None:
    if not FIRST <= was < number:
        raise ArgumentError(
            f"{step.code()} leads from schema version {was}, and the model has version {number}.",
            hint="was= is the version that the old model has. " + _WRONG_MODEL,
        )


def _drops(steps: Sequence[Step]) -> Iterator[DropIndex]:
    for step in steps:
        if isinstance(step, DropIndex):
            yield step
        elif isinstance(step, ToMultiAttributeKeys):
            yield step.instead_of


def _moves_again(step: Step, first: ChangeKey) -> bool:
    return isinstance(step, ChangeKey) and step.entity == first.entity


def _refuse_same_key(step: ChangeKey, plan: EntityPlan, ground: Ground) -> None:
    former = " / ".join(map(str, former_primary_key(ground, plan, step.was, step.derive)))
    derived = plan.entity.keys.derive
    if any(derived.get(name) != how for name, how in (step.derive or {}).items()):
        return
    if former == key_texts(plan).removesuffix(" / None"):
        _refuse_no_change(step, plan)


def _refuse_no_change(step: ChangeKey, plan: EntityPlan) -> NoReturn:
    raise ArgumentError(
        f"{step.code()} moves {plan.name} away from the key that the model gives it.",
        hint=_WRONG_MODEL,
    )
