"""boto3 without HTTP: the methods through which every client of the SDK calls the service ask an engine instead."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from datetime import datetime
from inspect import iscoroutinefunction
from itertools import count
from typing import Any

from tablewright.engine import Engine
from tablewright.engine.faults import ITEM_OPERATIONS
from tablewright.errors import (
    ConditionalCheckFailed,
    NetworkError,
    ServiceError,
    Throttled,
    TransactionCanceled,
    not_installed,
)
from tablewright.testing.async_boto import async_clients_in_process
from tablewright.testing.listeners import Interest, interest_in
from tablewright.transport.botocore import to_sdk
from tablewright.values import dumps, loads

_SERVICES = frozenset({"dynamodb", "dynamodbstreams"})

Answer = tuple[Any, dict[str, Any]]
Call = Callable[[Any, str, dict[str, Any]], dict[str, Any]]
MakeRequest = Callable[[Any, Any, dict[str, Any], dict[str, Any]], Answer]


@contextmanager
def boto3_in_process(engine: Engine) -> Iterator[Engine]:
    """Meanwhile every boto3 and botocore client for DynamoDB and its streams, whenever it was made, asks this engine;
    so do those of aioboto3 and aiobotocore.

    Parameters are checked, resources work, errors are the SDK's own, and handlers of its events are called. There is
    no network, so nothing is signed and nothing is retried, except for a client with handlers that watch just that,
    such as `before-send`.
    """
    try:
        import botocore.client
    except ImportError as error:
        raise not_installed("boto3 in process needs boto3, which is not installed.", "aws") from error

    every: Any = botocore.client.BaseClient
    original_call: Call = every._make_api_call
    original_request: MakeRequest = every._make_request
    desk = _Desk(engine)

    def call(client: Any, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        if client.meta.service_model.service_name not in _SERVICES or interest_in(client, operation):
            return original_call(client, operation, parameters)
        return desk.call(client, operation, parameters)

    def make_request(client: Any, model: Any, request: dict[str, Any], context: dict[str, Any]) -> Answer:
        if client.meta.service_model.service_name not in _SERVICES:
            return original_request(client, model, request, context)
        return desk.make_request(client, model, request, context)

    every._make_api_call, every._make_request = call, make_request
    try:
        with async_clients_in_process(engine, _SERVICES, desk.answer):
            yield engine
    finally:
        every._make_api_call, every._make_request = original_call, original_request


class _Desk:
    """Where calls arrive instead of at the service."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._numbers = count()

    def call(self, client: Any, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """A whole call, without making the request that nobody would see."""
        model = client.meta.service_model.operation_model(operation)
        context: dict[str, Any] = {
            "client_region": client.meta.region_name,
            "client_config": client.meta.config,
            "has_streaming_input": False,
            "auth_type": model.resolved_auth_type,
            "unsigned_payload": model.unsigned_payload,
            "auth_options": client.meta.service_model.metadata.get("auth"),
        }
        # boto3's resources turn Python values into attribute values and back in handlers of these events.
        parameters = client._emit_api_params(api_params=parameters, operation_model=model, context=context)
        if client.meta.config.parameter_validation:
            _check(parameters, model.input_shape)
        try:
            http, parsed = self.answer(client, model, _to_wire(parameters))
        except Exception as error:
            _tell(client, model, context, error)
            raise
        client.meta.events.emit(
            f"after-call.{client.meta.service_model.service_id.hyphenize()}.{operation}",
            http_response=http,
            parsed=parsed,
            model=model,
            context=context,
        )
        if http.status_code >= 300:
            code = context.get("error_code_override") or parsed["Error"]["Code"]
            raise client.exceptions.from_code(code)(parsed, operation)
        return parsed

    def make_request(self, client: Any, model: Any, request: dict[str, Any], context: dict[str, Any]) -> Answer:
        """The part of a call that goes over the network, with everything before it done by the SDK."""
        try:
            if interest_in(client, model.name) < Interest.WIRE:
                return self.answer(client, model, loads(request["body"]))
            endpoint = copy(client._endpoint)
            endpoint.http_session = _Wire(self._engine, client.meta.region_name, model.name, self._next_id)
            answer: Answer = endpoint.make_request(model, request)
        except Exception as error:
            _tell(client, model, context, error)
            raise
        return answer

    def _next_id(self) -> str:
        return f"{next(self._numbers):052d}"

    def answer(self, client: Any, model: Any, request: dict[str, Any]) -> Answer:
        """What the engine says, as the SDK would have read it."""
        from botocore.awsrequest import AWSResponse
        from botocore.exceptions import ConnectionClosedError

        operation, url, request_id = model.name, client.meta.endpoint_url, self._next_id()
        status = 200
        try:
            response = self._engine.execute(operation, request, region=client.meta.region_name)
        except ServiceError as error:
            body = _error_body(error)
            status, parsed = (
                error.status,
                {"Error": {"Message": error.message, "Code": error.wire_name}, **to_sdk(body)},
            )
        except NetworkError as error:
            raise ConnectionClosedError(endpoint_url=url, request=None) from error
        else:
            parsed = to_sdk(response) if operation in ITEM_OPERATIONS else _parsed(client, response, model)
        parsed["ResponseMetadata"] = {
            "RequestId": request_id,
            "HTTPStatusCode": status,
            "HTTPHeaders": {"x-amzn-requestid": request_id},
            "RetryAttempts": 0,
        }
        return AWSResponse(url, status, {"x-amzn-RequestId": request_id}, None), parsed


class _Wire:
    """In the place of the SDK's HTTP session: requests as they would be sent, replies as they would come."""

    def __init__(self, engine: Engine, region: str, operation: str, next_id: Callable[[], str]) -> None:
        self._engine = engine
        self._region = region
        self._operation = operation
        self._next_id = next_id

    def send(self, request: Any) -> Any:
        """The reply to a request."""
        from botocore.awsrequest import AWSResponse
        from botocore.exceptions import ConnectionClosedError

        status = 200
        try:
            body = self._engine.execute(self._operation, loads(request.body), region=self._region)
        except ServiceError as error:
            status, body = error.status, {"__type": f"com.amazonaws.dynamodb.v20120810#{error.wire_name}"}
            body |= _error_body(error)
        except NetworkError as error:
            raise ConnectionClosedError(endpoint_url=request.url, request=request) from error
        headers = {"Content-Type": "application/x-amz-json-1.0", "x-amzn-RequestId": self._next_id()}
        return AWSResponse(request.url, status, headers, _Raw(dumps(body)))


class _Raw:
    """A body that has arrived."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self) -> Iterator[bytes]:
        """All of it."""
        yield self._body


def _tell(client: Any, model: Any, context: dict[str, Any], error: Exception) -> None:
    where = f"{client.meta.service_model.service_id.hyphenize()}.{model.name}"
    client.meta.events.emit(f"after-call-error.{where}", exception=error, context=context)


def _check(parameters: dict[str, Any], shape: Any) -> None:
    from botocore.exceptions import ParamValidationError
    from botocore.validate import ParamValidator

    report = ParamValidator().validate(parameters, shape)
    if report.has_errors():
        raise ParamValidationError(report=report.generate_report())


def _parsed(client: Any, response: dict[str, Any], model: Any) -> dict[str, Any]:
    """An answer about tables as the SDK reads it, with times as datetimes."""
    reply = {"status_code": 200, "headers": {}, "body": dumps(response), "context": {"operation_name": model.name}}
    parser = client._response_parser
    if iscoroutinefunction(parser.parse):
        from botocore.parsers import create_parser

        parser = create_parser("json")
    parsed: dict[str, Any] = parser.parse(reply, model.output_shape)
    return parsed


def _error_body(error: ServiceError) -> dict[str, Any]:
    """What the body of an error reply says besides its name."""
    body: dict[str, Any] = {"message": error.message}
    if isinstance(error, TransactionCanceled):
        body["Message"] = body.pop("message")
        body["CancellationReasons"] = [
            {"Code": reason.code}
            | ({} if reason.message is None else {"Message": reason.message})
            | ({} if reason.item is None else {"Item": reason.item})
            for reason in error.reasons
        ]
    elif isinstance(error, ConditionalCheckFailed) and error.item is not None:
        body["Item"] = error.item
    elif isinstance(error, Throttled) and error.reasons:
        name = "throttlingReasons" if error.wire_name == "ThrottlingException" else "ThrottlingReasons"
        body[name] = [{"reason": one.reason, "resource": one.resource} for one in error.reasons]
    return body


def _to_wire(value: Any) -> Any:
    """Parameters as JSON has them."""
    if isinstance(value, dict):
        return {name: _to_wire(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_wire(inner) for inner in value]
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    return value.timestamp() if isinstance(value, datetime) else value
