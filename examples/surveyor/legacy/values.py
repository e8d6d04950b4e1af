"""Values of legacy rows as the model takes them; what had to be made up or left out is remarked, without the value.

Nothing here raises for what a row holds. What is too long for the model is not cut: the model refuses it, and so does the move.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final, TypeVar, get_args

from examples.surveyor.base import Condition, SurveyStatus, SyncStatus, one_line, several_lines
from tablewright.evolve.moving import Remark, Unfit

T = TypeVar("T")

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""When things were made or changed of which nobody knows; a fixed time, so that each look at them says the same."""
NOBODY: Final = "unknown"
_ID: Final = re.compile(r"[A-Za-z0-9_.~-]{1,36}")
_TENANT_LENGTH: Final = 36
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_MOST_NAMES: Final = 3
_MOST_PLACES: Final = 1_000_000
_SEVERAL_LINES: Final = frozenset({"notes", "description", "text", "phrase", "level2", "syncError"})
_AS_THEY_ARE: Final = frozenset({"tenant", "image", "document"})
"""Things whose texts may hold any sign; in all others the model has no control characters."""


def other_id(text: str) -> str:
    """What stands for an id that the model does not take: always the same for the same one, so that references still meet."""
    return "id-" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def taken_id(value: Any) -> str | None:
    """An id as the model takes it; None where there is none."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        return None
    return value if _ID.fullmatch(value) else other_id(value)


class Values:
    """The values of one thing in a legacy row: `Values("section", {...}, remarks)`."""

    def __init__(self, kind: str, held: Any, remarks: list[Remark]) -> None:
        self.kind = kind
        self.held: Mapping[str, Any] = held if isinstance(held, Mapping) else {}
        self._remarks = remarks
        self._asked: set[str] = set()

    def remark(self, text: str) -> None:
        """Tells what was done with something of it."""
        self._remarks.append(Remark(f"{self.kind}: {text}"))

    def part(self, kind: str, held: Any) -> "Values":
        """Something that it holds."""
        return Values(kind, held, self._remarks)

    def get(self, name: str) -> Any:
        """What stands under a name; None where nothing does."""
        self._asked.add(name)
        return self.held.get(name)

    def nothing_more(self, *known: str) -> None:
        """Tells what nobody has asked for, which is lost, by names that could stand in a program; but for `known` ones."""
        lost = sorted(
            name
            for name, value in self.held.items()
            if value not in (None, "", [], {}) and name not in {*known, *self._asked}
        )
        plain = [repr(name) for name in lost if _NAME.fullmatch(name)][:_MOST_NAMES]
        if lost:
            others = " and others" if plain and len(plain) < len(lost) else "" if plain else "members"
            self.remark(f"{', '.join(plain)}{others} left out, which the model does not have")

    def said(self, name: str) -> Any:
        """What its JSON says. Of several members of one name the last counts, as it did for the application."""
        told = f"names stand twice in the JSON of {name!r}; the last of each is kept"
        return loaded(self.get(name), lambda: self.remark(told))

    # --------------------------------------------------------------------------------------------------------- text

    def text(self, name: str, default: str = "") -> str:
        """A text; a number is taken as one. A default that says something is remarked."""
        value = self.get(name)
        text = self._as_text(name, value)
        if text:
            return text
        if value is not None and text is None:
            self.remark(f"{name!r} is no text and left out")
        if default:
            self.remark(f"no {name!r}, so that it is {default!r}")
        return default

    def optional(self, name: str) -> str | None:
        """A text that need not be there."""
        return self.text(name) or None

    def texts(self, name: str) -> list[str]:
        """A list of texts; what is no text is left out."""
        found = [self._as_text(name, each) for each in self._list(name)]
        return self._without_gaps(name, found)

    def names(self, name: str) -> list[str]:
        """Names of a list, which has them as they are or as `{"name": ...}`."""
        listed: list[Any] = []
        for each in self._list(name):
            held = self.part(self.kind, each) if isinstance(each, Mapping) else None
            listed.append(each if held is None else held.get("name"))
            if held is not None:
                held.nothing_more("__typename")
        return self._without_gaps(name, [self._as_text(name, each) for each in listed])

    def named_texts(self, name: str) -> dict[str, str]:
        """Texts by their names, such as measurements."""
        value = self.get(name)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.remark(f"{name!r} is no map and left out")
            return {}
        names = {key: self._as_text(name, key) for key in value}
        texts = {key: self._as_text(name, each) for key, each in value.items()}
        fit = [key for key in value if names[key] and texts[key] is not None]
        if len(fit) < len(value):
            self.remark(f"entries of {name!r} are left out, which are no texts")
        # A map has no order that lasts, so that the first is told by the names.
        first: dict[str | None, str] = {}
        for key in sorted(fit, key=lambda key: (names[key] != key, key)):
            first.setdefault(names[key], key)
        if len(first) < len(fit):
            self.remark(f"entries of {name!r} come to have one name; what had it before is kept, or else the first")
        return {str(names[key]): str(texts[key]) for key in fit if first[names[key]] == key}

    def _as_text(self, name: str, value: Any) -> str | None:
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            self.remark(f"a number of {name!r} is taken as a text")
            return str(value)
        if not isinstance(value, str):
            return None
        whole = self._whole(name, value)
        if self.kind in _AS_THEY_ARE:
            return whole
        kept = several_lines(whole) if name in _SEVERAL_LINES else one_line(whole)
        if kept != whole:
            self.remark(f"control characters of {name!r} are left out")
        return kept

    def _whole(self, name: str, text: str) -> str:
        """JSON can tell of halves of characters, which no text can have."""
        whole = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        if whole != text:
            self.remark(f"{name!r} has half a character, which is replaced")
        return whole

    # ------------------------------------------------------------------------------------------------- of a few kinds

    def status(self) -> SurveyStatus:
        """Where a survey is; the statuses of both lists that the legacy application had."""
        found: SurveyStatus = self._one_of("status", SurveyStatus, "draft")
        return found

    def condition(self) -> Condition:
        """One of five."""
        found: Condition = self._one_of("condition", Condition, "N/A")
        return found

    def sync_status(self) -> SyncStatus:
        """Whether it waits to be synchronised; what nobody knows waits."""
        found: SyncStatus = self._one_of("syncStatus", SyncStatus, "pending")
        return found

    def _one_of(self, name: str, kinds: Any, default: Any) -> Any:
        value = self.get(name)
        if value in get_args(kinds) and isinstance(value, str):
            return value
        what = f"no {name!r}" if value is None or value == "" else f"{name!r} is none of those that there are"
        self.remark(f"{what}, so that it is {default!r}")
        return default

    # ------------------------------------------------------------------------------------------------------ numbers

    def place(self, name: str = "order", default: int | None = 0) -> int:
        """Where it stands among others."""
        value = self.get(name)
        number = _number(value)
        if number is None or not 0 <= number < _MOST_PLACES:
            what = f"no {name!r}" if value is None else f"{name!r} is no place"
            self.remark(f"{what}, so that it is {default}")
            return default or 0
        if number != int(number):
            self.remark(f"{name!r} is between two places, and becomes the lower one")
        return int(number)

    # --------------------------------------------------------------------------------------------------------- times

    def time(self, name: str) -> datetime | None:
        """A time; one without a zone is taken as UTC."""
        value = self.get(name)
        found = _time(value)
        if found is None and value is not None and value != "":
            self.remark(f"{name!r} is no time and left out")
        return found

    def day(self, name: str) -> date | datetime | None:
        """A date, with or without a time."""
        value = self.get(name)
        if isinstance(value, str) and len(value) == len("2026-01-01"):
            try:
                return date.fromisoformat(value)
            except ValueError:
                pass
        return self.time(name)

    def times(self) -> tuple[datetime, datetime]:
        """When a row was made and changed."""
        made, changed = self.time("createdAt"), self.time("updatedAt")
        for name, time, other in (("createdAt", made, changed), ("updatedAt", changed, made)):
            if time is None:
                self.remark(f"no {name!r}, so that it is {'the other time' if other else 'the beginning of 1970'}")
        return made or changed or EPOCH, changed or made or EPOCH

    # ----------------------------------------------------------------------------------------------------------- ids

    def tenant(self, name: str = "tenantId") -> str:
        """The tenant, whose id may have any signs."""
        value = self.get(name)
        if isinstance(value, str) and 0 < len(value) <= _TENANT_LENGTH and value == self._whole(name, value):
            return value
        if not isinstance(value, str) or not value:
            raise Unfit(f"{self.kind}: it belongs to no tenant")
        self.remark(f"{name!r} is an id that the model does not take; another one stands for it")
        return other_id(value)

    def id(self, name: str, default: str = "") -> str:
        """An id, or what stands for it."""
        value = self.get(name)
        found = taken_id(value)
        if found is None:
            self.remark(f"no {name!r}, so that one is made")
            return default
        if found != value:
            self.remark(f"{name!r} is an id that the model does not take; another one stands for it")
        return found

    def optional_id(self, name: str) -> str | None:
        """An id that need not be there."""
        return self.id(name) if taken_id(self.get(name)) is not None else None

    def ids(self, name: str) -> list[str]:
        """Ids without those that stand there twice."""
        listed = self._list(name)
        found = self._without_gaps(name, [taken_id(each) for each in listed])
        if any(taken_id(each) not in (None, each) for each in listed):
            self.remark(f"ids of {name!r} that the model does not take; others stand for them")
        return self._once(name, found)

    # --------------------------------------------------------------------------------------------------------- lists

    def parts(self, name: str) -> list[Mapping[str, Any]]:
        """A list of things."""
        listed = self._list(name)
        found = [each for each in listed if isinstance(each, Mapping)]
        if len(found) < len(listed):
            self.remark(f"entries of {name!r} are left out, which are no things")
        return found

    def _list(self, name: str) -> list[Any]:
        value = self.get(name)
        if isinstance(value, str) and value.startswith("["):  # the flat form keeps some lists as JSON
            found = self.said(name)
            value = value if found is None else found
        if isinstance(value, set | frozenset):
            return sorted(value)
        if isinstance(value, list):
            return value
        if value is not None and value != "":
            self.remark(f"{name!r} is no list and left out")
        return []

    def _without_gaps(self, name: str, found: Iterable[str | None]) -> list[str]:
        listed = list(found)
        kept = [each for each in listed if each]
        if len(kept) < len(listed):
            self.remark(f"entries of {name!r} are left out, which are no texts")
        return kept

    def _once(self, name: str, found: list[str]) -> list[str]:
        kept = list(dict.fromkeys(found))
        if len(kept) < len(found):
            self.remark(f"ids stand twice in {name!r}")
        return kept


def loaded(text: Any, twice: Callable[[], object]) -> Any:
    """What a JSON text says, also where it was made a text twice; None where it says nothing. `twice` is told of objects in which a
    name stands twice."""

    def made(members: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(members)
        if len(found) < len(members):
            twice()
        return found

    for _ in range(2):
        if not isinstance(text, str):
            break
        try:
            text = json.loads(text, object_pairs_hook=made)
        except (ValueError, RecursionError):
            return None
    return text


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):  # JSON may tell of integers of any size
        return None
    return number if math.isfinite(number) else None


def _time(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
