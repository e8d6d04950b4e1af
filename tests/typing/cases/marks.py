"""The marks themselves, on plain Python: what both checkers refuse, and what only one of them does."""

import json

right: int = 1
wrong: int = "one"  # E
wrong_too: str = 1  # E - a mark may say why


def unannotated(value):  # E: mypy - only mypy --strict asks for annotations
    return value


def narrowed(value: int | None) -> int:
    if value is None:
        return 0
    return value


reached: int = json.loads("1")
if right:
    late = 1
print(late)  # E: pyright - only pyright tells that it may be unbound
