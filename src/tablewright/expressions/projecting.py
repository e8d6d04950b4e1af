"""Projections: the parts of an item that paths lead to, with list elements moved together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from tablewright.expressions.ast import Path
from tablewright.values.types import AttributeValue, Item

PathTree: TypeAlias = dict[str | int, "PathTree | None"]
"""Paths by their common beginnings; None where a path ends and everything below is kept."""


def path_tree(paths: Iterable[Path]) -> PathTree:
    """Merge paths that do not overlap."""
    root: PathTree = {}
    for path in paths:
        tree = root
        for part in path[:-1]:
            inner = tree.setdefault(part, {})
            if inner is None:
                break
            tree = inner
        else:
            tree[path[-1]] = None
    # Elements of a list keep their order, whatever order their paths were written in.
    return _sorted(root)


def _sorted(tree: PathTree) -> PathTree:
    parts: Any = sorted(tree) if tree and all(isinstance(part, int) for part in tree) else list(tree)
    return {part: None if (inner := tree[part]) is None else _sorted(inner) for part in parts}


def _select(tree: PathTree, value: AttributeValue) -> AttributeValue | None:
    first = next(iter(tree))
    content: Any
    if isinstance(first, str):
        content = value.get("M")
        if content is None:
            return None
        kept: dict[str, AttributeValue] = {}
        for name, inner in tree.items():
            part = content.get(name)
            if part is not None and inner is not None:
                part = _select(inner, part)
            if part is not None:
                kept[str(name)] = part
        return {"M": kept} if kept else None
    content = value.get("L")
    if content is None:
        return None
    elements: list[AttributeValue] = []
    for position, inner in tree.items():
        assert isinstance(position, int)
        if position < len(content):
            part = content[position] if inner is None else _select(inner, content[position])
            if part is not None:
                elements.append(part)
    return {"L": elements} if elements else None


def project_tree(tree: PathTree, item: Item) -> Item:
    """The parts of an item under a merged tree; for the same projection over many items."""
    result: Item = {}
    for name, inner in tree.items():
        value = item.get(name)  # type: ignore[arg-type]
        if value is not None and inner is not None:
            value = _select(inner, value)
        if value is not None:
            result[name] = value  # type: ignore[index]
    return result


def project(paths: Iterable[Path], item: Item) -> Item:
    """The parts of an item that the paths lead to, sharing its values. What is not there is left out."""
    return project_tree(path_tree(paths), item)
