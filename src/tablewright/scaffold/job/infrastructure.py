"""Infrastructure code and what it says of a table: files that `generate` made, and CloudFormation templates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from tablewright.compiler.schema import create_table_request
from tablewright.generate.infrastructure.yaml_reading import read
from tablewright.model.deployment import Provisioned
from tablewright.model.table import TableModel

OUTPUTS_THAT_DEPLOY = ("cloudformation", "cdk", "terraform", "boto3", "cli")
_TABLES = ("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable")
_TEMPLATES = (".json", ".yaml", ".yml")
_KEPT = ("Retain", "RetainExceptOnCreate")


class TableSaid(Struct, frozen=True):
    """What a file says of a table."""

    name: str
    keys: tuple[tuple[str, str, str], ...]
    """Name, type and kind of each attribute."""
    indexes: Mapping[str, Any]
    billing: str
    stream: str | None
    ttl: str | None
    recovery: bool
    protected: bool
    retained: bool


class InfrastructureCode:
    """The files of a place, compared with what the model makes today; of templates by other hands, what they say."""

    def __init__(self, place: Path, generated: Mapping[str, str], table: TableModel) -> None:
        self._place = place
        self._table = table
        self.said: dict[Path, TableSaid] = {}
        self.edited: list[Path] = []
        """Files of `generate` that are not what the model makes today."""
        self._unread: list[Path] = []
        for path in self._files(generated):
            text = path.read_bytes().decode(errors="replace")
            if text in generated.values():
                self.said[path] = wanted(table)
                continue
            self.edited += [path] if path.name in generated else []
            if (found := template_table(text, table)) is not None:
                self.said[path] = found
            elif path.name in generated:
                self._unread.append(path)

    def _files(self, generated: Mapping[str, str]) -> Iterator[Path]:
        if self._place.is_file():
            yield self._place
        elif self._place.is_dir():
            yield from (p for p in sorted(self._place.rglob("*")) if p.name in generated or p.suffix in _TEMPLATES)

    @property
    def missing(self) -> str | None:
        """Why this is not yet the infrastructure code of the table; None where it is."""
        return _not_made(self.edited) or self._silent

    @property
    def _silent(self) -> str | None:
        """Why nothing can be said of the table; None where it can."""
        if self._unread or self.said:
            return _not_made(self._unread)
        return (
            f"there is no infrastructure code in {self._place} that can be read; tablewright generate MODEL cloudformation "
            f"--to {self._place}, or a template, such as cdk synth writes"
        )

    def differs(self, *members: str) -> str | None:
        """A file that says something else of the table than the model; None where none does."""
        if self._silent is not None:
            return self._silent
        model = wanted(self._table)
        for path, said in self.said.items():
            for member in members:
                if getattr(said, member) != getattr(model, member):
                    return f"{path} says otherwise than the model"
        return None


def _not_made(paths: list[Path]) -> str | None:
    if not paths:
        return None
    return f"{paths[0]} is not what the model makes today; tablewright generate MODEL --to {paths[0].parent}"


def wanted(table: TableModel) -> TableSaid:
    """What infrastructure code should say of a table."""
    deployment = table.deployment
    return _said(
        {
            **create_table_request(table, table.name),
            "BillingMode": "PROVISIONED" if isinstance(deployment.billing, Provisioned) else "PAY_PER_REQUEST",
            "DeletionProtectionEnabled": deployment.deletion_protection,
        },
        table.name,
        table.ttl_attribute,
        recovery=bool(deployment.recovery),
        retained=deployment.retain,
    )


def template_table(text: str, table: TableModel) -> TableSaid | None:
    """The table of a template in JSON or YAML: that of this name, or the only one."""
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else read(text)
        resources = data["Resources"].values()
        found = [_of_template(r, table) for r in resources if r.get("Type") in _TABLES]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return next((one for one in found if one.name == table.name), found[0] if len(found) == 1 else None)


def _of_template(resource: Mapping[str, Any], table: TableModel) -> TableSaid:
    said = resource.get("Properties", {})
    expiry = said.get("TimeToLiveSpecification", {})
    return _said(
        {"BillingMode": "PROVISIONED", **said},  # which is what CloudFormation does without a word
        _name(said.get("TableName"), table),
        expiry.get("AttributeName") if expiry.get("Enabled") is True else None,
        recovery=said.get("PointInTimeRecoverySpecification", {}).get("PointInTimeRecoveryEnabled") is True,
        retained=all(resource.get(policy) in _KEPT for policy in ("DeletionPolicy", "UpdateReplacePolicy")),
    )


def _said(request: Mapping[str, Any], name: str, ttl: str | None, *, recovery: bool, retained: bool) -> TableSaid:
    types = {a["AttributeName"]: a["AttributeType"] for a in request.get("AttributeDefinitions", ())}

    def keys(schema: list[dict[str, str]]) -> tuple[tuple[str, str, str], ...]:
        return tuple((k["AttributeName"], types.get(k["AttributeName"], "?"), k["KeyType"]) for k in schema)

    indexes = {
        index["IndexName"]: (
            local,
            keys(index["KeySchema"]),
            index["Projection"]["ProjectionType"],
            sorted(index["Projection"].get("NonKeyAttributes", ())),
        )
        for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True))
        for index in request.get(member, ())
    }
    return TableSaid(
        name,
        keys(request.get("KeySchema", [])),
        indexes,
        request["BillingMode"],
        request.get("StreamSpecification", {}).get("StreamViewType"),
        ttl,
        recovery,
        request.get("DeletionProtectionEnabled") is True,
        retained,
    )


def _name(given: Any, table: TableModel) -> str:
    """A name as the model writes it, where a parameter stands in the place of the stage."""
    text = given.get("Fn::Sub", "") if isinstance(given, dict) else given
    if not isinstance(text, str):
        return ""
    staged = re.sub(r"\$\{\w+\}", "{stage}", text)
    form = re.escape(table.name).replace(re.escape("{stage}"), "[A-Za-z0-9_.-]+")
    return table.name if staged == table.name or re.fullmatch(form, text) else text
