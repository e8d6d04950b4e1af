"""Code of the old model and code of the new one, both at work: what each reads at each request of a migration."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import key
from tablewright.errors import ImmutableFieldError, NotFoundError
from tablewright.evolve.migrations import AddIndex, FillKeys, MoveEntity, RenameAttribute
from tests.evolve.migrations.tables import Shop, Through, file, shop, skipped

BY_STATE = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]'),
    ('"ORDER#{number}"))', '"ORDER#{number}"), GSI2=("STATE#{state}", "ORDER#{number}"))'),
    (
        "@shop.pattern\ndef notes_of",
        "@shop.pattern\ndef orders_in(state: str) -> Query[Order]:\n    return query(Order, Order.state == state)\n\n"
        "@shop.pattern\ndef notes_of",
    ),
]
MOVED = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]


def answers(session: Any, module: Any, *, by_key: bool = True) -> list[Any]:
    """What the patterns that both models have say."""
    found = [[(o.number, o.state) for o in session.run(module.orders_of, buyer)] for buyer in ("b0", "b1")]
    notes = [[n.note for n in session.run(module.notes_of, f"{i}")] for i in range(4)]
    orders = [session.run(module.order, f"{i}") for i in range(4)] if by_key else []
    return [found, notes, [(o.number, o.state) for o in orders]]


def watched(ground: Shop, check: Any, *steps: Any, **job: Any) -> Any:
    """A migrator with a check after each of its requests."""
    return ground.migrator(file(*steps), session=ground.opened(lambda i: Through(i, lambda n: None, check)), **job)


def test_a_new_index_disturbs_nobody_at_any_request() -> None:
    with shop(*BY_STATE) as ground:
        ground.fill(4)
        expected, looks = answers(ground.old, ground.old_module), []

        def check(number: int) -> None:
            assert answers(ground.old, ground.old_module) == expected, number
            assert answers(ground.new, ground.new_module) == expected, number
            looks.append(number)

        fill = (AddIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",)), FillKeys("Order", "GSI2"))
        migrator = watched(ground, check, *fill)
        migrator.run(write=True)
        migrator.cutover()
        assert len(looks) > 10
        for state, numbers in (("s0", ["0", "3"]), ("s1", ["1"]), ("s2", ["2"])):
            assert [o.number for o in ground.new.run(ground.new_module.orders_in, state)] == numbers
        migrator.rollback(write=True)


def test_both_models_find_everything_while_items_have_two_keys() -> None:
    with shop(*MOVED) as ground:
        ground.fill(4)
        expected = answers(ground.old, ground.old_module)
        phase = "run"

        def check(number: int) -> None:
            """By an index, both find all of it, once, all the time. By its key, the old model finds it until it is retired, the
            new one from the end of the run on."""
            old = answers(ground.old, ground.old_module, by_key=phase != "retire")
            new = answers(ground.new, ground.new_module, by_key=phase not in ("run", "rollback"))
            assert old[:2] == new[:2] == expected[:2], (phase, number)
            assert old[2] in ([], expected[2]), (phase, number)
            assert new[2] in ([], expected[2]), (phase, number)

        migrator = watched(ground, check, MoveEntity("Order", was=("ORDER#{number}", "ORDER")))
        migrator.run(write=True)
        phase = "both"
        migrator.run(write=True)
        migrator.verify()
        migrator.cutover()
        phase = "retire"
        migrator.retire(write=True)
        assert answers(ground.new, ground.new_module) == expected
        phase = "rollback again"
        ground.migrator(file(MoveEntity("Order", was=("ORDER#{number}", "ORDER")))).rollback(write=True)
        assert answers(ground.old, ground.old_module) == expected


def test_what_the_new_model_writes_after_the_cut_over_is_carried_over_by_the_next_run() -> None:
    with shop(*MOVED) as ground:
        ground.fill(4)
        migrator = ground.migrator(file(MoveEntity("Order", was=("ORDER#{number}", "ORDER"))))
        migrator.run(write=True)
        migrator.cutover()
        module = ground.new_module
        ground.new.update(key(module.Order, number="1"), set={"state": "new"})
        ground.new.delete(key(module.Order, number="3"))
        ground.old.update(key(ground.old_module.Order, number="2"), set={"state": "old"})
        assert skipped(migrator.run(write=True)) == {}
        assert migrator.status()[0].state == "cut over"
        for session, code in ((ground.old, ground.old_module), (ground.new, module)):
            found = {o.number: o.state for buyer in ("b0", "b1") for o in session.run(code.orders_of, buyer)}
            assert found == {"0": "s0", "1": "new", "2": "old"}


@pytest.mark.parametrize("end", ["run", "retire", "rollback"])
def test_what_the_old_model_deletes_and_writes_anew_is_told_as_nothing(end: str) -> None:
    with shop(*MOVED) as ground:
        ground.fill(2)
        migrator = ground.migrator(file(MoveEntity("Order", was=("ORDER#{number}", "ORDER"))))
        migrator.run(write=True)
        if end != "run":
            migrator.cutover()
        module = ground.old_module
        ground.old.delete(key(module.Order, number="1"))
        ground.old.create(module.Order(number="1", buyer="b0", state="anew"))
        told = getattr(migrator, end)(write=True)
        assert skipped(told) == {}
        if end == "run":
            assert sum(one.outcome.left for one in migrator.verify()) == 0
        if end != "rollback":
            assert ground.new.run(ground.new_module.order, "1").state == "anew"
        if end != "retire":
            assert ground.old.run(module.order, "1").state == "anew"
        assert [o.number for o in ground.new.run(ground.new_module.orders_of, "b0")] == ["0", "1"]


def test_what_both_models_have_made_is_left_and_told() -> None:
    with shop(*MOVED) as ground:
        ground.fill(2)
        ground.new.create(ground.new_module.Order(number="1", buyer="b9", state="other"))
        migrator = ground.migrator(file(MoveEntity("Order", was=("ORDER#{number}", "ORDER"))))
        assert skipped(migrator.run(write=True)) == {"another item lies where it should go": 1}
        assert ground.old.run(ground.old_module.order, "1").state == "s1"
        assert ground.new.run(ground.new_module.order, "1").state == "other"


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("job", [{}, {"segments": 8, "in_flight": 8}], ids=["one by one", "side by side"])
@pytest.mark.parametrize("way", [1, -1], ids=["moved first", "moved last"])
@pytest.mark.parametrize("what", ["retire", "rollback"])
def test_the_new_model_writes_at_any_request_of_the_end(what: str, way: int, job: dict[str, int], stride: int) -> None:
    """Other steps change items too, which must not look as if code of the old model had."""
    steps = (MoveEntity("Order", was=("ORDER#{number}", "ORDER")), RenameAttribute("Order", "day", to="date"))[::way]
    number, done = len(what) % stride, False
    while not done:
        number += stride
        with shop(*MOVED) as ground:
            ground.fill(2)
            module, side = ground.new_module, list[int]()
            migrator = ground.migrator(file(*steps))
            migrator.run(write=True)
            migrator.run(write=True)
            migrator.cutover()

            def write(count: int, ground: Shop = ground, side: list[int] = side, number: int = number) -> None:
                module = ground.new_module
                if count == number and ground.new.run(module.order, "1") is not None:
                    with suppress(NotFoundError):  # another request may just have moved it
                        ground.new.update(key(module.Order, number="1"), set={"state": "new"})
                        side.append(count)

            watching = watched(ground, write, *steps, **job)
            told = watching.retire(write=True) if what == "retire" else watching.rollback(write=True)
            done = not side and number > 10
            assert skipped(told) == {}, number
            session, code = (ground.new, module) if what == "retire" else (ground.old, ground.old_module)
            if side and (found := session.run(code.order, "1")) is not None:
                assert found.state == "new", number
            assert not any(name.startswith("Tablewright") for item in ground.items() for name in item), number
            assert len([i for i in ground.items() if i["Type"] == {"S": "Order"}]) == 2


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("job", [{}, {"segments": 8, "in_flight": 8}], ids=["one by one", "side by side"])
@pytest.mark.parametrize("what", ["retire", "rollback"])
def test_the_old_model_deletes_at_any_request_of_the_end(what: str, job: dict[str, int], stride: int) -> None:
    """A copy that was met while its item was there is not forgotten when that goes."""
    step = MoveEntity("Order", was=("ORDER#{number}", "ORDER"))
    number, done, gone = len(what) % stride, False, 0
    while not done:
        number += stride
        with shop(*MOVED) as ground:
            ground.fill(2)
            side = list[int]()
            migrator = ground.migrator(file(step))
            migrator.run(write=True)
            migrator.cutover()

            def delete(count: int, ground: Shop = ground, side: list[int] = side, number: int = number) -> None:
                if count == number:
                    old_key = {"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER"}}
                    request = {"TableName": "Shop", "Key": old_key, "ReturnValues": "ALL_OLD"}
                    side += [count] if "Attributes" in ground.engine.execute("DeleteItem", request) else []

            watching = watched(ground, delete, step, **job)
            told = watching.retire(write=True) if what == "retire" else watching.rollback(write=True)
            done = not side and number > 10
            gone += bool(side)
            assert skipped(told) == {}, number
            left = [i for i in ground.items() if i["Type"] == {"S": "Order"}]
            assert len(left) == (1 if side else 2), number
            assert not any(name.startswith("Tablewright") for item in left for name in item), number
    assert gone > 5 // stride


OPS = st.lists(
    st.tuples(
        st.sampled_from(["old set", "old delete", "new set", "new delete", "old create", "pass"]),
        st.sampled_from(["0", "1", "2"]),
        st.sampled_from(["x", "y", "z"]),
    ),
    max_size=14,
)


@settings(max_examples=settings().max_examples // 3)
@given(OPS, st.booleans(), st.sampled_from([1, 8]))
def test_whatever_either_model_writes_is_there_in_the_end(
    ops: list[tuple[str, str, str]], undone: bool, segments: int
) -> None:
    """As long as not both write the same item between two passes, nothing is lost, and nothing deleted comes back."""
    step = MoveEntity("Order", was=("ORDER#{number}", "ORDER"))
    with shop(*MOVED) as ground:
        ground.fill(3)
        migrator = ground.migrator(file(step), segments=segments)
        migrator.run(write=True)
        held = {f"{i}": f"s{i}" for i in range(3)}
        writer: dict[str, str] = {}
        moved: set[str] = set()
        sides = {"old": (ground.old, ground.old_module), "new": (ground.new, ground.new_module)}
        for what, number, state in ops:
            side, _, verb = what.partition(" ")
            if what == "pass":
                assert skipped(migrator.run(write=True)) == {}
                moved |= {n for n, who in writer.items() if who == "new"}
                writer.clear()
                continue
            if writer.get(number, side) != side or (side == "old" and number in moved):
                continue
            session, module = sides[side]
            order = key(module.Order, number=number)
            if verb == "create":
                if number in held:
                    continue
                session.create(module.Order(number=number, buyer="b0", state=state))
                held[number] = state
            elif number not in held:
                continue
            elif verb == "set":
                try:
                    session.update(order, set={"state": state})
                except NotFoundError:  # it is not there yet for this one
                    assert side == "new"
                    continue
                held[number] = state
            else:
                try:
                    session.delete(order)
                except NotFoundError:
                    continue
                if side == "new" and session.run(module.order, number) is not None:
                    raise AssertionError
                held.pop(number)
            writer[number] = side
        assert skipped(migrator.run(write=True)) == {}
        assert all(told.outcome.left == 0 for told in migrator.verify())
        migrator.cutover()
        if undone:
            assert skipped(migrator.rollback(write=True)) == {}
            session, module = sides["old"]
        else:
            assert skipped(migrator.retire(write=True)) == {}
            session, module = sides["new"]
        found = {n: o.state for n in ("0", "1", "2") if (o := session.run(module.order, n)) is not None}
        assert found == held
        listed = {o.number: o.state for buyer in ("b0", "b1") for o in session.run(module.orders_of, buyer)}
        assert listed == held
        assert not any(name.startswith("Tablewright") for item in ground.items() for name in item)


@pytest.mark.parametrize("what", ["put", "update", "delete"])
@pytest.mark.parametrize("side", ["old", "new"])
def test_what_was_found_by_an_index_is_written_under_the_key_that_the_model_knows(side: str, what: str) -> None:
    with shop(*MOVED) as ground:
        ground.fill(2)
        ground.migrator(file(MoveEntity("Order", was=("ORDER#{number}", "ORDER")))).run(write=True)
        session, module = (ground.old, ground.old_module) if side == "old" else (ground.new, ground.new_module)
        (found,) = session.run(module.orders_of, "b1")
        match what:
            case "put":
                found.state = "other"
                session.put(found)
            case "update":
                session.update(found, set={"state": "other"})
            case _:
                session.delete(found)
        now = session.run(module.order, "1")
        assert (now and now.state) == (None if what == "delete" else "other")
        found.number = "2"
        with pytest.raises(ImmutableFieldError):
            session.put(found)
