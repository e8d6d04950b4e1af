"""DynamoDB through a botocore or boto3 client of the caller's own. It is used as it is, and stays open."""

from __future__ import annotations

import logging
from base64 import b64decode, b64encode
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tablewright.errors import ConfigError, NetworkError, RequestRefused, TablewrightError
from tablewright.transport.answers import fits, unfit
from tablewright.transport.base import Request, Response
from tablewright.transport.refusals import service_error, session_closed

_log = logging.getLogger("tablewright")
_EMPTY = 8
"""Bytes that an empty object may take, with white space."""


class BotocoreTransport:
    """Sends through a botocore client."""

    def __init__(self, client: Any) -> None:
        self.client = client
        if _converts_by_itself(client):
            raise ConfigError(
                "The client is that of a boto3 resource, which turns values into Python's by itself.",
                hint='Use boto3.client("dynamodb").',
            )
        if _retries_by_itself(client):
            _log.warning(
                "The client retries by itself: its retries and the session's multiply, and a write whose reply was lost may be "
                "made twice. Give it Config(retries={'total_max_attempts': 1})."
            )

    def send(self, operation: str, request: Request) -> Response:
        """One request, with binary values in the SDK's form."""
        import botocore.exceptions as sdk
        from botocore.parsers import ResponseParserError

        parameters = to_sdk(request)
        try:
            reply = self.client._make_api_call(operation, parameters)
        except sdk.ClientError as error:
            raise _service_error(error.response, operation) from error
        except (sdk.ConnectTimeoutError, sdk.EndpointConnectionError) as error:
            where = getattr(getattr(self.client, "meta", None), "endpoint_url", "the service")
            raise NetworkError(
                f"No connection to {where} for {operation}.",
                sent=False,
                hint="Is it running, and is this its address?",
                operation=operation,
            ) from error
        except (sdk.HTTPClientError, sdk.ConnectionError, sdk.IncompleteReadError) as error:
            raise NetworkError(f"The connection broke during {operation}.", operation=operation) from error
        except sdk.ChecksumError as error:
            raise NetworkError(f"The reply to {operation} was damaged on its way.", operation=operation) from error
        except sdk.ParamValidationError as error:
            # Its text holds the values.
            raise RequestRefused(f"The SDK refused the parameters of {operation}.", operation=operation) from error
        except ResponseParserError as error:
            raise NetworkError(f"The reply to {operation} could not be read.", operation=operation) from error
        except sdk.BotoCoreError as error:
            raise ConfigError(
                f"The SDK could not send {operation} ({type(error).__name__}).",
                hint="Configure credentials and region as for any AWS SDK.",
                operation=operation,
            ) from error
        except Exception as error:
            if not _was_reading(error):
                raise
            raise unfit(operation) from error
        told = reply.pop("ResponseMetadata", {})
        answer: Response = _from_sdk(reply)
        if not fits(operation, request, answer) or (not answer and _was_more(told)):
            raise unfit(operation)
        return answer

    def close(self) -> None:
        """Leaves the client open: it is the caller's."""


class AsyncBotocoreTransport:
    """The same for asyncio, on threads: botocore itself cannot await."""

    def __init__(self, client: Any, *, threads: int = 50) -> None:
        self._sync = BotocoreTransport(client)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="tablewright-botocore")
        self._closed = False

    @property
    def client(self) -> Any:
        """The caller's client."""
        return self._sync.client

    async def send(self, operation: str, request: Request) -> Response:
        """One request."""
        import asyncio  # not above: a program without it need not wait for it to load

        if self._closed:
            raise session_closed()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._sync.send, operation, request)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._closed and task is not None and not task.cancelling():  # it was the request, not who waits for it
                raise session_closed() from None
            raise

    async def close(self) -> None:
        """Ends the threads, once their requests are over; what waits for one is not sent."""
        import asyncio

        self._closed = True
        await asyncio.to_thread(self._threads.shutdown, wait=True, cancel_futures=True)


def to_sdk(value: Any) -> Any:
    """Wire JSON holds binary as base64 text; the SDK wants bytes."""
    if type(value) is dict:
        if len(value) == 1:
            ((tag, inner),) = value.items()
            if tag == "B" and type(inner) is str:
                return {"B": b64decode(inner)}
            if tag == "BS" and type(inner) is list:
                return {"BS": [b64decode(m) for m in inner]}
        return {k: to_sdk(v) for k, v in value.items()}
    if type(value) is list:
        return [to_sdk(v) for v in value]
    return value


def _from_sdk(value: Any) -> Any:
    if type(value) is dict:
        return {k: _from_sdk(v) for k, v in value.items()}
    if type(value) is list:
        return [_from_sdk(v) for v in value]
    if type(value) is bytes:
        return b64encode(value).decode()
    return value


def _retries_by_itself(client: Any) -> bool:
    config = getattr(getattr(client, "meta", None), "config", None)
    if config is None:
        return False
    retries = getattr(config, "retries", None) or {}
    return retries.get("total_max_attempts") != 1 and retries.get("max_attempts") != 0


def _converts_by_itself(client: Any) -> bool:
    """Whether boto3 put its conversion of values into a client. botocore has no public way to ask."""
    emitter = getattr(getattr(getattr(client, "meta", None), "events", None), "_emitter", None)
    search = getattr(getattr(emitter, "_handlers", None), "prefix_search", None)
    handlers: Any = search("before-parameter-build.dynamodb") if callable(search) else ()
    return any(getattr(handler, "__module__", None) == "boto3.dynamodb.transform" for handler in handlers)


def _was_reading(error: Exception) -> bool:
    """Whether botocore stumbled over the reply itself, which it does not expect to be anything else than DynamoDB's."""
    trace, module = error.__traceback__, ""
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__"))
        if module == "botocore.parsers":
            return True
        trace = trace.tb_next
    return module == "botocore.endpoint"


def _was_more(told: dict[str, Any]) -> bool:
    """Whether a reply that was read as empty was none: botocore takes whatever is no JSON for an empty one."""
    headers = told.get("HTTPHeaders", {})
    length = headers.get("content-length", "")
    return "content-encoding" not in headers and length.isdecimal() and not 2 <= int(length) <= _EMPTY


def _service_error(response: dict[str, Any], operation: str) -> TablewrightError:
    problem = response.get("Error", {})
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    name, text = problem.get("Code", "UnknownError"), problem.get("Message")
    message = text if text and isinstance(text, str) else f"The service answered {operation} with status {status}."
    refusal = service_error(name, message, _from_sdk(response), status=status, operation=operation)
    request_id = response.get("ResponseMetadata", {}).get("RequestId")
    if request_id:
        refusal.context["request_id"] = request_id
    return refusal
