"""The limits that DynamoDB sets on every kind of expression."""

from __future__ import annotations

MAX_EXPRESSION_SIZE = 4096
"""Characters of one expression, counted as UTF-16 units as the service counts them."""

MAX_OPERATORS = 300
"""Operators and functions in one condition."""

MAX_IN_OPERANDS = 100
MAX_PATH_DEPTH = 32
MAX_LIST_INDEX = 2**31 - 1
MAX_PLACEHOLDER_SIZE = 255
MAX_NAME_BYTES = 65535

MAX_NESTING = MAX_OPERATORS + 10
"""Parentheses inside parentheses. Every level needs an operator or is redundant, so nothing valid is deeper."""
