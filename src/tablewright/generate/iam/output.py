"""The files of the output `iam`: policies as JSON, and a page that says what each is for and what it cannot do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.generate.documents.blocks import code, codes, prose
from tablewright.generate.documents.markdown import cell, inline
from tablewright.generate.iam.places import Place
from tablewright.generate.iam.policies import Policy, patterns, roles, table_arn, writes
from tablewright.generate.iam.tenants import tenant_policy
from tablewright.generate.material import Material
from tablewright.model.deployment import KmsKey

_LARGEST = 6144
"""Characters of a managed policy, without the blanks between them."""


def iam(material: Material) -> Mapping[str, str]:
    """Every policy of the table, by the name of its file."""
    plan = material.plan
    whole = roles(plan)
    if material.tenant_field is not None:
        whole["tenant"] = tenant_policy(plan, material.tenant_field)
        whole["tenant-reader"] = tenant_policy(plan, material.tenant_field, reads_only=True)
    single = {"patterns": patterns(plan), "writes": writes(plan)}
    files = {f"iam/{name}.json": _json(_document(material, policy)) for name, policy in whole.items()}
    for folder, policies in single.items():
        files |= {f"iam/{folder}/{name}.json": _json(_document(material, p)) for name, p in policies.items()}
    return files | {"iam/README.md": _page(material, whole, single)}


def _document(material: Material, policy: Policy) -> dict[str, Any]:
    """The policy as IAM takes it, with the use of the key that the table is encrypted with."""
    document = policy.document(table_arn(material.table, material.stage, material.place))
    encryption = material.table.deployment.encryption
    if isinstance(encryption, KmsKey):
        document["Statement"].append(material.place.key(encryption))
    return document


def _page(material: Material, whole: Mapping[str, Policy], single: Mapping[str, Mapping[str, Policy]]) -> str:
    where = (
        "in any region and account" if material.place == Place() else "in the region and the account that were given"
    )
    lines = [
        f"# Permissions for {inline(material.table.label)}",
        "",
        f"Policies of IAM, made from the model by `tablewright generate`, one in each file. They name the table {where};",
        "where its name has a stage that was not given, the role must have it as its tag `stage`.",
        "",
        "| Policy | Allows |",
        "|---|---|",
        *(f"| [{name}]({name}.json) | {cell(prose(policy.description))} |" for name, policy in whole.items()),
    ]
    for folder, policies in single.items():
        if policies:
            lines += ["", f"## One by one: {folder}", "", "| For | Actions | Partitions |", "|---|---|---|"]
            lines += [
                f"| [{n}]({folder}/{n}.json) | {cell(_actions(p))} | {cell(_partitions(p))} |"
                for n, p in policies.items()
            ]
    general = list(_notes(material, whole, single["patterns"]))
    if general:
        lines += ["", "## To know of all", "", *(f"- {inline(note)}" for note in general)]
    for name, policy in whole.items():
        if policy.notes:
            lines += ["", f"## To know of {name}", "", *(f"- {inline(note)}" for note in policy.notes)]
    return "\n".join(lines) + "\n"


def _notes(material: Material, whole: Mapping[str, Policy], own: Mapping[str, Policy]) -> Iterator[str]:
    """What no policy for the table can say."""
    alike: dict[str, list[str]] = {}
    for name, policy in own.items():
        alike.setdefault(json.dumps(_document(material, policy)["Statement"]), []).append(name)
    for names in alike.values():
        if len(names) > 1:
            shown = ", ".join(f"{name}()" for name in names)
            yield f"IAM sees partition keys, and no sort keys: whoever may run one of {shown} may run the others."
    if isinstance(material.table.deployment.encryption, KmsKey):
        yield (
            "The table is encrypted with a key of yours. Every policy lets its role use it through DynamoDB; the key's own "
            "policy must let IAM decide, or name these roles."
        )
    if material.plan.seals:
        yield "Some fields are encrypted or kept elsewhere; their keys and stores need permissions of their own."
    for name, policy in whole.items():
        size = len(json.dumps(_document(material, policy), separators=(",", ":")))
        if size > _LARGEST:
            yield f"{name} has {size} characters, more than the {_LARGEST} of a managed policy: attach it in parts."


def _partitions(policy: Policy) -> str:
    """The keys that a policy allows, as IAM compares them."""
    values = [
        code(value)
        for statement in policy.statements
        for texts in (statement.condition or {}).get("ForAllValues:StringLike", {}).values()
        for value in texts
    ]
    return ", ".join(dict.fromkeys(values)) or "any"


def _actions(policy: Policy) -> str:
    return "; ".join(
        codes(statement.actions)
        + (" on " + ", ".join(r.removeprefix("/index/") or "the table" for r in statement.resources))
        for statement in policy.statements
    )


def _json(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
