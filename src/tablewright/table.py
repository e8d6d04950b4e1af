"""`Table`: where a user starts. It is the model's table, compiled as it grows, and the way to open it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from tablewright.compiler.plan import TablePlan
from tablewright.errors import ArgumentError
from tablewright.later import later
from tablewright.model.indexes import GSI, LSI, AttributeNames, AttributeSpec
from tablewright.model.pattern import Pattern
from tablewright.model.table import StreamView, TableModel
from tablewright.values.keycodec.style import STRICT, KeyStyle

if TYPE_CHECKING:
    from tablewright.client import opening, settings
    from tablewright.client.session import AsyncSession, Session
    from tablewright.client.settings import OpenOptions
    from tablewright.compiler import catalogue, proofs
    from tablewright.compiler.catalogue import Listed
    from tablewright.compiler.proofs import TableProof
    from tablewright.compiler.showing import Shown
    from tablewright.compiler.versions import Cast, Way
    from tablewright.model.aggregates import Aggregate
    from tablewright.model.belongings import Belongings
    from tablewright.model.change import Change
    from tablewright.model.deployment import Deployment
    from tablewright.model.entity import Entity
    from tablewright.model.relationships import Relationship
else:
    later(globals(), "tablewright.client", "opening", "settings")
    later(globals(), "tablewright.compiler", "catalogue", "proofs")


class Table(TableModel):
    """A DynamoDB table with everything that lives in it.

    `Table("AppTable", indexes=[GSI("GSI1"), GSI("GSI2")])`. `names` says how the library's own attributes are called
    (`AttributeNames.lower()` for pk, sk, …); `{stage}` in the name is filled in when the table is opened. For a table
    that exists already, `key_style=KeyStyle.adopted(...)` takes over its separators, `pk=number("id")` a numeric key,
    and `sk=None` a table without a sort key. `stream=True` gives the table a stream of its changes, with
    the item before and after; the name of another view, such as `stream="KEYS_ONLY"`, one that holds less.
    `deployment=Deployment(...)` says how it is to be run on AWS, for `tablewright generate`.
    """

    def __init__(
        self,
        name: str,
        *,
        indexes: Sequence[GSI | LSI] = (),
        names: AttributeNames | None = None,
        pk: AttributeSpec | None = None,
        sk: AttributeSpec | bool | None = True,
        key_style: KeyStyle = STRICT,
        stream: StreamView | bool | None = None,
        deployment: Deployment | None = None,
    ) -> None:
        super().__init__(
            name,
            indexes=indexes,
            names=names,
            pk=pk,
            sk=sk,
            key_style=key_style,
            stream=stream,
            deployment=deployment,
        )
        self.plan = TablePlan(self)

    def on_entity(self, entity: type[Entity]) -> None:
        """Compiles the entity, so that a mistake is reported at its class statement."""
        self.plan.add_entity(entity)

    def on_pattern(self, pattern: Pattern[..., Any]) -> None:
        """Compiles the pattern."""
        self.plan.add_pattern(pattern)

    def on_change(self, change: Change[Any, ...]) -> None:
        """Checks the change."""
        self.plan.add_change(change)

    def on_relationship(self, relationship: Relationship) -> None:
        """Checks the relationship."""
        self.plan.add_relationship(relationship)

    def on_aggregate(self, aggregate: type[Aggregate[Any]]) -> None:
        """Compiles the aggregate."""
        self.plan.add_aggregate(aggregate)

    def on_belongings(self, belongings: Belongings[...]) -> None:
        """Proves that nothing is left out."""
        self.plan.belongings(belongings)

    def on_cast(self, way: Way, entity: type[Entity], version: int, cast: Cast) -> None:
        """Checks that it is one of the entity's versions."""
        self.plan.add_cast(way, entity, version, cast)

    def explain(self, pattern: Pattern[..., Any]) -> tuple[Shown, ...]:
        """The request that each variant of a pattern becomes, in words: operation, index and key condition."""
        if not isinstance(pattern, Pattern) or self.patterns.get(pattern.name) is not pattern:
            raise ArgumentError(
                f"explain() was given {getattr(pattern, '__name__', type(pattern).__name__)}, which is no pattern of "
                f"{self.name}.",
                hint="Pass the function that has @table.pattern above it.",
            )
        return tuple(plan.shown() for plan in self.plan.patterns[pattern.name].values())

    def prove(self) -> TableProof:
        """What is proved of every pattern: its exact requests, their order, and what they read and cost at worst, by what
        expect() says; and which indexes nothing reads."""
        return proofs.prove(self)

    def catalogue(self) -> tuple[Listed, ...]:
        """Every access pattern with its entities, requests, key conditions and parameters; print one to read it."""
        return tuple(catalogue.listed(pattern, self.plan.patterns[name]) for name, pattern in self.patterns.items())

    def find_pattern(self, name: str) -> Pattern[..., Any]:
        """The pattern of this name, for callers that have names only: `db.run(shop.find_pattern("order"), order_id="o1")`."""
        found = self.patterns.get(name) if isinstance(name, str) else None
        if found is None:
            raise ArgumentError(
                f"{self.name} has no pattern {name!r}.",
                field=str(name),
                hint=f"Its patterns are: {', '.join(sorted(self.patterns)) or 'none yet'}.",
            )
        return found

    def open(self, target: Any = None, **options: Unpack[OpenOptions]) -> Session:
        """Opens the table: "memory:", a file, an engine (`open_engine(...)`), "aws:REGION", "http://…", or a boto3 client of
        your own.

        Without a target it is DynamoDB as the environment says. The options are those of OpenOptions.
        """
        return opening.open_session(self.plan, target, settings.SessionOptions.of(options))

    def open_async(self, target: Any = None, **options: Unpack[OpenOptions]) -> AsyncSession:
        """The same for asyncio: `async with table.open_async(...) as db`."""
        return opening.open_async_session(self.plan, target, settings.SessionOptions.of(options))
