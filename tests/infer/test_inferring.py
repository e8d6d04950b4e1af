"""Tables that other code wrote: their separators, numbers, times, and keys that are fields."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.errors import ArgumentError
from tablewright.infer.inferring import Inferred, infer
from tablewright.infer.sample import guessed_layout, layout_of, said_layout
from tablewright.values.keybuilding.shards import shard_of
from tablewright.values.wire import to_wire_item

IDS = [f"{n * 7919 % 997:03x}" for n in range(1, 25)]


def worked_out(items: list[dict[str, Any]], **said: Any) -> Inferred:
    wire = [to_wire_item(item) for item in items]
    layout = (
        said_layout("Things", wire, said["key"], said.get("indexes", ())) if said else guessed_layout("Things", wire)
    )
    return infer(layout, wire)


def keys_of(found: Inferred) -> dict[str, tuple[str, str | None]]:
    return {entity.name: (entity.pk, entity.sk) for entity in found.entities}


def test_another_separator_and_no_type() -> None:
    items = [
        {
            "pk": f"user|{i}",
            "sk": "profile|main",
            "userId": i,
            "mail": f"{i}@example.com",
            "gsi1pk": f"mail|{i}@example.com",
        }
        for i in IDS
    ]
    items += [
        {"pk": f"user|{i}", "sk": f"order|{n:05d}", "userId": i, "number": n, "paid": n % 2 == 0}
        for n, i in enumerate(IDS)
    ]
    found = worked_out(items)
    assert found.misfits == ()
    assert keys_of(found) == {
        "Profile": ("user|{user_id}", "profile|main"),
        "Order": ("user|{user_id}", "order|{number:5}"),
    }
    assert 'key_style=KeyStyle.adopted("|")' in found.code
    assert 'stored={"user_id": "userId"}' in found.code
    assert 'GSI1=("mail|{mail}",)' in found.code
    assert found.notes == ("No attribute names the type of an item; they were told apart by their keys.",)


def test_ids_that_only_the_key_holds() -> None:
    found = worked_out([{"PK": f"USER#{i}", "SK": f"USER#{i}", "Type": "User", "name": f"n{i}"} for i in IDS])
    assert keys_of(found) == {"User": ("USER#{user_id}", "USER#{user_id}")}
    assert "    user_id: str  # only the key holds it\n" in found.code
    assert found.misfits == ()


def test_raw_values_that_hold_the_separator() -> None:
    items = [
        {
            "PK": f"EVENT#{i}",
            "SK": f"AT#2026-01-31#{n:02d}",
            "type": "event",
            "event_id": i,
            "at": f"2026-01-31#{n:02d}",
        }
        for n, i in enumerate(IDS)
    ]
    found = worked_out(items)
    assert keys_of(found) == {"Event": ("EVENT#{event_id}", "AT#{at}")}
    assert 'KeyStyle.adopted("#")' in found.code
    assert found.misfits == ()


def test_label_and_field_in_one_part() -> None:
    items = [{"PK": f"TEAM#blue-{i}", "SK": "INFO", "Type": "Team", "number": i} for i in IDS]
    found = worked_out(items)
    assert keys_of(found) == {"Team": ("TEAM#blue-{number}", "INFO")}
    assert found.misfits == ()


def test_keys_that_are_fields() -> None:
    items = [{"user_id": n, "order": f"o-{i}", "email": f"{i}@example.com"} for n, i in enumerate(IDS)]
    found = worked_out(items, key="user_id order", indexes=["by-mail email"])
    assert keys_of(found) == {"Thing": ("{user_id}", "{order}")}
    assert (
        'Table("Things", indexes=[GSI("by-mail", pk="email", sk=None)], pk=number("user_id"), sk="order")' in found.code
    )
    assert 'indexes={"by-mail": ("{email}",)}' in found.code
    assert found.misfits == ()


def test_times() -> None:
    items = [
        {
            "PK": f"LOG#{1_760_000_000 + n * 86_400}",
            "SK": f"2025-10-{n + 1:02d}T08:53:20.000000Z#{i}",
            "Type": "Log",
            "writtenAt": 1_760_000_000 + n * 86_400,
            "seen_at": f"2025-10-{n + 1:02d}T08:53:20.000000Z",
            "sent_at": f"2025-10-{n + 1:02d}T08:53:20Z",
            "changed_at": 1_760_000_000_000 + n,
            "day": f"2025-10-{n + 1:02d}",
            "id": i,
        }
        for n, i in enumerate(IDS)
    ]
    found = worked_out(items)
    assert found.misfits == ()
    assert keys_of(found)["Log"][1] == "{seen_at}#{id}"
    assert "    written_at: int  # a time, as the key has it\n" in found.code
    assert '    changed_at: Annotated[datetime, Epoch("ms")]\n' in found.code
    assert "    sent_at: str\n" in found.code
    assert "    day: date\n" in found.code


def test_buckets() -> None:
    items = [
        {
            "PK": f"LOGS#2025-{n % 9 + 1:02d}",
            "SK": f"2025-{n % 9 + 1:02d}-11T08:53:20.000000Z#{i}",
            "Type": "Log",
            "at": f"2025-{n % 9 + 1:02d}-11T08:53:20.000000Z",
            "id": i,
        }
        for n, i in enumerate(IDS)
    ]
    found = worked_out(items)
    assert keys_of(found) == {"Log": ("LOGS#{at_month}", "{at}#{id}")}
    assert 'derive={"at_month": Bucket("at", "month")}' in found.code
    assert found.misfits == ()


def test_types_and_what_is_missing() -> None:
    items: list[dict[str, Any]] = [
        {
            "PK": f"A#{i}",
            "SK": "A",
            "Type": "A",
            "id": i,
            "state": "on" if n % 3 else "off",
            "tags": {"x", i},
            "sizes": {1, 2},
            "notes": ["a", i],
            "mixed": [1, "a"],
            "more": {"deep": {"n": n}},
            "raw": i.encode(),
            "either": n if n % 2 else i,
            "model_config": i,
            **({"last": n} if n else {}),
            "gone": None if n == 3 else i,
        }
        for n, i in enumerate(IDS)
    ]
    found = worked_out(items)
    assert found.misfits == ()
    for line in (
        'state: Literal["off", "on"]  # these in 24 items',
        "tags: set[str]",
        "sizes: set[int]",
        "notes: list[str]",
        "mixed: list[Any]",
        "more: dict[str, dict[str, int]]",
        "raw: bytes",
        "either: Any  # of several types",
        "model_config_: str",
        "last: int | None = None  # in 23 of 24 items",
        "gone: str | None  # NULL in 1 of 24 items",
    ):
        assert f"    {line}\n" in found.code, found.code


def test_what_does_not_fit_is_told_without_values() -> None:
    items = [{"PK": f"USER#{i}", "SK": "USER", "Type": "User", "id": i} for i in IDS]
    items += [{"PK": "USER#secret1", "SK": "USER", "Type": "User", "id": "secret2"}]
    items += [{"PK": f"USER#{i}", "SK": f"ORDER#{n}", "Type": "Order", "user": i, "n": n} for n, i in enumerate(IDS)]
    items += [{"PK": "odd", "SK": "secret3", "Type": "Order", "user": "secret4", "n": 1}]
    found = worked_out(items)
    assert sum(misfit.items for misfit in found.misfits) == 2 or found.entities[1].fitting == 25
    assert "secret" not in repr(found.misfits) + found.code
    assert {misfit.entity for misfit in found.misfits} <= {"User", "Order"}
    assert any(not misfit.reason.startswith("cannot") for misfit in found.misfits)


def test_values_of_several_types_are_left_to_the_key() -> None:
    items = [
        {"PK": f"U#{n}", "SK": f"V#{n % 3}", "type": "thing", "v": n if n % 2 else str(n), "w": "x"} for n in range(30)
    ]
    found = worked_out(items)
    assert found.misfits == ()
    assert keys_of(found) == {"Thing": ("U#{u_id}", "V#{v_id}")}
    assert "    v: Any  # of several types\n" in found.code


def test_values_of_several_types_are_no_key_of_an_index() -> None:
    items: list[dict[str, Any]] = [
        {"PK": f"U#{n + 500}", "SK": "U", "type": "u"} | ({"code": i, "ByCode": i} if n % 2 else {"code": n})
        for n, i in enumerate(IDS)
    ]
    found = worked_out(items, key="PK SK", indexes=["Codes ByCode"])
    assert found.misfits == ()
    assert 'Codes=("{by_code}",)' in found.code


def test_braces_in_keys_are_no_fields() -> None:
    """Ids in braces, as some systems write them, and a label that has some."""
    items = [
        {"PK": f"USER#{{{i}-4f}}", "SK": "{main}", "type": "user", "GSI1PK": "ALL#{x}", "GSI1SK": f"{{{i}-4f}}"}
        for i in IDS
    ]
    found = worked_out(items)
    assert found.misfits == ()
    assert keys_of(found) == {"User": ("USER#{user_id}", "{sk}")}
    mixed = [{"PK": f"U-{{{i}}}", "SK": "A#B", "type": "u", "code": i} for i in IDS]
    assert worked_out(mixed).misfits == ()


def test_a_label_with_a_brace_is_left_to_the_key() -> None:
    items = [{"PK": f"KEY|U-{{{i}", "SK": "A|B", "type": "u", "code": i} for i in IDS]
    found = worked_out(items)
    assert found.misfits == ()
    assert keys_of(found) == {"U": ("KEY|{key_id}", "A|B")}


def test_one_number_in_all_keys_is_no_shard() -> None:
    """By chance, some number of shards would put both items there."""
    near = [name for name in (f"x{n}" for n in range(500)) if shard_of(name, 9) == 7][:2]
    found = worked_out([{"PK": "N#7", "SK": f"J#{name}", "type": "j", "job": name} for name in near])
    assert keys_of(found) == {"J": ("N#{n_id}", "J#{job}")}


def test_keys_of_several_forms_are_fields() -> None:
    items = [
        {"PK": f"U#{i}" if n % 2 else f"U#a#{i}", "SK": "U#1" if n % 2 else "U", "type": "u"} for n, i in enumerate(IDS)
    ]
    found = worked_out(items)
    assert found.misfits == ()
    assert keys_of(found) == {"U": ("{pk}", "{sk}")}


def test_what_identifies_an_item_is_no_condition() -> None:
    items: list[dict[str, Any]] = [{"PK": f"U#{i}", "SK": "U", "type": "u", "name": f"n{i}"} for i in IDS]
    items[3] |= {"GSI1PK": "CHOSEN", "GSI1SK": "X"}
    found = worked_out(items)
    assert "when=" not in found.code
    assert [misfit.reason for misfit in found.misfits] == [
        "it lacks GSI1PK; take a larger sample, or make that index sparse by hand"
    ]


@pytest.mark.parametrize("count", [8, 12])
def test_a_sparse_index_of_few_items_with_several_states(count: int) -> None:
    states = ["asked", "done", "asked", "at work", "asked", "called off", "on its way", "asked"]
    items: list[dict[str, Any]] = []
    for n, i in enumerate(IDS[:count]):
        state = states[n % len(states)]
        item = {"PK": f"B#{i}", "SK": "B", "type": "b", "b": i, "garage": f"g{n % 4}", "state": state}
        items.append(item | ({"GSI1PK": f"G#g{n % 4}", "GSI1SK": f"B#{i}"} if state == "asked" else {}))
    found = worked_out(items)
    assert found.misfits == ()
    assert 'GSI1=sparse("G#{garage}", "B#{b}", when=attr("state") == "asked")' in found.code


def test_of_several_conditions_that_fit_the_one_with_the_fewest_values_is_taken() -> None:
    items: list[dict[str, Any]] = []
    for n, i in enumerate(IDS[:12]):
        item = {"PK": f"B#{i}", "SK": "B", "type": "b", "b": i, "bay": 40 if n < 4 else n, "low": n < 4}
        items.append(item | ({"GSI1PK": "LOW", "GSI1SK": f"B#{i}"} if n < 4 else {}))
    assert 'when=is_in(attr("low"), [True])' in worked_out(items).code


def test_kinds_that_share_a_form_of_keys_are_one_entity() -> None:
    items: list[dict[str, Any]] = [
        {"PK": f"USER#{i}", "SK": "USER", "kind": "admin" if n % 3 else "user", "user_id": i} for n, i in enumerate(IDS)
    ]
    items += [{"PK": f"USER#{i}", "SK": f"ORDER#{n:04d}", "kind": "order", "n": n} for n, i in enumerate(IDS)]
    found = worked_out(items)
    assert found.misfits == ()
    assert keys_of(found) == {"User": ("USER#{user_id}", "USER"), "Order": ("USER#{user_id}", "ORDER#{n:4}")}
    assert '    kind: Literal["admin", "user"]  # these in 24 items\n' in found.code
    assert found.notes == ("Items of several kinds have keys of the same form; kind is a field of theirs.",)


def test_what_the_model_cannot_hold_is_left_out_of_it() -> None:
    """A line may be called anything, also CAR, as the item is that it belongs to."""
    items: list[dict[str, Any]] = [{"PK": f"CAR#{i}", "SK": "CAR", "kind": "car", "size": n} for n, i in enumerate(IDS)]
    items += [{"PK": f"CAR#{i}", "SK": f"x{n}", "kind": "line"} for n, i in enumerate(IDS)]
    found = worked_out(items)
    names: dict[str, Any] = {}
    exec(found.code, names)  # what is handed out can be imported
    assert "Car" in names
    assert "Line" not in names
    assert [(e.name, e.fitting) for e in found.entities] == [("Car", 24), ("Line", 0)]
    assert [(m.entity, m.items) for m in found.misfits] == [("Line", 24)]
    assert found.notes == ("Left out, since the model cannot hold them with the others: Line.",)
    assert 'names=AttributeNames(type="kind")' in found.code


def test_multi_attribute_indexes() -> None:
    description = {
        "TableName": "Things",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "N" if name == "rank" else "S"}
            for name in ("id", "a", "b", "rank")
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "ByPlace",
                "KeySchema": [
                    {"AttributeName": "a", "KeyType": "HASH"},
                    {"AttributeName": "b", "KeyType": "HASH"},
                    {"AttributeName": "rank", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    }
    items = [to_wire_item({"id": i, "a": f"x{n % 3}", "b": f"y{n}", "rank": n}) for n, i in enumerate(IDS)]
    found = infer(layout_of(description), items)
    assert 'GSI("ByPlace", pk=["a", "b"], sk=number("rank"), projection="KEYS_ONLY")' in found.code
    assert 'ByPlace=(("{a}", "{b}"), "{rank}")' in found.code
    assert found.misfits == ()


def test_names_that_the_code_itself_uses() -> None:
    items: list[dict[str, Any]] = [
        {"PK": f"T#{i}", "SK": "T", "Type": "Table", "id": i, "keys": i, "copy": i, "größe": n, "class": i, "int": n}
        for n, i in enumerate(IDS)
    ]
    for n, item in enumerate(items):
        if n % 3:
            item |= {"date": "2026-01-31", "datetime": "2026-01-31T12:00:00.000000Z", "other-date": "2026-01-31"}
    found = infer(said_layout("number", wire := [to_wire_item(item) for item in items], "PK SK", []), wire)
    assert found.misfits == ()
    assert "number_table = Table(" in found.code
    assert 'class TableItem(Entity, table=number_table, type="Table"' in found.code
    assert "    date_: date | None = None" in found.code
    assert "    other_date: date | None = None" in found.code


def test_a_sample_of_usual_size() -> None:
    items = [
        {
            "PK": f"A#{n}",
            "SK": f"B#{n % 11:04d}",
            "Type": "A",
            "a": str(n),
            "b": n % 11,
            **{f"f{k}": k for k in range(9)},
        }
        for n in range(1500)
    ]
    assert keys_of(worked_out(items)) == {"A": ("A#{a}", "B#{b:4}")}


def test_labels_in_every_part() -> None:
    items = [
        {
            "pk": f"$app#tenant_t{n % 5}",
            "sk": f"$task_1#status_{'open' if n % 3 else 'done'}#id_{i}",
            "gs1pk": f"$app#task_{i}",
            "gs1sk": "$task:",
            "__edb_e__": "task",
            "tenant": f"t{n % 5}",
            "taskId": i,
            "status": "open" if n % 3 else "done",
        }
        for n, i in enumerate(IDS)
    ]
    found = worked_out(items)
    assert found.misfits == ()
    assert keys_of(found) == {"Task": ("$app#tenant_{tenant}", "$task_1#status_{status}#id_{task_id}")}
    assert 'GSI("GS1", pk="gs1pk", sk="gs1sk")' in found.code
    assert 'GS1=("$app#task_{task_id}", "$task:")' in found.code


def test_a_part_that_is_empty() -> None:
    items = [{"PK": f"user:{i}", "SK": "user:", "_type": "User", "id": i} for i in IDS]
    found = worked_out(items)
    assert found.misfits == ()
    assert keys_of(found) == {"User": ("user:{id}", "{sk}")}


def test_fields_in_a_map_that_is_called_like_the_kind() -> None:
    items = [
        {
            "PK": f"DOC#{i}",
            "SK": "DOC",
            "GSI1PK": f"OWNER#{n % 5}",
            "GSI1SK": f"{n:04d}",
            "Type": "Document",
            "document_id": i,
            "state": "new",
            "document": {"owner": str(n % 5), "rank": n, "text": "x" * n},
        }
        for n, i in enumerate(IDS)
    ]
    found = worked_out(items)
    assert found.misfits == ()
    assert 'nested="document", flat=["state"]' in found.code
    assert 'Keys("DOC#{document_id}", "DOC", GSI1=("OWNER#{owner}", "{rank:4}"))' in found.code


def test_few_items_are_not_read_too_closely() -> None:
    """One item of a kind, or one in an index, shows values and not what they mean; none of them gets into the code."""
    items: list[dict[str, Any]] = [
        {"PK": f"USER#{i}", "SK": "USER", "Type": "User", "id": i, "mail": f"secret-{i}@example.com"} for i in IDS[:6]
    ]
    items[0] |= {"GSI1PK": "DUE#4711", "GSI1SK": "2026-01-31T12:00:00.000000Z#secret"}
    items += [{"PK": "CONFIG", "SK": "secret@example.com", "Type": "Config", "limit": 5}]
    found = worked_out(items)
    assert "secret" not in found.code
    assert "4711" not in found.code
    assert found.misfits == ()


def orders_and_lines() -> list[dict[str, Any]]:
    orders = [
        {"pk": f"user#{i}", "sk": f"order#{n}", "user_id": i, "order_id": f"{n}", "total": 5} for n, i in enumerate(IDS)
    ]
    return [
        line
        for order in orders
        for line in (
            order,
            *(
                {
                    "pk": order["pk"],
                    "sk": f"{order['sk']}#item#{product}",
                    "user_id": order["user_id"],
                    "order_id": order["order_id"],
                    "product_id": product,
                }
                for product in ("p0", "p1")
            ),
        )
    ]


def test_parents_and_children_are_told_apart_by_the_shape_of_their_keys() -> None:
    found = worked_out(orders_and_lines())
    assert found.misfits == ()
    assert keys_of(found) == {
        "Order": ("user#{user_id}", "order#{order_id}"),
        "Item": ("user#{user_id}", "order#{order_id}#item#{product_id}"),
    }
    assert "only the key holds it" not in found.code


def test_children_beside_an_item_with_a_constant_key() -> None:
    items: list[dict[str, Any]] = []
    for n, i in enumerate(IDS):
        pk = f"t#{n % 3}#c#{i}"
        own = {"tenant": f"{n % 3}", "client": i}
        items.append({"pk": pk, "sk": "meta", "name": f"n{i}", **own})
        items.append({"pk": pk, "sk": f"note#{n:03d}", "text": "x", "n": n, **own})
        items.append({"pk": pk, "sk": f"note#{n:03d}#reply#{i}", "text": "y", "by": "z", "n": n, **own})
    found = worked_out(items)
    assert found.misfits == ()
    assert sorted(sk or "" for _, sk in keys_of(found).values()) == ["meta", "note#{n:3}", "note#{n:3}#reply#{client}"]
    assert "    text: str\n" in found.code  # one text in all of them says nothing of others


def test_labels_within_keys_tell_kinds_apart_where_attributes_differ() -> None:
    items = [{"PK": f"TEAM#{i}", "SK": f"IN#FILE#{n}", "team": i, "n": str(n), "bytes": n} for n, i in enumerate(IDS)]
    items += [{"PK": f"TEAM#{i}", "SK": f"IN#LINK#{n}", "team": i, "n": str(n), "href": i} for n, i in enumerate(IDS)]
    assert keys_of(worked_out(items)) == {
        "File": ("TEAM#{team}", "IN#FILE#{n}"),
        "Link": ("TEAM#{team}", "IN#LINK#{n}"),
    }


def test_labels_within_keys_are_values_where_attributes_are_the_same() -> None:
    items = [
        {"PK": f"TEAM#{i}", "SK": f"AT#{'OPEN' if n % 2 else 'SHUT'}#{n}", "team": i, "n": str(n)}
        for n, i in enumerate(IDS)
    ]
    assert keys_of(worked_out(items)) == {"At": ("TEAM#{team}", "AT#{at_id}#{n}")}


def test_nothing_to_work_with() -> None:
    with pytest.raises(ArgumentError, match="no items"):
        infer(said_layout("Things", [], "id", []), [])
    with pytest.raises(ArgumentError, match="No item has the key id"):
        worked_out([{"other": 1}], key="id")
    with pytest.raises(ArgumentError, match="cannot be told"):
        worked_out([{"other": 1}])


fields = st.permutations(["alpha", "beta", "gamma", "delta"])
literals = st.lists(st.sampled_from(["USER", "ORDER", "ITEM", "AT"]), min_size=2, max_size=2)


@settings(max_examples=20)
@given(fields, literals, st.integers(0, 2), st.sampled_from(["#", "|", "::", "/"]), st.booleans())
def test_drawn_templates_come_back(names: list[str], labels: list[str], numbers: int, split: str, odd: bool) -> None:
    """Whatever template made the keys of a table is found, also where a value that ends a key holds the separator."""
    odd = odd and not numbers
    templates = [
        split.join([labels[0], f"{{{names[0]}}}"]),
        split.join([labels[1], *(f"{{{name}}}" for name in names[1 : 2 + numbers])]),
    ]
    items = []
    for n, i in enumerate(IDS):
        values = {name: f"{name[0]}{split if odd else '-'}{i}{n}" for name in names}
        texts = [template.format(**values) for template in templates]
        items.append({"PK": texts[0], "SK": texts[1], "Type": "Thing", **values})
    found = worked_out(items)
    assert found.misfits == ()
    assert keys_of(found) == {"Thing": tuple(templates)}
