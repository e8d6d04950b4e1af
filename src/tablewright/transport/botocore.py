"""DynamoDB through a botocore or boto3 client: one of the caller's own, or one made from a region or an endpoint.

The SDK's retries are off in clients made here, because the session retries. A client of the caller's own is used as it
is.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tablewright.errors import (
    BY_WIRE_NAME,
    CancellationReason,
    ConditionalCheckFailed,
    ConfigError,
    NetworkError,
    RequestRefused,
    ServiceError,
    TablewrightError,
    Throttled,
    ThrottlingReason,
    TransactionCanceled,
)
from tablewright.transport.base import Request, Response

CONNECT_TIMEOUT = READ_TIMEOUT = 5.0


class BotocoreTransport:
    """Sends through a botocore client."""

    def __init__(self, client: Any, *, owned: bool = True) -> None:
        self.client = client
        self._owned = owned

    @classmethod
    def open(
        cls, *, region: str | None = None, endpoint: str | None = None, connections: int = 50
    ) -> BotocoreTransport:
        """A client of our own; credentials come from wherever botocore finds them."""
        return cls(make_client(region=region, endpoint=endpoint, connections=connections))

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
        return answer

    def close(self) -> None:
        """Closes the client's connections, unless the client is the caller's own."""
        if self._owned:
            self.client.close()


class AsyncBotocoreTransport:
    """The same for asyncio, on threads: botocore itself cannot await."""

    def __init__(self, client: Any, *, owned: bool = True, threads: int = 50) -> None:
        self._sync = BotocoreTransport(client, owned=owned)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="tablewright-botocore")

    @classmethod
    def open(cls, *, region: str | None = None, endpoint: str | None = None) -> AsyncBotocoreTransport:
        """A client of our own."""
        return cls(make_client(region=region, endpoint=endpoint, connections=50))

    async def send(self, operation: str, request: Request) -> Response:
        """One request."""
        import asyncio  # not above: a program without it need not wait for it to load

        return await asyncio.get_running_loop().run_in_executor(self._threads, self._sync.send, operation, request)

    async def close(self) -> None:
        """Closes threads and connections."""
        self._threads.shutdown(wait=True)
        self._sync.close()


def make_client(*, region: str | None, endpoint: str | None, connections: int) -> Any:
    """A botocore DynamoDB client with retries off and our timeouts."""
    try:
        from botocore.config import Config
        from botocore.exceptions import NoRegionError
        from botocore.session import Session
    except ImportError:
        raise ConfigError(
            "Opening DynamoDB needs botocore, which is not installed.", hint="pip install 'tablewright[aws]'"
        ) from None
    session = Session()
    if endpoint is not None and session.get_credentials() is None:
        session.set_credentials("local", "local")  # a local endpoint asks for a signature, but not for whose
    if endpoint is not None and region is None and session.get_config_variable("region") is None:
        region = "us-east-1"
    config = Config(
        retries={"total_max_attempts": 1},
        connect_timeout=CONNECT_TIMEOUT,
        read_timeout=READ_TIMEOUT,
        max_pool_connections=connections,
        parameter_validation=False,
    )
    try:
        return session.create_client("dynamodb", region_name=region, endpoint_url=endpoint, config=config)
    except NoRegionError:
        raise ConfigError("No AWS region is known.", hint='Open "aws:eu-west-1", or set AWS_REGION.') from None


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


def _service_error(response: dict[str, Any], operation: str) -> TablewrightError:
    problem = response.get("Error", {})
    name, message = problem.get("Code", "UnknownError"), problem.get("Message", "")
    if name == "ConditionalCheckFailedException":
        item = response.get("Item")
        return ConditionalCheckFailed(message, item=_from_sdk(item) if item else None, operation=operation)
    if name == "TransactionCanceledException":
        reasons = [
            CancellationReason(r.get("Code", "None"), r.get("Message"), _from_sdk(r["Item"]) if r.get("Item") else None)
            for r in response.get("CancellationReasons", [])
        ]
        return TransactionCanceled(message, reasons=reasons, operation=operation)
    told = response.get("ThrottlingReasons") or response.get("throttlingReasons")
    if told:
        throttling = [ThrottlingReason(r.get("reason", ""), r.get("resource", "")) for r in told]
        return Throttled(message, reasons=throttling, wire_name=name, operation=operation)
    kind = BY_WIRE_NAME.get(name)
    if kind is None:
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
        kind = BY_WIRE_NAME["InternalServerError"] if status >= 500 else ServiceError
    return kind(message, wire_name=name, operation=operation)
