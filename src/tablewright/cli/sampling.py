"""Where samples of items come from: a table, a folder with an export, or a file with an item on each line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tablewright.errors import ArgumentError, TablewrightError
from tablewright.transport.answers import next_start
from tablewright.values.wire import to_wire_item
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.infer.sample import Layout
    from tablewright.values.types import Item

_FILES = (".json", ".jsonl", ".ndjson", ".gz")
_MANIFESTS = ("manifest-summary.json", "manifest-files.json", "manifest-summary.checksum", "table-definition.json")
_PLACES = ("aws:", "http://", "https://")
_TAGS = frozenset(("S", "N", "B", "SS", "NS", "BS", "L", "M", "BOOL", "NULL"))


def sample(
    source: str, table: str | None, *, limit: int, segments: int, key: str | None, indexes: Sequence[str]
) -> tuple[Layout, list[Item]]:
    """The layout of a table and some of its items."""
    from tablewright.infer.sample import guessed_layout, layout_of, said_layout

    path = Path(source)
    if not path.is_dir() and not (path.is_file() and path.suffix in _FILES):
        if key is not None or indexes:
            raise ArgumentError("A table tells its keys itself.", hint="Leave out --key and --index.")
        return _of_table(source, table, limit, segments)
    files = _files(path)
    items = list(islice((item for file in files for item in _lines(file)), limit))
    name = table or _name(path)
    definition = next(iter(sorted(path.rglob("table-definition.json"))), None) if path.is_dir() else None
    if key is not None:
        return said_layout(name, items, key, indexes), items
    if definition is not None:
        described = json.loads(definition.read_text("utf-8"))
        return layout_of({**described, "TableName": table or described.get("TableName", name)}), items
    return guessed_layout(name, items), items


def _name(path: Path) -> str:
    name = "".join(char if char.isalnum() or char in "_-." else "_" for char in path.name.partition(".")[0])
    return name if len(name) > 2 else f"{name}_table"


# --------------------------------------------------------------------------------------------------------- tables


def _of_table(source: str, table: str | None, limit: int, segments: int) -> tuple[Layout, list[Item]]:
    from tablewright.client.plain.opening import open_table

    if not source.startswith(_PLACES):
        table = _table_in(Path(source), table)
    if table is None:
        raise ArgumentError("Which table?", hint="Name it after the place: tablewright infer aws:eu-west-1 Orders")
    with open_table(table, source) as opened:
        layout = described_layout(opened.send, table, on_aws=source.startswith("aws:") or "amazonaws.com" in source)
        return layout, list(islice(_scanned(opened.send, table, limit, segments), limit))


def described_layout(send: Any, table: str, *, on_aws: bool) -> Layout:
    """The layout of a table, with all that it tells of how it is run."""
    from tablewright.infer.sample import layout_of
    from tablewright.infer.settings import settings_of

    refused: list[str] = []

    def asked(operation: str, **request: Any) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = send(operation, request)
        except TablewrightError:
            # Whoever may read a table need not be allowed to ask that, and not every server knows it.
            refused.append(operation)
            return {}
        return answer

    description = send("DescribeTable", {"TableName": table})["Table"]
    expiry = asked("DescribeTimeToLive", TableName=table).get("TimeToLiveDescription", {})
    ttl = expiry.get("AttributeName") if expiry.get("TimeToLiveStatus") in ("ENABLED", "ENABLING") else None
    backups = asked("DescribeContinuousBackups", TableName=table).get("ContinuousBackupsDescription")
    insights = asked("DescribeContributorInsights", TableName=table).get("ContributorInsightsStatus")
    tags: dict[str, str] = {}
    more: dict[str, str] = {}
    while "TableArn" in description:
        page = asked("ListTagsOfResource", ResourceArn=description["TableArn"], **more)
        tags |= {tag["Key"]: tag["Value"] for tag in page.get("Tags", ())}
        if not page.get("NextToken"):
            break
        more = {"NextToken": page["NextToken"]}
    if not on_aws:
        # Nobody protects a table of a file or of a server for development, and a deployment should not learn that of it.
        description = {name: value for name, value in description.items() if name != "DeletionProtectionEnabled"}
        backups = None
    settings = settings_of(description, backups=backups, tags=tags, insights=insights in ("ENABLED", "ENABLING"))
    if refused:
        untold = f"Not answered, so that the model says nothing of it: {', '.join(dict.fromkeys(refused))}."
        settings = replace(settings, notes=(*settings.notes, untold))
    return layout_of(description, ttl, settings)


def _table_in(file: Path, name: str | None) -> str:
    """The table of a file that is meant. A file is only read, and so never made."""
    from tablewright.cli.tables import table_names
    from tablewright.engine import open_engine

    if not file.is_file():
        raise ArgumentError(
            f"There is no file {file}.",
            hint="A table on AWS is found by its region: tablewright infer aws:eu-west-1 Orders",
        )
    with open_engine(file, sweep_every=None, backfills=False) as engine:
        names = table_names(engine)
    held = f"It holds: {', '.join(names)}." if names else "It holds no table; fill it first."
    if name is None and len(names) != 1:
        raise ArgumentError(f"{file} holds {counted(len(names), 'table')}; which one?", hint=held)
    if name is not None and name not in names:
        raise ArgumentError(f"{file} holds no table {name!r}.", hint=held)
    return name or names[0]


def _scanned(send: Any, table: str, limit: int, segments: int) -> Iterator[Item]:
    """Items from all over a table: a page of each segment in turn, so that no part of it is the whole sample."""
    starts: dict[int, dict[str, Any]] = {segment: {} for segment in range(segments)}
    each = max(1, -(-limit // segments))
    while starts:
        for segment, start in list(starts.items()):
            request = {"TableName": table, "Segment": segment, "TotalSegments": segments, "Limit": each, **start}
            page = send("Scan", request)
            yield from page["Items"]
            following = next_start(page)
            if following is None:
                del starts[segment]
            else:
                starts[segment] = {"ExclusiveStartKey": following}


# ---------------------------------------------------------------------------------------------------------- files


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = [f for f in sorted(path.rglob("*")) if f.suffix in _FILES and f.is_file() and f.name not in _MANIFESTS]
    if not found:
        raise ArgumentError(f"{path} holds no files of items.", hint="Name the folder of an export in DynamoDB JSON.")
    return found


def _lines(file: Path) -> Iterator[Item]:
    opened: Any = gzip.open if file.suffix == ".gz" else open
    try:
        with opened(file, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _item(file, number, line)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ArgumentError(f"{file} cannot be read: {type(error).__name__}.") from None


def _item(file: Path, number: int, line: str) -> Item:
    try:
        read = json.loads(line, parse_float=Decimal)
        if not isinstance(read, dict):
            raise ArgumentError("it is no object")
        inside = read.get("Item")
        item: dict[str, Any] = inside if len(read) == 1 and isinstance(inside, dict) else read
        return item if all(map(_is_typed, item.values())) else to_wire_item(item)
    except (ValueError, TablewrightError) as error:
        said = error.message if isinstance(error, TablewrightError) else "it is no JSON"
        raise ArgumentError(
            f"Line {number} of {file} is no item: {said}.",
            hint="Each line holds an item, in DynamoDB JSON or in plain JSON.",
        ) from None


def _is_typed(value: Any) -> bool:
    return isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in _TAGS
