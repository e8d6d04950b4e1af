"""`tablewright design propose`."""

from pathlib import Path

from typer.testing import CliRunner

from tablewright.cli import app
from tablewright.errors import ArgumentError, PatternError

DESIGNS = Path(__file__).parents[1] / "synth" / "designs"
BLOG = str(DESIGNS / "blog.py")


def test_the_model_is_printed_and_the_rest_goes_to_standard_error() -> None:
    result = CliRunner().invoke(app, ["design", "propose", BLOG])
    assert result.exit_code == 0
    compile(result.stdout, "model.py", "exec")
    assert 'blog = Table("BlogTable", indexes=[GSI("GSI1", projection="ALL")])' in result.stdout
    assert result.stderr == "BlogTable: 2 entities, 4 patterns, 1 index (fewer would not do).\n"


def test_reasons_and_alternatives_are_told_when_asked_for() -> None:
    result = CliRunner().invoke(app, ["design", "propose", BLOG, "--explain", "--alternatives"])
    for line in (
        "  - Post on the table: POST#{post_id} / POST, for post().",
        "  - post(): GetItem table: PK = POST#{post_id} AND SK = POST",
        "  - posts_of(), since is None: Query GSI1: GSI1PK = USER#{username} AND GSI1SK BETWEEN POST AND POST$",
        "  - posts_of() of Post by the table's key: that serves post(), and no key serves both; it reads GSI1.",
        "  - No index at all: no two of user() and user_by_email() can share a key of User, so that these alone need the "
        "table's and 1 more.",
        "  - Post could have its table key by username / written_at, post_id instead, for posts_of(): it costs the same. "
        "Say handles=[...] to decide.",
    ):
        assert line in result.stderr.splitlines()


def test_the_model_is_written_to_a_file_which_then_is_a_model(tmp_path: Path) -> None:
    model = tmp_path / "blog_model.py"
    assert CliRunner().invoke(app, ["design", "propose", BLOG, "--to", str(model)]).exit_code == 0
    assert CliRunner().invoke(app, ["check", str(model)]).exit_code == 0


def test_a_model_that_was_worked_on_is_not_replaced(tmp_path: Path) -> None:
    model = tmp_path / "worked_on.py"
    arguments = ["design", "propose", BLOG, "--to", str(model)]
    for _ in range(2):  # the second time it is there as it would be written
        assert CliRunner().invoke(app, arguments).exit_code == 0
    proposed = model.read_text(encoding="utf-8")
    model.write_text(f"{proposed}# mine\n", encoding="utf-8")
    refused = CliRunner().invoke(app, arguments)
    assert isinstance(refused.exception, ArgumentError)
    assert "--force" in (refused.exception.hint or "")
    assert model.read_text(encoding="utf-8").endswith("# mine\n")
    assert CliRunner().invoke(app, [*arguments, "--force"]).exit_code == 0
    assert model.read_text(encoding="utf-8") == proposed


def test_a_model_that_nobody_touched_follows_its_design(tmp_path: Path) -> None:
    design, model = tmp_path / "design.py", tmp_path / "model.py"
    text = Path(BLOG).read_text(encoding="utf-8")
    for name in ("BlogTable", "OtherTable"):
        design.write_text(text.replace("BlogTable", name), encoding="utf-8")
        assert CliRunner().invoke(app, ["design", "propose", str(design), "--to", str(model)]).exit_code == 0
        assert f'"{name}"' in model.read_text(encoding="utf-8")


def test_a_design_is_not_replaced_by_its_model(tmp_path: Path) -> None:
    design = tmp_path / "design.py"
    design.write_text(Path(BLOG).read_text(encoding="utf-8"), encoding="utf-8")
    result = CliRunner().invoke(app, ["design", "propose", str(design), "--to", str(design)])
    assert isinstance(result.exception, ArgumentError)
    assert "Design(" in design.read_text(encoding="utf-8")


def test_what_cannot_be_served_is_an_error(tmp_path: Path) -> None:
    design = tmp_path / "design.py"
    text = Path(BLOG).read_text(encoding="utf-8")
    design.write_text(
        text.replace(".sorted_by(Post.written_at)", "")
        .replace(", since: datetime | None = None", "")
        .replace(".when(since, lambda t: Post.written_at >= t)", ""),
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["design", "propose", str(design)])
    assert isinstance(result.exception, PatternError)
    assert "does not say by which field" in str(result.exception)
