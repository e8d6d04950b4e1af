"""Both sessions used the same way, so that one machine can drive either."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tablewright import AsyncSession, Session


class SyncUser:
    """The sync session as a User."""

    def __init__(self, db: Session) -> None:
        self.db = db

    def get(self, target: Any) -> Any:
        return self.db.get(target, consistent=True)

    def create(self, entity: Any) -> Any:
        return self.db.create(entity)

    def put(self, entity: Any) -> Any:
        return self.db.put(entity)

    def update(self, target: Any, **changes: Any) -> Any:
        return self.db.update(target, **changes)

    def upsert(self, entity: Any, **changes: Any) -> Any:
        return self.db.upsert(entity, **changes)

    def increment(self, target: Any, field: Any, by: int) -> Any:
        return self.db.increment(target, field, by)

    def undelete(self, target: Any) -> Any:
        return self.db.undelete(target)

    def purge(self, target: Any) -> None:
        self.db.purge(target)

    def apply(self, change: Any, target: Any, *arguments: Any) -> Any:
        return self.db.apply(change, target, *arguments)

    def edit(self, target: Any, edit: Callable[[Any], None]) -> None:
        with self.db.edit(target) as entity:
            edit(entity)

    def revise(self, target: Any, edit: Callable[[Any], None]) -> None:
        self.db.revise(target, edit)

    def delete(self, target: Any) -> Any:
        return self.db.delete(target)

    def send(self, operation: str, request: dict[str, Any]) -> None:
        self.db.send(operation, {"TableName": self.db.table_name, **request})

    def transaction(self, fill: Callable[[Any], None]) -> None:
        with self.db.transaction() as transaction:
            fill(transaction)

    def batch(self, fill: Callable[[Any], None], *, transactional: bool = False) -> None:
        with self.db.batch(transactional=transactional) as batch:
            fill(batch)

    def delete_collection(self, what: Any, reach: Any) -> Any:
        return self.db.delete_collection(what, reach=reach)

    def close(self) -> None:
        self.db.close()


class AsyncUser:
    """The async session as a User, on a loop of its own."""

    def __init__(self, db: AsyncSession) -> None:
        self.db = db
        self.runner = asyncio.Runner()
        self.runner.run(db.__aenter__())

    def get(self, target: Any) -> Any:
        return self.runner.run(self.db.get(target, consistent=True))

    def create(self, entity: Any) -> Any:
        return self.runner.run(self.db.create(entity))

    def put(self, entity: Any) -> Any:
        return self.runner.run(self.db.put(entity))

    def update(self, target: Any, **changes: Any) -> Any:
        return self.runner.run(self.db.update(target, **changes))

    def upsert(self, entity: Any, **changes: Any) -> Any:
        return self.runner.run(self.db.upsert(entity, **changes))

    def increment(self, target: Any, field: Any, by: int) -> Any:
        return self.runner.run(self.db.increment(target, field, by))

    def undelete(self, target: Any) -> Any:
        return self.runner.run(self.db.undelete(target))

    def purge(self, target: Any) -> None:
        self.runner.run(self.db.purge(target))

    def apply(self, change: Any, target: Any, *arguments: Any) -> Any:
        return self.runner.run(self.db.apply(change, target, *arguments))

    def edit(self, target: Any, edit: Callable[[Any], None]) -> None:
        async def work() -> None:
            async with self.db.edit(target) as entity:
                edit(entity)

        self.runner.run(work())

    def revise(self, target: Any, edit: Callable[[Any], None]) -> None:
        self.runner.run(self.db.revise(target, edit))

    def delete(self, target: Any) -> Any:
        return self.runner.run(self.db.delete(target))

    def send(self, operation: str, request: dict[str, Any]) -> None:
        self.runner.run(self.db.send(operation, {"TableName": self.db.table_name, **request}))

    def transaction(self, fill: Callable[[Any], None]) -> None:
        async def work() -> None:
            async with self.db.transaction() as transaction:
                fill(transaction)

        self.runner.run(work())

    def batch(self, fill: Callable[[Any], None], *, transactional: bool = False) -> None:
        async def work() -> None:
            async with self.db.batch(transactional=transactional) as batch:
                fill(batch)

        self.runner.run(work())

    def delete_collection(self, what: Any, reach: Any) -> Any:
        return self.runner.run(self.db.delete_collection(what, reach=reach))

    def close(self) -> None:
        self.runner.run(self.db.close())
        self.runner.close()
