"""The files of the output `iam`: policies as JSON, and a page that says what each is for and what it cannot do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.generate.iam.policies import Policy, patterns, roles, table_arn, writes
from tablewright.generate.iam.tenants import tenant_policy
from tablewright.generate.material import Material
from tablewright.model.deployment import KmsKey

_LARGEST = 6144
"""Characters of a managed policy, without the blanks between them."""


def iam(material: Material) -> Mapping[str, str]:
    """Every policy of the table, by the name of its file."""
    plan, arn = material.plan, table_arn(material.table, material.stage)
    whole = roles(plan)
    if material.tenant_field is not None:
        whole["tenant"] = tenant_policy(plan, material.tenant_field)
        whole["tenant-reader"] = tenant_policy(plan, material.tenant_field, reads_only=True)
    single = {"patterns": patterns(plan), "writes": writes(plan)}
    files = {f"iam/{name}.json": _json(policy.document(arn)) for name, policy in whole.items()}
    for name, policies in single.items():
        if policies:
            files[f"iam/{name}.json"] = _json({n: policy.document(arn) for n, policy in policies.items()})
    return files | {"iam/README.md": _page(material, whole, single)}


def _page(material: Material, whole: Mapping[str, Policy], single: Mapping[str, Mapping[str, Policy]]) -> str:
    lines = [
        f"# Permissions for {material.table.label}",
        "",
        "Policies of IAM, made from the model by `tablewright generate`. They name the table in any region; where its name",
        "has a stage that was not given, the role must have it as its tag `stage`.",
        "",
        "| Policy | Allows |",
        "|---|---|",
        *(f"| [{name}]({name}.json) | {policy.description} |" for name, policy in whole.items()),
    ]
    for name, policies in single.items():
        if policies:
            lines += ["", f"## One by one: [{name}]({name}.json)", "", "| For | Actions |", "|---|---|"]
            lines += [f"| `{n}` | {_actions(policy)} |" for n, policy in policies.items()]
    general = list(_notes(material, whole))
    if general:
        lines += ["", "## To know of all", "", *(f"- {note}" for note in general)]
    for name, policy in whole.items():
        if policy.notes:
            lines += ["", f"## To know of {name}", "", *(f"- {note}" for note in policy.notes)]
    return "\n".join(lines) + "\n"


def _notes(material: Material, whole: Mapping[str, Policy]) -> Iterator[str]:
    """What no policy for the table can say."""
    if isinstance(material.table.deployment.encryption, KmsKey):
        yield (
            "The table is encrypted with a key of yours. The key's own policy must let these roles use it through DynamoDB: "
            "`kms:Encrypt`, `kms:Decrypt`, `kms:ReEncrypt*`, `kms:GenerateDataKey*` and `kms:DescribeKey`, on condition of "
            "`kms:ViaService`."
        )
    if material.plan.seals:
        yield "Some fields are encrypted or kept elsewhere; their keys and stores need permissions of their own."
    for name, policy in whole.items():
        size = len(json.dumps(policy.document(table_arn(material.table, material.stage)), separators=(",", ":")))
        if size > _LARGEST:
            yield f"{name} has {size} characters, more than the {_LARGEST} of a managed policy: attach it in parts."


def _actions(policy: Policy) -> str:
    return "; ".join(
        ", ".join(f"`{action}`" for action in statement.actions)
        + (" on " + ", ".join(r.removeprefix("/index/") or "the table" for r in statement.resources))
        for statement in policy.statements
    )


def _json(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
