"""The page for Prometheus is read here by Prometheus's own parser."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from tablewright.observe.exporters.prometheus import BOUNDS, CONTENT_TYPE, answer, text
from tablewright.observe.sketches.quantiles import Quantiles
from tablewright.observe.snapshot import Snapshot, Traffic


def samples(page: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    found: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            at = (sample.name, frozenset(sample.labels.items()))
            assert at not in found
            found[at] = sample.value
    return found


def at(name: str, labels: Mapping[str, str]) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


def latency(*seconds: float) -> Quantiles:
    made = Quantiles()
    made.add(seconds)
    return made


def shop() -> Snapshot:
    return Snapshot(
        table="Shop",
        traffic=[
            Traffic(
                operation="Query",
                index="GSI1",
                pattern="orders_of",
                entity="Order",
                requests=5,
                failures={"THROTTLED": 1, "NETWORK_ERROR": 1},
                retries=3,
                read_units=12.5,
                returned=40,
                scanned=60,
                slow=2,
                latency=latency(0.0004, 0.004, 0.02, 0.2, 60.0),
            ),
            Traffic(operation="PutItem", requests=1, write_units=2.0, costly=1, latency=latency(0.003)),
        ],
    )


QUERY = {"table": "Shop", "operation": "Query", "index": "GSI1", "pattern": "orders_of", "entity": "Order"}
PUT = {"table": "Shop", "operation": "PutItem"}


def test_requests_by_outcome_and_what_they_took() -> None:
    found = samples(text(shop()))
    outcomes = {dict(labels)["outcome"]: v for (n, labels), v in found.items() if n == "tablewright_requests_total"}
    assert found[at("tablewright_requests_total", {**QUERY, "outcome": "ok"})] == 3
    assert found[at("tablewright_requests_total", {**PUT, "outcome": "ok"})] == 1
    assert (outcomes["THROTTLED"], outcomes["NETWORK_ERROR"]) == (1, 1)
    told = {name: found[at(f"tablewright_{name}_total", QUERY)] for name in ("retries", "read_units", "slow")}
    assert told == {"retries": 3, "read_units": 12.5, "slow": 2}
    assert found[at("tablewright_returned_total", QUERY)] == 40
    assert found[at("tablewright_scanned_total", QUERY)] == 60
    assert found[at("tablewright_write_units_total", PUT)] == 2
    assert found[at("tablewright_costly_total", PUT)] == 1


def test_durations_are_a_histogram() -> None:
    page = text(shop())
    found = samples(page)
    name = "tablewright_request_duration_seconds"
    counts = [found[at(f"{name}_bucket", {**QUERY, "le": str(bound)})] for bound in ("0.001", "0.005", "0.1", "10")]
    assert counts == [1, 2, 3, 4]
    assert found[at(f"{name}_bucket", {**QUERY, "le": "+Inf"})] == 5
    assert found[at(f"{name}_count", QUERY)] == 5
    assert found[at(f"{name}_sum", QUERY)] == pytest.approx(60.2244)
    kinds = {family.name: family.type for family in text_string_to_metric_families(page)}
    assert kinds[name] == "histogram"
    assert {kind for family, kind in kinds.items() if family != name} == {"counter"}


def test_every_family_is_explained_once_however_many_tables_there_are() -> None:
    page = text(shop(), Snapshot(table="Blog", traffic=[Traffic(operation="Query", requests=1)]))
    explained = [line.split()[2] for line in page.splitlines() if line.startswith("# HELP ")]
    assert len(explained) == len(set(explained)) == page.count("# TYPE ")
    assert (
        samples(page)[at("tablewright_requests_total", {"table": "Blog", "operation": "Query", "outcome": "ok"})] == 1
    )


def test_of_one_table_each_figure_is_told_once_however_many_observe_it() -> None:
    one, two = shop(), shop()
    one.runs, two.runs = ["a"], ["b"]
    found = samples(text(one, Snapshot(table="Blog"), two))

    assert found == {at: 2 * value for at, value in samples(text(shop())).items()}
    assert samples(text(one, one)) == samples(text(one))


def test_of_nothing_there_is_nothing_to_tell() -> None:
    assert samples(text()) == {}
    assert samples(text(Snapshot(table="Shop"))) == {}


names = st.text(st.sampled_from('\\"\n{}=,# é#x'), min_size=1, max_size=12)


@given(names, names, st.lists(st.floats(1e-7, 1e3), max_size=12))
def test_whatever_a_pattern_is_called_the_page_can_be_read(table: str, pattern: str, seconds: list[float]) -> None:
    traffic = Traffic(operation="Query", pattern=pattern, requests=len(seconds), latency=latency(*seconds))
    found = samples(text(Snapshot(table=table, traffic=[traffic])))
    labels = {"table": table, "operation": "Query", "pattern": pattern}
    assert found[at("tablewright_requests_total", {**labels, "outcome": "ok"})] == len(seconds)
    buckets = [v for (name, _), v in found.items() if name.endswith("_bucket")]
    assert len(buckets) == len(BOUNDS) + 1
    assert buckets == sorted(buckets)
    assert buckets[-1] == len(seconds)


def test_no_partition_key_gets_onto_the_page() -> None:
    from tablewright.observe.snapshot import Place

    observed = shop()
    observed.places[""] = place = Place()
    place.requests.add("CUSTOMER#4711")
    place.newest.append("CUSTOMER#4711")
    observed.traffic[1].overwritten.add("CUSTOMER#4711")
    assert "4711" not in text(observed)


def test_what_is_answered_suits_the_responses_of_starlette() -> None:
    from starlette.responses import Response

    class Collector:
        def snapshot(self) -> Snapshot:
            return shop()

    response = Response(**answer(Collector()))
    assert bytes(response.body).decode() == text(shop())
    assert response.headers["content-type"] == CONTENT_TYPE
