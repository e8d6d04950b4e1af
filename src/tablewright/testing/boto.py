"""boto3 without HTTP: the method through which every client of the SDK calls the service asks an engine instead."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from typing import Any

from tablewright.engine import Engine
from tablewright.engine.faults import ITEM_OPERATIONS
from tablewright.errors import ConditionalCheckFailed, NetworkError, ServiceError, Throttled, TransactionCanceled
from tablewright.transport.botocore import to_sdk
from tablewright.values import dumps

_SERVICES = frozenset({"dynamodb", "dynamodbstreams"})

Call = Callable[[Any, str, dict[str, Any]], dict[str, Any]]


@contextmanager
def boto3_in_process(engine: Engine) -> Iterator[Engine]:
    """Meanwhile every boto3 and botocore client for DynamoDB and its streams, whenever it was made, asks this engine.

    Parameters are checked, resources work, and errors are the SDK's own. There is no network, so nothing is signed
    and nothing is retried.
    """
    import botocore.client

    every: Any = botocore.client.BaseClient
    original: Call = every._make_api_call
    numbers = count()

    def call(client: Any, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        if client.meta.service_model.service_name not in _SERVICES:
            return original(client, operation, parameters)
        return _answer(engine, client, operation, parameters, f"{next(numbers):052d}")

    every._make_api_call = call
    try:
        yield engine
    finally:
        every._make_api_call = original


def _answer(engine: Engine, client: Any, operation: str, parameters: dict[str, Any], request_id: str) -> dict[str, Any]:
    from botocore.awsrequest import AWSResponse
    from botocore.exceptions import ConnectionClosedError

    model = client.meta.service_model.operation_model(operation)
    context = {"client_region": client.meta.region_name, "client_config": client.meta.config}
    # boto3's resources turn Python values into attribute values and back in handlers of these events.
    parameters = client._emit_api_params(api_params=parameters, operation_model=model, context=context)
    if client.meta.config.parameter_validation:
        _check(parameters, model.input_shape)
    status = 200
    try:
        response = engine.execute(operation, _to_wire(parameters), region=client.meta.region_name)
    except ServiceError as error:
        status, parsed = error.status, _error(error)
    except NetworkError as error:
        raise ConnectionClosedError(endpoint_url=client.meta.endpoint_url, request=None) from error
    else:
        parsed = to_sdk(response) if operation in ITEM_OPERATIONS else _parsed(client, response, model)
    parsed["ResponseMetadata"] = {
        "RequestId": request_id,
        "HTTPStatusCode": status,
        "HTTPHeaders": {"x-amzn-requestid": request_id},
        "RetryAttempts": 0,
    }
    client.meta.events.emit(
        f"after-call.{client.meta.service_model.service_id.hyphenize()}.{operation}",
        http_response=AWSResponse(client.meta.endpoint_url, status, {}, None),
        parsed=parsed,
        model=model,
        context=context,
    )
    if status >= 300:
        raise client.exceptions.from_code(parsed["Error"]["Code"])(parsed, operation)
    return parsed


def _check(parameters: dict[str, Any], shape: Any) -> None:
    from botocore.exceptions import ParamValidationError
    from botocore.validate import ParamValidator

    report = ParamValidator().validate(parameters, shape)
    if report.has_errors():
        raise ParamValidationError(report=report.generate_report())


def _parsed(client: Any, response: dict[str, Any], model: Any) -> dict[str, Any]:
    """An answer about tables as the SDK reads it, with times as datetimes."""
    reply = {"status_code": 200, "headers": {}, "body": dumps(response), "context": {"operation_name": model.name}}
    parsed: dict[str, Any] = client._response_parser.parse(reply, model.output_shape)
    return parsed


def _error(error: ServiceError) -> dict[str, Any]:
    parsed: dict[str, Any] = {
        "Error": {"Message": error.message, "Code": error.wire_name},
        "message": error.message,
    }
    if isinstance(error, TransactionCanceled):
        parsed["Message"] = parsed.pop("message")
        parsed["CancellationReasons"] = [
            {"Code": reason.code}
            | ({} if reason.message is None else {"Message": reason.message})
            | ({} if reason.item is None else {"Item": to_sdk(reason.item)})
            for reason in error.reasons
        ]
    elif isinstance(error, ConditionalCheckFailed) and error.item is not None:
        parsed["Item"] = to_sdk(error.item)
    elif isinstance(error, Throttled) and error.reasons:
        name = "throttlingReasons" if error.wire_name == "ThrottlingException" else "ThrottlingReasons"
        parsed[name] = [{"reason": one.reason, "resource": one.resource} for one in error.reasons]
    return parsed


def _to_wire(value: Any) -> Any:
    """Parameters as JSON has them."""
    if isinstance(value, dict):
        return {name: _to_wire(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_wire(inner) for inner in value]
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    return value.timestamp() if isinstance(value, datetime) else value
