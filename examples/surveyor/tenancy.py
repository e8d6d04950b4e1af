"""What all parts of the store share: an open table, and the one tenant whose part of it they may see."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from tablewright import ANY_VERSION, Entity, Key, Session, key, stored
from tablewright.errors import ConcurrentModificationError, NotFoundError

from .surveys import Survey, SurveyComponent, SurveyElement, SurveySection

E = TypeVar("E", bound=Entity)
R = TypeVar("R")

PENDING: Final[dict[str, Any]] = {"sync_status": "pending", "sync_error": None}
"""What every edit says besides: it is not yet known elsewhere."""
IN_WORK: Final = ["draft", "in_progress"]
"""While a survey is one of these, its sections come and go, are completed and reopened."""
ATTEMPTS = 10


def _now() -> datetime:
    return datetime.now(UTC)


class Refused(ValueError):
    """What a caller asks for contradicts itself."""


class TenantStore:
    """The part of the table that belongs to one tenant. No method takes a tenant, so none can name another."""

    def __init__(self, db: Session, tenant_id: str, *, clock: Callable[[], datetime] = _now) -> None:
        self._db = db
        self._clock = clock
        self.tenant_id = tenant_id

    def _survey(self, survey_id: str) -> Key[Survey]:
        return key(Survey, tenant_id=self.tenant_id, survey_id=survey_id)

    def _section(self, survey_id: str, section_id: str) -> Key[SurveySection]:
        return key(SurveySection, tenant_id=self.tenant_id, survey_id=survey_id, section_id=section_id)

    def _element(self, survey_id: str, section_id: str, element_id: str) -> Key[SurveyElement]:
        return key(
            SurveyElement,
            tenant_id=self.tenant_id,
            survey_id=survey_id,
            section_id=section_id,
            element_id=element_id,
        )

    def _component(self, survey_id: str, section_id: str, element_id: str, component_id: str) -> Key[SurveyComponent]:
        return key(
            SurveyComponent,
            tenant_id=self.tenant_id,
            survey_id=survey_id,
            section_id=section_id,
            element_id=element_id,
            component_id=component_id,
        )

    def _get(self, target: Key[E], *, consistent: bool = False) -> E:
        """What must be there."""
        found = self._db.get(target, consistent=consistent)
        if found is None:
            raise missing_item(target.entity)
        return found

    def _as_seen(self, target: Key[E], expected_version: int | None) -> E:
        """What is to be changed, which locks the change; of the version that the caller saw, if they say which."""
        found = self._get(target, consistent=True)
        known = stored(found)
        if expected_version is not None and (known is None or known.version != expected_version):
            entity = target.entity.__name__
            raise ConcurrentModificationError(
                f"Another writer has changed the {entity}.", item=found, context={"entity": entity}
            )
        return found

    def _locked(self, target: Key[E], expected_version: int | None) -> E | Key[E]:
        """What a change is made on: the item as it was seen, or whatever it is by then."""
        return target if expected_version is None else self._as_seen(target, expected_version)

    def _own(self, item: E) -> E:
        """An item that a caller hands over; one of another tenant is not there."""
        if getattr(item, "tenant_id", None) != self.tenant_id:
            raise missing_item(type(item))
        return item

    @staticmethod
    def _until_alone(work: Callable[[], R]) -> R:
        """Reads, decides and writes again while others are faster."""
        for _ in range(ATTEMPTS - 1):
            try:
                return work()
            except ConcurrentModificationError:
                continue
        return work()


def missing_item(entity: type[Entity]) -> NotFoundError:
    """The error about something that a caller names and that is not there."""
    return NotFoundError(f"There is no such {entity.__name__}.", operation="get", context={"entity": entity.__name__})


def expecting(version: int | None) -> Any:
    """The version that a caller saw, if they say which."""
    return ANY_VERSION if version is None else version
