"""The surveyor's metrics, as CloudWatch gets them."""

from __future__ import annotations

from typing import Any

import pytest

from examples.surveyor.measuring import NAMESPACE, collector_to_cloudwatch, track_operation
from examples.surveyor.store import Surveyor, connect
from tablewright.errors import NotFoundError

KEYS = [b"a secret of the tests, no more"]


class CloudWatchClient:
    """Takes what is published."""

    def __init__(self, *, broken: bool = False) -> None:
        self.broken = broken
        self.published: list[dict[str, Any]] = []

    def put_metric_data(self, **request: Any) -> None:
        if self.broken:
            raise ConnectionError("CloudWatch is not there")
        self.published.append(request)

    def values(self, name: str) -> list[float]:
        """All values of a metric, each as often as it was counted."""
        return [
            value
            for request in self.published
            for datum in request["MetricData"]
            if datum["MetricName"] == name
            for value, times in zip(datum["Values"], datum["Counts"], strict=True)
            for _ in range(int(times))
        ]


def test_loading_a_survey_is_measured_as_a_whole() -> None:
    client = CloudWatchClient()
    collector = collector_to_cloudwatch(client)
    with connect("memory:", cursor_keys=KEYS, collector=collector) as db:
        store = Surveyor(db, "acme")
        store.create_survey("House", "ann", survey_id="s1")
        store.complete_survey("s1")
        store.complete_survey("s1")
        with pytest.raises(NotFoundError):
            store.complete_survey("s2")
    track_operation(collector, "UploadPhoto", 1.5, success=True)
    track_operation(collector, "UploadPhoto", 3.0, success=False)
    assert collector.flush(5)
    collector.close()

    assert {request["Namespace"] for request in client.published} == {NAMESPACE}
    assert client.values("GetCompleteSurveySuccess") == [1, 1]
    assert client.values("GetCompleteSurveyFailure") == [1]
    assert len(client.values("GetCompleteSurveyDuration")) == 3
    assert client.values("UploadPhotoDuration") == [pytest.approx(1500, rel=0.02), pytest.approx(3000, rel=0.02)]
    assert (client.values("UploadPhotoSuccess"), client.values("UploadPhotoFailure")) == ([1], [1])
    assert len(client.values("QuerySuccess")) >= 3


def test_metrics_that_cannot_be_published_are_in_nobodys_way() -> None:
    collector = collector_to_cloudwatch(CloudWatchClient(broken=True))
    with connect("memory:", cursor_keys=KEYS, collector=collector) as db:
        store = Surveyor(db, "acme")
        store.create_survey("House", "ann", survey_id="s1")
        assert store.complete_survey("s1").entity.title == "House"
    assert not collector.close(5)
