"""Whatever a model holds, the rules judge it without failing, and twice alike."""

from __future__ import annotations

import types
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tablewright import GSI, LSI, Entity, Epoch, Keys, KeyStyle, Query, Shard, Table, attr, query, sparse
from tablewright.compiler.paths import key_paths
from tablewright.lint import lint
from tablewright.lint.registry import all_rules
from tablewright.model.inspection import inspecting


class Part(BaseModel):
    label: str
    below: list[Part] = []


TYPES: dict[str, Any] = {
    "user_id": str,
    "order_id": UUID,
    "tenant_id": str,
    "email": str,
    "status": Literal["open", "done"],
    "urgent": bool,
    "placed_at": datetime,
    "created_at": str,
    "expires_at": Annotated[datetime, Epoch("s")],
    "day": date,
    "rank": int,
    "price": float,
    "total": Decimal | None,
    "parts": list[Part],
    "tags": Annotated[set[str], Field(max_length=30)],
    "id": str,
}
IN_KEYS = [n for n in TYPES if n not in ("price", "total", "parts", "tags", "expires_at", "rank")]
PIECES = [*(f"{{{name}}}" for name in IN_KEYS), "{rank:6}", "{shard}", "USER", "ORDER", "order", "A"]
TEMPLATES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3, unique=True).map("#".join)
VALUES: dict[str, Any] = {
    **dict.fromkeys(("user_id", "tenant_id", "email", "id", "created_at"), "x"),
    "order_id": UUID(int=1),
    "status": "open",
    "urgent": True,
    "rank": 1,
    "day": date(2026, 1, 1),
    "placed_at": datetime(2026, 1, 1, tzinfo=UTC),
}


@st.composite
def keys(draw: st.DrawFn, literal: str) -> Keys:
    indexes: dict[str, Any] = {}
    for index in sorted(draw(st.sets(st.sampled_from(["GSI1", "GSI2"]), min_size=1))):
        pair = draw(TEMPLATES), draw(TEMPLATES)
        indexes[index] = sparse(*pair, when=attr("status") == "open") if draw(st.booleans()) else pair
    if draw(st.booleans()):
        indexes["LSI1"] = "{rank:6}#{id}"
    pk, sk = draw(TEMPLATES), f"{literal}#{draw(TEMPLATES)}"
    shard = Shard("user_id", of=draw(st.sampled_from([2, 100])))
    used = "{shard}" in f"{pk}{sk}{indexes}"
    return Keys(pk, sk, indexes=indexes, derive={"shard": shard} if used else None)


def declared(table: Table, name: str, entity: Any, fields: list[str], *, filtered: bool) -> None:
    def pattern() -> Query[Any]:
        found = query(entity, *(getattr(entity, field) == VALUES[field] for field in fields))
        return found.filter(entity.price > 1) if filtered else found

    pattern.__name__ = name
    table.pattern(pattern)


@st.composite
def models(draw: st.DrawFn) -> tuple[Table, list[Any]]:
    styles = st.sampled_from([KeyStyle(), KeyStyle.adopted("#"), KeyStyle.adopted("-", escape=True)])
    with inspecting() as inspected:
        table = Table(
            "App", indexes=[GSI("GSI1"), GSI("GSI2", projection="KEYS_ONLY"), LSI("LSI1")], key_style=draw(styles)
        )
        for number in range(draw(st.integers(1, 3))):
            body = {"__annotations__": dict(TYPES), "__module__": __name__, "keys": draw(keys(f"T{number}"))}
            options = {"table": table, "ttl": draw(st.sampled_from([None, "expires_at"]))}
            entity: Any = types.new_class(f"Thing{number}", (Entity,), options, lambda ns, body=body: ns.update(body))
            if entity not in table.plan.entities:
                continue
            for path in key_paths(table.plan.of(entity)):
                asked = [name for key in path.pk for name in key.fields]
                name = f"things_{number}_{path.index_name or 'table'}"
                declared(table, name, entity, asked, filtered=draw(st.booleans()))
            if draw(st.booleans()):
                table.expect(entity, writes=draw(st.sampled_from([1, 5_000])), size=2_000, per={"user_id": 9})
                table.expect(entity.user_id, distinct=3, hottest=0.9)
    return table, inspected.refused


@settings(max_examples=settings().max_examples // 10)
@given(models())
def test_the_rules_judge_any_model(model: tuple[Table, list[Any]]) -> None:
    table, refused = model
    found = lint(table, refused)
    assert found == lint(table, refused)
    codes = all_rules()
    assert all(one.message and one.subject and one.code in codes for one in found)
    assert {one.name for one in refused if not one.follows} <= {
        one.subject.removesuffix("()") for one in found if one.code in ("TW001", "TW002")
    }
