"""What the kefir helper refuses or cannot do, and how the table's own refusals become that."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pydantic import ValidationError

from tablewright.errors import (
    AlreadyExistsError,
    ConditionalCheckError,
    FieldTypeError,
    KeyValueError,
    NotFoundError,
)

from .model import Reminder


class NotThere(LookupError):
    """There is no such user, batch, reminder or device, or it is somebody else's."""


class NotPossible(ValueError):
    """The batch or the reminder is not in a state for it, perhaps since a moment ago."""


class Taken(ValueError):
    """Somebody has this id already."""


class NotFit(ValueError):
    """Something that was said is too long, too small, or not of its kind; the message names it without its value."""


class NotSent(RuntimeError):
    """The alarm clock could not send some reminders, which stay due; the others were handed over all the same."""

    def __init__(self, sent: int, failed: Sequence[tuple[Reminder, Exception]]) -> None:
        kinds = ", ".join(sorted({type(error).__name__ for _, error in failed}))
        count = "1 reminder" if len(failed) == 1 else f"{len(failed)} reminders"
        super().__init__(f"{count} could not be sent ({kinds}): `failed` has which, and why. What failed stays due.")
        self.sent = sent
        self.failed = failed


class AccountClosed(ValueError):
    """The account is being erased; nothing is added to it any more."""


@contextmanager
def told() -> Iterator[None]:
    """What the table refuses, in the application's words."""
    try:
        yield
    except NotFoundError as error:
        raise NotThere(f"There is no such {_word(error)}, or it is somebody else's.") from error
    except AlreadyExistsError as error:
        raise Taken(f"There is such a {_word(error)} already; choose another id.") from error
    except ConditionalCheckError as error:
        if error.entity == "User":
            raise AccountClosed("The account is being erased.") from error
        raise NotPossible(f"The {_word(error)} is not in a state for it, perhaps since a moment ago.") from error
    except (FieldTypeError, KeyValueError) as error:  # an argument of a change, a part of a key
        raise NotFit(str(error)) from error
    except ValidationError as error:  # a field of what is made
        wrong = [f"{error.title}.{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise NotFit(f"{'; '.join(wrong)}. Nothing was written; correct it.") from error


def _word(error: ConditionalCheckError) -> str:
    return (error.entity or "item").lower()
