"""Jobs in processes of their own, which are killed by the system, and nothing can be kept any more."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tablewright.engine import Engine
from tablewright.server import serve_in_thread
from tests.evolve.jobs.shelf import Label, book, items, label_of, make_table, run

ROOT = Path(__file__).parent.parent.parent.parent
PROGRAM = """
import sys
from tablewright.evolve.jobs import InFile, run
from tests.evolve.jobs.shelf import Label
kept = {"checkpoints": InFile(sys.argv[2], lease=0.3)} if sys.argv[2] else {}
run(Label(), sys.argv[1], write=True, segments=2, lease=0.3, checkpoint_every=0.02, max_write_units=300, **kept)
"""


@pytest.mark.full
@pytest.mark.parametrize("place", ["table", "file"])
def test_a_process_that_is_killed_again_and_again(engine: Engine, tmp_path: Path, place: str) -> None:
    books, chance, kills = 600, random.Random(8), 0
    make_table(engine, books)
    kept = str(tmp_path / "job.json") if place == "file" else ""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT), *sys.path])}
    with serve_in_thread(engine) as server:
        while True:
            process = subprocess.Popen([sys.executable, "-c", PROGRAM, server.url, kept], env=environment)
            try:
                assert process.wait(chance.uniform(0.5, 1.2)) == 0
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
            assert kills < 200
            for gate in tmp_path.glob("*.beginning"):  # as the hint says, where one died while it began
                gate.unlink()
            time.sleep(0.3)  # the lease of the dead one
    assert kills > 2
    found = items(engine)
    assert [one.get("label") for one in found] == [label_of(book(n)) for n in range(books)]
    assert run(Label(), engine).nothing_to_change


def test_ctrl_c_ends_a_program_when_how_far_it_is_was_kept(engine: Engine) -> None:
    books = 600
    make_table(engine, books)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT), *sys.path])}
    with serve_in_thread(engine) as server:
        words = [sys.executable, "-c", PROGRAM.replace("lease=0.3", "lease=600"), server.url, ""]
        with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as process:
            while not any("label" in one for one in items(engine)):
                assert process.poll() is None
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    last = "KeyboardInterrupt: label books was stopped at a checkpoint: run it again, and it goes on there."
    assert told.splitlines()[-1] == last
    assert "During handling" not in told
    done = sum("label" in one for one in items(engine))
    assert 0 < done < books
    with serve_in_thread(engine) as server:
        rest = run(Label(), server.url)  # nobody holds it any more
    assert rest.resumed
    assert (rest.counts.looked, rest.counts.written) == (books, books)
