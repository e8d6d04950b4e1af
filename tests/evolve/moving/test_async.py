"""The same for asyncio: writes on both sides, reads by phase, repairs."""

from __future__ import annotations

import asyncio

from tablewright import RetryPolicy
from tablewright.engine import open_engine
from tablewright.evolve.moving import open_moving, open_moving_async
from tests.evolve.moving.merchants import (
    ONE,
    REVIEWS,
    Clock,
    Merchant,
    a_merchant,
    a_review,
    legacy_definitions,
    merchants_moving,
)


def test_an_application_with_asyncio() -> None:
    async def scenario() -> None:
        clock, moving = Clock(), merchants_moving()
        with open_engine("memory:") as engine:
            for definition in legacy_definitions():
                engine.execute("CreateTable", definition)
            operator = open_moving(moving, engine, clock=clock)
            operator.prepare()
            operator.advance("dual")
            clock.pass_(seconds=11)
            async with open_moving_async(moving, engine, clock=clock, retry=RetryPolicy(base_delay=0)) as session:
                await asyncio.gather(*(session.create("MerchantsTable", a_merchant(n)) for n in range(5)))
                await session.put("ReviewsTable", a_review(1, 1))
                await session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "Renamed"})
                await session.revise("MerchantsTable", {"merchantId": "m2"}, lambda old: old | {"name": "Revised"})
                await session.delete("MerchantsTable", {"merchantId": "m3"})
                assert (await session.repair()).settled == 0
                assert operator.verify().well
                operator.advance("shadow")
                clock.pass_(seconds=11)
                found = await session.read_one(ONE, "m1", subject="u")
                assert found is not None
                assert found.name == "Renamed"
                assert await session.read_one(ONE, "m3", subject="u") is None
                assert len(await session.read(REVIEWS, "m1", subject="u")) == 1
                assert (session.shadow_report().compared, session.shadow_report().differed) == (3, 0)
                assert (await session.tell()).compared == 3
                operator.advance("switched")
                clock.pass_(seconds=11)
                operator.switch(100)
                clock.pass_(days=31)
                assert len(await session.read(REVIEWS, "m1", subject="u")) == 1
                assert operator.verify().well
                operator.advance("new")
                clock.pass_(seconds=11)
                entity = Merchant(merchant_id="m9", name="New", category_id="c1")
                await session.write(
                    legacy=lambda s: s.put("MerchantsTable", a_merchant(9)), new=lambda db: db.create(entity)
                )
                assert (await session.read_one(ONE, "m9", subject="u")) is not None
                assert (await session.progress()).phase == "new"
            operator.close()

    asyncio.run(scenario())
