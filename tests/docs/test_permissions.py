"""The table of permissions leaves no call out, so that a role made from it does not fail at the one call that it forgot."""

import re
from pathlib import Path

import tablewright

PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to" / "aws.md"

NEEDS_NONE = {
    "boto3_client": "hands out what is there",
    "close": "ends connections",
    "collector": "hands out what is there",
    "decode": "reads stores of offloaded values only",
    "decode_record": "the same",
    "measure": "only looks on",
    "preview_tree": "sends nothing",
    "track": "only looks on",
    "send": "needs what is sent",
    "table_name": "a name",
}


def test_every_call_is_in_the_table_of_permissions() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Permissions")[2].partition("\n## ")[0]
    calls = [re.findall(r"`(\w+)", row.split("|")[1]) for row in section.splitlines() if row.startswith("| `")]
    named = {name for row in calls for name in row}
    public = {name for name in dir(tablewright.Session) if not name.startswith("_")}
    assert len(public) > 30
    assert public - named - set(NEEDS_NONE) == set()
