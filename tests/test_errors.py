"""The tree of errors: every one has a code of its own, a category, and can be caught by class or by code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tablewright import errors
from tablewright.errors import TablewrightError


def tree(kind: type[TablewrightError] = TablewrightError) -> Iterator[type[TablewrightError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from tree(child)


EVERY = sorted(set(tree()), key=lambda kind: kind.__name__)
CATEGORIES: dict[str, type[TablewrightError]] = {
    "validation": errors.FieldTypeError,
    "conditional": errors.AlreadyExistsError,
    "throttling": errors.Throttled,
    "resource": errors.ResourceNotFound,
    "network": errors.NetworkError,
    "conflict": errors.ContentionError,
    "unknown": errors.ServiceError,
}


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in EVERY]
    # The service's answer to a condition and what is made of it are the same thing to a caller.
    shared = {code for code in codes if codes.count(code) > 1}
    assert shared == {"CONDITIONAL_CHECK_FAILED"}
    assert all(code == code.upper() and code.replace("_", "").isalpha() for code in codes)


def test_a_hint_follows_on_a_whole_sentence() -> None:
    hint = "Make it."
    assert str(TablewrightError("Requested resource not found", hint=hint)) == "Requested resource not found. Make it."
    assert str(TablewrightError("It is not there.", hint=hint)) == "It is not there. Make it."
    assert str(TablewrightError("- one\n- two", hint=hint)) == "- one\n- two\nMake it."
    assert str(TablewrightError("Requested resource not found")) == "Requested resource not found"


@pytest.mark.parametrize(
    ("package", "extra", "use"),
    [
        ("httptools", "server", "import tablewright.server"),
        ("cryptography", "crypto", "from tablewright import AesGcm; AesGcm({'k': bytes(32)})"),
        ("botocore", "aws", "from tablewright.transport.http import place; place.find_place('x', None, None, {})"),
    ],
    ids=["server", "crypto", "aws"],
)
def test_a_package_that_is_missing_is_found_on_an_index_or_in_a_clone(package: str, extra: str, use: str) -> None:
    program = f"""
import sys
sys.modules[{package!r}] = None  # whoever imports it now fails
from tablewright.errors import ConfigError
try:
    {use}
except ConfigError as error:
    print(error.hint)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == (
        f"pip install 'tablewright[{extra}]', or in a clone of the project: pip install '.[{extra}]'"
    )


def test_the_kinds_of_failure_can_be_told_apart() -> None:
    assert {kind.category for kind in EVERY} == CATEGORIES.keys()
    for category, kind in CATEGORIES.items():
        assert kind.category == category


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_what_was_refused_for_good_is_never_retried(kind: type[TablewrightError]) -> None:
    if kind.category in ("validation", "conditional", "resource"):
        assert not kind.retryable


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_every_error_is_in_the_tree_of_the_docstring(kind: type[TablewrightError]) -> None:
    assert kind.__name__ in (errors.__doc__ or "")


def test_an_error_carries_what_where_and_what_next() -> None:
    error = TablewrightError("It broke.", hint="Mend it.", operation="Query", context={"table": "T"})
    assert (error.message, error.hint, error.operation, error.context) == (
        "It broke.",
        "Mend it.",
        "Query",
        {"table": "T"},
    )
    assert str(error) == "It broke. Mend it."
    assert str(TablewrightError("It broke.")) == "It broke."


def test_validation_tells_field_and_rule_but_not_the_value() -> None:
    error = errors.FieldTypeError("no", field="age", constraint="int")
    assert (error.code, error.operation, error.field, error.constraint) == ("FIELD_TYPE", "validate", "age", "int")
    assert isinstance(error, errors.ValidationError)
    assert not hasattr(error, "value")


def test_a_failed_condition_tells_itself_and_the_item() -> None:
    error = errors.ConditionalCheckError("no", condition="a = …", item="the item")
    assert (error.code, error.operation) == ("CONDITIONAL_CHECK_FAILED", "conditionalCheck")
    assert (error.condition, error.item) == ("a = …", "the item")


def test_a_cancelled_transaction_is_transient_only_if_every_reason_is() -> None:
    def canceled(*codes: str) -> bool:
        return errors.TransactionCanceled("x", reasons=[errors.CancellationReason(c) for c in codes]).transient

    assert canceled("None", "TransactionConflict", "ThrottlingError")
    assert not canceled("TransactionConflict", "ConditionalCheckFailed")
    assert not canceled("None")
    assert not canceled()


@pytest.mark.parametrize("name", sorted(errors.BY_WIRE_NAME))
def test_every_wire_name_has_a_class(name: str) -> None:
    assert issubclass(errors.BY_WIRE_NAME[name], errors.ServiceError)


@pytest.mark.parametrize(
    "name", ["ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException"]
)
def test_whoever_is_too_fast_may_come_back(name: str) -> None:
    kind = errors.BY_WIRE_NAME[name]
    assert (kind, kind.category, kind.retryable) == (errors.Throttled, "throttling", True)
