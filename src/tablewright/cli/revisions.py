"""Models of other revisions: taken out of git into a folder of their own, and read apart from those of today."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import TYPE_CHECKING

from tablewright.cli.models import load_model
from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from tablewright.table import Table

REVISION_HELP = "a file, a module, or REVISION:FILE out of git, such as main:shop/model.py"


@contextmanager
def model_at(where: str) -> Iterator[Table]:
    """The one table of a model, today's or that of a revision. Its modules are forgotten at the end, so that the next
    model of the same name is read anew."""
    revision, _, rest = where.partition(":")
    file, _, name = rest.partition(":")
    if not file.endswith(".py") or Path(where).exists():
        with _apart(_own_modules(where)):
            yield load_model(where).table
        return
    with tempfile.TemporaryDirectory(prefix="tablewright-") as folder:
        path = _take_out(revision, file, Path(folder))
        with _apart(_own_modules(str(path))):
            yield load_model(f"{path}:{name}" if name else str(path)).table


def _own_modules(where: str) -> frozenset[str]:
    """The modules that belong to a model, as the outermost names that they are imported by: its package, or itself with
    the files beside it."""
    path = Path(where if Path(where).exists() else where.partition(":")[0])
    if path.is_dir():
        path = path / "model.py"
    if not path.is_file():
        return frozenset((where.partition(":")[0].partition(".")[0],))
    outermost = path.resolve()
    while (outermost.parent / "__init__.py").is_file():
        outermost = outermost.parent
    if outermost.suffix != ".py":
        return frozenset((outermost.name,))
    return frozenset(neighbour.stem for neighbour in outermost.parent.glob("*.py"))


@contextmanager
def _apart(own: frozenset[str]) -> Iterator[None]:
    """Hides these modules meanwhile, and leaves them and the search path as they were: those of another model may be
    called the same."""
    path, before = sys.path[:], _loaded(own)
    for name in before:
        del sys.modules[name]
    try:
        yield
    finally:
        sys.path[:] = path
        for name in _loaded(own):
            del sys.modules[name]
        sys.modules.update(before)


def _loaded(own: frozenset[str]) -> dict[str, ModuleType]:
    return {n: m for n, m in sys.modules.items() if n.partition(".")[0] in own and n != "__main__"}


def _take_out(revision: str, file: str, folder: Path) -> Path:
    """Writes a model file of a revision, with the package around it, into a folder."""
    root = Path(_git("rev-parse", "--show-toplevel").decode().strip())
    if not _is_known(f"{revision}^{{commit}}", root):
        raise ArgumentError(
            f"git knows no revision {revision!r} here.", hint="Name a branch, a tag or a commit: main:shop/model.py."
        )
    path = PurePosixPath((Path.cwd() / file).resolve().relative_to(root.resolve()).as_posix())
    if not _is_there(revision, path, root):
        raise ArgumentError(f"There is no file {file} in {revision}.", hint="Name it as from the current folder.")
    package = path.parent
    while str(package) != "." and _is_there(revision, package / "__init__.py", root):
        package = package.parent
    if package == path.parent:  # no package, so that only its neighbours can be imported
        listed = _git("ls-tree", "-z", "--name-only", revision, "--", f"{package}/", root=root).decode().split("\0")
        wanted = [name for name in listed if name.endswith(".py")]
    else:
        wanted = [str(PurePosixPath(*path.parts[: len(package.parts) + 1]))]
    with tarfile.open(fileobj=BytesIO(_git("archive", "--format=tar", revision, "--", *wanted, root=root))) as archive:
        archive.extractall(folder, filter="data")
    return folder / path


def _is_there(revision: str, path: PurePosixPath, root: Path) -> bool:
    return _is_known(f"{revision}:{path}", root)


def _is_known(thing: str, root: Path) -> bool:
    command = ["git", "-C", str(root), "cat-file", "-e", thing]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603


def _git(*arguments: str, root: Path | None = None) -> bytes:
    command = ["git", *(["-C", str(root)] if root is not None else []), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    except FileNotFoundError:
        raise ArgumentError("git is needed to read another revision.", hint="Install it, or name two files.") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise ArgumentError(
            f"git says: {said[0] if said else done.returncode}.", hint="Name a revision of this folder."
        )
    return done.stdout
