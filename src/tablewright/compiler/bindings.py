"""An entity's keys on the indexes of its table: those it gives templates for, and those that follow from what it has anyway.

An attribute has one value in an item, whatever keys it belongs to. So an entity gives a template for each attribute once,
and is in every index whose attributes it has all: an index of the table's own key attributes, turned round, needs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from tablewright.compiler.entity_plan import IndexBinding
from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.keys import KeyPlan, KeyPlanner, NativeKey, TemplateKey
from tablewright.compiler.locating import key_maker
from tablewright.compiler.predicates import check_predicate, compile_predicate
from tablewright.errors import ModelError
from tablewright.model.conditions import AllOf, Condition
from tablewright.model.entity import did_you_mean
from tablewright.model.indexes import Index, KeyAttribute
from tablewright.model.keys import IndexKeys
from tablewright.model.table import TableModel
from tablewright.values.sizes import MAX_PARTITION_KEY, MAX_SORT_KEY


def key_limit(table: TableModel, attribute: KeyAttribute) -> int:
    """How many bytes an attribute can take, as the keys that it stands in allow. Where keys are still to be found, what
    stands in one of them may come to stand on both sides."""
    if not table.needs_keys:
        return MAX_PARTITION_KEY + MAX_SORT_KEY
    sorts = {a.name for index in table.indexes.values() for a in index.sk}
    if table.sk is not None:
        sorts.add(table.sk.name)
    return MAX_SORT_KEY if attribute.name in sorts else MAX_PARTITION_KEY


class Binder:
    """Binds one entity to the indexes of its table."""

    def __init__(
        self,
        owner: str,
        table: TableModel,
        planner: KeyPlanner,
        fields: Mapping[str, FieldPlan],
        own_keys: tuple[KeyPlan, ...],
    ) -> None:
        self._owner = owner
        self._table = table
        self._planner = planner
        self._fields = fields
        self._own_keys = own_keys
        self._given: dict[str, KeyPlan] = {key.attribute.name: key for key in own_keys}
        self._makers: dict[str, IndexBinding] = {}
        """The index that an attribute was given with; those of the table's key are always there."""

    def bind(self, given: Mapping[str, IndexKeys]) -> tuple[IndexBinding, ...]:
        """The bindings to indexes that templates are given for, in that order; then to those that follow."""
        for name in given:
            if name not in self._table.indexes:
                raise ModelError(
                    f"{self._owner} has keys for index {name!r}, which {self._table.name} does not have."
                    + did_you_mean(name, self._table.indexes),
                    hint=f'Add it to those of the table, Table(..., indexes=[GSI("{name}")]), or correct the name.',
                )
        bound: dict[str, IndexBinding] = {}
        for index in self._table.indexes.values():
            if index.name in given:
                bound[index.name] = self._bind(index, given[index.name])
        follow = [
            self._following(index)
            for index in self._table.indexes.values()
            if index.name not in given and all(a.name in self._given for a in index.attributes)
        ]
        return (*(bound[name] for name in given), *follow)

    def _bind(self, index: Index, spec: IndexKeys) -> IndexBinding:
        before = self._given.copy()
        pk, sk = self._sides(index, spec)
        own = tuple(key for key in pk + sk if key.attribute.name not in before)
        apart = tuple(key for key in pk + sk if key not in self._own_keys)
        shared = tuple(key for key in apart if isinstance(key, NativeKey) and key.shared)
        made = tuple(key for key in own if key not in shared)
        condition = None
        if spec.when is not None:
            condition = check_predicate(self._owner, spec.when, self._fields)
            if shared:
                raise ModelError(
                    f"{self._owner}: index {index.name!r} is sparse by a condition, but its key attribute "
                    f"{shared[0].attribute.name!r} is a field of {self._owner}.",
                    hint='Give the index attributes of its own (pk=["place_tenant", ...]): a field is never removed to '
                    "leave an index.",
                )
        binding = self._binding(index, pk, sk, condition, made, shared)
        for key in own:
            self._given[key.attribute.name] = key
            if key in made:
                self._makers[key.attribute.name] = binding
        return binding

    def _following(self, index: Index) -> IndexBinding:
        pk, sk = (tuple(self._given[a.name] for a in side) for side in (() if index.local else index.pk, index.sk))
        return self._binding(index, pk, sk, None, (), ())

    def _binding(
        self,
        index: Index,
        pk: tuple[KeyPlan, ...],
        sk: tuple[KeyPlan, ...],
        condition: Condition | None,
        made: tuple[KeyPlan, ...],
        shared: tuple[NativeKey, ...],
    ) -> IndexBinding:
        """An item is in the index while all others that its attributes were given with hold it as well."""
        if len(sk) > 1 and any(isinstance(key, TemplateKey) for key in sk):
            raise ModelError(
                f"{self._owner}: the sort side of index {index.name!r} has several attributes, and shares one that is made of "
                "a template.",
                hint="Several attributes of a sort key hold fields as they are.",
            )
        makers = list({id(m): m for a in index.attributes if (m := self._makers.get(a.name)) is not None}.values())
        conditions = [c for c in (condition, *(m.condition for m in makers)) if c is not None]
        whole = AllOf(tuple(conditions)) if len(conditions) > 1 else conditions[0] if conditions else None
        required = frozenset(f for key in pk + sk for f in key.sources).union(*(m.required for m in makers))
        sources = required.union(leaf.field for c in conditions for leaf in c.leaves())
        predicate = None if whole is None else compile_predicate(whole)
        return IndexBinding(index, pk, sk, whole, predicate, sources, required, made, shared, key_maker(made))

    # ------------------------------------------------------------------------------------------------- sides

    def _sides(self, index: Index, spec: IndexKeys) -> tuple[tuple[KeyPlan, ...], tuple[KeyPlan, ...]]:
        """The keys of the entity on both sides of an index; the partition side of a local index is the table's."""
        hash_side = () if index.local else index.pk
        if not spec.pk and self._open(hash_side) and not self._open(index.sk):
            spec = replace(spec, pk=spec.sk, sk=())  # a single template stands for the only side that needs one
        if not self._open(hash_side + index.sk) and not self._names_fields(hash_side + index.sk):
            raise ModelError(
                f"{self._owner} gives keys for index {index.name!r}, whose attributes {self._shown(index)} it has already.",
                hint=f"Leave {index.name} out of Keys(): the index follows from the keys that it shares.",
            )
        return self._side(index, "partition", spec.pk, hash_side), self._side(index, "sort", spec.sk, index.sk)

    def _side(
        self, index: Index, which: str, templates: tuple[str, ...], attributes: tuple[KeyAttribute, ...]
    ) -> tuple[KeyPlan, ...]:
        missing = self._open(attributes)
        if len(templates) not in (len(missing), len(attributes)):
            raise ModelError(
                f"{self._owner}: the {which} side of index {index.name!r} has {len(attributes)} attribute(s), but Keys() gives "
                f"{len(templates)}.",
                hint="Give one template per attribute." if attributes else "Leave that side out.",
            )
        listed = iter(templates)
        everyone = len(templates) == len(attributes)
        return tuple(
            self._plan(index, which, attribute, next(listed))
            if attribute in missing
            else self._again(index, attribute, next(listed) if everyone else None)
            for attribute in attributes
        )

    def _open(self, attributes: tuple[KeyAttribute, ...]) -> list[KeyAttribute]:
        """The attributes that nothing gives yet."""
        return [a for a in attributes if a.name not in self._given]

    def _names_fields(self, attributes: tuple[KeyAttribute, ...]) -> bool:
        """Whether one of them is a field of the entity, which each index may name again."""
        known = [self._given.get(a.name) for a in attributes]
        return any(isinstance(key, NativeKey) and key.shared for key in known)

    def _plan(self, index: Index, which: str, attribute: KeyAttribute, template: str) -> KeyPlan:
        return self._planner.plan(
            attribute,
            template,
            where=f"the {which} key on {index.name}",
            sorts=which == "sort",
            limit=key_limit(self._table, attribute),
            native=index.multi,
        )

    def _again(self, index: Index, attribute: KeyAttribute, template: str | None) -> KeyPlan:
        """An attribute that the entity has already, with what is said of it once more."""
        key = self._given[attribute.name]
        if template is None or (isinstance(key, NativeKey) and key.shared and template == str(key)):
            return key
        maker = self._makers.get(attribute.name)
        raise ModelError(
            f"{self._owner}: index {index.name!r} shares the attribute {attribute.name!r} with "
            f"{'the table' if maker is None else maker.index.name}, where it is {str(key)!r}; Keys() gives it "
            f"{'another' if template != str(key) else 'that'} template again.",
            hint="An attribute has one value in an item: leave it out here.",
        )

    def _shown(self, index: Index) -> str:
        return " and ".join(repr(a.name) for a in index.attributes)
