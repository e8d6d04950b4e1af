"""Where DynamoDB Local's answers differ from the service's, and what decides for the service.

Sources: [api] AWS's API reference, [guide] AWS's developer guide, [suite] the public conformance suite, whose
expectations were recorded on the service, [seen] messages of the service quoted in public issue trackers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

WRITES = ("PutItem", "UpdateItem", "DeleteItem")
COUNTED = "1 validation error detected: "
CONSTRAINT = r"Value .* at '.*' failed to satisfy constraint: "
OF_FORM = (
    r"(Invalid \w+Expression: |ExpressionAttributeNames |ExpressionAttributeValues (must|can|contains invalid key)"
    r"|Value provided in |Can not use both |ConditionalOperator |Failed to satisfy constraint: |The BETWEEN condition "
    r"|The parameter cannot |Attempting to store |Nesting Levels |ReturnValues can only "
    r"|One or more parameter values were invalid: (ADD|DELETE|Only DELETE|Value|AttributeValue|Attribute name|Exists"
    r"|ComparisonOperator|Invalid number|An \w+ set|Binary sets|Input collection|Null attribute) ?)"
)
"""Since the summer of 2026 the service begins with a count what single-item writes tell of their form [suite]."""
EITHER = r"(Empty attribute name|Number (over|under)flow)"
"""Counted where parameters are checked, and not where values are read or sums made."""

_INVALID = "One or more parameter values were invalid: "
_MUST = r"(?:\d validation errors? detected: )?.* failed to satisfy constraint: Member must "

WORDS: list[tuple[str, str, str]] = [
    # (what the engine says, what Local says, why); \1 is what the engine says in its first group
    (
        r"The parameter cannot be converted to a numeric value: .*",
        r"(ExpressionAttributeValues contains invalid value: )?A value provided cannot be converted into a number.*",
        "[suite]",
    ),
    (
        r"Attempting to store more than 38 significant digits in a Number",
        r"(ExpressionAttributeValues contains invalid value: )?DynamoDB only supports precision up to 38 digits.*",
        "[suite]",
    ),
    (
        rf"({_INVALID}Type mismatch for key) \w+ expected: [A-Z]+ actual: [A-Z]+",
        r"\1|Invalid attribute value type",
        "[suite] Local does not say which",
    ),
    (
        rf"({_INVALID}Type mismatch for Index Key) \w+ Expected: [A-Z]+ Actual: [A-Z]+ IndexName: \w+",
        r"\1|Invalid attribute value type|Type mismatch for attribute to update"
        r"|Updates on index keys must be of the same data type as the key attribute"
        r"|.*The AttributeValue for a key attribute cannot contain an empty \w+ value\..*",
        "[seen] Local tells it in four ways, or of an empty value of another type the other fault",
    ),
    (
        r"Type mismatch for attribute to update",
        r"Updates on index keys must be of the same data type as the key attribute",
        "a value that neither the item nor the index can take; Local looks at the index first",
    ),
    (
        r"(.*A value specified for a secondary index key is not supported\. .*) IndexName: \w+, IndexKey: \w+",
        r"\1 IndexName: \w+, IndexKey: \w+",
        "[seen] the first index by the alphabet is named; Local names any",
    ),
    (
        rf"({_INVALID}Size limit exceeded) for Index Key \w+ Actual Size: \d+ bytes Max Size: \d+ bytes IndexName: \w+",
        r"\1",
        "[seen]",
    ),
    (rf"{_INVALID}Missing the key \w+ in the item", r"One of the required keys was not given a value", "[suite]"),
    (
        r"The provided key element does not match the schema",
        r"The number of conditions on the keys is invalid|One of the required keys was not given a value"
        rf"|{_INVALID}Type mismatch for key|Invalid attribute value type",
        "[suite]",
    ),
    (
        rf"{_INVALID}(Size of hashkey has exceeded the maximum size limit of2048 bytes"
        r"|Aggregated size of all range keys has exceeded the size limit of 1024 bytes)",
        rf"Hash primary key values must be under 2048 bytes.*|{_INVALID}Aggregated size of all range keys.*",
        "[seen]",
    ),
    (r"ReturnValues can only be ALL_OLD or NONE", r"Return values set to invalid value", "[suite]"),
    (
        r"Value '.*' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: \[.*\]",
        r"Return values set to invalid value",
        "[suite]",
    ),
    (rf"{_MUST}not be null", r".*", "[suite] required members are checked first; Local has words of its own"),
    (
        rf"{_MUST}(satisfy|have) .*",
        r".*(constraint|Select must be|Limit must be|Comparison type does not exist|index|Member must satisfy).*",
        "[suite]",
    ),
    (
        r"Failed to satisfy constraint: Member must satisfy enum value set: \[ALL, OR\]"
        r"|Value '.*' at 'conditionalOperator' failed to satisfy constraint: Member must satisfy enum value set: \[OR, AND\]",
        r"ConditionalOperator can.*|.*constraint.*",
        "[suite] a choice is checked before what it is a choice for",
    ),
    (r"(Query condition missed key schema element): \w+", r"\1", "[suite]"),
    (
        r"The number of query conditions \(\d\) exceeds the number of key attributes defined in the schema \(\d\)",
        r"Conditions can be of length 1 or 2 only|Query key condition not supported",
        "[suite]",
    ),
    (
        r"Invalid KeyConditionExpression: (KeyConditionExpressions must only contain one condition per key)",
        r"\1",
        "[suite]",
    ),
    (r"Conditions can be of length 1 or 2 only", r"Conditions must be at least length 1", "[seen]"),
    (
        r"Attempted conditional constraint is not an indexable operation",
        r"Query key condition not supported|Only scalar types can be used as (Hash|Range) Key values"
        rf"|{_INVALID}Condition parameter type does not match schema type",
        "[seen] Local tells it in three ways",
    ),
    (
        rf"({_INVALID}\w+ action (?:with value )?is not supported for the type) [A-Z]+",
        r"\1 [A-Z]+",
        "[seen] types by their short names",
    ),
    (
        rf"{_INVALID}Input collection (?:\[.*\] )?contains duplicates\.?",
        rf"(ExpressionAttributeValues contains invalid value: )?({_INVALID})?Input collection (\[.*\] )?"
        r"contains duplicates\.?( for key :\w+)?",
        "[suite] members are quoted",
    ),
    (rf"{_INVALID}Duplicate value in attribute name: \w+", r"Cannot have two attributes with the same name", "[seen]"),
    (r"Attribute Name is duplicated: .*", r".*Cannot have two attributes with the same name", "[seen]"),
    (r"(ExpressionAttributeValues can only be specified when using expressions)", r"\1.*", "[suite]"),
    (r"(ExpressionAttributeNames can only be specified when using expressions)", r"\1.*", "[suite]"),
    (
        r"(.*)",
        r"ExpressionAttributeValues contains invalid value: \1 for key :\w+",
        "[suite] newer checks do not name the placeholder",
    ),
    (
        r"(ExpressionAttributeValues contains invalid value: )The parameter cannot be converted to a numeric value: .*"
        r"( for key :\w+)",
        r"\1A value provided cannot be converted into a number\2",
        "[suite] the older checks, in other words",
    ),
    (
        r"(ExpressionAttributeValues contains invalid value: )Attempting to store more than 38 significant digits in a "
        r"Number( for key :\w+)",
        r"\1DynamoDB only supports precision up to 38 digits\2",
        "[suite] the same",
    ),
    (
        r"(Invalid \w+Expression: Two document paths \w+ with each other; must remove or rewrite one of these paths; "
        r"path one: \[.*\], path two: )\[.*\]",
        r"\1\[.*\]",
        "of three paths and more Local may name one that is not concerned",
    ),
    (
        r"(Invalid \w+Expression: Invalid attribute type name found; type: [^;]*, valid types: )"
        r"\{B,NULL,SS,BOOL,L,BS,N,NS,S,M\}",
        r"\1\{[A-Z,]+\}",
        "[suite] Local lists them in any order",
    ),
    (
        r"Invalid \w+Expression: Attribute name is a reserved keyword; reserved keyword: (?i:size)",
        r".*",
        "[guide] SIZE is reserved; Local lets it pass, and may find something else",
    ),
    (
        r"(Invalid \w+Expression: The BETWEEN operator requires (?:same data type for lower and upper bounds"
        r"|upper bound to be greater than or equal to lower bound); lower bound operand: AttributeValue: )"
        r"(\{\w+:).*\}, upper bound operand: AttributeValue: (\{\w+:).*\}",
        r"\1\2.*\}, upper bound operand: AttributeValue: \3.*\}",
        "numbers are shown as they are stored",
    ),
    (r"Requested resource not found", r"Cannot do operations on a non-existent table", "[suite]"),
    (r"(The conditional request failed)", r"\1\.?", "[suite]"),
    (
        r"The provided starting key .*",
        r".*(starting key|Exclusive Start Key|Type mismatch for attribute).*",
        "[seen]",
    ),
    (r"(The table does not have the specified index): .*", r"\1.*", "[suite]"),
]

ITEM_FAULTS = frozenset(
    {
        "The provided expression refers to an attribute that does not exist in the item",
        "The document path provided in the update expression is invalid for update",
        "An operand in the update expression has an incorrect data type",
    }
)
"""What an item does not allow; of two such faults of one update in a transaction either is told."""

NARROW_INDEXES = ("ByGroup", "ByFour")
"""[guide] A filter sees what an index projects; in a Scan, Local shows it the whole items of these."""

NOT_REFUSED_BY_LOCAL = [
    # (what the engine says, why)
    (
        r".*Cannot update attribute \w+\. This attribute is part of the key",
        "shows without the item; Local looks at that first",
    ),
    (
        r".*failed to satisfy constraint: Member must satisfy enum value set.*",
        "[api] Local does not look at every enum",
    ),
    (r".*failed to satisfy constraint: Member must not be null.*", "[api] Local does without"),
    (r".*failed to satisfy constraint: Member must have length.*", "[api] Local takes an empty list for none"),
    (r".*Attribute name is a reserved keyword; reserved keyword: size.*", "[guide] SIZE is reserved"),
    (
        r"One or more parameter values were invalid: (ADD action|DELETE action|Only DELETE action) .*",
        "[seen] Local evaluates Expected before it looks at AttributeUpdates",
    ),
    (
        r".*(Size of hashkey has exceeded|Aggregated size of all range keys).*",
        "[seen] Local searches for keys that cannot be",
    ),
    (r"Provided list of item keys contains duplicates", "1 and 1.0 are one number, so one key"),
    (
        r"ExpressionAttribute(Names|Values) (can only be specified|must not be empty).*",
        "[seen] Local takes {} for none",
    ),
    (r"Can not use both expression and non-expression.*", "[seen] Local takes {} for none"),
    (
        r".*(cannot be converted to|Unexpected|Unrecognized collection|Start of structure).*",
        "[api] Local reads JSON loosely",
    ),
]


def only_locals(request: Mapping[str, Any], theirs: str) -> bool:
    """Whether Local may refuse with these words what the engine accepts.

    [api] DELETE takes members from a set that is there; Local looks at the type of an index key that is not.
    """
    if theirs != "Updates on index keys must be of the same data type as the key attribute":
        return False
    updates = request.get("AttributeUpdates") or {}
    return any(one.get("Action") == "DELETE" and "Value" in one for one in updates.values())


def spelled_out(request: dict[str, Any]) -> dict[str, Any]:
    """The request with the default that Local does not know.

    [api] An update of an attribute without an action is a PUT; Local forgets all updates where one has none.
    """
    updates = request.get("AttributeUpdates")
    if not isinstance(updates, dict):
        return request
    full = {
        name: {"Action": "PUT", **one} if isinstance(one, dict) and "Value" in one else one
        for name, one in updates.items()
    }
    return {**request, "AttributeUpdates": full}


def same_words(operation: str, mine: str, theirs: str) -> bool:
    """Whether two messages are the same, or differ in a way that is known."""
    bare = mine.removeprefix(COUNTED)
    if (bare != mine) != counts(operation, bare) and not (operation in WRITES and re.match(EITHER, bare)):
        return False
    bare, theirs = _sorted_keys(bare), _sorted_keys(theirs)
    return theirs in (mine, bare) or any(_known(ours, local, bare, theirs) for ours, local, _ in WORDS)


def _sorted_keys(message: str) -> str:
    """Unused placeholders have no order."""
    told, brace, keys = message.partition("unused in expressions: keys: {")
    return f"{told}{brace}{', '.join(sorted(keys.rstrip('}').split(', ')))}" if brace else message


def counts(operation: str, bare: str) -> bool:
    """Whether the service begins this message with a count."""
    return bool(re.match(CONSTRAINT, bare)) or (operation in WRITES and bool(re.match(OF_FORM, bare)))


def _known(ours: str, local: str, mine: str, theirs: str) -> bool:
    found = re.fullmatch(ours, mine, re.DOTALL)
    if found is None:
        return False
    for number, group in enumerate(found.groups(), 1):
        local = local.replace(f"\\{number}", re.escape(group or ""))
    return re.fullmatch(local, theirs, re.DOTALL) is not None


def only_mine(mine: str) -> bool:
    """Whether the engine may refuse with these words what Local accepts or fails at."""
    mine = mine.removeprefix(COUNTED)
    return any(re.fullmatch(ours, mine, re.DOTALL) for ours, _ in NOT_REFUSED_BY_LOCAL)
