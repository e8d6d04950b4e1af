"""TW306: everything that is written now goes into one partition."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.derived import BucketPlan
from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.heat import bearable, own_paths, told_with
from tablewright.lint.keyfacts import is_time, pieces
from tablewright.lint.rule import Rule


class PartitionOfNow(Rule):
    """Everything that is written now goes into one partition.

    The partition key is nothing but a day or a bucket of a time. It spreads what was written over the years, and not
    what is written today: all of it goes into the partition of now. Put a field before it, such as the device or the
    tenant, or a `Shard`. If expect() says that little is written, nothing is reported.

    Bad:

    ```python
    from datetime import datetime

    from tablewright import Bucket, Entity, Keys, Table

    log = Table("Log")


    class Event(Entity, table=log):
        keys = Keys("EVENTS#{day}", "{happened_at}#{event_id}", derive={"day": Bucket("happened_at", by="day")})
        event_id: str
        happened_at: datetime
    ```

    Good:

    ```python
    from datetime import datetime

    from tablewright import Bucket, Entity, Keys, Table

    log = Table("Log")


    class Event(Entity, table=log):
        keys = Keys("DEVICE#{device_id}#{day}", "{happened_at}#{event_id}", derive={"day": Bucket("happened_at", by="day")})
        event_id: str
        device_id: str
        happened_at: datetime
    ```
    """

    code = "TW306"
    name = "partition-of-now"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in own_paths(design):
            named = [piece for piece in pieces(path.pk) if piece.field is not None]
            timed = [
                p
                for p in named
                if isinstance(p.derived, BucketPlan) or (p.derived is None and is_time(path.plan, str(p.field)))
            ]
            if named and len(named) == len(timed) and not bearable(design, path):
                yield Found(
                    design.about_entity(path.plan),
                    f"All that is written of {path.plan.name} at one time goes into one partition of {key_of(path)}, that of "
                    f"{timed[0].field!r}.",
                    f"Put another field before it, or a Shard; {told_with(design, path)}.",
                    also=(path.index_name,) if path.index_name else (),
                )
