"""`tablewright migrate new`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.migrate.opening import Model
from tablewright.cli.revisions import REVISION_HELP


def new(
    model: Model,
    name: Annotated[str, typer.Argument(help="What it is for, in a few words: 'orders by status'.")],
    old: Annotated[str, typer.Option("--from", help=f"The model as it was: {REVISION_HELP}.")],
) -> None:
    """Write a migration file from the difference of two models.

    It goes into the folder migrations beside the model, under the next number. What cannot be decided stands in it as a
    question; it does not run before each is answered. Read it, and change it as you need it.

    Example: tablewright migrate new shop/model.py "orders by status" --from main:shop/model.py
    """
    from tablewright.cli.migrate.opening import folder_of
    from tablewright.cli.revisions import model_at
    from tablewright.errors import ArgumentError
    from tablewright.evolve.differences.describing import describe_model
    from tablewright.evolve.migrations.files import next_path, refuse_repeated
    from tablewright.evolve.migrations.generating import steps_between
    from tablewright.evolve.migrations.printing import printed
    from tablewright.evolve.migrations.step import Question
    from tablewright.wording import counted

    with model_at(old) as table:
        before = describe_model(table)
    with model_at(model) as table:
        after = describe_model(table)
    steps, changes = steps_between(before, after)
    if not steps:
        print("The items that are there are right for both models: there is nothing to migrate.")
        return
    path = next_path(folder_of(model), name)
    text = printed(path.stem.partition("_")[2], old, steps, changes)
    refuse_repeated(path.parent, text, steps)
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArgumentError(
            f"{path} cannot be written: {error.strerror}.", hint=f"Make {path.parent} a folder that you may write to."
        ) from None
    questions = sum(isinstance(step, Question) for step in steps)
    print(f"{path}: {counted(len(steps) - questions, 'step')}, {counted(questions, 'question')} to answer.")
