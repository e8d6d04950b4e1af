"""Every output that a model can be turned into, by name. To add one, write its function and list it here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.generate import json_schema, typescript
from tablewright.generate.documents import access_patterns, book, erd, key_tables, relationships, review
from tablewright.generate.iam import output as iam
from tablewright.generate.infrastructure import boto3_script, cdk, checklist, cloudformation, shell_script, terraform
from tablewright.generate.material import Material
from tablewright.generate.workbench import export
from tablewright.model.entity import did_you_mean

Make = Callable[[Material], str | Mapping[str, str]]


class Output(Struct, frozen=True, eq=False):
    """One output: the function makes the text of its file, or of several files by their names."""

    name: str
    filename: str
    """Where there are several files, a pattern that they follow."""
    description: str
    make: Make

    def files(self, material: Material) -> dict[str, str]:
        """The text of each file by its name."""
        made = self.make(material)
        return {self.filename: made} if isinstance(made, str) else dict(made)


OUTPUTS: tuple[Output, ...] = (
    Output("erd", "erd.mmd", "The entities and their relationships, as a Mermaid diagram.", erd.mermaid),
    Output("erd-plantuml", "erd.puml", "The same as a PlantUML diagram.", erd.plantuml),
    Output(
        "keys",
        "entity-key-table-*.md",
        "The keys of every entity: a table for the main table, and one for each index.",
        key_tables.key_tables,
    ),
    Output(
        "patterns",
        "data-access-patterns.md",
        "Every access pattern with its request, and what is expected of it.",
        access_patterns.access_patterns,
    ),
    Output(
        "relationships",
        "relationship-decisions.md",
        "The strategy chosen for each relationship, with reasons, keys, reads and trade-offs.",
        relationships.relationship_decisions,
    ),
    Output(
        "review",
        "anti-pattern-review.md",
        "Every check of the linter with its outcome, red flags, and who signs it.",
        review.anti_pattern_review,
    ),
    Output(
        "book",
        "design-book.md",
        "The whole design in one Markdown document, with pictures beside it.",
        book.markdown_book,
    ),
    Output("book-html", "design-book.html", "The same as one HTML page, pictures included.", book.html_book),
    Output("json-schema", "schemas/*.schema.json", "A JSON Schema for each entity.", json_schema.json_schemas),
    Output("workbench", "nosql-workbench.json", "A data model to import into NoSQL Workbench.", export.workbench),
    Output("typescript", "entities.ts", "TypeScript types of the entities.", typescript.typescript),
    Output(
        "cloudformation",
        "table.yaml",
        "A CloudFormation template: the table, its scaling and its alarms.",
        cloudformation.cloudformation,
    ),
    Output("cdk", "table_stack.py", "The same as a stack of AWS's CDK, in Python.", cdk.cdk),
    Output("terraform", "table.tf", "The same as a Terraform configuration.", terraform.terraform),
    Output(
        "boto3",
        "create_table.py",
        "The same as a script with boto3, which can be run again.",
        boto3_script.boto3_script,
    ),
    Output("cli", "create-table.sh", "The same as a shell script with AWS's command line.", shell_script.shell_script),
    Output(
        "checklist",
        "deployment.md",
        "What to look at before the table is deployed, and what the model says of it.",
        checklist.deployment_checklist,
    ),
    Output(
        "iam",
        "iam/**/*.json",
        "Policies of IAM for roles, patterns, writes and tenants, of no more than they need.",
        iam.iam,
    ),
)


def outputs_named(names: list[str]) -> list[Output]:
    """These outputs, in the order of the list; all of them without names."""
    known = {output.name: output for output in OUTPUTS}
    for name in names:
        if name not in known:
            raise ArgumentError(
                f"There is no output {name!r}.{did_you_mean(name, known)}",
                hint="`tablewright generate --list` shows all.",
            )
    return [output for output in OUTPUTS if not names or output.name in names]
