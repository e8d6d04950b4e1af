"""The limits that DynamoDB sets on PartiQL, and ours on what a parser may be asked to do."""

from __future__ import annotations

MAX_STATEMENT = 8192
MAX_TOKEN = 32768
MAX_BATCH_STATEMENTS = 25
MAX_TRANSACTION_STATEMENTS = 100

MAX_READS = 50
"""Ranges of keys that one SELECT may be taken apart into."""

MAX_DEPTH = 60
"""Expressions inside expressions. Twice what a value may have; it keeps any statement far from Python's own limit."""
