"""A model as it would be, on a copy: compiled again, so that the same proofs say which patterns are still served."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from tablewright.compiler.changes import summarise
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.entity_planner import plan_entity
from tablewright.compiler.keys import KeyPlan
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.read_planner import plan_read
from tablewright.compiler.reads import ReadPlan, parts_of
from tablewright.compiler.reasons import reasons_of
from tablewright.compiler.spreading import shard_field
from tablewright.cost.expecting import expectations_of, with_expectations
from tablewright.cost.what_if.asking import Add, Drop, Expire, Pay, Project, Question, Spread, Thin
from tablewright.errors import ArgumentError, TablewrightError
from tablewright.model.entity import Entity
from tablewright.model.indexes import GSI, Index
from tablewright.model.keys import IndexKeys, Keys, Shard
from tablewright.wording import counted

_DAY = 86_400


class Unserved(Struct, frozen=True):
    """A pattern that no key would serve any more."""

    pattern: str
    reason: str


class Tried(Struct, eq=False):
    """A model as it would be. It is a table with its plan, as an estimate takes it."""

    plan: TablePlan
    unserved: tuple[Unserved, ...] = ()
    held: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Which share of an entity an index holds, where that is not all."""
    notes: tuple[str, ...] = ()


class Trial:
    """A copy of a model that is changed by one question after another, and then compiled as a whole."""

    def __init__(self, plan: TablePlan, created: Callable[[type[Entity]], float | None]) -> None:
        """`created` tells how many items of an entity are made in a second, on average."""
        self._plan, self._created = plan, created
        self.table = with_expectations(plan.table, expectations_of(plan.table))
        self._keys: dict[type[Entity], Keys] = {}
        self._held: dict[str, dict[str, float]] = {}
        self._notes: dict[str, None] = {}
        self._changed: list[str] = []

    def ask(self, question: Question) -> None:
        """Changes the copy as a question would have it."""
        match question:
            case Drop():
                self._drop(question.index)
            case Project():
                self._project(question)
            case Add():
                self._add(question)
            case Thin():
                self._thin(question)
            case Spread():
                self._spread(question)
            case Expire():
                self._expire(question)
            case Pay():
                pass  # the model stays as it is

    def _own_keys(self, entity: type[Entity]) -> Keys:
        """The keys of an entity, to be changed."""
        if entity not in self._keys:
            given = self._keys[entity] = copy.copy(entity.keys)
            given.indexes, given.derive = dict(given.indexes), dict(given.derive)
        return self._keys[entity]

    def _drop(self, name: str) -> None:
        index = self.table.indexes[name]
        self.table.indexes = {n: i for n, i in self.table.indexes.items() if n != name}
        for entity in self.table.entities.values():
            if name in self._keys.get(entity, entity.keys).indexes:
                given = self._own_keys(entity)
                del given.indexes[name]
                _leave_needed(given)
        if index.local:
            self._note("A local index stays as long as its table: leave it out of a new one.")

    def _project(self, question: Project) -> None:
        old = self.table.indexes[question.index]
        made = GSI(old.name, projection=question.projection)
        index = Index(old.name, old.pk, old.sk, made.projection, made.include)
        object.__setattr__(index, "local", old.local)
        stored = {f.path[0] for p in self._plan.entities.values() for f in p.fields.values()}
        for name in (n for n in index.include if n not in stored):
            raise ArgumentError(
                f"No entity of {self.table.label} stores an attribute {name!r}, which {old.name} would include."
            )
        self.table.indexes = {**self.table.indexes, old.name: index}
        self._changed.append(old.name)
        self._note(
            "A projection cannot be changed: a new index takes the place of the old one, and is filled at the price of writes."
        )

    def _add(self, question: Add) -> None:
        index = GSI(question.index, sk="default" if question.sk is not None else None, projection=question.projection)
        self.table.indexes = {**self.table.indexes, index.name: index.resolved(self.table.names)}
        sort = () if question.sk is None else (question.sk,)
        self._own_keys(question.entity).indexes[index.name] = IndexKeys((question.pk,), sort)

    def _thin(self, question: Thin) -> None:
        said = self.table.expectations
        for entity in question.entities:
            own = said.of(entity)
            held = math.ceil((own.items or 0) * question.share)
            said.entities[entity] = replace(own, indexed={**own.indexed, question.index: held})
            self._held.setdefault(entity.__name__, {})[question.index] = question.share
        readers = [f"{name}()" for name, plans in self._plan.patterns.items() if _reads(plans, question)]
        if readers:
            self._note(f"They must want only what {question.index} then holds: {', '.join(readers)}.")

    def _spread(self, question: Spread) -> None:
        entity, index = question.entity, question.index
        given = self._own_keys(entity)
        if index is not None and index not in given.indexes:
            raise ArgumentError(f"{entity.__name__} gives no keys for {index}, which could be spread.")
        template = given.pk if index is None else next(iter(given.indexes[index].pk), "")
        if not template:
            raise ArgumentError(f"{index} shares its partitions with the table: spread those of the table.")
        name = next((n for n, d in given.derive.items() if isinstance(d, Shard) and f"{{{n}}}" in template), None)
        if name is None:
            taken = {*given.derive, *entity.model_fields}
            name = next(n for n in ("shard", *(f"shard{i}" for i in range(2, 99))) if n not in taken)
            given.derive[name] = Shard(_spread_by(self._plan.of(entity), index), of=question.of)
            template = f"{template}{self.table.key_style.separator}{{{name}}}"
        else:
            given.derive[name] = Shard(*given.derive[name].fields, of=question.of)
        if index is None:
            given.pk = template
        else:
            keys = given.indexes[index]
            given.indexes[index] = replace(keys, pk=(template, *keys.pk[1:]))
        self._changed.append(index or "the table's key")
        self._note(
            f"The shard is chosen by {', '.join(given.derive[name].fields)}; items that are there must be moved."
        )

    def _expire(self, question: Expire) -> None:
        entity, created = question.entity, self._created(question.entity)
        if created is None:
            raise ArgumentError(
                f"Nobody said how often {entity.__name__} is written, so that nobody knows how many live at one time.",
                hint=f"Say it: expect({entity.__name__}, writes=...).",
            )
        own = self.table.expectations.of(entity)
        alive = math.ceil(created * question.days * _DAY)
        items = alive if own.items is None else min(own.items, alive)
        self.table.expectations.entities[entity] = replace(
            own, items=items, indexed={name: min(count, items) for name, count in own.indexed.items()}
        )
        if own.items is not None and alive >= own.items:
            self._note(
                f"{counted(alive, 'item')} would be made in that time, which are no fewer than are expected anyway."
            )
        self._note(
            "Deletes by time to live are free; an item stays for some days after its time, and is stored till then."
        )

    def _note(self, text: str) -> None:
        self._notes[text] = None

    def compiled(self) -> Tried:
        """The whole model as it now would be. The patterns themselves stay as they are."""
        table, made = self.table, TablePlan(self.table)
        try:
            made.entities = {e: plan_entity(e, table, self._keys.get(e)) for e in table.entities.values()}
        except TablewrightError as error:
            raise ArgumentError(f"The model cannot be like that: {error.message}", hint=error.hint) from None
        made.by_type = {own.type_name: own for own in made.entities.values()}
        unserved = []
        for name in self._plan.patterns:
            plans: dict[tuple[object, ...], ReadPlan] = {}
            try:
                for variant, operation in table.patterns[name].variants.items():
                    plans[variant] = replace(plan_read(f"The pattern {name}()", operation, made.entities), pattern=name)
            except TablewrightError as error:
                unserved.append(Unserved(name, _reason(error, self._changed)))
            else:
                made.patterns[name] = plans
        made.changes = {name: summarise(change, made.of(change.entity)) for name, change in table.changes.items()}
        return Tried(made, tuple(unserved), self._held, tuple(self._notes))


def _reads(plans: Mapping[Any, ReadPlan], thin: Thin) -> bool:
    parts = (part for read in plans.values() for part in parts_of(read))
    return any(p.served.path.index_name == thin.index and p.plan.entity in thin.entities for p in parts)


def _spread_by(plan: EntityPlan, index: str | None) -> str:
    """The field that chooses a shard: one of the key that the partition does not tell, so that who knows the rest of the key
    knows the shard."""
    pk: Sequence[KeyPlan] = (plan.pk,)
    sk: Sequence[KeyPlan] = () if plan.sk is None else (plan.sk,)
    for binding in plan.bindings:
        if binding.index.name == index:
            pk, sk = binding.pk, binding.sk
    told = {name for key in pk for name in key.sources}
    free = (plan.key_fields | {name for key in sk for name in key.sources if name in plan.fields}) - told
    by = sorted(free or plan.key_fields, key=lambda name: (_place(sk, name), name))
    if not by:
        raise ArgumentError(f"There is one {plan.name} only, since no field is in its key: it cannot be spread.")
    return shard_field(plan.sources, by)


def _place(keys: Sequence[KeyPlan], name: str) -> tuple[int, int]:
    """Where a field stands in keys; behind them if it does not."""
    for number, key in enumerate(keys):
        if name in key.sources:
            found = re.search(rf"\{{{re.escape(name)}[:}}]", str(key))
            return number, found.start() if found else 0
    return len(keys), 0


def _leave_needed(keys: Keys) -> None:
    """Takes out what keys derive for templates that are gone."""
    templates = [keys.pk, keys.sk or "", *(t for k in keys.indexes.values() for t in (*k.pk, *k.sk))]
    templates += [rule.key or "" for rule in keys.unique]
    keys.derive = {n: d for n, d in keys.derive.items() if any(f"{{{n}}}" in t or f"{{{n}:" in t for t in templates)}


def _reason(error: TablewrightError, changed: Sequence[str]) -> str:
    """Why a pattern is not served: what is wrong with an index that was changed, or else with the first key there is."""
    reasons = reasons_of(error)
    chosen = next((r for r in reasons if r.key_path in changed), next(iter(reasons), None))
    text = error.message if chosen is None else str(chosen)
    return text.split("\n", 1)[0].split(" Did you mean", 1)[0].rstrip(".:")
