"""The same store for GraphQL: one query and one mutation, and the three helpers that resolvers need.

`asked` calls the store in a thread and turns errors into what clients can read; `together` answers what many resolvers ask for with
one request; `Connection.of` makes a page of a list. Authentication and roles are those of the other routes.
"""

# mypy: disable-error-code="untyped-decorator"

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, Generic, ParamSpec, Self, TypeAlias, TypeVar

import strawberry
from cross_web import HTTPException as Unreadable
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from graphql import GraphQLError
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from starlette.exceptions import HTTPException
from strawberry import UNSET, Info
from strawberry.dataloader import DataLoader
from strawberry.extensions import MaxAliasesLimiter, MaxTokensLimiter, QueryDepthLimiter
from strawberry.fastapi import BaseContext, GraphQLRouter
from strawberry.types import ExecutionContext

from examples.surveyor.edits import SectionChanges
from examples.surveyor.library import Phrase
from examples.surveyor.reading import Ref
from examples.surveyor.sharing import SharedSurvey
from examples.surveyor.store import Surveyor
from examples.surveyor.surveys import ElementNode, SectionNode, Survey, SurveySection, SurveyTree
from examples.surveyor.tenancy import Refused
from tablewright import Page, stored

from .callers import Calling, Store
from .problems import problem_of
from .settings import Settings
from .tokens import Caller

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")

MOST_DEFECTS: Final = 1_000
"""So many phrases are looked up for one call: ten requests."""

# ------------------------------------------------------------------------------------------------------------ helpers


async def asked(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a method of the store answers. It runs in a thread; an error becomes a problem, told under `extensions`."""
    try:
        return await run_in_threadpool(function, *args, **kwargs)
    except Exception as error:
        problem = problem_of(error)
        raise GraphQLError(
            problem.detail,
            original_error=error,
            extensions=problem.model_dump(include={"code", "status", "hint", "version", "fields"}, exclude_none=True),
        ) from error


def together(function: Callable[[list[K]], Sequence[T]]) -> DataLoader[K, T]:
    """A loader for one call: what its resolvers ask for at the same time is given to the function in one list.

    The function answers in the order in which it was asked, as `get_many` of a session does.
    """

    async def load(wanted: list[K]) -> Sequence[T]:
        return await asked(function, wanted)

    return DataLoader(load)


@strawberry.type
class PageInfo:
    """Where a list goes on."""

    has_next_page: bool
    end_cursor: str | None = strawberry.field(description="Send it as `after` for the next page; null at the end.")


@strawberry.type
class Connection(Generic[T]):
    """A page of a list. Only its end has a cursor, since a list can only be gone on with from there."""

    nodes: list[T]
    page_info: PageInfo

    @classmethod
    def of(cls, nodes: Sequence[T], page: Page[Any]) -> Self:
        """What is shown of a page of the store."""
        return cls(nodes=list(nodes), page_info=PageInfo(has_next_page=page.has_more, end_cursor=page.cursor))


class Context(BaseContext):
    """What the resolvers of one call share: who asks, their tenant, and what was loaded already."""

    def __init__(self, store: Surveyor, caller: Caller) -> None:
        super().__init__()
        self.store = store
        self.caller = caller
        self.defects: DataLoader[str, Any] = together(self._defects)
        self.trees: DataLoader[str, SurveyTree] = DataLoader(self._trees)
        self._defects_left = MOST_DEFECTS

    async def _trees(self, survey_ids: list[str]) -> Sequence[SurveyTree | BaseException]:
        """Each survey once, however often it is asked for."""
        return await asyncio.gather(
            *(asked(self.store.complete_survey, each) for each in survey_ids), return_exceptions=True
        )

    def _defects(self, phrase_ids: list[str]) -> Sequence[Any]:
        self._defects_left -= len(phrase_ids)
        if self._defects_left < 0:
            raise Refused(f"The defects are more than {MOST_DEFECTS:,} phrases; ask for fewer surveys at once.")
        return self.store.items([Ref(Phrase, {"kind": "Defect", "phrase_id": each}) for each in phrase_ids])


Asking: TypeAlias = Info[Context, None]

# -------------------------------------------------------------------------------------------------------------- types


@strawberry.type(name="Component")
class GraphComponent:
    """A component of an element."""

    component_id: strawberry.ID
    name: str
    condition: str


@strawberry.type(name="Phrase")
class GraphPhrase:
    """A sentence for reports."""

    phrase_id: strawberry.ID
    text: str


@strawberry.type(name="Element")
class GraphElement:
    """An element of a section."""

    node: strawberry.Private[ElementNode]
    element_id: strawberry.ID
    name: str
    condition: str

    @classmethod
    def of(cls, node: ElementNode) -> Self:
        """An element of the store's tree."""
        element = node.entity
        return cls(
            node=node, element_id=strawberry.ID(element.element_id), name=element.name, condition=element.condition
        )

    @strawberry.field(description="Its components, in their order.")
    def components(self) -> list[GraphComponent]:
        return [
            GraphComponent(component_id=strawberry.ID(each.component_id), name=each.name, condition=each.condition)
            for each in self.node.components
        ]

    @strawberry.field(
        description="What is wrong with it, in the words of the library; all elements are asked for at once."
    )
    async def defects(self, info: Asking) -> list[GraphPhrase]:
        found = await info.context.defects.load_many(self.node.entity.defects)
        return [
            GraphPhrase(phrase_id=strawberry.ID(phrase.phrase_id), text=phrase.text)
            for phrase in found
            if phrase is not None
        ]


@strawberry.type(name="Section")
class GraphSection:
    """A section of a survey."""

    section_id: strawberry.ID
    name: str
    position: int
    notes: str
    condition: str
    completed_at: datetime | None
    version: int | None

    @classmethod
    def of(cls, section: SurveySection, **more: Any) -> Self:
        """A section of the store."""
        known = stored(section)
        return cls(
            section_id=strawberry.ID(section.section_id),
            name=section.name,
            position=section.position,
            notes=section.notes,
            condition=section.condition,
            completed_at=section.completed_at,
            version=None if known is None else known.version,
            **more,
        )


@strawberry.type(name="SectionWithElements")
class GraphSectionNode(GraphSection):
    """A section with its elements."""

    elements: list[GraphElement]

    @classmethod
    def of_node(cls, node: SectionNode) -> Self:
        """A section of the store's tree."""
        return cls.of(node.entity, elements=[GraphElement.of(each) for each in node.elements])


@strawberry.type(name="SurveyOutline")
class GraphOutline:
    """A survey in a list. Whoever wants its sections asks for it alone, since each takes a query."""

    survey_id: strawberry.ID
    title: str
    status: str
    owner: str
    section_count: int
    completed_sections: int
    role: str = strawberry.field(description="What the caller may do with it.")

    @classmethod
    def of(cls, survey: Survey, role: str) -> Self:
        """A survey of the store."""
        return cls(
            survey_id=strawberry.ID(survey.survey_id),
            title=survey.title,
            status=survey.status,
            owner=survey.owner,
            section_count=survey.section_count,
            completed_sections=survey.completed_sections,
            role=role,
        )


@strawberry.type(name="Survey")
class GraphSurvey(GraphOutline):
    """A survey."""

    @strawberry.field(description="All that it consists of, read with one query, and only if it is asked for.")
    async def sections(self, info: Asking) -> list[GraphSectionNode]:
        tree = await info.context.trees.load(self.survey_id)
        return [GraphSectionNode.of_node(node) for node in tree.sections]


@strawberry.input
class SectionInput:
    """What may be changed of a section; what is not given stays."""

    name: str | None = UNSET
    position: int | None = UNSET
    notes: str | None = UNSET
    condition: str | None = UNSET
    photos: list[str] | None = UNSET

    def changes(self) -> SectionChanges:
        """The same for the store, by the same rules as everywhere."""
        given = {name: value for name, value in vars(self).items() if value is not UNSET}
        return _section_changes.validate_python(given)


_section_changes: TypeAdapter[SectionChanges] = TypeAdapter(SectionChanges)


class _Bounds(BaseModel):
    """The rules of numbers that GraphQL's own types do not tell."""

    first: int = Field(default=25, ge=1, le=100)
    expected_version: int | None = Field(default=None, ge=1)


# ---------------------------------------------------------------------------------------------------------- resolvers


@strawberry.type
class Query:
    """What can be asked."""

    @strawberry.field(description="One survey that the caller may see.")
    async def survey(self, info: Asking, survey_id: strawberry.ID) -> GraphSurvey:
        at = info.context
        role = await asked(at.store.allow, survey_id, at.caller.user_id, "viewer")
        return GraphSurvey.of(await asked(at.store.survey, survey_id), role)

    @strawberry.field(description="The surveys that the caller may see.")
    async def surveys(self, info: Asking, first: int = 25, after: str | None = None) -> Connection[GraphOutline]:
        at = info.context

        def seen() -> Page[SharedSurvey]:
            return at.store.surveys_seen_by(at.caller.user_id, _Bounds(first=first).first, after)

        page = await asked(seen)
        return Connection.of([GraphOutline.of(each.survey, each.role) for each in page], page)


@strawberry.type
class Mutation:
    """What can be changed."""

    @strawberry.mutation(description="Changes what is given of a section; the rest stays.")
    async def update_section(
        self,
        info: Asking,
        survey_id: strawberry.ID,
        section_id: strawberry.ID,
        changes: SectionInput,
        expected_version: int | None = None,
    ) -> GraphSection:
        at = info.context

        def update() -> SurveySection:
            version = _Bounds(expected_version=expected_version).expected_version
            at.store.allow(survey_id, at.caller.user_id, "editor")
            return at.store.update_section(survey_id, section_id, changes.changes(), expected_version=version)

        return GraphSection.of(await asked(update))


class _Schema(strawberry.Schema):
    """Logs what the service did wrong, and not what it refuses."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        for error in errors:
            cause = error.original_error
            while isinstance(cause, GraphQLError):  # the one of `asked` lies within that of the resolver
                cause = cause.original_error
            if cause is not None and problem_of(cause).status >= 500:
                logging.getLogger(__name__).error("%s", error.message, exc_info=cause)


schema = _Schema(
    Query,
    Mutation,
    extensions=[
        lambda: QueryDepthLimiter(max_depth=8),
        lambda: MaxAliasesLimiter(max_alias_count=10),
        lambda: MaxTokensLimiter(max_token_count=1_000),
    ],
)


def context(store: Store, calling: Calling) -> Context:
    """The context of one call."""
    return Context(store, calling)


class _Body(BaseModel):
    """What is sent to ask something."""

    query: str
    variables: dict[str, Any] | None = None
    operationName: str | None = None  # noqa: N815 - GraphQL calls it so
    extensions: dict[str, Any] | None = None


class _Router(GraphQLRouter[Context, None]):
    """Refuses what it cannot read as all routes do: with a problem."""

    def decode_json(self, data: str | bytes) -> object:
        try:
            return _Body.model_validate_json(data).model_dump()
        except ValidationError as error:
            raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in error.errors()]) from None

    async def run(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return await super().run(*args, **kwargs)
        except Unreadable as error:
            raise HTTPException(error.status_code, error.reason) from error


def graphql_router(settings: Settings) -> GraphQLRouter[Context, None]:
    """The route for GraphQL; with a page to try queries in debug mode only."""
    return _Router(
        schema,
        context_getter=context,
        graphql_ide="graphiql" if settings.debug else None,
        allow_queries_via_get=False,
        subscription_protocols=(),
    )
