"""What each method takes, exactly: its requests, the index that each reads, and its units."""

from collections.abc import Callable
from decimal import Decimal
from io import StringIO

import pytest

from examples.kefir.model import Preferences, kefir
from examples.kefir.seed import day, seed
from examples.kefir.store import Kefir
from examples.places import CURSOR_KEYS
from examples.trial import methods_of, taken

METHODS: dict[str, tuple[Callable[[Kefir], object], str]] = {
    "account": (lambda s: s.account("mia"), "Query 0.5"),
    "add_note": (lambda s: s.add_note("mia", "b05", "Sweet."), "TransactWriteItems 6"),
    "add_photo": (lambda s: s.add_photo("mia", "b05", "https://example.com/1.jpg", "1.jpg"), "TransactWriteItems 6"),
    "batch": (lambda s: s.batch("mia", "b05"), "GetItem 1"),
    "batches": (lambda s: s.batches("mia"), "Query 0.5"),
    "batches_that_are": (lambda s: s.batches_that_are("mia", "active"), "Query/GSI2 0.5"),
    "bottle": (
        lambda s: s.bottle("mia", "b05", bottles=4, volume_ml=500, temperature_c=Decimal(19), hours=24),
        "GetItem 1, TransactWriteItems 8",
    ),
    "cancel_reminder": (lambda s: s.cancel_reminder("mia", "b05", "r04"), "GetItem 0.5, UpdateItem 3"),
    "device": (lambda s: s.device("mia", "phone"), "GetItem 0.5"),
    "device_seen": (lambda s: s.device_seen("mia", "phone"), "UpdateItem 1"),
    "devices": (lambda s: s.devices("mia"), "Query 0.5"),
    "due": (lambda s: s.due().all(), "Query/GSI2 0.5, Query/GSI2 0.5"),
    "erase": (
        lambda s: s.erase("olga"),
        "UpdateItem 1, GetItem 1, Query 1, Query 1, TransactWriteItems 6, TransactWriteItems 6, Query 1, Query 1, DeleteItem 1",
    ),
    "export": (lambda s: s.export("olga", StringIO()), "GetItem 0.5, Query 1, Query 1, Query 1, Query 1"),
    "export_step": (
        lambda s: s.export_step("mia"),
        "GetItem 0.5, Query 1, Query 1, Query 1, Query 1, Query 1, Query 1, Query 1, Query 1",
    ),
    "find_batch": (lambda s: s.find_batch("b05"), "Query/GSI1 0.5"),
    "forget_device": (lambda s: s.forget_device("mia", "phone"), "DeleteItem 1"),
    "hide": (lambda s: s.hide("noah", "b06"), "UpdateItem 3"),
    "mark_sent": (lambda s: s.mark_sent(s.due().all()[0]), "Query/GSI2 0.5, Query/GSI2 0.5, UpdateItem 3"),
    "news": (lambda s: s.news("mia", "b01"), "Query 0.5"),
    "page_of": (lambda s: s.page_of("mia", "b01"), "GetItem 1, Query 0.5"),
    "public_view": (lambda s: s.public_view("b06"), "Query/GSI1 0.5"),
    "register_device": (lambda s: s.register_device("mia", "tablet", "ios", "token"), "TransactWriteItems 4"),
    "remind": (lambda s: s.remind("mia", "b05", "Taste it", day(15)), "TransactWriteItems 8"),
    "reminders": (lambda s: s.reminders("mia", "b05"), "Query 1"),
    "ring": (
        lambda s: s.ring(lambda reminder, devices: None),
        "Query/GSI2 0.5, Query/GSI2 0.5, GetItem 1, Query 0.5, UpdateItem 3, GetItem 1, Query 0.5, UpdateItem 3",
    ),
    "set_preferences": (lambda s: s.set_preferences("mia", Preferences()), "UpdateItem 1"),
    "set_status": (lambda s: s.set_status("mia", "b03", "ready"), "GetItem 1, TransactWriteItems 9"),
    "set_status-archived": (
        lambda s: s.set_status("mia", "b04", "archived"),
        "GetItem 1, TransactWriteItems 9, Query 1, UpdateItem 3",
    ),
    "share": (lambda s: s.share("mia", "b02", "Try this"), "UpdateItem 3"),
    "sign_up": (lambda s: s.sign_up("pia", "pia@example.com"), "PutItem 1"),
    "start_batch": (
        lambda s: s.start_batch(
            "mia", "New", water_volume_ml=1_000, sugar_grams=60, temperature_c=Decimal(22), hours=36
        ),
        "TransactWriteItems 6",
    ),
    "timeline": (lambda s: s.timeline("mia", "b01"), "Query 0.5"),
    "upcoming": (lambda s: s.upcoming("mia"), "Query/GSI1 0.5"),
    "user": (lambda s: s.user("mia"), "GetItem 0.5"),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_it_should(name: str) -> None:
    call, expected = METHODS[name]
    with kefir.open("memory:", cursor_keys=CURSOR_KEYS, table_name="kefir") as db:
        seed(db)
        store = Kefir(db, lambda: day(13))
        assert taken(db, lambda: call(store)) == expected


def test_every_method_is_measured() -> None:
    assert {name.split("-")[0] for name in METHODS} == methods_of(Kefir)
