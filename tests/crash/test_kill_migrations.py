"""A migration that is killed again and again, while code of the old model and of the new one writes: everything is right in the end.

The table is served from a file by a process of its own; so are the two applications, and each attempt of the migration.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tablewright import cli
from tests.crash.migration import truth

HERE = Path(__file__).parent / "migration"
ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")


_DONE = ("There is nothing to undo",)
"""What is said where the one that was killed had just finished, or not begun."""


class Size:
    """How much of it there is."""

    def __init__(self, items: int, rate: float, kills: tuple[int, ...], mean: float, sample: int) -> None:
        self.items, self.rate, self.kills, self.mean, self.sample = items, rate, kills, mean, sample


class Application:
    """One of the two, as this process sees it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert self.answer() == {"ready": True}

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def say(self, do: str, **more: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self.process.stdin.flush()

    def heard(self) -> Any:
        answer = self.answer()
        assert "failed" not in answer, answer["failed"]
        return answer["came"]

    def ask(self, do: str, **more: Any) -> Any:
        self.say(do, **more)
        return self.heard()


class Ground:
    """The server, the applications, and the migration as a command."""

    def __init__(self, folder: Path, size: Size, stack: ExitStack) -> None:
        self.folder, self.size = folder, size
        self.chance = random.Random(size.items)
        self.killed = self.most = 0
        self.began, self.wrote_seconds = time.monotonic(), 0.0
        self.at_work: tuple[Application, ...] = ()
        (folder / "migrations").mkdir()
        for name, place in (("old", "old.py"), ("new", "model.py"), ("change", "migrations/0001_change.py")):
            (folder / place).write_text((HERE / f"{name}.py").read_text())
        self.model = str(folder / "model.py")
        ready = folder / "ready"
        words = ["serve", "shop.db", "--port", "0", "--ready-file", str(ready)]
        self.server = stack.enter_context(_process([sys.executable, "-m", "tablewright", *words], folder))
        while not ready.exists() or not ready.read_text().strip():
            assert self.server.poll() is None
            time.sleep(0.02)
        self.url = ready.read_text().strip()
        self.old, self.new = (self._application(side, stack) for side in ("old", "new"))

    def _application(self, side: str, stack: ExitStack) -> Application:
        journals = [str(self.folder / f"{one}.jsonl") for one in (side, "new" if side == "old" else "old")]
        for journal in journals:
            Path(journal).touch()
        words = [
            sys.executable,
            "-m",
            "tests.crash.migration.application",
            side,
            self.url,
            *journals,
            str(self.size.items),
        ]
        return Application(stack.enter_context(_process(words, self.folder)))

    # ------------------------------------------------------------------------------------------------- applications

    def write(self, *who: Application) -> None:
        """Both, or one of them, begin to write."""
        self.at_work, self.paused_at = who, time.monotonic()
        for one in who:
            one.ask("write", rate=self.size.rate / len(who))

    def pause(self) -> None:
        """Nobody writes any more, and each knows what the other one has written."""
        for one in self.at_work:
            one.say("pause")
        for one in self.at_work:
            one.heard()
        self.wrote_seconds += time.monotonic() - self.paused_at
        self.at_work = ()
        for one in (self.old, self.new):
            one.ask("follow")

    def check(self, phase: str, *who: Application) -> None:
        """Every access pattern of both, side by side."""
        for one in who:
            one.say("check", phase=phase, sample=self.size.sample)
        checked = [one.heard() for one in who]
        assert min(checked) > self.size.items / 3
        self.tell(f"{phase}: {checked} answers as they should be")

    # ------------------------------------------------------------------------------------------------- the migration

    def migrate(self, *words: str) -> str:
        """What a command said that nobody killed."""
        done = CliRunner().invoke(cli.app, ["migrate", words[0], self.model, "--on", self.url, *words[1:]])
        said = f"{done.output} {done.exception}"
        assert done.exit_code == 0 or any(text in said for text in _DONE), (words, said)
        return done.output

    def attempt(self, stage: str, seconds: float) -> bool:
        """Whether a process of its own came to its end, before it was killed so long after it had taken the lock."""
        words = [stage, self.model, "--on", self.url, "--write", "--take-over"]
        before = self.owner()
        with _process([sys.executable, "-m", "tablewright", "migrate", *words], self.folder) as process:
            while process.poll() is None and self.owner() in (None, before):
                time.sleep(0.01)
            try:
                said, _ = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                self.most = max(self.most, _memory(process))
                process.send_signal(signal.SIGKILL)
                self.killed += 1
                return False
            assert process.returncode == 0 or any(text in said for text in _DONE), (words, said)
            return True

    def owner(self) -> str | None:
        """Who holds the lock of migrations."""
        key = {"PK": {"S": "tablewright#migrations"}, "SK": {"S": "ledger"}}
        item = self.send("GetItem", {"TableName": "Shop", "Key": key}).get("Item", {})
        owner: str | None = item["lock"]["M"]["owner"]["S"] if "lock" in item else None
        return owner

    def killed_and_resumed(self, stage: str, kills: int, *, finish: bool = True) -> None:
        """A stage that is killed so many times at random moments, and then comes to its end."""
        before = self.killed
        for _ in range(kills):
            if self.attempt(stage, self.chance.expovariate(1 / self.size.mean)):
                break
        else:
            if finish:
                self.migrate(stage, "--write", "--take-over")
        self.tell(f"{stage}: killed {self.killed - before} times")

    def verified(self, stage: str) -> None:
        """The digests that the command tells are those that were worked out from the journals."""
        said = self.migrate("verify")
        told = re.findall(r"^(\w+): ([\d,]+) items?, digest ([0-9a-f]{32})$", said, re.M)
        assert said.endswith("Nothing to do.\n"), said
        found = {name: (int(count.replace(",", "")), text) for name, count, text in told}
        assert found == truth.digests(self.world().wire(stage))

    def world(self) -> truth.World:
        """What must be there, from the seed and both journals: no item but tallies is written by both at the same time."""
        journals = [self.folder / f"{side}.jsonl" for side in ("old", "new")]
        writes = [json.loads(line) for journal in journals for line in journal.read_text().splitlines()]
        world = truth.World(truth.seeded(self.size.items))
        for write in writes:
            world.apply(write)
        self.writes = len(writes)
        return world

    def compared(self, stage: str) -> None:
        """Every item of the table, attribute by attribute, marks of the migration included."""
        wanted = {(w["PK"]["S"], w["SK"]["S"]): w for _, w in self.world().wire(stage)}
        for item in self.scanned():
            key = (item["PK"]["S"], item["SK"]["S"])
            if key[0] != "tablewright#migrations":
                assert item == wanted.pop(key, None), key
        assert wanted == {}

    def scanned(self) -> Iterator[dict[str, Any]]:
        """The table, by nothing but HTTP."""
        request: dict[str, Any] = {"TableName": "Shop", "ConsistentRead": True}
        while True:
            page = self.send("Scan", request)
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """One request, signed by nobody that the server would look at."""
        headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        headers["Authorization"] = "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/dynamodb/aws4_request, "
        headers["Authorization"] += "SignedHeaders=host;x-amz-date, Signature=0"
        headers["X-Amz-Date"] = "20260101T000000Z"
        sent = urllib.request.Request(self.url, json.dumps(request).encode(), headers)
        with urllib.request.urlopen(sent) as reply:
            answer: dict[str, Any] = json.loads(reply.read())
        return answer

    def tell(self, text: str) -> None:
        """For whoever runs it with -s."""
        print(f"{time.monotonic() - self.began:7.1f} s  {text}", flush=True)


def _memory(process: subprocess.Popen[str]) -> int:
    """The most megabytes that a process had, where the system tells."""
    status = Path(f"/proc/{process.pid}/status")
    told = re.search(r"VmHWM:\s+(\d+)", status.read_text() if status.exists() else "")
    return 0 if told is None else int(told[1]) // 1024


@contextmanager
def _process(words: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT), *sys.path])
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def whole_way(folder: Path, size: Size) -> int:
    """From the old shop to the new one; how often it was killed."""
    with ExitStack() as stack:
        ground = Ground(folder, size, stack)
        old, new = ground.old, ground.new
        old.ask("seed")
        ground.tell(f"{size.items:,} items")
        first, rollback, again, since, retire, last = size.kills

        # It begins, and is taken back in the middle. Only old code is left then.
        if first:
            ground.write(old, new)
            ground.killed_and_resumed("run", first, finish=False)
            ground.pause()
            ground.write(old)
            ground.killed_and_resumed("rollback", rollback)
            ground.pause()
            ground.check("old", old)
            ground.compared("old")

        # It runs. Old code writes everything; new code reads everything, and writes what it can write as the old one does.
        ground.write(old, new)
        ground.killed_and_resumed("run", again)
        ground.pause()
        ground.migrate("run", "--write")
        assert ground.migrate("run", "--write").endswith("Nothing to do.\n")
        ground.verified("ran")
        ground.check("ran", old, new)

        # New code writes orders from now on.
        ground.migrate("cutover")
        ground.check("cut over", old, new)
        old.ask("become", orders=False, day=True, first=True)
        new.ask("become", orders=True, day=True, first=True)
        ground.write(old, new)
        ground.killed_and_resumed("run", since)
        ground.pause()
        ground.migrate("run", "--write")
        ground.verified("ran")
        ground.check("written since", old, new)

        # Old code is gone: new code writes its own versions, and no days any more.
        new.ask("become", orders=True, day=False, first=False)
        ground.write(new)
        ground.killed_and_resumed("retire", retire)
        ground.pause()
        ground.check("retired", new)
        ground.compared("retired")
        assert ground.migrate("run", "--write") == "Nothing to do.\n"
        ground.verified("retired")

        # It did not turn out well.
        if last:
            ground.killed_and_resumed("rollback", last)
            ground.check("old", old)
            ground.compared("old")
        pace = ground.writes / ground.wrote_seconds
        ground.tell(f"{ground.writes:,} writes of applications, {pace:.0f} a second; killed {ground.killed} times")
        lasting = [_memory(process) for process in (ground.server, old.process, new.process)]
        ground.tell(f"at most {ground.most} MB in an attempt of the migration, {lasting} MB in server and applications")
        return ground.killed


def test_a_migration_that_is_killed_again_and_again(tmp_path: Path) -> None:
    size = Size(items=600, rate=120, kills=(0, 0, 3, 0, 2, 1), mean=0.04, sample=60)
    assert whole_way(tmp_path, size) >= 4  # one may come too late


@pytest.mark.full
def test_it_is_taken_back_in_the_middle_and_in_the_end(tmp_path: Path) -> None:
    size = Size(items=5000, rate=200, kills=(3, 3, 5, 3, 5, 3), mean=0.5, sample=500)
    assert whole_way(tmp_path, size) >= 10


@pytest.mark.full
def test_two_hundred_thousand_items_and_fifty_kills(tmp_path: Path) -> None:
    size = Size(items=200_000, rate=240, kills=(6, 4, 34, 3, 26, 0), mean=3.0, sample=3000)
    assert whole_way(tmp_path, size) >= 50
