"""A project to start from: model, store, seed data, tests, CI. What is made works at once."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from tablewright.errors import ArgumentError
from tablewright.generate.model_code import python_name
from tablewright.scaffold.rendering import rendered
from tablewright.scaffold.requirement import Requirement, running_requirement

EXAMPLES = ("blog", "shop")


def project_files(name: str, example: str | None = None, requirement: Requirement | None = None) -> dict[str, str]:
    """The files of a project by their paths; with an example, its model in place of the usual one. `requirement` is what
    installs this library; as the running one was installed, if it is not given."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{2,59}", name):
        raise ArgumentError(
            f"{name!r} cannot be the name of a project.",
            hint="Begin with a letter, and use letters, digits, '-' and '_', 3 to 60 of them.",
        )
    if example is not None and example not in EXAMPLES:
        raise ArgumentError(f"There is no example {example!r}.", hint=f"There are: {', '.join(EXAMPLES)}.")
    package = python_name(name)
    if package in sys.stdlib_module_names or package in ("tablewright", "tests", "pydantic"):
        raise ArgumentError(
            f"{name!r} cannot be the name of a project: Python has a package {package} already.",
            hint=f"Name it otherwise, such as my-{name}.",
        )
    words = {
        "name": name,
        "package": package,
        "title": name.replace("_", " ").replace("-", " ").capitalize(),
        "table_name": python_name(name, upper=True),
        "variable": "table" if package == "notes" else package,
    }
    modules = _usual(words) if example is None else _example(example, package)
    variable, patterns = _declared(modules["model.py"])
    seeded = _seeded(modules.get("seed.py", ""))
    words |= {"variable": variable}
    more = {
        "patterns": patterns,
        "seeded": seeded,
        "has_store": "store.py" in modules,
        "own_store_tests": example is None,
        "requirement": requirement or running_requirement(),
    }
    files = {f"{package}/{file}": text for file, text in modules.items()}
    tests = ["conftest.py", "test_patterns.py", *(["test_store.py"] if example is None else [])]
    files |= {f"tests/{file}": rendered(f"project/tests/{file}.j2", **words, **more) for file in tests}
    for path, template in (
        ("pyproject.toml", "pyproject.toml"),
        ("README.md", "README.md"),
        (".gitignore", "gitignore"),
        (".github/workflows/ci.yml", "ci.yml"),
    ):
        files[path] = rendered(f"project/{template}.j2", **words, **more)
    return files


def _usual(words: Mapping[str, str]) -> dict[str, str]:
    names = ("__init__.py", "model.py", "store.py", "seed.py")
    return {file: rendered(f"project/package/{file}.j2", **words) for file in names}


def _example(example: str, package: str) -> dict[str, str]:
    """The Python files of an example, wherever it lies: in the repository, or packed into the wheel."""
    home = Path(__file__).parent.parent
    packed, repository = home / "_examples" / example, home.parent.parent / "examples" / example
    folder = packed if packed.is_dir() else repository
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))}
    # Outside of the repository the library is one of the packages that others make.
    return {
        name: re.sub(r"(\nfrom pydantic import .*\n)\n(from tablewright)", r"\1\2", text).replace(
            f"examples.{example}", package
        )
        for name, text in files.items()
    }


def _declared(model: str) -> tuple[str, list[str]]:
    """The variable of a model's table, and the names of its patterns."""
    body = ast.parse(model).body
    variable = next(
        target.id
        for node in body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name) and getattr(node.value.func, "id", "") == "Table"
    )
    marked = [node for node in body if isinstance(node, ast.FunctionDef)]
    patterns = [n.name for n in marked if any(ast.unparse(d) == f"{variable}.pattern" for d in n.decorator_list)]
    return variable, patterns


def _seeded(seed: str) -> str:
    """Which function a seed file has: entities, seed, or none."""
    names = {node.name for node in ast.parse(seed).body if isinstance(node, ast.FunctionDef)}
    return "seed" if "seed" in names else "entities" if "entities" in names else ""
