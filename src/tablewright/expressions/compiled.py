"""From text to use: parsed expressions with their values, and compiled ones that are kept and meet new values.

An engine sees the same few expressions again and again with other values. `compiled_*` keeps what does not depend on
values: it is found by text and names, then `check(values)` once per request, then used on items with those values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from tablewright.expressions.ast import Condition, DeleteAction, Path, Projection, RemoveAction, Update, paths_of
from tablewright.expressions.charge import Charge
from tablewright.expressions.condition_parser import parse_condition_syntax
from tablewright.expressions.evaluating import compile_remembering, compile_term, for_one_item
from tablewright.expressions.keeping import keeping
from tablewright.expressions.keycondition import KeyPlan, KeyRange, check_filter_keys
from tablewright.expressions.keyschema import KeySchema
from tablewright.expressions.parser import parse_projection_syntax
from tablewright.expressions.projecting import path_tree, project_tree
from tablewright.expressions.reading import Test
from tablewright.expressions.remembering import Remembering, is_long
from tablewright.expressions.resolve import Names, Parsed, Template, Values
from tablewright.expressions.resolve_condition import bind_condition, resolve_condition
from tablewright.expressions.resolve_update import bind_update, resolve_projection, resolve_update
from tablewright.expressions.update import CompiledUpdate, UpdateResult
from tablewright.expressions.update_parser import parse_update_syntax
from tablewright.values.types import AttributeValue, Item

ConditionKind: TypeAlias = Literal["ConditionExpression", "FilterExpression"]
_NO_VALUES: Values = {}
_CACHED = 4096

NameItems: TypeAlias = tuple[tuple[str, str], ...]


class CompiledCondition:
    """A condition or filter. `check` the values of a request, then call it with items and the same values."""

    __slots__ = ("_long", "_template", "check", "names_used", "paths", "test", "values_used")

    def __init__(self, template: Template[Condition]) -> None:
        self._template = template
        self.names_used = template.names_used
        self.values_used = template.values_used
        self.paths: tuple[Path, ...] = tuple(paths_of(template.node))
        """Every document path that it reads."""
        self.check: Callable[[Values], None] = template.check
        """Refuse values that do not fit, with DynamoDB's message."""
        self._long: Test | None = compile_remembering(template.node) if is_long(template.node) else None
        self.test: Test = compile_term(template.node) if self._long is None else for_one_item(self._long)
        """(item, values) -> bool; for an item that is there, after `check` has passed."""

    def __call__(self, item: Item | None, values: Values = _NO_VALUES) -> bool:
        """Whether it holds; no item counts as an empty one."""
        return self.test(item or {}, values)

    def over(self, values: Values) -> Callable[[Item], bool]:
        """The test of many items with the same values, none of which may change meanwhile."""
        if self._long is None:
            short = self.test
            return lambda item: short(item, values)
        test, kept = self._long, Remembering(values)

        def keep(item: Item) -> bool:
            kept.seen.clear()
            return test(item, kept)

        return keep

    def bind(self, values: Values = _NO_VALUES) -> Condition:
        """The condition with these values in place of its placeholders."""
        self.check(values)
        return bind_condition(self._template.node, values)

    def check_filter_keys(self, schema: KeySchema) -> None:
        """Refuse it as the filter of a query over these keys, if it names one of them."""
        check_filter_keys(self._template.node, schema)


class CompiledUpdateExpression:
    """An update expression. `check` the values of a request, then `apply` it with the same values."""

    __slots__ = ("_charge", "_template", "_update", "check", "names_used", "only_removes", "paths", "values_used")

    def __init__(self, template: Template[Update]) -> None:
        self._template = template
        self._charge: Charge | None = None
        self._update = CompiledUpdate(template.node)
        self.names_used = template.names_used
        self.values_used = template.values_used
        self.paths = template.node.paths
        """The paths that it writes, in the order written."""
        self.only_removes = all(isinstance(action, RemoveAction | DeleteAction) for action in template.node.actions)
        """Whether it can add nothing to an item; of no item it makes none."""
        self.check: Callable[[Values], None] = template.check
        """Refuse values that do not fit, with DynamoDB's message."""

    def apply(self, item: Item | None, values: Values = _NO_VALUES) -> UpdateResult:
        """The changed copy of an item; raises ExpressionError or NumberError with DynamoDB's message."""
        return self._update.apply(item, values)

    def charge(self, values: Values = _NO_VALUES) -> int:
        """Its own bytes with these values, as UpdateItem counts them."""
        if self._charge is None:
            self._charge = Charge(self._template.node)
        return self._charge.of(values)

    def bind(self, values: Values = _NO_VALUES) -> Update:
        """The update with these values in place of its placeholders."""
        self.check(values)
        return bind_update(self._template.node, values)


class CompiledProjection:
    """A projection expression; it was checked when it was made, since it has no values."""

    __slots__ = ("_tree", "names_used", "node", "paths", "values_used")

    def __init__(self, template: Template[Projection]) -> None:
        template.check(_NO_VALUES)
        self.node = template.node
        self.paths = template.node.paths
        self.names_used = template.names_used
        self.values_used = template.values_used
        self._tree = path_tree(template.node.paths)

    def __call__(self, item: Item) -> Item:
        """The projected parts of an item, sharing its values."""
        return project_tree(self._tree, item)


class CompiledKeyCondition:
    """A key condition expression. `check` the values of a request, then `reduce` it with the same values."""

    __slots__ = ("_plan", "_template", "check", "names_used", "paths", "values_used")

    def __init__(self, template: Template[Condition]) -> None:
        self._template = template
        self._plan = KeyPlan(template.node)
        self.names_used = template.names_used
        self.values_used = template.values_used
        self.paths: tuple[Path, ...] = tuple(paths_of(template.node))
        self.check: Callable[[Values], None] = template.check
        """Refuse values that do not fit, with DynamoDB's message."""

    def reduce(self, values: Values, schema: KeySchema) -> dict[str, KeyRange]:
        """One range per key attribute named, after `check` has passed."""
        return self._plan.reduce(values, schema)

    def bind(self, values: Values = _NO_VALUES) -> Condition:
        """The condition with these values in place of its placeholders."""
        self.check(values)
        return bind_condition(self._template.node, values)


# ------------------------------------------------------------------------------------------------ kept by text


@keeping(_CACHED)
def _condition(text: str, kind: str, names: NameItems) -> CompiledCondition:
    return CompiledCondition(resolve_condition(parse_condition_syntax(text, kind), kind, dict(names)))


@keeping(_CACHED)
def _update(text: str, names: NameItems) -> CompiledUpdateExpression:
    kind = "UpdateExpression"
    return CompiledUpdateExpression(resolve_update(parse_update_syntax(text, kind), kind, dict(names)))


@keeping(_CACHED)
def _projection(text: str, names: NameItems) -> CompiledProjection:
    kind = "ProjectionExpression"
    return CompiledProjection(resolve_projection(parse_projection_syntax(text, kind), kind, dict(names)))


@keeping(_CACHED)
def _key_condition(text: str, names: NameItems) -> CompiledKeyCondition:
    kind = "KeyConditionExpression"
    return CompiledKeyCondition(resolve_condition(parse_condition_syntax(text, kind), kind, dict(names)))


def compiled_condition(
    text: str, names: Names | None = None, kind: ConditionKind = "ConditionExpression"
) -> CompiledCondition:
    """The condition for this text and these names, from the cache if it was seen before."""
    return _condition(text, kind, tuple(names.items()) if names else ())


def compiled_update(text: str, names: Names | None = None) -> CompiledUpdateExpression:
    """The update for this text and these names, from the cache if it was seen before."""
    return _update(text, tuple(names.items()) if names else ())


def compiled_projection(text: str, names: Names | None = None) -> CompiledProjection:
    """The projection for this text and these names, from the cache if it was seen before."""
    return _projection(text, tuple(names.items()) if names else ())


def compiled_key_condition(text: str, names: Names | None = None) -> CompiledKeyCondition:
    """The key condition for this text and these names, from the cache if it was seen before."""
    return _key_condition(text, tuple(names.items()) if names else ())


# --------------------------------------------------------------------------------------------- with their values


def parse_condition(
    text: str,
    names: Names | None = None,
    values: Mapping[str, AttributeValue] | None = None,
    kind: ConditionKind = "ConditionExpression",
) -> Parsed[Condition]:
    """Read a condition or filter with its values; raises ExpressionError with DynamoDB's message."""
    compiled = compiled_condition(text, names, kind)
    return Parsed(compiled.bind(values or _NO_VALUES), compiled.names_used, compiled.values_used)


def parse_update(
    text: str, names: Names | None = None, values: Mapping[str, AttributeValue] | None = None
) -> Parsed[Update]:
    """Read an update with its values; raises ExpressionError with DynamoDB's message."""
    compiled = compiled_update(text, names)
    return Parsed(compiled.bind(values or _NO_VALUES), compiled.names_used, compiled.values_used)


def parse_projection(text: str, names: Names | None = None) -> Parsed[Projection]:
    """Read a projection; raises ExpressionError with DynamoDB's message."""
    compiled = compiled_projection(text, names)
    return Parsed(compiled.node, compiled.names_used, compiled.values_used)


def parse_key_condition(
    text: str, names: Names | None = None, values: Mapping[str, AttributeValue] | None = None
) -> Parsed[Condition]:
    """Read a key condition with its values, not yet checked against keys: see reduce_key_condition."""
    compiled = compiled_key_condition(text, names)
    return Parsed(compiled.bind(values or _NO_VALUES), compiled.names_used, compiled.values_used)
