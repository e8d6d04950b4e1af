"""What `python -m examples.APPLICATION.seed FILE` does, for every application that has seed data and is not shipped alone."""

import argparse
from collections.abc import Callable

from tablewright import Session


def main(application: str, opened: Callable[[str], Session], seed: Callable[[Session], int]) -> None:
    """Fills the table in the file that the command line names, and says with how much; without a file, how it is called."""
    parser = argparse.ArgumentParser(prog=f"python -m examples.{application}.seed")
    parser.add_argument("file", help="where the table is, or will be")
    with opened(parser.parse_args().file) as db:
        print(f"{seed(db)} entities written.")
