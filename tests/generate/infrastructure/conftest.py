"""What infrastructure is generated from."""

from __future__ import annotations

import pytest

from tablewright.generate.material import Material
from tests.generate.infrastructure.models import MODELS


@pytest.fixture(params=list(MODELS))
def material(request: pytest.FixtureRequest) -> Material:
    return Material(MODELS[request.param]().plan)
