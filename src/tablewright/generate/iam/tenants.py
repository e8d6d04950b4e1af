"""A policy for one tenant of many: items are allowed whose partition key begins with the tenant, and no others.

What IAM cannot confine is told with it, rather than left to be found out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tablewright.compiler.keys import KeyPlan, NativeKey, TemplateKey
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.plan import TablePlan
from tablewright.errors import ArgumentError
from tablewright.generate.iam.confining import in_policy
from tablewright.generate.iam.keyforms import Held, Scope, condition_key, held_on, position_of, scope_of, text_of
from tablewright.generate.iam.policies import Policy, Statement, read_needs, resource_of, write_needs
from tablewright.model.entity import did_you_mean

TAG = "aws:PrincipalTag/tenant"
"""The variable that holds the tenant of whoever asks, if nothing else is said: a tag of the role or the session."""


def tenant_policy(
    plan: TablePlan, field: str, tenant: Any = None, *, variable: str = TAG, reads_only: bool = False
) -> Policy:
    """What a tenant may do: read and write what is its own, or only read it.

    `field` is the field that names the tenant in all entities. Without a `tenant` the policy is for all of them, and
    `variable` says where IAM finds the one who asks; with one, it is for this tenant alone.
    """
    fields = {name for entity in plan.entities.values() for name in entity.fields}
    if field not in fields:
        raise ArgumentError(f"No entity of {plan.table.label} has a field {field!r}.{did_you_mean(field, fields)}")
    return _Writer(plan, field, tenant, variable, reads_only).policy()


class _Writer:
    """Writes one policy."""

    def __init__(self, plan: TablePlan, field: str, tenant: Any, variable: str, reads_only: bool) -> None:
        self._plan = plan
        self._field = field
        self._tenant = tenant
        self._variable = variable
        self._reads_only = reads_only
        self._notes: list[str] = []
        self._confined: list[str] = []

    def policy(self) -> Policy:
        """The policy; resources on which nothing begins with the tenant are left out."""
        needs = read_needs(self._plan) if self._reads_only else write_needs(self._plan)
        statements = []
        for index in ("", *self._plan.table.indexes):
            actions = tuple(sorted(need.action for need in needs if need.index == index))
            condition = self._condition(index) if actions else None
            if condition is not None:
                self._confined.append(index)
                name = f"Index{len(self._confined)}" if index else "Table"
                statements.append(Statement(name, actions, (resource_of(index),), condition))
        if not statements:
            raise ArgumentError(
                f"No partition key of {self._plan.table.label} begins with {self._field!r}.",
                hint=f"IAM can confine a tenant only where keys do, such as TENANT#{{{self._field}}}.",
            )
        self._note_patterns()
        self._note_values()
        whose = f"the tenant in {self._variable}" if self._tenant is None else "one tenant"
        what = "Reads" if self._reads_only else "Reads and writes"
        return Policy(f"{what} of {whose}; no scan.", tuple(statements), tuple(dict.fromkeys(self._notes)))

    def _condition(self, index: str) -> dict[str, dict[str, Any]] | None:
        held = list(held_on(self._plan, index))
        several = any(len(h.keys) > 1 for h in held)
        position = next((p for h in held if (p := position_of(h.keys, self._field)) is not None), 0)
        values: dict[str, None] = {}
        for one in held:
            values |= dict.fromkeys(self._values(one.keys[position], several))
        if not values:
            where = f"The index {index}" if index else "The table itself"
            self._notes.append(f"{where} is not allowed: nothing in it begins with {self._field}.")
            return None
        self._note_strangers(index, held, position)
        name = condition_key(position, several=several)
        # ForAllValues holds where there is no value at all, so that there must be one.
        return {"ForAllValues:StringLike": {name: list(values)}, "Null": {name: "false"}}

    def _values(self, key: KeyPlan, several: bool) -> Iterable[str]:
        if isinstance(key, NativeKey):
            return [self._own(key)] if position_of((key,), self._field) == 0 else []
        scope = None if several else scope_of(key, self._field)
        if scope is None:
            return []
        start = self._escaped(scope.text("")) + self._own(key)
        return [start + self._escaped(scope.separator) + "*" if scope.more else start]

    def _own(self, key: KeyPlan) -> str:
        if self._tenant is None:
            return f"${{{self._variable}}}"
        return self._escaped(text_of(key, self._field, self._tenant))

    def _escaped(self, text: str) -> str:
        """A text in which nothing is a wildcard or a variable."""
        if any(not " " <= character <= "ÿ" for character in text):
            raise ArgumentError(
                "IAM's policies hold no characters beyond U+00FF, and this key has some.",
                field=self._field,
                hint="Name tenants by ids of letters and digits, or have the tenant in a tag of the role.",
            )
        return in_policy(text)

    # ------------------------------------------------------------------------------------------------ what is told

    def _note_strangers(self, index: str, held: list[Held], position: int) -> None:
        where = f"on {index}" if index else "in the table"
        scopes: list[Scope] = []
        others: list[tuple[str, KeyPlan]] = []
        for one in held:
            key = one.keys[position]
            scope = scope_of(key, self._field) if isinstance(key, TemplateKey) else None
            if scope is not None:
                scopes.append(scope)
            elif not (isinstance(key, NativeKey) and key.field.name == self._field):
                others.append((one.owner, key))
        for owner, key in others:
            self._notes.append(f"{owner} is out of reach {where}: its key {key} does not begin with {self._field}.")
            alike = isinstance(key, NativeKey) or any(scope.reaches(key) for scope in scopes)
            if alike:
                self._notes.append(
                    f"{owner} has a key {where}, {key}, of the same form as a tenant's: where its value equals a tenant's "
                    "id, that tenant reaches it. Give it a literal of its own."
                )

    def _note_patterns(self) -> None:
        for name, reads in self._plan.patterns.items():
            for path in {id(p): p for read in reads.values() if not self._confines(p := read.served.path)}.values():
                where = f"the index {path.index_name}" if path.index_name else "the table"
                key = " and ".join(map(str, path.pk))
                self._notes.append(f"The pattern {name}() is not for tenants: it reads {key} of {where}.")

    def _confines(self, path: KeyPath) -> bool:
        """Whether what is read by this key is what a tenant may read."""
        several = len(path.pk) > 1
        return (path.index_name or "") in self._confined and any(self._values(key, several) for key in path.pk)

    def _note_values(self) -> None:
        if self._tenant is None:
            self._notes.append(
                f"{self._variable} must hold the tenant as it stands in keys: characters up to % are escaped there, numbers "
                "padded, natural keys in lower case. Ids of letters, digits, - and _ are the same in both."
            )
        if not self._reads_only and any(index for index in self._confined):
            self._notes.append(
                "IAM looks at the key of an item that is written, not at its other attributes: whoever holds these "
                "permissions can give an item of its own the index key of another tenant. Keep writes in code of yours."
            )
