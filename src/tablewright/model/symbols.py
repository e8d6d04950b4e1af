"""What stands for a value that is not known yet: a pattern's parameter while its body is being read.

A body only describes a request, so a symbol can be compared with a field and passed on; anything that would need its
value is refused with the place where it happened.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TypeAlias, TypeGuard

from tablewright.errors import PatternError

_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep
SourceLine: TypeAlias = tuple[str, int]
"""A file and the number of a line in it."""


def user_frame() -> FrameType:
    """The nearest frame outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def user_line() -> SourceLine:
    """The user's own line."""
    frame = user_frame()
    return frame.f_code.co_filename, frame.f_lineno


def caller() -> str:
    """ "file:line" of the user's own line."""
    file, line = user_line()
    return f"{file}:{line}"


def raised_at(error: BaseException) -> SourceLine | None:
    """The innermost line of the user's own files on the way to where an error was raised."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return error.filename, error.lineno or 1
    found: SourceLine | None = None
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if _is_own(file):
            found = file, trace.tb_lineno
        trace = trace.tb_next
    return found


def placed(error: BaseException, message: str) -> str:
    """A message with the line of the user's own where it came up, unless it begins with it already."""
    line = raised_at(error)
    where = "" if line is None else f"{line[0]}:{line[1]}: "
    return message if message.startswith(where) else f"{where}{message}"


def said(error: BaseException) -> str:
    """What an error of any kind says, with its line."""
    told = error.msg if isinstance(error, SyntaxError) else str(error)
    return placed(error, f"{type(error).__name__}: {told}")


def _is_own(file: str) -> bool:
    """Whether a file is neither of this package, nor of Python, nor installed."""
    import sysconfig  # for mistakes only

    installed = {"site-packages", "dist-packages"} & set(Path(file).parts)
    library = sysconfig.get_paths()["stdlib"] + os.sep
    return not (installed or file.startswith((_PACKAGE, library, "<frozen")))


class Symbol:
    """A parameter of a pattern or change, standing for whatever the caller will pass."""

    __slots__ = ("annotation", "name", "used")

    def __init__(self, name: str, annotation: Any) -> None:
        self.name = name
        self.annotation = annotation
        self.used = False

    def __repr__(self) -> str:
        return f"<parameter {self.name}>"

    def _refuse(self, what: str) -> NoReturn:
        raise PatternError(
            f"{caller()}: the parameter {self.name!r} is used {what}, but its value is not known when the body is read.",
            hint="A pattern or change only describes a request: compare parameters with fields, assign them, and leave "
            "decisions to optional parameters, .when(...) or require(...).",
        )

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride] - what isinstance() asks for
        self._refuse("in isinstance()")

    def __bool__(self) -> bool:
        self._refuse("as a condition")

    def __str__(self) -> str:
        self._refuse("as text")

    def __format__(self, spec: str) -> str:
        self._refuse("in a formatted string")

    def __hash__(self) -> int:
        self._refuse("as a dictionary key or set member")

    def __iter__(self) -> Any:
        self._refuse("in a loop")

    def __len__(self) -> int:
        self._refuse("with len()")

    def __contains__(self, other: object) -> bool:
        self._refuse("with 'in'")

    def __getitem__(self, index: Any) -> Any:
        self._refuse("with an index")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse(f"with .{name}")

    def __eq__(self, other: object) -> Any:
        return self._compare(other)

    def __ne__(self, other: object) -> Any:
        return self._compare(other)

    def __lt__(self, other: object) -> Any:
        return self._compare(other)

    def __le__(self, other: object) -> Any:
        return self._compare(other)

    def __gt__(self, other: object) -> Any:
        return self._compare(other)

    def __ge__(self, other: object) -> Any:
        return self._compare(other)

    def _compare(self, other: object) -> Any:
        if getattr(type(other), "__is_field__", False):
            return NotImplemented  # Python then asks the field, which knows what to do
        self._refuse("in a comparison that names no field")

    def _arithmetic(self, *_: object) -> Any:
        self._refuse("in arithmetic")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _arithmetic
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __and__ = __rand__ = _arithmetic
    __or__ = __ror__ = __neg__ = __abs__ = __int__ = __float__ = __index__ = _arithmetic


def is_symbol(value: object) -> TypeGuard[Symbol]:
    """Whether this is a Symbol; isinstance() would be refused by the symbol itself."""
    return type(value) is Symbol


def use(value: Any) -> Any:
    """Marks symbols in a value as used and returns it."""
    if type(value) is Symbol:
        value.used = True
    elif type(value) in (list, tuple):
        for member in value:
            use(member)
    elif type(value) is dict:
        for member in value.values():
            use(member)
    return value


def has_symbols(value: Any) -> bool:
    """Whether a value is, or holds, a symbol."""
    if type(value) in (list, tuple):
        return any(has_symbols(m) for m in value)
    return type(value) is Symbol or (type(value) is dict and any(has_symbols(m) for m in value.values()))


def fill(value: Any, arguments: Mapping[str, Any]) -> Any:
    """The value with each symbol replaced by its argument."""
    kind = type(value)
    if kind is Symbol:
        return arguments[value.name]
    if kind is list or kind is tuple:
        return kind(fill(m, arguments) for m in value)
    if kind is dict:
        return {k: fill(m, arguments) for k, m in value.items()}
    return value
