"""The base of all rules, and how a rule's docstring is read."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import ClassVar

from msgspec import Struct

from tablewright.lint.design import Design
from tablewright.lint.findings import Found, Severity


class Rule:
    """Looks at a design and yields what it does not like.

    A rule's docstring begins with one sentence, goes on with the reason, and ends with `Bad:` and `Good:`, each a whole
    small model. The tests run both.
    """

    code: ClassVar[str]
    """Permanent: a code is never given to another rule."""
    name: ClassVar[str]
    severity: ClassVar[Severity] = "warning"
    since: ClassVar[str] = "0.1"

    def check(self, design: Design) -> Iterator[Found]:
        """Everything that this rule finds."""
        raise NotImplementedError

    @classmethod
    def family(cls) -> str:
        """The folder that the rule is in."""
        return cls.__module__.split(".")[-2]

    @classmethod
    def explained(cls) -> Explained:
        """The docstring, taken apart."""
        return read_docstring(inspect.cleandoc(cls.__doc__ or ""))


class Explained(Struct, frozen=True):
    """What a rule says of itself."""

    summary: str
    why: str
    bad: str
    good: str


_EXAMPLE = re.compile(r"^(Bad|Good):\n+```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def read_docstring(text: str) -> Explained:
    """The parts of a rule's docstring; examples that are missing are empty."""
    examples = {found[1]: found[2] for found in _EXAMPLE.finditer(text)}
    prose = re.split(r"^Bad:$", text, maxsplit=1, flags=re.MULTILINE)[0].strip()
    summary, _, why = prose.partition("\n\n")
    return Explained(
        " ".join(summary.split()),
        "\n\n".join(" ".join(paragraph.split()) for paragraph in why.split("\n\n") if paragraph.strip()),
        examples.get("Bad", ""),
        examples.get("Good", ""),
    )
