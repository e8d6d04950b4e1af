"""The table's stream, from where it begins, record by record. On AWS a Lambda function gets the same records."""

from typing import Any

from tablewright import Session, StreamRecord


class StreamReader:
    """A place in the stream of a table, kept while the process runs. A new reader begins with the oldest record that there
    is, so whoever reads must know what it did already."""

    def __init__(self, db: Session) -> None:
        self._db = db
        self._open: dict[str, str] = {}
        """Where to go on in each shard that may get more records."""
        self._known: set[str] = set()
        self._look = True
        """Whether there may be shards that are not known yet: at first, and when one was closed."""

    def read(self) -> list[StreamRecord]:
        """What comes next; nothing if there is nothing more at the moment."""
        if self._look:
            self._find_shards()
        found: list[StreamRecord] = []
        for shard_id, iterator in list(self._open.items()):
            page = self._db.send("GetRecords", {"ShardIterator": iterator})
            found += map(self._db.decode_record, page["Records"])
            if "NextShardIterator" in page:
                self._open[shard_id] = page["NextShardIterator"]
            else:
                del self._open[shard_id]
                self._look = True
        return found

    def _find_shards(self) -> None:
        table = self._db.send("DescribeTable", {"TableName": self._db.table_name})["Table"]
        request: dict[str, Any] = {"StreamArn": table["LatestStreamArn"]}
        while True:
            stream = self._db.send("DescribeStream", request)["StreamDescription"]
            for shard_id in (shard["ShardId"] for shard in stream["Shards"]):
                if shard_id not in self._known:
                    place = {"StreamArn": stream["StreamArn"], "ShardId": shard_id, "ShardIteratorType": "TRIM_HORIZON"}
                    self._open[shard_id] = self._db.send("GetShardIterator", place)["ShardIterator"]
                    self._known.add(shard_id)
            if "LastEvaluatedShardId" not in stream:
                break
            request["ExclusiveStartShardId"] = stream["LastEvaluatedShardId"]
        self._look = False
