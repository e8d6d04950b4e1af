"""`tablewright migrate status`."""

from __future__ import annotations

from tablewright.cli.migrate.opening import Model, Stage, Target, Working, migrating
from tablewright.cli.opening import TableName
from tablewright.wording import counted


def status(model: Model, target: Target, stage: Stage = None, table_name: TableName = None) -> None:
    """Tell what was done of each migration.

    Example: tablewright migrate status shop/model.py --on shop.db
    """
    with migrating(model, target, Working(stage=stage, table_name=table_name)) as (migrator, *_):
        standings = migrator.status()
    for one in standings:
        said: list[str] = [one.state or "not run yet"]
        said += [f"since {one.at}"] if one.at else []
        said += ["nobody is at work on it"] if one.idle else []
        said += [f"{counted(one.questions, 'question')} to answer"] if one.questions else []
        said += ["its file was changed after it ran"] if one.changed else []
        said += ["its file is gone"] if one.missing else []
        print(f"{one.name}: {', '.join(said)}")
    if not standings:
        print("There are no migrations.")
