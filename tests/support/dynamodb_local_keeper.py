"""Keeps one DynamoDB Local alive for one test run: a small process that ends the server when the run is over.

It stands between pytest and java so that no server is left behind, even when pytest is killed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

ATTEMPTS = 3


def address(folder: Path) -> str | None:
    """Where the run's server answers, once it does."""
    try:
        return (folder / "address").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def stop(folder: Path) -> None:
    """End the run's server, if one was started, and wait until it is gone."""
    try:
        pid = int((folder / "pid").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + 10
    while (folder / "pid").exists() and time.monotonic() < deadline:
        time.sleep(0.05)


def main(folder: Path, jar: Path, owner: int) -> None:
    """Serve until told to stop, until the owner is gone, or until java ends by itself."""
    signal.signal(signal.SIGTERM, _exit)
    _publish(folder / "pid", str(os.getpid()))
    java = None
    try:
        for _ in range(ATTEMPTS):
            port = _free_port()
            java = _start(jar, port)
            if _wait_until_it_answers(java, port, owner):
                _publish(folder / "address", f"http://127.0.0.1:{port}")
                break
        while java is not None and java.poll() is None and _alive(owner):
            time.sleep(0.3)
    finally:
        if java is not None:
            java.kill()
            java.wait()
        with contextlib.suppress(FileNotFoundError):
            (folder / "pid").unlink()
        if not _alive(owner):
            shutil.rmtree(folder, ignore_errors=True)  # nobody else is left to do it


def _exit(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def _publish(path: Path, text: str) -> None:
    # By renaming, so that nobody reads half a line.
    draft = path.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def _free_port() -> int:
    # Another process may take it before java does; then java ends and the next attempt picks another.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _start(jar: Path, port: int) -> subprocess.Popen[bytes]:
    options = ["-Djava.library.path=./DynamoDBLocal_lib", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    # Not -sharedDb: each access key has tables of its own, so that processes can keep out of each other's way.
    server = ["-inMemory", "-disableTelemetry", "-port", str(port)]
    return subprocess.Popen(["java", *options, "-jar", jar.name, *server], cwd=jar.parent, stdout=subprocess.DEVNULL)


def _wait_until_it_answers(java: subprocess.Popen[bytes], port: int, owner: int) -> bool:
    while java.poll() is None and _alive(owner):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=5).close()
        except urllib.error.HTTPError as refused:
            refused.close()
            return True  # it answers a bare GET with an error, but it answers
        except OSError:
            time.sleep(0.1)
        else:
            return True
    return False


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


if __name__ == "__main__":
    # Detached: it outlives the worker that asked for it, and an interrupt typed at the terminal does not reach it
    # before the last test that needs the server.
    if os.fork():
        os._exit(0)
    os.setsid()
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
