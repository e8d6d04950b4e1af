"""Settings of a session: what is given wins over the environment, and wrong values fail at construction."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from tablewright.errors import ConfigError

_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says."""

    region: str | None = None
    endpoint: str | None = None
    stage: str | None = None
    debug: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Reads AWS_REGION (or AWS_DEFAULT_REGION), AWS_ENDPOINT_URL_DYNAMODB (or AWS_ENDPOINT_URL), TABLEWRIGHT_STAGE and
        TABLEWRIGHT_DEBUG."""
        env = os.environ if environment is None else environment
        return cls(
            region=env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or None,
            endpoint=env.get("AWS_ENDPOINT_URL_DYNAMODB") or env.get("AWS_ENDPOINT_URL") or None,
            stage=env.get("TABLEWRIGHT_STAGE") or None,
            debug=_boolean(env, "TABLEWRIGHT_DEBUG"),
        )


def _boolean(env: Mapping[str, str], name: str) -> bool:
    text = env.get(name, "").strip().lower()
    if text in _TRUE:
        return True
    if not text or text in _FALSE:
        return False
    raise ConfigError(f"{name} is neither true nor false.", hint="Use true, false, 1 or 0.")
