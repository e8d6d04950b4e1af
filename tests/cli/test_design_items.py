"""Every item of the checklists is ticked in some state of model and files, and is not in another."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tablewright import cli
from tablewright.cli.models import load_model
from tablewright.lint.registry import all_rules
from tablewright.scaffold.job.checklists import PHASES
from tablewright.scaffold.job.evidence import Evidence
from tablewright.scaffold.job.items import Item
from tablewright.scaffold.job.overview import Overview
from tests.cli.conftest import JOB, edit

ITEMS = {item.text: item for phase in PHASES for checklist in phase.checklists for item in checklist.items}
MODEL, LAYER = Path("notebooks/model.py"), Path("layer")
Spoil = Callable[[], object]


def missing(*more: str) -> dict[str, str]:
    """What is missing, by the text of its item."""
    result = CliRunner().invoke(cli.app, ["design", "status", "notebooks", "--json", *more])
    assert result.output, result.exception
    return {i["text"]: i["missing"] for i in json.loads(result.output)["items"] if not i["done"]}


def answer(old: str, new: str) -> Spoil:
    return lambda: edit(JOB / "overview.md", (old, new))


def model(*replacements: tuple[str, str]) -> Spoil:
    return lambda: edit(MODEL, *replacements)


def model_ends(*lines: str) -> Spoil:
    return lambda: MODEL.write_text(f"{MODEL.read_text()}\n{chr(10).join(lines)}\n")


def emptied(path: Path) -> Spoil:
    return lambda: path.write_text("")


def stubbed(path: Path, function: str) -> Spoil:
    """A function keeps its name and its docstring, and does nothing."""
    body = re.compile(rf"(def {function}\(.*?\) ->[^\n]*:\n(?:    \"\"\".*?\"\"\"\n)?).*?(?=\n\n\n|\Z)", re.DOTALL)
    return lambda: path.write_text(body.sub(r"\1    ...", path.read_text(), count=1))


def template(**changed: object) -> Spoil:
    """A template by another hand, which differs from the model in some properties."""

    def write() -> None:
        index = {
            "IndexName": "GSI1",
            "KeySchema": [
                {"AttributeName": "GSI1PK", "KeyType": "HASH"},
                {"AttributeName": "GSI1SK", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
        table = {
            "TableName": "Notebooks",
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            "AttributeDefinitions": [
                {"AttributeName": n, "AttributeType": "S"} for n in ("PK", "SK", "GSI1PK", "GSI1SK")
            ],
            "GlobalSecondaryIndexes": [index],
            "BillingMode": "PAY_PER_REQUEST",
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
            "DeletionProtectionEnabled": True,
        }
        resource = {
            "Type": "AWS::DynamoDB::Table",
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": {n: v for n, v in {**table, **changed}.items() if v is not None},
        }
        Path("infra").mkdir()
        Path("infra/stack.template.json").write_text(json.dumps({"Resources": {"NotebooksTable": resource}}))
        edit(JOB / "overview.md", ('infrastructure = ""', 'infrastructure = "infra"'))

    return write


def index_of(name: str) -> list[object]:
    schema = [{"AttributeName": f"{name}PK", "KeyType": "HASH"}, {"AttributeName": f"{name}SK", "KeyType": "RANGE"}]
    return [{"IndexName": name, "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}]


ANSWERED: dict[str, tuple[Spoil, str]] = {
    "The purpose of the application is written down.": (answer('"Notes of people."', '"  "'), "purpose is empty"),
    "What users do is known.": (answer('["write a note"]', '[""]'), "actions.user is empty in the overview"),
    "It is known how entities are related, and how settled the requirements are.": (
        answer('requirements = "settled"', 'requirements = ""'),
        "situation.requirements",
    ),
    "Somebody of the team knows DynamoDB, or has done the tutorial.": (answer('"some"', '"none"'), "tutorial_done"),
    "Actions of users are listed.": (lambda: None, "actions.user is empty"),
    "Actions of admins are listed.": (answer('["close an account"]', "[]"), "actions.admin is empty"),
    "Actions of the system are listed.": (answer('["remind of notes"]', "[]"), "actions.system is empty"),
    "Scale is known: requests in a second, items.": (answer("items = 5_000_000", "items = 0"), "scale.items"),
    "Latency is known: of half of the requests, of 99 in 100.": (answer("p50_ms = 5", "p50_ms = 50"), "needs.p50_ms"),
    "Consistency and cost are known.": (answer('"mixed"', '""'), "needs.consistency"),
}
OF_MODEL: dict[str, tuple[Spoil, str]] = {
    "Every entity of the list is in the model, and every entity of the model is in the list.": (
        lambda: edit(JOB / "entities.md", ("| Note |", "| Reminder |")),
        "Reminder: listed, but not in the model",
    ),
    "Every entity says what it is.": (
        model(('    """A notebook of somebody."""\n\n', "")),
        "Notebook: without a docstring",
    ),
    "Every pattern says what is asked.": (model(('    "A note."\n', '    " "\n')), "note(): no docstring"),
    "Every pattern has a frequency.": (model(("pinned_notes, rate=50, ", "pinned_notes, ")), "pinned_notes(): expect"),
    "Every pattern has a target for its latency.": (
        model(("expect(note, rate=20, results=1, latency_ms=20", "expect(note, rate=20, results=1")),
        "note(): expect(..., latency_ms=) is not said",
    ),
    "Every pattern names the screen or endpoint that needs it.": (
        model(('source="page of a notebook"', 'source=" "')),
        "notes_in(): expect(..., source=) is not said",
    ),
    "The technical lead agrees with entities and relationships.": (
        model(("    pinned: bool = False", "    pinned: bool = False\n    colour: str = ''")),
        "changed since A. Lovelace, ",
    ),
    "The product manager agrees with the access patterns.": (lambda: None, "changed since G. Hopper, "),
    "A stakeholder agrees that nothing is left out.": (lambda: None, "changed since L. Lin, "),
    "The diagram of entities and relationships.": (lambda: None, "erd.mmd is not up to date"),
    "The table of access patterns.": (lambda: None, "data-access-patterns.md is not up to date"),
    "The table of keys, as a draft.": (
        model(('"NOTE#{note_id}"', '"N#{note_id}"')),
        "entity-key-table-main.md is not up to date",
    ),
    "Every access pattern is a GetItem or a Query.": (
        model(("Note.username == username, Note.pinned == True", "Note.body == username")),
        "pinned_notes(): no key serves it",
    ),
    "Every relationship has a strategy and a reason.": (
        model(("""reason="a notebook is read with its user's others, its notes page by page",""", 'reason=" ",')),
        "Notebook to Note: no reason",
    ),
    "Every field has a type.": (
        model(
            ("    title: str = Field(max_length=200)", "    title: str = Field(max_length=200)\n    more: Any = None"),
            ("from pydantic", "from typing import Any\n\nfrom pydantic"),
        ),
        "Notebook.more: may hold anything",
    ),
    "Every text that stands in a key has a greatest length.": (
        model(("    username: str = Field(max_length=60)\n    written_at", "    username: str\n    written_at")),
        "Note.username: stands in a key and has no max_length",
    ),
    "The table of keys of the main table and of each index.": (lambda: None, "is not up to date"),
    "The table of access patterns, with index, key condition and parameters.": (lambda: None, "is not up to date"),
    "Decisions on relationships.": (lambda: None, "relationship-decisions.md is not up to date"),
    "Schemas of the entities.": (lambda: None, "schemas/Notebook.schema.json is not up to date"),
    "The design in one document.": (lambda: None, "design-book.md is not up to date"),
    "Infrastructure code.": (model(('Table("Notebooks"', 'Table("Books"')), "is not what the model makes today"),
}
NOTHING_READ: dict[str, tuple[Spoil, str]] = {
    "Every entity is read by a pattern.": (
        model(
            ("query(Notebook, Notebook.username == username)", "query(Note, Note.notebook_id == username)"),
            (
                "get(Notebook, Notebook.username == username, Notebook.notebook_id",
                "get(Note, Note.note_id == username, Note.notebook_id",
            ),
            ("Get[Notebook]", "Get[Note]"),
            ("Query[Notebook]", "Query[Note]"),
        ),
        "Notebook: no pattern reads it",
    ),
    "Every many-to-many relationship has an entity for its links, or another strategy.": (
        model_ends('notebooks.relate(Relationship(Notebook, Note, "M:N", "embedded", field="title"))'),
        "Notebook to Note: many to many, and stored on one side",
    ),
}
REFUSED: dict[str, tuple[Spoil, str]] = {
    "Every definition is accepted.": (
        model_ends(
            "class Twice(Entity, table=notebooks, type='Note'):",
            "    keys = Keys('TWICE#{twice_id}', 'TWICE')",
            "    twice_id: str",
        ),
        "Twice: refused",
    ),
    "Every item names the type of its entity.": (lambda: None, "Twice: refused"),
}
SIMPLE: dict[str, tuple[Spoil, str]] = {
    "The primary key is composite.": (
        lambda: MODEL.write_text(
            "from tablewright import Entity, Keys, Table\n\n"
            "notebooks = Table('Notebooks', sk=None)\n\n\n"
            "class Note(Entity, table=notebooks):\n    keys = Keys('NOTE#{note_id}')\n    note_id: str\n"
        ),
        "the table has no sort key",
    ),
    "The table has its composite key.": (lambda: None, "the table has no sort key"),
}
FILES: dict[str, tuple[Spoil, str]] = {
    "The diagram is there and up to date.": (lambda: (JOB / "erd.puml").unlink(), "erd.puml is missing"),
    "The review for anti-patterns, signed.": (
        lambda: edit(JOB / "signatures.json", ("E. Noether", "a. lovelace")),
        "three different people sign the review",
    ),
    "The entities have a module.": (emptied(LAYER / "entities/__init__.py"), "Notebook, Note: not in entities"),
    "One place opens the table.": (emptied(LAYER / "data_access/client.py"), "no function of data_access/client.py"),
    "One place makes keys.": (
        stubbed(LAYER / "data_access/keys.py", "note_key"),
        "note_key(): not in data_access/keys.py",
    ),
    "Every entity has a module, with functions to create, get, update and delete.": (
        stubbed(LAYER / "data_access/note.py", "update_note"),
        "update_note(): missing, or does nothing",
    ),
    "Entities become items, and items entities, in one place.": (
        lambda: [stubbed(LAYER / f"data_access/{file}.py", "from_item")() for file in ("items", "note", "notebook")],
        "from_item(): missing, or does nothing",
    ),
    "Every access pattern has a function.": (
        stubbed(LAYER / "data_access/note.py", "pinned_notes"),
        "pinned_notes(): no function for the pattern, or it does nothing",
    ),
    "Every entity has handlers.": (emptied(LAYER / "api/note.py"), "api/note.py: missing, or handles nothing"),
    "Every entity and every access pattern has tests.": (
        emptied(LAYER / "tests/test_note.py"),
        "Note: no test of it that can fail",
    ),
    "The data-access layer.": (lambda: None, "Notebook, Note: not in entities"),
    "The README tells how to fill a table.": (
        lambda: edit(Path("README.md"), ("tablewright seed", "tablewright seeds")),
        "does not show tablewright seed",
    ),
    "The README tells how to try every pattern.": (
        lambda: edit(Path("README.md"), ("tablewright test-patterns", "tablewright test")),
        "does not show tablewright test-patterns",
    ),
    "The README tells how to look at items.": (
        lambda: edit(Path("README.md"), ("tablewright explore", "tablewright-explore")),
        "does not show tablewright explore",
    ),
    "The README tells how to check stored items.": (
        lambda: edit(Path("README.md"), ("tablewright validate", "validate")),
        "does not show tablewright validate",
    ),
    "Scripts, told of in the README.": (lambda: None, "does not show tablewright seed"),
    "A guide to the implementation.": (emptied(JOB / "implementation-guide.md"), "has no section 'Where the model is"),
    "A description of the API.": (
        lambda: edit(JOB / "api.md", ("| GET /pinned_notes | shows it | pinned_notes |", "")),
        "pinned_notes(): not told of",
    ),
    "A guide for trouble.": (
        lambda: edit(JOB / "troubleshooting.md", ("The platform team, by day and night.", "<!-- who knows whom -->")),
        "'Whom to call' says nothing",
    ),
}
BY_OTHERS: dict[str, tuple[Spoil, str]] = {
    "The table has its name.": (
        template(
            TableName="Notes",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
            GlobalSecondaryIndexes=index_of("GSI10"),
            BillingMode=None,
            StreamSpecification={"StreamViewType": "KEYS_ONLY"},
            TimeToLiveSpecification={"AttributeName": "gone", "Enabled": True},
            PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False},
            DeletionProtectionEnabled=False,
        ),
        "stack.template.json says otherwise",
    ),
    **{
        text: (lambda: None, "stack.template.json says otherwise")
        for text in (
            "The table has its composite key.",
            "Every index is there.",
            "The billing mode is that of the model.",
            "The stream is on, where the model has one.",
            "Expiry is on, where an entity expires.",
            "Backups to any point in time are on.",
            "The table is protected from deletion.",
        )
    },
}
STATES = {
    "answers": ANSWERED,
    "model": OF_MODEL,
    "nothing reads it": NOTHING_READ,
    "refused": REFUSED,
    "simple": SIMPLE,
    "files": FILES,
    "template": BY_OTHERS,
}


def test_every_item_has_a_state_in_which_it_is_not_done() -> None:
    spoiled = {text for state in STATES.values() for text in state}
    assert len(ITEMS) == 83
    assert sorted(spoiled | {text for text, item in ITEMS.items() if item.codes}) == sorted(ITEMS)


@pytest.mark.parametrize("state", STATES)
def test_what_is_not_done_is_told(job: Path, state: str) -> None:
    """Much is spoiled at once, since each item looks at something else."""
    for spoil, _ in STATES[state].values():
        spoil()
    found = missing()
    assert {text: found.get(text) for text, (_, why) in STATES[state].items() if why not in found.get(text, "")} == {}


JUDGED = [pytest.param(item, code, id=f"{code}-{item.text}") for item in ITEMS.values() for code in item.codes]


@pytest.mark.parametrize(("item", "code"), JUDGED)
def test_rules_of_the_linter_judge_items(
    item: Item, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a rule calls bad in its own documentation is not ticked, and what it calls good is not held up by it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    told = all_rules()[code].explained()

    def judged(name: str, text: str) -> str:
        path = tmp_path / f"{name}_{code.lower()}.py"
        path.write_text(text)
        loaded = load_model(str(path), leniently=True)
        job = Evidence(tmp_path, tmp_path, Overview(job="job"), loaded.tables[0], loaded.refused)
        return item.missing(job) or ""

    assert code in judged("bad", told.bad)
    assert code not in judged("good", told.good)


def test_a_template_that_says_what_the_model_does_is_enough(job: Path) -> None:
    template()()
    assert missing() == {}


def test_a_name_with_a_stage_may_have_a_parameter_in_its_place(job: Path) -> None:
    template(TableName={"Fn::Sub": "Notebooks-${Stage}"})()
    edit(MODEL, ('Table("Notebooks"', 'Table("Notebooks-{stage}"'))
    assert "The table has its name." not in missing()


def test_nothing_is_protected_by_the_word_alone(job: Path) -> None:
    """The model itself must want backups and protection; a file that says the opposite in the same words is no evidence."""
    edit(
        MODEL,
        ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1")], deployment=Deployment(recovery=False, retain=False)'),
        ("import GSI,", "import GSI, Deployment,"),
    )
    CliRunner().invoke(cli.app, ["generate", str(MODEL), "--to", str(JOB)])
    found = missing()
    assert found["Backups to any point in time are on."] == "the model says Deployment(recovery=False)"
    assert found["The table is protected from deletion."] == "the model says Deployment(retain=False)"
    assert "Infrastructure code." not in found


@pytest.mark.parametrize(
    ("old", "new", "item", "why"),
    [
        (
            "size=1_500, max_size=60_000, writes=20",
            "max_size=60_000, writes=20",
            "The projection of every index is chosen.",
            "Note: is copied whole, and expect(..., size=) is not said",
        ),
        ("writes=20, per", "per", "No partition takes all the traffic.", "Note: expect(..., writes=) is not said"),
        (
            "writes=20, per",
            "writes=900, per",
            "No partition takes all the traffic.",
            "Note: how it spreads over partitions of the table is not said",
        ),
    ],
    ids=["size", "writes", "spread"],
)
def test_what_nobody_can_know_yet_is_asked_for(job: Path, old: str, new: str, item: str, why: str) -> None:
    edit(MODEL, (old, new))
    assert missing()[item].startswith(why)


def test_a_model_without_entities_has_nothing_done(job: Path) -> None:
    MODEL.write_text("from tablewright import Table\n\nnotebooks = Table('Notebooks')\n")
    found = missing()
    assert [text for text, item in ITEMS.items() if item.of_model and text not in found] == []


def test_answers_need_somebody_who_answered(job: Path) -> None:
    edit(JOB / "overview.md", ("A. Lovelace, 2026-02-01", "A. Lovelace, last year"))
    found = missing()
    assert {found[text] for text in ANSWERED} == {"answered_by does not say who answered, and when"}


def test_a_layer_is_judged_by_what_it_does(job: Path) -> None:
    """Functions with the right names run the wrong pattern, and tests compare nothing."""
    edit(LAYER / "data_access/note.py", ("db.run(model.notes_in,", "db.run(model.other,"))
    edit(LAYER / "tests/test_all_patterns.py", ("assert_patterns(", "print("))
    found = missing()
    assert found["Every access pattern has a function."] == "notes_in(): the function does not run the pattern"
    assert "no test of the pattern" in found["Every entity and every access pattern has tests."]
    (LAYER / "api/note.py").write_text("def create(:\n")
    assert "cannot be read as Python" in missing()["Every entity has handlers."]


def test_signatures_live_until_what_was_signed_changes(job: Path) -> None:
    review = "The review for anti-patterns, signed."
    edit(MODEL, ("a notebook is read with its", "each notebook is read with its"))
    again = CliRunner().invoke(cli.app, ["generate", str(MODEL), "--to", str(JOB)])
    assert again.exit_code == 0, again.exception
    found = missing()
    assert list(found) == [review]
    assert found[review].startswith("changed since A. Lovelace, ")
    for role, name in (("engineer", "A"), ("participant", "B"), ("outsider", "C")):
        signed = CliRunner().invoke(cli.app, ["design", "sign", "notebooks", role, "--name", name])
        assert signed.exit_code == 0, signed.exception
    assert missing() == {}
    assert CliRunner().invoke(cli.app, ["generate", str(MODEL), "--to", str(JOB), "--check"]).exit_code == 0
    (JOB / "signatures.json").unlink()
    assert "not signed by an engineer" in missing()[review]


def test_a_review_with_a_failure_is_not_done(job: Path) -> None:
    edit(MODEL, ('[GSI("GSI1")]', '[GSI("GSI1"), GSI("GSI2")]'))
    CliRunner().invoke(cli.app, ["generate", str(MODEL), "--to", str(JOB)])
    CliRunner().invoke(cli.app, ["design", "sign", "notebooks", "engineer", "--name", "A. Lovelace"])
    assert missing()["The review for anti-patterns, signed."].startswith("TW201: failed in the review")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody", "--name", "A"], "Nobody signs as 'nobody'"),
        (["engineer", "--name", " "], "needs the name of who signs"),
    ],
)
def test_signatures_that_cannot_be(job: Path, arguments: list[str], message: str) -> None:
    refused = CliRunner().invoke(cli.app, ["design", "sign", "notebooks", *arguments])
    assert message in str(refused.exception)


def test_nobody_signs_what_they_could_not_read(job: Path) -> None:
    edit(MODEL, ("a notebook is read with its", "each notebook is read with its"))
    refused = CliRunner().invoke(cli.app, ["design", "sign", "notebooks", "engineer", "--name", "A. Lovelace"])
    assert "relationship-decisions.md is not up to date" in str(refused.exception)
    (JOB / "erd.mmd").unlink()
    refused = CliRunner().invoke(cli.app, ["design", "sign", "notebooks", "technical-lead", "--name", "A. Lovelace"])
    assert "erd.mmd is missing" in str(refused.exception)


def test_signatures_that_cannot_be_read_are_told(job: Path) -> None:
    (JOB / "signatures.json").write_text('{"engineer": {"name": "A", "date": "soon", "of": ""}}')
    refused = CliRunner().invoke(cli.app, ["design", "status", "notebooks"])
    assert "holds no signatures" in str(refused.exception)
