"""What requests may say: a query parameter that no route knows is refused, as an unknown field of a body is.

It would be lost otherwise, and with a misspelt `expected_version` the change of somebody else.
"""

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

PRECONDITIONS = ("if-match", "if-unmodified-since")


def only_what_is_known(request: Request) -> None:
    """Refuses parameters that the route does not have, and headers that would have to be heeded and are not."""
    route = request.scope["route"]
    known = _parameters(route.dependant) if isinstance(route, APIRoute) else set()
    wrong = [
        {"type": "extra_forbidden", "loc": ("query", name), "msg": "There is no such parameter."}
        for name in request.query_params
        if name not in known
    ] + [
        {"type": "not_supported", "loc": ("header", name), "msg": "Send the version as the parameter expected_version."}
        for name in PRECONDITIONS
        if name in request.headers
    ]
    if wrong:
        raise RequestValidationError(wrong)


def _parameters(of: Dependant) -> set[str]:
    """The query parameters of a function and of all that it depends on."""
    return {each.alias for each in of.query_params}.union(*map(_parameters, of.dependencies))
