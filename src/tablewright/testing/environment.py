"""The environment that leads AWS SDKs in this process to a server of ours, with credentials that are worth nothing."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

# Whatever could bring real credentials into a test, or lead a client past the endpoint.
_TAKEN_AWAY = (
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_DEFAULT_PROFILE",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
    "AWS_PROFILE",
    "AWS_ROLE_ARN",
    "AWS_SECURITY_TOKEN",
    "AWS_SESSION_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
)


def point_aws_at(monkeypatch: pytest.MonkeyPatch, url: str | None, region: str = "us-east-1") -> None:
    """Lead every AWS client that is made from now on to a server; without a URL only the credentials are made safe."""
    variables = {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_DEFAULT_REGION": region,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_REGION": region,
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }
    if url is not None:
        variables |= {"AWS_ENDPOINT_URL_DYNAMODB": url, "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": url}
        for name in ("no_proxy", "NO_PROXY"):
            given = os.environ.get(name)
            variables[name] = f"{given},127.0.0.1,localhost" if given else "127.0.0.1,localhost"
    for name in _TAKEN_AWAY:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    boto3 = sys.modules.get("boto3")
    if boto3 is not None:
        # It remembers credentials and settings from before.
        monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
