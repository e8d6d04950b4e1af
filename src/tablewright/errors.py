"""Every exception that Tablewright raises, in one tree. This room imports nothing of the project.

    TablewrightError                    code              category
    ├── ModelError                      MODEL_ERROR       validation   a model, or a call on it, that cannot work
    │   ├── KeyTemplateError                                           a key template that cannot be read
    │   ├── KeyCollisionError                                          two entities can produce one key
    │   ├── PatternError                                               an access pattern that cannot be served
    │   └── ChangeError                                                a change whose body cannot be planned
    ├── ConfigError                     CONFIG_ERROR      validation   wrong settings, found at construction
    ├── ValidationError                 VALIDATION_ERROR  validation   input refused before anything is sent
    │   ├── UnknownFieldError, FieldTypeError, ImmutableFieldError, MissingKeyPartError
    │   ├── KeyValueError
    │   │   └── KeyTooLongError
    │   ├── NumberError, EmptySetError, ItemTooLargeError, ReservedNameError
    │   ├── UnknownIndexError, ExpressionError, ArgumentError
    │   ├── CursorError                                                a page cursor that is not for this read
    │   └── TransactionError                                           a unit of work that cannot be one transaction
    ├── ConditionalCheckError           CONDITIONAL_CHECK_FAILED       the caller's own condition did not hold
    │   ├── AlreadyExistsError                                         create met an existing item
    │   ├── NotFoundError                                              update or delete of an item that is not there
    │   ├── ConcurrentModificationError                                somebody else changed the item meanwhile
    │   └── UniqueViolationError                                       a unique value belongs to another owner
    ├── ContentionError                                   conflict     a guarded write lost its race ten times
    ├── AmbiguousResultError                                           a single-item read found two
    ├── OutcomeUnknownError                               network      the reply was lost; the write may have happened
    ├── UnprocessedError                                  throttling   a batch whose rest stayed unprocessed
    ├── DecodeError                                                    a stored item that does not fit its entity
    │   ├── UnknownEntityTypeError
    │   ├── SchemaVersionError                                         an item of a version that cannot be made the model's
    │   └── UnsealingError                                             a compressed, encrypted or offloaded value is lost
    ├── HookError                                                      the write was made, but a hook after it failed
    ├── SealingError                                                   a value could not be encrypted or offloaded
    ├── JobError                        JOB               conflict     a job that others hold, or that is another one
    ├── NetworkError                    NETWORK_ERROR     network      no reply at all
    │   └── DeadlineError                                              the time for a call was over
    ├── StorageError                                                   the embedded engine's file
    │   ├── CorruptDataError, FileFormatError
    └── ServiceError                                                   what the service answered
        ├── RequestRefused              ValidationException, SerializationException, ...
        ├── ConditionalCheckFailed      ConditionalCheckFailedException
        ├── TransactionCanceled         TransactionCanceledException
        ├── Throttled                   ProvisionedThroughputExceededException, ThrottlingException, ...
        ├── ResourceError
        │   ├── ResourceNotFound, ResourceInUse
        ├── TransactionConflict, TransactionInProgress, IdempotentParameterMismatch
        ├── LimitExceeded, ItemCollectionTooLarge, DuplicateItem
        ├── AccessRefused               AccessDeniedException, UnrecognizedClientException, ...
        └── InternalError               InternalServerError, ServiceUnavailable

Catch by class or by `code`. Messages name what was wrong, where, and what to do; they never hold item values
unless the caller asked for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from msgspec import Struct

Category = Literal["validation", "conditional", "throttling", "resource", "network", "conflict", "unknown"]


class TablewrightError(Exception):
    """The base of all. `hint` says what to do next; `context` says where it happened."""

    code: ClassVar[str] = "TABLEWRIGHT_ERROR"
    category: ClassVar[Category] = "unknown"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        operation: str | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.operation = operation
        self.context: dict[str, Any] = dict(context or {})

    def __str__(self) -> str:
        if not self.hint:
            return self.message
        if chr(10) in self.message:
            return f"{self.message}{chr(10)}{self.hint}"
        # Messages of the service are its own, and not all of them are whole sentences.
        return f"{self.message}{'' if self.message.endswith(_ENDS) else '.'} {self.hint}"


_ENDS = (".", "?", "!", ":")


# ---------------------------------------------------------------------------------------------- the model


class ModelError(TablewrightError):
    """The model cannot work as written, or a call asks for what it cannot do, such as a query that no key serves.

    Raised while the model is being defined, or by that call, before any I/O."""

    code = "MODEL_ERROR"
    category = "validation"


class KeyTemplateError(ModelError):
    """A key template that cannot be read, or whose keys could not be decoded again."""

    code = "KEY_TEMPLATE_ERROR"


class KeyCollisionError(ModelError):
    """Two entities can produce the same key."""

    code = "KEY_COLLISION"


class PatternError(ModelError):
    """An access pattern that the table's keys cannot serve, or whose body is not a plain description.

    `reasons` says for each key why it cannot serve the read."""

    code = "PATTERN_ERROR"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        operation: str | None = None,
        context: Mapping[str, Any] | None = None,
        reasons: Sequence[Any] = (),
    ) -> None:
        super().__init__(message, hint=hint, operation=operation, context=context)
        self.reasons = tuple(reasons)


class ChangeError(ModelError):
    """A change whose body does more than require and assign."""

    code = "CHANGE_ERROR"


class ConfigError(TablewrightError):
    """Settings that cannot work, found when the object is made."""

    code = "CONFIG_ERROR"
    category = "validation"


def not_installed(message: str, extra: str) -> ConfigError:
    """The error where packages are missing that one of the extras brings."""
    return ConfigError(
        message, hint=f"pip install 'tablewright[{extra}]', or in a clone of the project: pip install '.[{extra}]'"
    )


# ------------------------------------------------------------------------------------- refused before sending


class ValidationError(TablewrightError):
    """Input refused before anything was sent. `field` and `constraint` say what; the value itself is hidden."""

    code = "VALIDATION_ERROR"
    category = "validation"

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        constraint: str | None = None,
        hint: str | None = None,
        operation: str | None = "validate",
        context: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, operation=operation, context=context)
        self.field = field
        self.constraint = constraint


class UnknownFieldError(ValidationError):
    """A name that the entity does not have."""

    code = "UNKNOWN_FIELD"


class FieldTypeError(ValidationError):
    """A value that does not fit its field."""

    code = "FIELD_TYPE"


class ImmutableFieldError(ValidationError):
    """A change to a field that the primary key is made of."""

    code = "IMMUTABLE_FIELD"


class MissingKeyPartError(ValidationError):
    """A key needs a value that was not given."""

    code = "MISSING_KEY_PART"


class KeyValueError(ValidationError):
    """A value that cannot stand in a key: empty, a lone surrogate, wrong type or out of its declared width."""

    code = "KEY_VALUE"


class KeyTooLongError(KeyValueError):
    """An encoded key over DynamoDB's byte limit."""

    code = "KEY_TOO_LONG"


class NumberError(ValidationError):
    """A number that DynamoDB cannot hold exactly."""

    code = "NUMBER"


class EmptySetError(ValidationError):
    """DynamoDB has no empty sets."""

    code = "EMPTY_SET"


class ItemTooLargeError(ValidationError):
    """An item over 400 KB."""

    code = "ITEM_TOO_LARGE"


class ReservedNameError(ValidationError):
    """A name that the library writes itself."""

    code = "RESERVED_NAME"


class UnknownIndexError(ValidationError):
    """An index that the table does not have."""

    code = "UNKNOWN_INDEX"


class ExpressionError(ValidationError):
    """An expression that DynamoDB would refuse; the message is the service's own."""

    code = "EXPRESSION"


class ArgumentError(ValidationError):
    """A call with wrong, missing or contradictory arguments."""

    code = "ARGUMENT"


class CursorError(ValidationError):
    """A page cursor that was tampered with, has expired, or belongs to another read."""

    code = "CURSOR"


class TransactionError(ValidationError):
    """A unit of work that cannot be one transaction: too many actions, too large, or one item twice."""

    code = "TRANSACTION"


# ------------------------------------------------------------------------------------------- outcomes of a write


class ConditionalCheckError(TablewrightError):
    """The caller's own condition did not hold. `item` is the stored one, when it was asked for; `entity` is the name of its
    entity, and `key` has the fields of its key, where one item is meant."""

    code = "CONDITIONAL_CHECK_FAILED"
    category: ClassVar[Category] = "conditional"

    def __init__(
        self,
        message: str,
        *,
        condition: str | None = None,
        item: Any = None,
        key: Mapping[str, Any] | None = None,
        hint: str | None = None,
        operation: str | None = "conditionalCheck",
        context: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, operation=operation, context=context)
        self.condition = condition
        self.item = item
        self.key: dict[str, Any] | None = None if key is None else dict(key)

    @property
    def entity(self) -> str | None:
        """The name of the entity that the item is of; None where no model is known."""
        found: str | None = self.context.get("entity")
        return found


class AlreadyExistsError(ConditionalCheckError):
    """`create` met an item with the same key."""

    code = "ALREADY_EXISTS"


class NotFoundError(ConditionalCheckError):
    """The item to change is not there."""

    code = "NOT_FOUND"
    category = "resource"


class ConcurrentModificationError(ConditionalCheckError):
    """Somebody else changed the item since it was read."""

    code = "CONCURRENT_MODIFICATION"
    category = "conflict"


class UniqueViolationError(ConditionalCheckError):
    """A unique value already belongs to another owner."""

    code = "UNIQUE_VIOLATION"


class ContentionError(TablewrightError):
    """A guarded write was overtaken by other writers on every attempt; nothing was written."""

    code = "CONTENTION"
    category = "conflict"
    retryable = True


class AmbiguousResultError(TablewrightError):
    """A read that promises one item found more than one."""

    code = "AMBIGUOUS_RESULT"


class OutcomeUnknownError(TablewrightError):
    """The reply was lost after sending, or leaves it open: the write may or may not have happened."""

    code = "OUTCOME_UNKNOWN"
    category = "network"


class UnprocessedError(TablewrightError):
    """Part of a batch stayed unprocessed when the retries were spent. `keys` lists it."""

    code = "UNPROCESSED"
    category = "throttling"
    retryable = True

    def __init__(self, message: str, *, keys: Sequence[Any], hint: str | None = None, **more: Any) -> None:
        super().__init__(message, hint=hint, **more)
        self.keys = list(keys)


class DecodeError(TablewrightError):
    """A stored item that does not fit its entity."""

    code = "DECODE"


class UnknownEntityTypeError(DecodeError):
    """A stored item whose type the model does not know."""

    code = "UNKNOWN_ENTITY_TYPE"


class SchemaVersionError(DecodeError):
    """A stored item of a schema version that the model does not know, or that could not be made the one it knows."""

    code = "SCHEMA_VERSION"


class UnsealingError(DecodeError):
    """A stored value that is compressed, encrypted or kept elsewhere, and cannot be had."""

    code = "UNSEALING"


class HookError(TablewrightError):
    """A hook that runs after a write failed; the write itself was made."""

    code = "HOOK"


class SealingError(TablewrightError):
    """A value that could not be encrypted, or not put into its store; nothing was written to the table."""

    code = "SEALING"


class JobError(TablewrightError):
    """A job cannot begin or go on: another runner is at it, or what it would go on with is other work."""

    code = "JOB"
    category = "conflict"


class NetworkError(TablewrightError):
    """No reply: refused, reset, timed out. `sent` tells whether the request may have reached the service."""

    code = "NETWORK_ERROR"
    category = "network"
    retryable = True

    def __init__(self, message: str, *, sent: bool = True, **more: Any) -> None:
        super().__init__(message, **more)
        self.sent = sent


class DeadlineError(NetworkError):
    """The time that a call may take (`timeout`) was over, or too short for another attempt. The last failure is chained."""

    code = "DEADLINE"


class StorageError(TablewrightError):
    """The embedded engine cannot use its file."""

    code = "STORAGE"


class CorruptDataError(StorageError):
    """Stored bytes do not match their checksum."""

    code = "CORRUPT_DATA"


class FileFormatError(StorageError):
    """The file is not a Tablewright file, or was written by a newer version."""

    code = "FILE_FORMAT"


# --------------------------------------------------------------------------------------- what the service answers


class ServiceError(TablewrightError):
    """An error reply. `wire_name` is DynamoDB's exception name, `status` the HTTP status."""

    code = "SERVICE_ERROR"
    status: ClassVar[int] = 400
    default_wire_name: ClassVar[str] = "UnknownError"

    def __init__(self, message: str, *, wire_name: str | None = None, **more: Any) -> None:
        super().__init__(message, **more)
        self.wire_name = wire_name or self.default_wire_name


class RequestRefused(ServiceError):
    """The service found the request malformed."""

    code = "REQUEST_REFUSED"
    category = "validation"
    default_wire_name = "ValidationException"


class ConditionalCheckFailed(ServiceError):
    """A condition of a single write was false. `item` is the stored item where the request asked for it."""

    code = "CONDITIONAL_CHECK_FAILED"
    category = "conditional"
    default_wire_name = "ConditionalCheckFailedException"

    def __init__(
        self,
        message: str = "The conditional request failed",
        *,
        item: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(message, **more)
        self.item = item


class CancellationReason(Struct, frozen=True):
    """Why one action of a transaction failed; `code` is "None" for an action that would have passed."""

    code: str
    message: str | None = None
    item: dict[str, Any] | None = None


class TransactionCanceled(ServiceError):
    """A transaction was refused as a whole; `reasons` has one entry per action, in order."""

    code = "TRANSACTION_CANCELED"
    category = "conflict"
    default_wire_name = "TransactionCanceledException"

    def __init__(self, message: str, *, reasons: Sequence[CancellationReason], **more: Any) -> None:
        super().__init__(message, **more)
        self.reasons = tuple(reasons)

    @property
    def transient(self) -> bool:
        """Whether every reason is one that a later attempt can pass (a conflict or throttling)."""
        codes = {r.code for r in self.reasons} - {"None"}
        return bool(codes) and codes <= TRANSIENT_REASONS


TRANSIENT_REASONS = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})


class ThrottlingReason(Struct, frozen=True):
    """What was too much, such as "TableWriteKeyRangeThroughputExceeded", and the ARN of the table or index."""

    reason: str
    resource: str


class Throttled(ServiceError):
    """The service asks to come back later; `reasons` says what was too much, where the service told it."""

    code = "THROTTLED"
    category = "throttling"
    retryable = True
    default_wire_name = "ThrottlingException"

    def __init__(self, message: str, *, reasons: Sequence[ThrottlingReason] = (), **more: Any) -> None:
        super().__init__(message, **more)
        self.reasons = tuple(reasons)


class ResourceError(ServiceError):
    """A table, index or other resource is not as the request needs it."""

    code = "RESOURCE_ERROR"
    category = "resource"


class ResourceNotFound(ResourceError):
    """No such table or index."""

    code = "RESOURCE_NOT_FOUND"
    default_wire_name = "ResourceNotFoundException"


class ResourceInUse(ResourceError):
    """The table exists already, or is being changed."""

    code = "RESOURCE_IN_USE"
    default_wire_name = "ResourceInUseException"


class TransactionConflict(ServiceError):
    """Another transaction holds the item just now."""

    code = "TRANSACTION_CONFLICT"
    category = "conflict"
    retryable = True
    default_wire_name = "TransactionConflictException"


class TransactionInProgress(ServiceError):
    """The same token is being worked on."""

    code = "TRANSACTION_IN_PROGRESS"
    category = "conflict"
    retryable = True
    default_wire_name = "TransactionInProgressException"


class IdempotentParameterMismatch(ServiceError):
    """A token was used again with another request."""

    code = "IDEMPOTENT_PARAMETER_MISMATCH"
    category = "validation"
    default_wire_name = "IdempotentParameterMismatchException"


class LimitExceeded(ServiceError):
    """Too many control-plane operations at once."""

    code = "LIMIT_EXCEEDED"
    category = "throttling"
    default_wire_name = "LimitExceededException"


class ItemCollectionTooLarge(ServiceError):
    """An item collection of a table with LSIs passed 10 GB."""

    code = "ITEM_COLLECTION_TOO_LARGE"
    category = "resource"
    default_wire_name = "ItemCollectionSizeLimitExceededException"


class DuplicateItem(ServiceError):
    """A PartiQL insert met an existing item."""

    code = "DUPLICATE_ITEM"
    category = "conditional"
    default_wire_name = "DuplicateItemException"


class AccessRefused(ServiceError):
    """Credentials are missing, wrong, expired, or not allowed to do this."""

    code = "ACCESS_REFUSED"
    default_wire_name = "AccessDeniedException"


class InternalError(ServiceError):
    """The service failed; the request may be repeated."""

    code = "INTERNAL_ERROR"
    category = "network"
    retryable = True
    status = 500
    default_wire_name = "InternalServerError"


BY_WIRE_NAME: Mapping[str, type[ServiceError]] = {
    "AccessDeniedException": AccessRefused,
    "BackupInUseException": ResourceInUse,
    "BackupNotFoundException": ResourceNotFound,
    "ConditionalCheckFailedException": ConditionalCheckFailed,
    "DuplicateItemException": DuplicateItem,
    "ExpiredIteratorException": RequestRefused,
    "ExpiredTokenException": AccessRefused,
    "ExportConflictException": ResourceInUse,
    "ExportNotFoundException": ResourceNotFound,
    "GlobalTableNotFoundException": ResourceNotFound,
    "IdempotentParameterMismatchException": IdempotentParameterMismatch,
    "ImportConflictException": ResourceInUse,
    "ImportNotFoundException": ResourceNotFound,
    "IncompleteSignatureException": AccessRefused,
    "InternalServerError": InternalError,
    "InvalidExportTimeException": RequestRefused,
    "InvalidRestoreTimeException": RequestRefused,
    "InvalidSignatureException": AccessRefused,
    "ItemCollectionSizeLimitExceededException": ItemCollectionTooLarge,
    "LimitExceededException": LimitExceeded,
    "MissingAuthenticationTokenException": AccessRefused,
    "PointInTimeRecoveryUnavailableException": RequestRefused,
    "PolicyNotFoundException": ResourceNotFound,
    "ProvisionedThroughputExceededException": Throttled,
    "RequestLimitExceeded": Throttled,
    "ResourceInUseException": ResourceInUse,
    "ResourceNotFoundException": ResourceNotFound,
    "SerializationException": RequestRefused,
    "ServiceUnavailable": InternalError,
    "TableAlreadyExistsException": ResourceInUse,
    "TableInUseException": ResourceInUse,
    "TableNotFoundException": ResourceNotFound,
    "ThrottlingException": Throttled,
    "TransactionCanceledException": TransactionCanceled,
    "TransactionConflictException": TransactionConflict,
    "TransactionInProgressException": TransactionInProgress,
    "TrimmedDataAccessException": RequestRefused,
    "UnrecognizedClientException": AccessRefused,
    "ValidationException": RequestRefused,
}
"""One table from DynamoDB's exception names to classes; transports raise through it."""
