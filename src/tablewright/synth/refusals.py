"""What is wrong in a design: all of it at once, each with its line and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from tablewright.errors import KeyCollisionError, KeyTemplateError, ModelError, PatternError, TablewrightError
from tablewright.model.inspection import Refused
from tablewright.model.symbols import SourceLine


class Refusals:
    """Notes what is wrong. `lines` says where the definitions of a design are written, by what messages call them."""

    def __init__(self, design: str, lines: Mapping[str, SourceLine]) -> None:
        self._design = design
        self._lines = lines
        self._noted: list[TablewrightError] = []
        self._entities: set[str] = set()

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """Around what is done about one definition."""
        try:
            yield
        except TablewrightError as error:
            self.add(what, error)

    def add(self, what: str, error: TablewrightError) -> None:
        """Notes an error about a definition."""
        self._note(error, self._lines.get(what))

    def add_all(self, refused: Iterable[Refused]) -> None:
        """Notes what was refused while a design was read, or a model that was made of it."""
        for one in refused:
            if one.kind == "entity":
                self._entities.add(one.name)
            name = f"{one.name}()" if one.kind in ("pattern", "change") else one.name
            function = getattr(one.subject, "__code__", None)
            written = None if function is None else (function.co_filename, function.co_firstlineno)
            self._note(one.error, self._lines.get(name) or one.line or written)

    def _note(self, error: TablewrightError, line: SourceLine | None) -> None:
        if line is not None and not error.message.startswith(f"{line[0]}:"):
            error.message = f"{line[0]}:{line[1]}: {error.message}"
        if str(error) not in map(str, self._noted):  # as it would be for each variant of a pattern
            self._noted.append(error)

    def raise_any(self) -> None:
        """Raises what was noted, if anything was. What is refused only because an entity that it names was is left out."""
        told = [error for error in self._noted if error.context.get("missing_entity") not in self._entities]
        if not told:
            return
        if len(told) == 1:
            raise told[0]
        kind = PatternError if all(isinstance(error, PatternError) for error in told) else ModelError
        lines = "\n".join(f"  - {str(error).replace(chr(10), chr(10) + '    ')}" for error in told)
        raise kind(f"{len(told)} things in {self._design} cannot be as they are written:\n{lines}") from told[0]


def of_keys(error: TablewrightError) -> bool:
    """Whether an error is about keys, rather than about what a design says of its own."""
    if isinstance(error, PatternError):
        return bool(error.reasons)
    return isinstance(error, KeyTemplateError | KeyCollisionError) and "declared_bytes" not in error.context
