"""DynamoDB through a botocore or boto3 client of the caller's own. It is used as it is, and stays open."""

from __future__ import annotations

import logging
from base64 import b64decode, b64encode
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tablewright.errors import ConfigError, NetworkError, RequestRefused, TablewrightError
from tablewright.transport.answers import fits, unfit
from tablewright.transport.base import Request, Response
from tablewright.transport.refusals import service_error

_log = logging.getLogger("tablewright")


class BotocoreTransport:
    """Sends through a botocore client."""

    def __init__(self, client: Any) -> None:
        self.client = client
        if _retries_by_itself(client):
            _log.warning(
                "The client retries by itself: its retries and the session's multiply, and a write whose reply was lost may be "
                "made twice. Give it Config(retries={'total_max_attempts': 1})."
            )

    def send(self, operation: str, request: Request) -> Response:
        """One request, with binary values in the SDK's form."""
        import botocore.exceptions as sdk
        from botocore.parsers import ResponseParserError

        try:
            reply = self.client._make_api_call(operation, to_sdk(request))
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
        except (sdk.HTTPClientError, sdk.ConnectionError) as error:
            raise NetworkError(f"The connection broke during {operation}.", operation=operation) from error
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
        reply.pop("ResponseMetadata", None)
        answer: Response = _from_sdk(reply)
        if not fits(operation, request, answer):
            raise unfit(operation)
        return answer

    def close(self) -> None:
        """Leaves the client open: it is the caller's."""


class AsyncBotocoreTransport:
    """The same for asyncio, on threads: botocore itself cannot await."""

    def __init__(self, client: Any, *, threads: int = 50) -> None:
        self._sync = BotocoreTransport(client)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="tablewright-botocore")

    @property
    def client(self) -> Any:
        """The caller's client."""
        return self._sync.client

    async def send(self, operation: str, request: Request) -> Response:
        """One request."""
        import asyncio  # not above: a program without it need not wait for it to load

        return await asyncio.get_running_loop().run_in_executor(self._threads, self._sync.send, operation, request)

    async def close(self) -> None:
        """Ends the threads."""
        self._threads.shutdown(wait=True)


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


def _service_error(response: dict[str, Any], operation: str) -> TablewrightError:
    problem = response.get("Error", {})
    name, message = problem.get("Code", "UnknownError"), problem.get("Message", "")
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    refusal = service_error(name, message, _from_sdk(response), status=status, operation=operation)
    request_id = response.get("ResponseMetadata", {}).get("RequestId")
    if request_id:
        refusal.context["request_id"] = request_id
    return refusal
