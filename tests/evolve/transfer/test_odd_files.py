"""Files whose names, beginnings or values are unusual."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from tablewright import Entity, Keys, Table
from tablewright.errors import ArgumentError
from tablewright.evolve.transfer.checkpoint import Checkpoint, save_checkpoint
from tablewright.evolve.transfer.exporting import export_rows, format_of
from tablewright.evolve.transfer.importing import Imported, ImportOptions, import_rows
from tablewright.evolve.transfer.mapping import EntityMapping
from tablewright.evolve.transfer.selecting import of_entity
from tablewright.evolve.transfer.sources import find_source, input_format

words = Table("Words")


class Word(Entity, table=words):
    keys = Keys("WORD#{text}", "WORD")
    text: str
    more: Any = None
    counts: dict[str, int] | None = None


def imported(path: Path, data: bytes) -> Imported:
    path.write_bytes(data)
    source = find_source(str(path), input_format(str(path), None), EntityMapping())
    with words.open("memory:") as db:
        return import_rows(db, words, source, "Word", options=ImportOptions(write=True))


TABS = b"text\tmore\none, two\t1\n"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("words.TSV", TABS),
        ("words.tsv.GZ", gzip.compress(TABS)),
        ("words.CSV.GZ", gzip.compress(b"text,more\none,1\n")),
        ("words.tsv.csv", b"text,more\none,1\n"),
        ("words.csv", b"\r\n\ntext,more\n\none,1\n"),
        ("words.JSONL", b'\xef\xbb\xbf{"text": "one"}\n'),
    ],
    ids=["capitals", "packed tabs", "packed", "two endings", "empty lines", "a mark of byte order"],
)
def test_what_is_read_all_the_same(tmp_path: Path, name: str, data: bytes) -> None:
    done = imported(tmp_path / name, data)
    assert (done.new, done.bad) == (1, 0), done.problems


def test_a_name_in_capitals_is_packed_too(tmp_path: Path) -> None:
    path = tmp_path / "words.JSONL.GZ"
    with words.open("memory:") as db:
        db.create(Word(text="one"))
        export_rows(db, of_entity(words, "Word"), path, format_of(path, None))
    assert imported(path, path.read_bytes()).new == 1
    assert gzip.decompress(path.read_bytes()).startswith(b'{"text":"one"')


def test_json_lines_are_in_utf_8(tmp_path: Path) -> None:
    done = imported(tmp_path / "words.jsonl", '{"text": "one"}\n{"text": "two"}\n'.encode("utf-16"))
    assert (done.new, done.bad) == (0, done.rows)


@pytest.mark.parametrize("name", ["words.jsonl.gz", "words.csv.gz", "words.json.gz"])
def test_a_packed_file_of_nothing_is_damaged(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArgumentError, match="cannot be read: EOFError"):
        imported(tmp_path / name, b"")


@pytest.mark.parametrize(
    "value",
    [
        '{"SS": ["a", "a"]}',
        '{"S": "secret", "N": "1"}',
        '{"B": "secret"}',
        '{"L": [{"S": 1}]}',
        '{"NULL": false}',
        '{"N": "secret"}',
    ],
)
def test_values_in_dynamodbs_json_are_checked(tmp_path: Path, value: str) -> None:
    done = imported(tmp_path / "words.jsonl", f'{{"text": "one", "more": {{"$dynamodb": {value}}}}}'.encode())
    (problem,) = done.problems
    assert problem.column == "more"
    assert problem.message == "it is no value in DynamoDB's JSON"


def test_maps_of_parquet_are_dicts(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    inner = arrow.map_(arrow.string(), arrow.int64())
    columns = {
        "counts": arrow.array([[("a", 1)], [], None, [("a", 1), ("a", 2)]], inner),
        "more": arrow.array(
            [[{"of": [("b", [("c", 2)])]}], [{"of": None}, None], None, None],
            arrow.list_(arrow.struct([("of", arrow.map_(arrow.string(), inner))])),
        ),
    }
    path = tmp_path / "words.parquet"
    parquet.write_table(arrow.table({"text": ["one", "two", "three", "four"], **columns}), path)
    source = find_source(str(path), "parquet", EntityMapping())
    with words.open("memory:") as db:
        done = import_rows(db, words, source, "Word", options=ImportOptions(write=True))
        found = {word.text: (word.counts, word.more) for word in db.scan_for_maintenance(Word)}
    assert [(problem.place, problem.column) for problem in done.problems] == [("row 4", "counts")]
    assert found == {
        "one": ({"a": 1}, [{"of": {"b": {"c": 2}}}]),
        "two": ({}, [{"of": None}, None]),
        "three": (None, None),
    }


def test_maps_of_parquet_that_no_dict_can_be_are_wrong(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "words.parquet"
    keys = (arrow.list_(arrow.int64()), [1]), (arrow.struct([("a", arrow.int64())]), {"a": 1})
    for kind, key in keys:
        counts = arrow.array([[(key, 1)]], arrow.map_(kind, arrow.int64()))
        parquet.write_table(arrow.table({"text": ["one"], "counts": counts}), path)
        with words.open("memory:") as db:
            done = import_rows(db, words, find_source(str(path), "parquet", EntityMapping()), "Word")
        assert [(problem.place, problem.column) for problem in done.problems] == [("row 1", "counts")]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_a_file_that_cannot_be_written(tmp_path: Path, ending: str) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / ("x" * 245 + ending)  # the one beside it has a longer name than there may be
    with (
        words.open("memory:") as db,
        pytest.raises(ArgumentError, match="cannot be written: File name too long") as told,
    ):
        export_rows(db, of_entity(words, "Word"), path, format_of(path, None))
    assert told.value.hint is not None
    assert [*tmp_path.iterdir()] == []


def test_a_checkpoint_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="cannot be written: File name too long"):
        save_checkpoint(tmp_path / ("x" * 250), Checkpoint("one"))


def test_keys_of_maps_are_values(tmp_path: Path) -> None:
    path = tmp_path / "words.jsonl"
    path.write_text('{"text": "one", "counts": {"SECRET": "many"}}\n')
    with words.open("memory:") as db:
        (problem,) = import_rows(db, words, find_source(str(path), "jsonl", EntityMapping()), "Word").problems
    assert problem.column == "counts"
    assert problem.message.startswith("Word.counts.*: Input should be a valid integer")
