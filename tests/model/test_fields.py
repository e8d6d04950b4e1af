"""Field types that the library brings: epochs and natural keys."""

from datetime import UTC, datetime
from typing import Annotated

import pydantic
import pytest
from pydantic import TypeAdapter

from tablewright import Epoch, NaturalKey
from tablewright.model.fields import EpochUnit

MOMENT = datetime(2025, 6, 1, 12, 30, 15, 123456, tzinfo=UTC)


@pytest.mark.parametrize(("unit", "microsecond"), [("s", 0), ("ms", 123000), ("us", 123456)])
def test_an_epoch_is_cut_to_whole_units_when_it_is_validated(unit: EpochUnit, microsecond: int) -> None:
    kind = Annotated[datetime, Epoch(unit)]
    assert TypeAdapter(kind).validate_python(MOMENT) == MOMENT.replace(microsecond=microsecond)
    assert TypeAdapter(kind | None).validate_python(MOMENT) == MOMENT.replace(microsecond=microsecond)
    assert TypeAdapter(Annotated[datetime | None, Epoch(unit)]).validate_python(None) is None


def test_an_epoch_shows_as_a_datetime_in_a_json_schema() -> None:
    assert TypeAdapter(Annotated[datetime, Epoch()]).json_schema() == {"format": "date-time", "type": "string"}


def test_natural_keys_are_normalised() -> None:
    adapter = TypeAdapter(NaturalKey)
    assert adapter.validate_python("  Alice@Example.COM ") == "alice@example.com"
    with pytest.raises(pydantic.ValidationError):
        adapter.validate_python("   ")
