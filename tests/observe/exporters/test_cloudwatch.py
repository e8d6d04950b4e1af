"""What is published to CloudWatch arrives within its limits; a client that fails or hangs harms nobody."""

import os
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any
from urllib.parse import urlencode

import boto3
import botocore.serialize
import pytest
from botocore.config import Config

from tablewright.errors import ArgumentError
from tablewright.observe.events import Event
from tablewright.observe.exporters.cloudwatch import CloudWatch, calls, data
from tablewright.observe.outlet import Outlet
from tablewright.observe.tracking import Tracked

Make = Callable[..., Event]


class Keeps:
    """Takes all calls, or refuses as many as it was told to."""

    def __init__(self, refusals: int = 0) -> None:
        self.calls: list[list[dict[str, Any]]] = []
        self.namespaces: set[str] = set()
        self.refusals = refusals
        self.asked = 0

    def put_metric_data(self, **named: Any) -> None:
        self.asked += 1
        if self.refusals:
            self.refusals -= 1
            raise OSError("no route to host")
        self.namespaces.add(named["Namespace"])
        self.calls.append(named["MetricData"])

    def totals(self) -> dict[str, tuple[float, float]]:
        """By metric: how many values there were, and their sum."""
        found: dict[str, tuple[float, float]] = {}
        for datum in (datum for call in self.calls for datum in call):
            count, total = found.get(datum["MetricName"], (0.0, 0.0))
            pairs = list(zip(datum["Values"], datum["Counts"], strict=True))
            found[datum["MetricName"]] = count + sum(c for _, c in pairs), total + sum(v * c for v, c in pairs)
        return found


@pytest.fixture
def boto() -> Callable[..., Any]:
    def client(**named: Any) -> Any:
        return boto3.client(
            "cloudwatch", region_name="eu-west-1", aws_access_key_id="id", aws_secret_access_key="secret", **named
        )

    return client


def test_a_minute_of_requests_is_one_call(event: Make) -> None:
    keeps = Keeps()
    publisher = CloudWatch(keeps, dimensions={"Stage": "test"})
    for seconds in (0.001, 0.002, 0.002):
        publisher.seen(event(seconds=seconds))
    publisher.seen(event(operation="PutItem", error="THROTTLED", read_units=0.0, write_units=3.0))
    publisher.done(Tracked(name="Checkout", at=1_700_000_000.0, seconds=0.5, error=None))
    assert keeps.calls == []
    assert publisher.flush(5)
    (call,) = keeps.calls
    assert keeps.namespaces == {"Tablewright"}
    by_name = {datum["MetricName"]: datum for datum in call}
    assert by_name["QueryDuration"] == {
        "MetricName": "QueryDuration",
        "Dimensions": [{"Name": "Table", "Value": "Shop"}, {"Name": "Stage", "Value": "test"}],
        "Timestamp": datetime(2023, 11, 14, 22, 13, tzinfo=UTC),
        "Values": [1.0, 2.0],
        "Counts": [1.0, 2.0],
        "Unit": "Milliseconds",
    }
    told = {name: (datum["Values"], datum["Counts"], datum["Unit"]) for name, datum in by_name.items()}
    del told["QueryDuration"]
    assert told == {
        "QuerySuccess": ([1.0], [3.0], "Count"),
        "QueryReadUnits": ([1.5], [3.0], "Count"),
        "PutItemDuration": ([12.5], [1.0], "Milliseconds"),
        "PutItemFailure": ([1.0], [1.0], "Count"),
        "PutItemWriteUnits": ([3.0], [1.0], "Count"),
        "CheckoutDuration": ([500.0], [1.0], "Milliseconds"),
        "CheckoutSuccess": ([1.0], [1.0], "Count"),
    }
    assert by_name["CheckoutSuccess"]["Dimensions"] == [{"Name": "Stage", "Value": "test"}]
    assert (publisher.published, publisher.dropped, publisher.failures) == (14, 0, 0)


def test_it_publishes_by_itself_after_its_period_and_its_thread_ends_when_there_is_nothing(event: Make) -> None:
    arrived = threading.Event()

    class Tells(Keeps):
        def put_metric_data(self, **named: Any) -> None:
            super().put_metric_data(**named)
            arrived.set()

    tells = Tells()
    publisher = CloudWatch(tells, period=0.01)
    publisher.seen(event())
    thread = publisher._thread
    assert thread is not None
    assert arrived.wait(5)
    thread.join(5)
    assert not thread.is_alive()
    arrived.clear()
    publisher.seen(event())  # begins another one
    assert arrived.wait(5)
    assert tells.totals()["QuerySuccess"] == (2, 2)


def test_sums_are_exact_and_percentiles_within_one_percent(event: Make) -> None:
    random, keeps = Random(7), Keeps()
    publisher = CloudWatch(keeps)
    took = [random.lognormvariate(2.0, 2.0) for _ in range(5000)]
    for milliseconds in took:
        publisher.seen(event(seconds=milliseconds / 1000))
    assert publisher.flush(5)
    count, total = keeps.totals()["QueryDuration"]
    assert count == 5000
    assert total == pytest.approx(sum(took), rel=1e-9)
    pairs = sorted(
        pair
        for datum in keeps.calls[0]
        if datum["MetricName"] == "QueryDuration"
        for pair in zip(datum["Values"], datum["Counts"], strict=True)
    )
    published = [value for value, times in pairs for _ in range(int(times))]
    assert published == pytest.approx(sorted(took), rel=0.0203)
    assert max(len(datum["Values"]) for datum in keeps.calls[0]) == 150
    assert keeps.totals()["QueryReadUnits"] == (5000, 7500)


def test_no_call_is_larger_than_cloudwatch_takes(boto: Callable[..., Any]) -> None:
    values = {number: (2, 1.1234567890123456e-5 * 1.3**number) for number in range(400)}
    dimensions = tuple((f"D{number}", "%" * 200) for number in range(20))
    series = {(f"{number}{'ä' * 240}", "Milliseconds", dimensions, 60 * number): values for number in range(20)}
    found = list(calls(data(series)))
    assert len(found) > 1
    assert sum(call.values for call in found) == 20 * 400 * 2
    model = boto().meta.service_model.operation_model("PutMetricData")
    sizes = {}
    for protocol in ("query", "json", "smithy-rpc-v2-cbor"):
        serializer = botocore.serialize.create_serializer(protocol, include_validation=False)
        request = serializer.serialize_to_request({"Namespace": "N" * 255, "MetricData": found[0].data}, model)
        sizes[protocol] = body_size(request["body"])
    assert max(sizes.values()) == sizes["query"] < 1_000_000
    assert sizes["query"] > 500_000  # not far too careful either
    small = {(f"M{number}", "Count", (), 60): {0: (1, 1.0)} for number in range(2500)}
    assert [len(call.data) for call in calls(data(small))] == [1000, 1000, 500]


def body_size(body: Any) -> int:
    if isinstance(body, dict):
        return len(urlencode(body))
    return len(body)


@pytest.mark.full
def test_cloudwatch_has_the_statistics_of_what_was_published(boto: Callable[..., Any], event: Make) -> None:
    from moto import mock_aws

    now = datetime.now(UTC).timestamp()
    with mock_aws():
        publisher = CloudWatch(lambda: boto(), namespace="Shop/Orders")
        for seconds in (0.01, 0.02, 0.02, 0.05):
            publisher.seen(event(at=now, seconds=seconds))
        assert publisher.flush(10)
        (metric,) = boto().get_metric_statistics(
            Namespace="Shop/Orders",
            MetricName="QueryDuration",
            Dimensions=[{"Name": "Table", "Value": "Shop"}],
            StartTime=now - 600,
            EndTime=now + 600,
            Period=3600,
            Statistics=["SampleCount", "Sum", "Maximum"],
        )["Datapoints"]
    assert (metric["SampleCount"], metric["Maximum"]) == (4, 50.0)
    assert metric["Sum"] == pytest.approx(100.0)


def test_what_could_not_be_sent_is_sent_later(event: Make) -> None:
    keeps = Keeps(refusals=2)
    publisher = CloudWatch(keeps)
    publisher.seen(event())
    assert not publisher.flush(5)
    publisher.seen(event())
    assert not publisher.flush(5)
    publisher.seen(event())
    assert publisher.flush(5)
    assert keeps.totals()["QuerySuccess"] == (3, 3)
    assert (publisher.failures, publisher.dropped, publisher.published) == (2, 0, 9)


def test_what_is_refused_again_and_again_is_given_up_and_what_follows_is_not(event: Make) -> None:
    class Picky(Keeps):
        def put_metric_data(self, **named: Any) -> None:
            if any(datum["MetricName"].startswith("Scan") for datum in named["MetricData"]):
                raise ValueError("InvalidParameterValue")
            super().put_metric_data(**named)

    picky = Picky()
    publisher = CloudWatch(picky)
    publisher.seen(event(operation="Scan"))
    assert not publisher.flush(5)
    publisher.seen(event())
    for _ in range(3):
        publisher.flush(5)
    assert picky.totals()["QuerySuccess"] == (1, 1)
    assert (publisher.failures, publisher.dropped, publisher.published) == (3, 3, 3)


def test_what_is_held_is_bounded(event: Make) -> None:
    keeps = Keeps(refusals=5)
    publisher = CloudWatch(keeps, most=6)
    for minute in range(10):
        publisher.seen(event(at=60.0 * minute))
    assert len(publisher._series) == 6
    assert publisher.dropped == 24
    assert not publisher.flush(5)
    for minute in range(10):
        publisher.seen(event(at=60.0 * minute))
    assert not publisher.flush(5)
    assert sum(len(call.data) for call in publisher._unsent) <= 6
    assert publisher.dropped == 54
    publisher.close()


def test_after_its_end_nothing_is_left(event: Make) -> None:
    keeps = Keeps()
    outlet = Outlet(CloudWatch(keeps))
    outlet.put(event())
    assert outlet.close(5)
    assert keeps.totals()["QuerySuccess"] == (1, 1)
    assert [t for t in threading.enumerate() if "CloudWatch" in t.name and t.is_alive() and t.join(5)] == []


@pytest.mark.parametrize("said", [{"period": 0.0}, {"namespace": "AWS/Mine"}, {"by": ("Key",)}], ids=str)
def test_settings_that_cannot_work_are_refused(said: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        CloudWatch(Keeps(), **said)


# ------------------------------------------------------------------------------------------------- an endpoint that hangs


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of somebody who takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_an_endpoint_that_hangs_keeps_no_request_waiting(boto: Callable[..., Any], event: Make, silent: str) -> None:
    waits_long = Config(connect_timeout=2, read_timeout=2, retries={"max_attempts": 0})
    publisher = CloudWatch(boto(endpoint_url=silent, config=waits_long), period=0.01)
    outlet = Outlet(publisher)
    outlet.put(event())
    assert not outlet.flush(0.1)  # it is stuck in the call, or about to be
    for _ in range(1000):
        outlet.put(event())
    until = time.monotonic() + 10
    while outlet.seen < 1001 and time.monotonic() < until:
        time.sleep(0.001)
    assert outlet.seen == 1001  # all are taken and summed up, though nothing gets out
    assert (outlet.dropped, outlet.failures, publisher.dropped) == (0, 0, 0)
    assert not outlet.close(0.05)


def test_an_endpoint_that_hangs_does_not_keep_the_process_alive(silent: str) -> None:
    code = f"""
    from urllib.request import urlopen
    from tablewright.observe import outlet
    from tablewright.observe.exporters.cloudwatch import CloudWatch
    from tablewright.observe.tracking import Tracked

    class Client:
        def put_metric_data(self, **named):
            urlopen("{silent}", b"metrics")

    outlet.FAREWELL = 0.1
    kept = outlet.Outlet(CloudWatch(Client()))
    kept.tell(Tracked(name="Checkout", at=0.0, seconds=1.0, error=None))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_makes_a_client_and_sums_of_its_own() -> None:
    code = """
    import os
    from tablewright.observe.exporters.cloudwatch import CloudWatch
    from tablewright.observe.tracking import Tracked

    class Client:
        def __init__(self):
            self.process = os.getpid()

        def put_metric_data(self, Namespace, MetricData):
            assert self.process == os.getpid()
            os.write(1, (" ".join(sorted(datum["MetricName"] for datum in MetricData)) + "\\n").encode())

    publisher = CloudWatch(Client)
    publisher.done(Tracked(name="Parent", at=0.0, seconds=1.0, error=None))
    child = os.fork()
    if not child:
        publisher.done(Tracked(name="Child", at=0.0, seconds=1.0, error=None))
        os._exit(0 if publisher.flush(5) else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert publisher.flush(5)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "ChildDuration ChildSuccess\nParentDuration ParentSuccess\n"
