"""From a region, an endpoint or nothing at all to an endpoint, a region to sign for, and credentials.

botocore knows all of this, but takes a while to load. Where the environment says everything, as it does in a Lambda
function or in front of a local server, it is not asked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.errors import ConfigError, not_installed
from tablewright.transport.http.credentials import MADE_UP, Fixed, FromBotocore, Source, from_environment

DEFAULT_REGION = "us-east-1"
# Regions elsewhere, such as in China, have endpoints of other names; so do the variants below.
_COMMON_REGION = re.compile(r"(af|ap|ca|eu|il|me|mx|sa|us)-(central|north|south|east|west|(north|south)(east|west))-\d")
_VARIANTS = ("AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT")


class Place(Struct, frozen=True):
    """Where requests go, and how they are signed."""

    url: str
    region: str
    credentials: Source
    ca_bundle: str | None = None


def find_place(region: str | None, endpoint: str | None, profile: str | None, variables: Mapping[str, str]) -> Place:
    """The place that a caller and the environment mean; credentials are looked up when they are needed."""
    local = endpoint is not None and endpoint.startswith("http://")
    configured = profile is not None or bool(variables.get("AWS_PROFILE")) or _has_files(variables)
    keys = from_environment(variables) if profile is None else None
    if local and (keys is not None or not configured):
        return Place(endpoint or "", region or DEFAULT_REGION, Fixed(keys or MADE_UP))
    if keys is not None and region is not None and not configured:
        if endpoint is not None:
            return Place(endpoint, region, Fixed(keys))
        if _COMMON_REGION.fullmatch(region) and not any(variables.get(name) for name in _VARIANTS):
            return Place(f"https://dynamodb.{region}.amazonaws.com", region, Fixed(keys))
    return _ask_botocore(region, endpoint, profile, local=local)


def _has_files(variables: Mapping[str, str]) -> bool:
    """Whether there are files in which AWS's tools keep settings."""
    for variable, usual in (
        ("AWS_CONFIG_FILE", "~/.aws/config"),
        ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"),
    ):
        if os.path.isfile(os.path.expanduser(variables.get(variable) or usual)):
            return True
    return False


def _ask_botocore(region: str | None, endpoint: str | None, profile: str | None, *, local: bool) -> Place:
    try:
        from botocore.exceptions import BotoCoreError, NoRegionError, ProfileNotFound
        from botocore.session import Session
    except ImportError:
        if local and profile is None:
            return Place(endpoint or "", region or DEFAULT_REGION, Fixed(MADE_UP))
        raise not_installed("Opening DynamoDB needs botocore, which is not installed.", "aws") from None
    session: Any = Session(profile=profile)
    try:
        if local and region is None:
            region = session.get_config_variable("region") or DEFAULT_REGION
        # The keys are not used: without them the client would look for some now, perhaps over the network.
        client = session.create_client(
            "dynamodb",
            region_name=region,
            endpoint_url=endpoint,
            aws_access_key_id=MADE_UP.access_key,
            aws_secret_access_key=MADE_UP.secret_key,
        )
        meta = client.meta
        client.close()
        bundle = session.get_config_variable("ca_bundle")
    except NoRegionError:
        raise ConfigError("No AWS region is known.", hint='Open "aws:eu-west-1", or set AWS_REGION.') from None
    except ProfileNotFound as error:
        raise ConfigError(f"There is no AWS profile {profile!r}." if profile else str(error)) from None
    except (BotoCoreError, ValueError) as error:
        raise ConfigError(
            f"The AWS settings cannot be used ({type(error).__name__}): {error}", hint="Check region and endpoint."
        ) from error
    return Place(meta.endpoint_url, meta.region_name, FromBotocore(session, local=local), bundle)
