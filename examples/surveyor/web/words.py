"""What errors of the table mean in the words of the service: its clients know neither the database nor the program."""

from collections.abc import Mapping
from typing import NamedTuple

from examples.surveyor.others import Document
from tablewright import Entity, stored
from tablewright.errors import ConcurrentModificationError, TablewrightError


class Said(NamedTuple):
    """What happened, and what to do next."""

    detail: str
    hint: str | None = None


NAMES: Mapping[str, str] = {
    "Survey": "survey",
    "SurveySection": "section",
    "SurveyElement": "element",
    "SurveyComponent": "component",
    "Access": "person among those who may see the survey",
    "Section": "section of the library",
    "Element": "element of the library",
    "Component": "component of the library",
    "Phrase": "phrase",
    "Config": "snapshot",
    "Document": "document",
    "DocumentVersion": "version of the document",
    "Image": "image",
    "Tenant": "tenant",
}
"""What clients call the things of the model."""

STATES: Mapping[str, Said] = {
    "Survey": Said(
        "The survey is not in a state that allows this, or the edit, or a later one, was made before.",
        "Read the survey again: its status and its counts of sections tell.",
    ),
    "SurveySection": Said(
        "The section is completed already, or it is to be reopened and is not completed.",
        "Read the section again: completed_at tells.",
    ),
}
"""What must have been different for a change to be made."""

_READ_AGAIN = "Read it again, and send the version that it has now as expected_version (of documents: expected_number)."

SAYINGS: Mapping[str, Said] = {
    "CURSOR": Said(
        "The cursor was changed, has expired, or is of another list.",
        "Start again from the first page, without a cursor.",
    ),
    "NOT_FOUND": Said("There is no such {name}."),
    "ALREADY_EXISTS": Said("This {name} is there already.", "Choose another id, or change what is there."),
    "CONCURRENT_MODIFICATION": Said("The {name} has another version by now than the one that was sent.", _READ_AGAIN),
    "CONDITIONAL_CHECK_FAILED": Said("Its state does not allow this.", "Read it again."),
    "CONTENTION": Said("Others are changing the same things at this moment.", "Try again in a moment."),
    "KEY_VALUE": Said("An id has a form that cannot be stored.", "Choose another id."),
    "KEY_TOO_LONG": Said("An id is too long to be stored.", "Choose a shorter id."),
    "FIELD_TYPE": Said("A value breaks the rule of its field."),
    "NUMBER": Said("A number has more digits than can be stored."),
    "EMPTY_SET": Said("A set of values may not be empty."),
    "ITEM_TOO_LARGE": Said("It would be larger than the 400 KB that can be stored.", "Shorten its texts and lists."),
    "TRANSACTION": Said(
        "What is to be changed together is too much, or names the same thing twice.",
        "Name each thing once, and change fewer than a hundred together.",
    ),
}
"""By the code of the error."""


def said(error: TablewrightError) -> Said:
    """What an error means to a client."""
    entity = str(error.context.get("entity"))
    if error.code == "CONDITIONAL_CHECK_FAILED" and entity in STATES:
        return STATES[entity]
    found = SAYINGS.get(error.code, SAYINGS["CONDITIONAL_CHECK_FAILED"])
    return found._replace(detail=found.detail.format(name=NAMES.get(entity, "thing")))


def version_of(error: TablewrightError) -> int | None:
    """The version that something has now, where another one was sent and the error tells what it is."""
    if not isinstance(error, ConcurrentModificationError):
        return None
    item = error.item
    if isinstance(item, Document):
        return item.number
    known = stored(item) if isinstance(item, Entity) else None
    return None if known is None else known.version
