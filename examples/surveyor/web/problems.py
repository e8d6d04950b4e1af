"""What goes wrong, as clients see it: one body for all errors, that of RFC 9457, and one table from errors to statuses.

What Tablewright says to programmers is said to clients in the words of the service. Values that a client sent are not sent back.
"""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException

from examples.surveyor.sharing import NotAllowed
from examples.surveyor.tenancy import Refused
from tablewright.errors import (
    ConditionalCheckError,
    ContentionError,
    CursorError,
    EmptySetError,
    FieldTypeError,
    ItemTooLargeError,
    KeyValueError,
    NotFoundError,
    NumberError,
    TablewrightError,
    TransactionError,
)

from .words import said, version_of

MEDIA_TYPE = "application/problem+json"

STATUS: Mapping[type[TablewrightError], int] = {  # the first that fits
    CursorError: 400,  # expired, changed, or of another list
    KeyValueError: 422,  # an id that no key can hold
    FieldTypeError: 422,  # a value that breaks a rule of its field
    NumberError: 422,
    EmptySetError: 422,
    ItemTooLargeError: 422,  # more than 400 KB
    TransactionError: 422,  # more changes at once than one transaction takes
    NotFoundError: 404,
    ConditionalCheckError: 409,  # there already, changed meanwhile, or its state does not allow it
    ContentionError: 409,
}
"""Whatever is not here is an error of this program or of the database: 500, or 503 if it may be tried again."""


class FieldProblem(BaseModel):
    """What is wrong with one field or parameter."""

    field: str = Field(description="Where it is, such as `body.title` or `query.limit`.", examples=["body.title"])
    rule: str = Field(description="Which rule it breaks; stable, for programs.", examples=["too_long"])
    message: str = Field(description="The rule in words.", examples=["String should have at most 200 characters"])


class Problem(BaseModel):
    """Why a request was not carried out. With a status below 500 nothing was written, but for a removal of much, which may have
    begun; from 500 on it may have been. The same removal, sent again, goes on with what is left."""

    type: str = Field(default="about:blank", description="Always `about:blank`: `code` tells the kind.")
    title: str = Field(description="The status in words.", examples=["Conflict"])
    status: int = Field(description="The HTTP status.", examples=[409])
    code: str = Field(description="The kind of problem; stable, for programs.", examples=["CONCURRENT_MODIFICATION"])
    detail: str = Field(description="What happened, for people.")
    hint: str | None = Field(default=None, description="What to do next.")
    version: int | None = Field(
        default=None, description="The version that it has now, if that is known and another one was sent."
    )
    fields: list[FieldProblem] = Field(default=[], description="What is wrong with which fields, if any are.")


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The same for OpenAPI: which statuses a route may answer with."""
    return {
        status: {
            "description": _MEANINGS[status],
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in statuses
    }


_MEANINGS = {
    400: "The cursor cannot be used here, or the request cannot be read.",
    401: "The bearer token is missing, malformed or expired.",
    403: "The caller may see it, and may not do this.",
    404: "There is no such thing, or none that the caller may see.",
    409: "It is there already, somebody else was faster, or its state does not allow this.",
    422: "Something in the request breaks a rule; `fields` tells what.",
    500: "Something went wrong in the service; with the code `OUTCOME_UNKNOWN` it may have been written.",
    503: "The database does not answer now; try again, and read first whether a change was made.",
}


def answer(problem: Problem, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The response for a problem."""
    body = problem.model_dump(mode="json")
    return JSONResponse(body, problem.status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def problem_of(error: Exception) -> Problem:
    """What an error means to a client."""
    if isinstance(error, RequestValidationError | ValidationError):
        fields = [
            FieldProblem(field=".".join(map(str, each["loc"])), rule=each["type"], message=each["msg"])
            for each in error.errors()
        ]
        return _problem(422, "INVALID_REQUEST", "The request breaks rules of its fields.", fields=fields)
    if isinstance(error, Refused):
        return _problem(422, "REFUSED", str(error))
    if isinstance(error, NotAllowed):
        if error.role is None:  # to somebody who may not see it, it does not exist
            return _problem(404, NotFoundError.code, "There is no such survey.")
        return _problem(403, "NOT_ALLOWED", str(error))
    if isinstance(error, TablewrightError):
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), None)
        if status is not None:
            found = _problem(status, error.code, *said(error), fields=_fields(error))
            return found.model_copy(update={"version": version_of(error)})
        if error.retryable:
            hint = "Try again in a moment; after a change, read first whether it was made."
            return _problem(503, error.code, "The database does not answer now.", hint)
        if error.code == "OUTCOME_UNKNOWN":
            detail = "The database took the change, and did not tell whether it was made."
            return _problem(500, error.code, detail, "Read it again, and see whether it was written.")
    if isinstance(error, HTTPException):
        return _problem(error.status_code, HTTPStatus(error.status_code).name, str(error.detail))
    return _problem(500, "INTERNAL_ERROR", "Something went wrong in this service.")


def _fields(error: TablewrightError) -> list[FieldProblem]:
    """Which field a value was refused for, where the error tells."""
    field = getattr(error, "field", None)
    if not isinstance(error, FieldTypeError | NumberError | EmptySetError) or field is None:
        return []
    return [FieldProblem(field=f"body.{field}", rule=error.code.lower(), message=said(error).detail)]


def _problem(
    status: int, code: str, detail: str, hint: str | None = None, fields: list[FieldProblem] | None = None
) -> Problem:
    return Problem(
        title=HTTPStatus(status).phrase, status=status, code=code, detail=detail, hint=hint, fields=fields or []
    )


def answer_problems(app: FastAPI) -> None:
    """Makes every error of an application one of these answers. What the service itself did wrong is logged."""
    log = logging.getLogger(__name__)

    def refuse(request: Request, error: Exception) -> JSONResponse:
        problem = problem_of(error)
        if problem.status >= 500:
            log.error("%s %s: %s", request.method, request.url.path, problem.code, exc_info=error)
        return answer(problem, getattr(error, "headers", None))

    for kind in (
        RequestValidationError,
        ValidationError,
        Refused,
        NotAllowed,
        TablewrightError,
        HTTPException,
        Exception,
    ):
        app.add_exception_handler(kind, refuse)
