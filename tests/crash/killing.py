"""Running a child and killing it without warning."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time


def lines_until_killed(script: str, *arguments: str, seconds: float) -> list[str]:
    """The lines that the child wrote, whole, before it was killed some time after the first of them."""
    child = subprocess.Popen([sys.executable, script, *arguments], stdout=subprocess.PIPE, text=True)
    lines: list[str] = []
    first = threading.Event()

    def listen() -> None:
        assert child.stdout is not None
        for line in child.stdout:
            # A line that the kill cut short is not an acknowledgement.
            if line.endswith("\n"):
                lines.append(line.strip())
                first.set()

    listener = threading.Thread(target=listen)
    listener.start()
    assert first.wait(timeout=60), "the child wrote nothing"
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    child.wait()
    listener.join()
    assert child.stdout is not None
    child.stdout.close()
    return lines
