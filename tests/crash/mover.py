"""The two processes of a move that a test kills or follows: the application, which writes both sides, and the backfill.

`python -m tests.crash.mover write|backfill URL JOURNAL`
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from pathlib import Path

from tablewright.evolve.jobs import run
from tablewright.evolve.moving import MovingSession, open_moving
from tests.evolve.moving.merchants import a_merchant, a_review, merchants_moving

REFRESH = 0.2
moving = merchants_moving(refresh=REFRESH)


def write(session: MovingSession, journal: Path, stop: threading.Event) -> None:
    """Puts, changes and deletes reviews and merchants at a pace, until somebody ends the line of commands. A line of the journal
    is one acknowledged write: table, number, and the item, or null where it was deleted."""
    chance, number = random.Random(5), 0
    with journal.open("w") as lines:
        while not stop.is_set():
            number += 1
            merchant, review = chance.randrange(400), chance.randrange(3)
            key = {"merchantId": f"m{merchant}", "reviewId": f"r{review}"}
            item = None
            if chance.random() < 0.25:
                session.delete("ReviewsTable", key)
            else:
                at = f"2026-06-{chance.randrange(10, 29)}T00:00:00+00:00"  # another key in the new table
                item = a_review(merchant, review, ts=at, stars=number)
                session.put("ReviewsTable", item)
            lines.write(json.dumps(["ReviewsTable", key, item]) + "\n")
            if number % 5 == 0:
                merchant = chance.randrange(400)
                item = a_merchant(merchant, name=f"Shop {number}")
                session.put("MerchantsTable", item)
                lines.write(json.dumps(["MerchantsTable", {"merchantId": f"m{merchant}"}, item]) + "\n")
            time.sleep(0.005)
    print(number, flush=True)


def main(what: str, url: str, journal: str) -> None:
    """One of the two."""
    with open_moving(moving, url) as session:
        print("ready", flush=True)
        if what == "backfill":
            for work in session.backfills():
                run(work, url, write=True, segments=2, in_flight=8, lease=0.2, checkpoint_every=0.02)
            return
        stop = threading.Event()
        thread = threading.Thread(target=write, args=(session, Path(journal), stop))
        thread.start()
        sys.stdin.read()
        stop.set()
        thread.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
