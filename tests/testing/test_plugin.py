"""The plugin in runs of its own: its settings, what a failure looks like, and that it costs nothing unused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

MODEL = (Path(__file__).parent / "accounts.py").read_text(encoding="utf-8")
TEST = """
from accounts import Account, accounts

def test_it(tablewright_table, tablewright_engine, tablewright_boto3, request):
    import boto3
    tablewright_table(accounts).create(Account(number="1"))
    assert boto3.client("dynamodb").meta.region_name == {region!r}
    assert tablewright_engine.in_memory is {in_memory}
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(accounts=MODEL)
    return pytester


def test_settings_by_default(project: pytest.Pytester) -> None:
    project.makepyfile(TEST.format(region="us-east-1", in_memory=True))
    project.runpytest_inprocess().assert_outcomes(passed=1)


def test_settings_in_the_ini_file_and_on_the_command_line(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\ntablewright_tables = file\ntablewright_region = eu-west-1\n")
    project.makepyfile(TEST.format(region="eu-west-1", in_memory=False))
    project.runpytest_inprocess().assert_outcomes(passed=1)
    project.makepyfile(TEST.format(region="eu-central-1", in_memory=True))
    project.runpytest_inprocess("--tablewright-tables=memory", "--tablewright-region=eu-central-1").assert_outcomes(
        passed=1
    )


@pytest.mark.parametrize(("option", "says"), [("tables=cloud", "memory or file"), ("port=x", "a number")])
def test_wrong_settings_are_refused(project: pytest.Pytester, option: str, says: str) -> None:
    project.makepyfile("def test_it(tablewright_table, tablewright_server): pass")
    result = project.runpytest_inprocess(f"--tablewright-{option}")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*it can be {says}*"])


def test_one_server_serves_all_tests(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        seen = []

        def test_one(tablewright_server):
            seen.append(tablewright_server.url)
            tablewright_server.engine.execute("CreateTable", {
                "TableName": "One", "BillingMode": "PAY_PER_REQUEST", "DeletionProtectionEnabled": True,
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]})

        def test_other(tablewright_server, tablewright_faults):
            assert seen == [tablewright_server.url]
            assert tablewright_server.engine.execute("ListTables", {}) == {"TableNames": []}

        def test_in_a_file(tablewright_server, tmp_path):
            assert seen == [tablewright_server.url]
            assert tablewright_server.engine.in_memory is not (tmp_path / "tablewright.db").exists()
        """
    )
    for place in ("memory", "file"):
        project.runpytest_inprocess(f"--tablewright-tables={place}").assert_outcomes(passed=3)


def test_a_clock_that_comes_too_late_is_refused(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        def test_late(tablewright_engine, request):
            request.getfixturevalue("tablewright_clock")

        def test_early(request):
            clock = request.getfixturevalue("tablewright_clock")
            assert request.getfixturevalue("tablewright_server").engine.clock is clock
        """
    )
    result = project.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*runs by the machine's clock already*"])


def test_the_fixtures_are_explained(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--fixtures")
    listed = [line.partition(" ")[0] for line in result.outlines if line.startswith("tablewright_")]
    assert sorted(listed) == [
        "tablewright_async_table",
        "tablewright_aws",
        "tablewright_boto3",
        "tablewright_clock",
        "tablewright_engine",
        "tablewright_faults",
        "tablewright_file_table",
        "tablewright_plain_table",
        "tablewright_server",
        "tablewright_table",
    ]
    own = result.stdout.str().partition("from _tablewright_pytest")[2].partition("fixtures defined from")[0]
    assert "no docstring available" not in own


def test_a_failed_assertion_points_at_the_test(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        from accounts import Account, account, accounts
        from tablewright.testing import assert_requests

        def test_it(tablewright_table):
            db = tablewright_table(accounts)
            with db.measure() as meter:
                db.run(account, "1")
            assert_requests(meter, "Query")
        """
    )
    result = project.runpytest_inprocess("--tb=short")
    result.stdout.fnmatch_lines(
        ["*assert_requests(meter*", "E*1 request expected:", "E*Query", "E*1 request sent:", "E*GetItem"]
    )
    assert "assertions.py" not in result.stdout.str()


def test_a_run_that_uses_nothing_of_it_imports_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text("def test_it(): pass\n", encoding="utf-8")
    script = """
import sys, pytest
assert pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]) == 0
assert "_tablewright_pytest" in sys.modules
heavy = {"tablewright", "pydantic", "msgspec", "botocore", "boto3", "httptools", "asyncio.runners"} & set(sys.modules)
assert not heavy - {"asyncio.runners"}, heavy
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
