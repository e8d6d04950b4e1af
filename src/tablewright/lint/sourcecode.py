"""Reading the source of an application, for rules that were asked to look at it. It is parsed and never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.lint.design import Design

MAPPERS = frozenset(
    {"pynamodb", "dyntastic", "pydynantic", "pydynox", "statikk", "simplesingletable", "dynamorm", "flywheel"}
)
"""Libraries that map classes to items in their own way."""
_SDKS = frozenset({"boto3", "aioboto3", "botocore", "aiobotocore", "aiodynamo"})
_MAKERS = frozenset({"client", "resource", "create_client"})
_SKIPPED = frozenset({".git", ".venv", "venv", "node_modules", "__pycache__", "build", "dist"})


class SourceFile(Struct, frozen=True, eq=False):
    """One file, parsed."""

    name: str
    tree: ast.Module

    def inside(self, folders: Sequence[str]) -> bool:
        """Whether it is one of these files, or in one of these folders."""
        path = Path(self.name).resolve()
        return any(path == Path(f).resolve() or Path(f).resolve() in path.parents for f in folders)


def files(design: Design) -> Iterator[SourceFile]:
    """The files that the rules were asked to look at; what is no Python is left out."""
    for path in design.sources:
        if not path.exists():
            raise ArgumentError(f"There is no file or folder {path}.", hint="Name the source of the application.")
        found = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        for file in found:
            if _SKIPPED.isdisjoint(file.relative_to(path).parts):
                try:
                    yield SourceFile(str(file), ast.parse(file.read_text(encoding="utf-8")))
                except (SyntaxError, UnicodeDecodeError):
                    continue  # another tool's business


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The modules that a file imports, with the line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield node.lineno, node.module


def dynamodb_calls(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where a file makes a client of DynamoDB, or imports its types, with the line and the words for it."""
    sdk = False
    for line, name in imported(tree):
        root = name.partition(".")[0]
        if root == "aiodynamo" or name.startswith("boto3.dynamodb"):
            yield line, name
        sdk = sdk or root in _SDKS
    for node in ast.walk(tree) if sdk else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MAKERS:
            given = [*node.args, *(k.value for k in node.keywords if k.arg == "service_name")]
            if any(isinstance(a, ast.Constant) and a.value in ("dynamodb", "dynamodbstreams") for a in given):
                yield node.lineno, f"A DynamoDB {node.func.attr.removeprefix('create_')}"
