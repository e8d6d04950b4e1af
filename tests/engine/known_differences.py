"""Where DynamoDB Local's answers differ from the service's, and what decides for the service.

Sources: [api] AWS's API reference, [guide] AWS's developer guide, [suite] the public conformance suite, whose
expectations were recorded on the service, [seen] messages of the service quoted in public issue trackers.
"""

from __future__ import annotations

import re

COUNTED = "1 validation error detected: "
"""Since the summer of 2026 the service begins many messages of single-item writes so [suite]; Local does not."""

WORDS: list[tuple[str, str, str]] = [
    # (what the engine says, what Local says, why)
    (
        r"The parameter cannot be converted to a numeric value.*",
        r"A value provided cannot be converted into a number",
        "[suite]",
    ),
    (
        r"Attempting to store more than 38 significant digits.*",
        r"DynamoDB only supports precision up to 38 digits",
        "[suite]",
    ),
    (r".*Type mismatch for key \w+ expected: .*", r".*(Type mismatch for key|Invalid attribute value type)", "[suite]"),
    (r".*Type mismatch for Index Key .*", r".*(Type mismatch for Index Key|Invalid attribute value type)", "[suite]"),
    (
        r".*(Type mismatch for Index Key|Cannot update attribute) .*",
        r"Type mismatch for attribute to update|Updates on index keys must be of the same data type as the key attribute"
        r"|.*cannot contain an empty \w+ value\..*",
        "[seen] Local's words for AttributeUpdates; of two faults in one value it tells the other",
    ),
    (
        r"(.*A value specified for a secondary index key is not supported\. .*) IndexName: \w+, IndexKey: \w+",
        r"\1 IndexName: \w+, IndexKey: \w+",
        "[seen] the first index by the alphabet is named; Local names any",
    ),
    (r".*Size limit exceeded for Index Key .*", r".*Size limit exceeded", "[seen]"),
    (r".*Missing the key \w+ in the item", r"One of the required keys was not given a value", "[suite]"),
    (
        r"The provided key element does not match the schema",
        r"The number of conditions on the keys is invalid|One of the required keys was not given a value"
        r"|.*Type mismatch for key|Invalid attribute value type",
        "[suite]",
    ),
    (
        r".*(Size of hashkey has exceeded|Aggregated size of all range keys).*",
        r"Hash primary key values must be under 2048 bytes.*|.*Aggregated size of all range keys.*",
        "[seen]",
    ),
    (r"ReturnValues can only be ALL_OLD or NONE", r"Return values set to invalid value", "[suite]"),
    (r".*at 'returnValues' failed to satisfy constraint.*", r"Return values set to invalid value", "[suite]"),
    (r".*failed to satisfy constraint: Member must not be null", r".*", "[suite] required members are checked first"),
    (
        r".*failed to satisfy constraint.*",
        r".*(constraint|Select must be|Limit must be|Comparison type|index|Member must satisfy).*",
        "[suite]",
    ),
    (r"Query condition missed key schema element: .*", r"Query condition missed key schema element", "[suite]"),
    (
        r"The number of query conditions \(\d\) exceeds.*",
        r"Conditions can be of length 1 or 2 only|Query key.*",
        "[suite]",
    ),
    (
        r"Invalid KeyConditionExpression: (KeyConditionExpressions .*)",
        r"KeyConditionExpressions .*|Key attributes must .*",
        "[suite]",
    ),
    (r"Conditions can be of length 1 or 2 only", r"Conditions must be at least length 1", "[seen]"),
    (
        r"Attempted conditional constraint is not an indexable operation",
        r"Query key condition not supported|Only scalar types can be used as .*|.*Condition parameter type does not match.*",
        "[seen] Local tells it in three ways",
    ),
    (
        r"(.*) is not supported for the type [A-Z]+",
        r"\1 is not supported for the type [A-Z]+",
        "[seen] types by their short names",
    ),
    (r"(.*) contains duplicates\.?", r".*contains duplicates\.?", "[suite] members are quoted"),
    (r".*Duplicate value in attribute name: .*", r"Cannot have two attributes with the same name", "[seen]"),
    (r"Attribute Name is duplicated: .*", r".*Cannot have two attributes with the same name", "[seen]"),
    (
        r"ExpressionAttributeValues can only be specified when using expressions",
        r"ExpressionAttributeValues can only .*",
        "[suite]",
    ),
    (
        r"ExpressionAttributeNames can only be specified when using expressions",
        r"ExpressionAttributeNames .*",
        "[suite]",
    ),
    (
        r"(One or more parameter values (were invalid|are not valid).*|Nesting Levels.*|The parameter cannot.*|Number .*"
        r"|Attempting to store.*)",
        r"ExpressionAttributeValues contains invalid value: .*",
        "[suite] newer checks do not name the placeholder",
    ),
    (r"Must specify the AttributesToGet or .*", r"Must specify the AttributesToGet or .*", "[suite]"),
    (
        r".*Two document paths (overlap|conflict).*",
        r".*Two document paths (overlap|conflict).*",
        "order of two faults alike",
    ),
    (r".*reserved keyword: (size|SIZE).*", r".*", "[guide] SIZE is reserved; Local lets it pass"),
    (r"(.*)BETWEEN operator requires.*", r"(.*)BETWEEN operator requires.*", "numbers are shown as they are stored"),
    (r"Requested resource not found", r"Cannot do operations on a non-existent table", "[suite]"),
    (r"The conditional request failed", r"The conditional request failed\.", "[suite]"),
    (r".*starting key.*", r".*(starting key|Exclusive Start Key|Type mismatch for attribute).*", "[seen]"),
    (r"The table does not have the specified index: .*", r"The table does not have the specified index.*", "[suite]"),
]

# What shows in the request alone, and what only its table shows.
_FORM = (
    r"(Invalid \w+Expression: .*|ExpressionAttribute(Names|Values) .*|Value provided in .*|Can not use both .*"
    r"|One or more parameter values were invalid: (ADD|DELETE|Only DELETE|Value|AttributeValue|Exists|ComparisonOperator"
    r"|Invalid number|An \w+ set|Binary sets|Input collection|Null attribute|Duplicate).*"
    r"|The BETWEEN condition .*|ConditionalOperator .*|The parameter cannot .*|Supplied AttributeValue .*|Number .*"
    r"|Attempting to store .*|A value provided .*|DynamoDB only supports .*|Input collection .*|Empty attribute name"
    r"|Either the KeyConditions .*|Cannot (specify|have) .*|Must specify .*|ReturnValues .*|Return values .*"
    r"|The supplied Item .*|Type mismatch for attribute to update|.*failed to satisfy constraint.*)"
)
_TABLE = (
    r"(One or more parameter values (were|are) .*|Invalid attribute value type|The number of conditions on the keys .*"
    r"|One of the required keys .*|Hash primary key values .*|Item size .*|Query .*|Conditions .*|Key attributes must .*"
    r"|The provided .*|Attempted .*|Only scalar .*|QueryFilter .*|Filter Expression .*|.*key attributes.*|An operand .*"
    r"|Updates on index keys .*|Nesting .*|The document path .*|KeyConditionExpressions .*"
    r"|Invalid operator used in KeyConditionExpression.*"
    r"|Invalid condition in KeyConditionExpression.*|The table does not have .*)"
)
_ITEM = r"(The provided expression refers to .*|The document path provided .*|An operand in the update expression .*)"
_KEYS = (
    r"(Query (condition|key condition) .*|Attempted .*|.*Condition parameter type .*|The number of query conditions .*"
    r"|Only scalar .*)"
)
ORDERS = [
    (_ITEM, _ITEM, "two faults of one update: either is told"),
    (_KEYS, _KEYS, "two faults of one key condition: either is told"),
    (_FORM, _TABLE, "[suite] the service looks at the form of a request before it looks for its table"),
    (_FORM, _FORM, "two faults of form: either is told, and the order is known for few"),
]

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


def same_words(mine: str, theirs: str) -> bool:
    """Whether two messages are the same, or differ in a way that is known."""
    mine = mine.removeprefix(COUNTED)
    if mine == theirs:
        return True
    return any(
        re.fullmatch(ours, mine, re.DOTALL) and re.fullmatch(local.replace("\\1", ".*"), theirs, re.DOTALL)
        for ours, local, _ in (*WORDS, *ORDERS)
    )


def only_mine(mine: str) -> bool:
    """Whether the engine may refuse with these words what Local accepts or fails at."""
    mine = mine.removeprefix(COUNTED)
    return any(re.fullmatch(ours, mine, re.DOTALL) for ours, _ in NOT_REFUSED_BY_LOCAL)
