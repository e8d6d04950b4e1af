"""What commands tell, and what they leave as it was."""

from __future__ import annotations

import logging

import pytest

from tablewright.cli.telling import without_scan_warnings


def test_what_is_logged_afterwards_is_as_before(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("tablewright")
    with pytest.raises(KeyError), without_scan_warnings():
        log.warning("not told")
        raise KeyError
    log.warning("told")
    assert [record.message for record in caplog.records] == ["told"]
