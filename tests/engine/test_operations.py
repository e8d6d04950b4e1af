"""Every operation can be loaded, and every action belongs to one."""

from pathlib import Path

import pytest

import tablewright.engine.actions
from tablewright.engine.operations import LOADED, OPERATIONS
from tablewright.engine.validation.shapes import Struct


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_it_has_an_action_and_a_shape(name: str) -> None:
    action, shape = LOADED[name]
    assert action.__name__.replace("_", "") == name.lower()
    assert isinstance(shape, Struct)


def test_every_action_is_an_operation() -> None:
    (folder,) = tablewright.engine.actions.__path__
    files = {path.stem for path in Path(folder).glob("*.py")} - {"__init__"}
    assert {name.replace("_", "") for name in files} == {name.lower() for name in OPERATIONS}


def test_what_is_no_operation_is_not_found() -> None:
    with pytest.raises(KeyError):
        LOADED["DropEverything"]
