"""Whatever names, docs and values a model holds: each language that is generated reads them as text, and as the same text."""

from __future__ import annotations

import ast
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import hcl2
import pytest
from cfnlint.decode import cfn_yaml
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt
from pydantic import BaseModel, Field

from tablewright import GSI, Entity, Get, Keys, NaturalKey, Query, Relationship, Table, get, query
from tablewright.generate.material import Material
from tablewright.generate.model_code import EntitySketch, FieldSketch, ModelSketch, PatternSketch, model_code
from tablewright.generate.outputs import OUTPUTS
from tablewright.scaffold.dal import dal_files
from tests.generate.test_book import Page
from tests.support.document_tools import DocumentTools

EVIL = (
    "a\"b'c`d|e \\ </script><script>alert(1)</script> <img src=x onerror=alert(2)> ]]> --> */ /* ${var.x} %{if} {{x}} #{y} "
    "$(touch /tmp/x) \"\"\" ''' [l](javascript:alert(3)) &amp; %% !Ref x: &a *b @enduml \x1b\x02\x03"
    "\n# Heading\n| a | b |\n|---|---|\n!include /etc/passwd\n}\n    Evil {\n```\n"
)
NAME = "n$(id)`x`|\"'\\${y}%{z}<b>:#&*"
"""A name of an attribute may be almost anything."""
table = Table(
    "evil-{stage}", pk=f"P{NAME}", indexes=[GSI("by.mail-x"), GSI("GSI2", pk=f"G{NAME}", projection=[f"v{NAME}"])]
)
State = Literal['a"b\n!include /etc/passwd\n}', "c|d`e", "</td><b>", "${x}", 'c"\n    Evil {\n        str x\n']


class Part(BaseModel):
    __doc__ = EVIL
    weight: int = Field(0, description=EVIL)


class Größe(Entity, table=table, type=f"t{NAME}", stored={"v": f"v{NAME}"}):  # noqa: PLC2401 - on purpose
    __doc__ = EVIL
    keys = Keys("TENANT#{tenant}", "G#{gid}", indexes={"by.mail-x": ("M#{mail}", "G"), "GSI2": ("S#{s}", "{gid}")})
    tenant: str
    gid: str
    s: State = Field(default="c|d`e", description=EVIL)
    mail: NaturalKey
    v: str = Field(default=EVIL, description=EVIL)
    part: Part | None = None


class Kid(Entity, table=table):
    __doc__ = "An odd ` tick, then <script>alert(4)</script>."
    keys = Keys("TENANT#{tenant}", "K#{gid}#{kid}")
    tenant: str
    gid: str
    kid: str


def _by_mail(mail: str) -> Get[Größe]:
    return get(Größe, Größe.mail == mail)


def _of_state(tenant: str, s: State) -> Query[Größe]:
    return query(Größe, Größe.tenant == tenant).filter(Größe.s == s)


_by_mail.__doc__ = _of_state.__doc__ = EVIL
by_mail, of_state = table.pattern(_by_mail), table.pattern(_of_state)
table.relate(Relationship(Größe, Kid, "1:N", "item collection", reason=EVIL))
table.relate(Relationship(Größe, 'Part" {\n}\n<script>', "1:1", "embedded", field="part", reason=EVIL))
table.expect(of_state, rate=3, results=5, source=EVIL, note=EVIL)
table.expect(Größe, items=10, size=3_000)
table.waive("TW207", "by.mail-x", reason=EVIL)
ITEM = {f"P{NAME}": {"S": EVIL}, "SK": {"S": "x"}, "Type": {"S": "Größe"}}


@cache
def files() -> dict[str, str]:
    material = Material(table.plan, items=[ITEM], tenant_field="tenant")
    return {name: text for output in OUTPUTS for name, text in output.files(material).items()}


def of_kind(*suffixes: str) -> dict[str, str]:
    found = {name: text for name, text in files().items() if name.endswith(suffixes)}
    assert found
    return found


def texts_of(tree: ast.AST) -> set[str]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def all_texts(data: Any) -> set[str]:
    if isinstance(data, dict):
        return {text for key, value in data.items() for text in all_texts(key) | all_texts(value)}
    if isinstance(data, list | tuple):
        return {text for value in data for text in all_texts(value)}
    return {data} if isinstance(data, str) else set()


@pytest.mark.parametrize("name", sorted(of_kind(".md")))
def test_markdown(name: str) -> None:
    text = of_kind(".md")[name]
    kinds = set()
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        kinds |= {child.type for child in token.children or ()} | {token.type}
        for child in token.children or ():
            if child.type in ("link_open", "image"):
                target = str(child.attrs.get("href") or child.attrs.get("src"))
                assert target.endswith((".json", ".svg")), target
        if token.type == "inline":
            assert "Heading\n" not in token.content
    assert not kinds & {"html_block", "html_inline"}
    assert not [t for t in kinds if t.startswith("ordered_list")]
    assert "\x1b" not in text
    assert "\x02" not in text


def test_rows_of_tables_have_as_many_cells_as_their_heads() -> None:
    for name, text in of_kind(".md").items():
        rows: list[int] = []
        for token in MarkdownIt("commonmark").enable("table").parse(text):
            if token.type == "table_open":
                rows = []
            elif token.type == "tr_open":
                rows.append(0)
            elif token.type in ("td_open", "th_open"):
                rows[-1] += 1
            elif token.type == "table_close":
                assert len(set(rows)) == 1, name
        pipes = [line for line in text.splitlines() if line.startswith("|")]
        assert len(pipes) == text.count("\n|") + text.startswith("|")


def test_html_and_pictures() -> None:
    for text in of_kind(".html").values():
        page = Page(text)
        assert not page.seen.keys() & {"script", "img", "iframe", "b", "link"}
        assert not [a for a in page.attributes if a.startswith("on") or a == "src"]
        assert "<script>alert(1)</script>" in page.text
    for text in of_kind(".svg").values():
        tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(text).iter()}
        assert tags <= {"svg", "title", "rect", "text", "path", "g", "line"}


def test_diagrams(document_tools: DocumentTools, tmp_path: Path) -> None:
    file = tmp_path / "erd.mmd"
    file.write_text(files()["erd.mmd"], encoding="utf-8")
    assert document_tools.mermaid(file) == ["er"]
    assert document_tools.plantuml(files()["erd.puml"]) == ["CLASS"]


def test_nothing_begins_a_line_of_a_diagram() -> None:
    for text in of_kind(".mmd", ".puml").values():
        assert not [line for line in text.splitlines() if line.lstrip().startswith(("!", "Evil", "#", "|", "```"))]
    assert files()["erd.puml"].count("@enduml") == 1


def test_json() -> None:
    for name, text in of_kind(".json").items():
        data = json.loads(text)
        if name.endswith(".schema.json"):
            Draft202012Validator.check_schema(data)
    schema = json.loads(files()["schemas/Größe.schema.json"])
    assert schema["properties"]["v"]["default"] == EVIL
    assert f"P{NAME}" in all_texts(json.loads(files()["nosql-workbench.json"]))


def test_yaml() -> None:
    names = all_texts(json.loads(json.dumps(cfn_yaml.loads(files()["table.yaml"]))))
    assert {f"P{NAME}", f"G{NAME}", f"v{NAME}"} <= names


def test_hcl() -> None:
    written = files()["table.tf"]
    hcl2.loads(written)
    name = json.dumps(f"P{NAME}").replace("${", "$${").replace("%{", "%%{")
    assert name in written


@pytest.mark.parametrize("name", ["create_table.py", "table_stack.py"])
def test_python(name: str) -> None:
    assert {f"P{NAME}", f"G{NAME}", f"v{NAME}"} <= texts_of(ast.parse(files()[name]))


def test_a_data_access_layer() -> None:
    made = dal_files(table.plan, __name__, "table")
    for name, text in made.items():
        compile(text, name, "exec")
    assert f"Kid: {Kid.__doc__}" in texts_of(ast.parse(made["data_access/kid.py"]))


@pytest.mark.parametrize("doc", [EVIL, 'ends with "', "ends with \\", "\x00", '"""', "a\n  b"])
def test_the_code_of_a_model(doc: str) -> None:
    fields = (FieldSketch("thing_id", "str", comment=f"{doc}\nimport os"),)
    entity = EntitySketch("Thing", fields, f"THING#{{thing_id}}{NAME}", "THING", doc=doc, comments=(doc,))
    pattern = PatternSketch("things", {}, "Query[Thing]", "query(Thing)", doc)
    tree = ast.parse(model_code(ModelSketch("table", EVIL, (entity,), (), (pattern,), doc=doc)))
    assert [type(node).__name__ for node in tree.body if not isinstance(node, ast.ImportFrom)] == [
        *("Expr", "Assign", "ClassDef", "FunctionDef")
    ]
    assert {EVIL, f"THING#{{thing_id}}{NAME}", doc} <= texts_of(tree)


def test_shell(tmp_path: Path) -> None:
    script = tmp_path / "create-table.sh"
    script.write_text(files()["create-table.sh"], encoding="utf-8")
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_typescript(document_tools: DocumentTools, tmp_path: Path) -> None:
    file = tmp_path / "entities.ts"
    file.write_text(files()["entities.ts"], encoding="utf-8")
    assert document_tools.typescript(file) == ""
