"""Servers to measure against, ours among them: fetched by name into a folder that git ignores, each on a free port."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".tools" / "bench-peers"
NODE_PACKAGES = ("@dynoxide/linux-x64@1.2.1", "dynalite@4.0.0")
PYTHON_PACKAGES = ("ministack==1.5.33", "moto[server]")
CLIENT_PACKAGES = ("aioboto3", "boto3", "pynamodb", "pydynantic", "dyntastic", "pydynox", "aiodynamo", "httpx")
OUR_PACKAGES = ("pydantic>=2.9", "msgspec>=0.19", "typer>=0.15", "rich>=13", "jinja2>=3.1")
_START_SECONDS = 60


@dataclass(frozen=True)
class Peer:
    """A server: how it is started on a port, with a folder of its own for its files."""

    name: str
    command: Callable[[int, Path], list[str]]
    durable: bool = False
    environment: Callable[[int], dict[str, str]] = field(default=lambda _: {})
    folder: Path | None = None


@dataclass(frozen=True)
class Running:
    """A server that answers."""

    peer: Peer
    url: str
    pid: int

    def cpu_seconds(self) -> float:
        """The CPU time of all its threads so far; Linux only."""
        tasks = Path(f"/proc/{self.pid}/task")
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1e9


def serve(*arguments: str) -> list[str]:
    """Our own command."""
    return [sys.executable, "-m", "tablewright", "serve", *arguments]


def own() -> list[Peer]:
    """Ours, in memory and durable."""
    return [
        Peer("tablewright", lambda port, _: serve("--port", str(port))),
        Peer("tablewright file", lambda port, folder: serve(str(folder / "t.db"), "--port", str(port)), durable=True),
    ]


def others() -> list[Peer]:
    """Those of the others that are here, or can be fetched."""
    found: list[Peer] = []
    jar = max(ROOT.glob(".tools/dynamodb-local-*/lib/*/DynamoDBLocal.jar"), default=None)
    if jar is not None and shutil.which("java"):
        java = ["java", "-Djava.library.path=./DynamoDBLocal_lib", "-jar", jar.name, "-sharedDb", "-disableTelemetry"]
        place = jar.parent
        found += [
            Peer("DynamoDB Local", lambda port, _: [*java, "-inMemory", "-port", str(port)], folder=place),
            Peer(
                "DynamoDB Local file",
                lambda port, folder: [*java, "-dbPath", str(folder), "-port", str(port)],
                durable=True,
                folder=place,
            ),
        ]
    modules = _node_modules()
    if modules is not None:
        dynoxide = str(modules / "@dynoxide" / "linux-x64" / "dynoxide")
        dynalite = str(modules / ".bin" / "dynalite")
        found += [
            Peer("dynoxide", lambda port, _: [dynoxide, "--port", str(port)]),
            Peer(
                "dynoxide file",
                lambda port, folder: [dynoxide, "--port", str(port), "--db-path", str(folder / "d.db")],
                durable=True,
            ),
            Peer("dynalite", lambda port, _: [dynalite, "--host", "127.0.0.1", "--port", str(port)]),
            Peer(
                "dynalite file",
                lambda port, folder: [dynalite, "--host", "127.0.0.1", "--port", str(port), "--path", str(folder)],
                durable=True,
            ),
        ]
    scripts = _python_scripts()
    if scripts is not None:
        found += [
            Peer("moto server", lambda port, _: [str(scripts / "moto_server"), "-H", "127.0.0.1", "-p", str(port)]),
            Peer(
                "MiniStack",
                lambda _port, _folder: [str(scripts / "ministack")],
                environment=lambda port: {"GATEWAY_PORT": str(port), "GATEWAY_LISTEN": "127.0.0.1"},
            ),
        ]
    return found


def start(peer: Peer, scratch: Path, stack: ExitStack) -> Running:
    """Start a server and wait until it answers; the stack ends it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = scratch / peer.name.replace(" ", "-")
    folder.mkdir()
    process = subprocess.Popen(
        peer.command(port, folder),
        cwd=peer.folder or folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")} | peer.environment(port),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/", timeout=5):
                pass
            return Running(peer, f"http://127.0.0.1:{port}", process.pid)
        time.sleep(0.05)
    raise RuntimeError(f"{peer.name} did not start.")


def _node_modules() -> Path | None:
    if shutil.which("npm") is None:
        return None
    folder = FOLDER / "node"
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-save", "--prefix", str(folder)]
        if not _fetch([*command, *NODE_PACKAGES], folder):
            return None
    return folder / "node_modules"


def _python_scripts() -> Path | None:
    folder = FOLDER / "python"
    scripts = folder / "bin"
    if not (folder / "done").exists():
        if not _fetch([sys.executable, "-m", "venv", str(folder)]):
            return None
        command = [str(scripts / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if not _fetch([*command, *PYTHON_PACKAGES], folder):
            return None
    return scripts


def client_python() -> Path | None:
    """A Python with every client library that can be had, and with what ours needs; our own code is on its path."""
    folder = FOLDER / "clients"
    python = folder / "bin" / "python"
    if not (folder / "done").exists():
        if not _fetch([sys.executable, "-m", "venv", str(folder)]):
            return None
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for package in CLIENT_PACKAGES:
            _fetch([*install, package])
        if not _fetch([*install, *OUR_PACKAGES], folder):
            return None
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return python


def _fetch(command: list[str], done: Path | None = None) -> bool:
    print(f"Fetching: {' '.join(command[-2:])}", file=sys.stderr)
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        print("That failed; what it brings is left out.", file=sys.stderr)
        return False
    if done is not None:
        (done / "done").touch()
    return True
