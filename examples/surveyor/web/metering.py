"""What each call asked of the database, in headers of its response. For debug mode: numbers of requests tell about data."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablewright import Meter, Sent, Session


class MeteringHeaders:
    """Middleware that measures the session during each call.

    The meter follows the call into the thread that answers it, and counts nobody else's requests.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        db: Session = scope["app"].state.db
        with db.measure() as meter:

            async def send_with_headers(message: Message) -> None:
                if message["type"] == "http.response.start":
                    MutableHeaders(scope=message).update(told(meter))
                await send(message)

            await self._app(scope, receive, send_with_headers)


def told(meter: Meter) -> dict[str, str]:
    """The headers: how many requests, which, and what they consumed."""
    return {
        "Database-Requests": str(len(meter.requests)),
        "Database-Read-Units": f"{meter.capacity.read:g}",
        "Database-Write-Units": f"{meter.capacity.write:g}",
        "Database-Operations": ", ".join(_shown(sent) for sent in meter.requests),
    }


def _shown(sent: Sent) -> str:
    return " ".join(word for word in (sent.operation, sent.index, sent.pattern, sent.error) if word is not None)
