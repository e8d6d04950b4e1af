"""Whatever text arrives, the engine answers it or refuses it; nothing else ever comes out."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.engine import Engine
from tablewright.errors import ServiceError

SOUP = """
    SELECT FROM App Plain ByGroup WHERE INSERT INTO VALUE VALUES UPDATE SET REMOVE DELETE RETURNING ALL OLD NEW MODIFIED ORDER BY
    ASC DESC AND OR NOT IN BETWEEN IS NULL MISSING TRUE LIKE EXISTS COUNT size begins_with contains attribute_type
    attribute_exists list_append if_not_exists set_add set_delete pk sk v m.a lst[0] "v" 'x' 'a' 1 -1 2.5 1e3 1e200 ? ?
    ( ) [ ] { } << >> , . : ; * + - / % = <> < > <= >= || @ `1` -- /* */ ' " # \\ é CASE CAST UNION JOIN AT VALUE PIVOT
"""
token_soup = st.lists(st.sampled_from(SOUP.split()), max_size=25).map(" ".join)
beginnings = st.sampled_from(
    [
        "SELECT * FROM App WHERE pk = 'a' AND ",
        "SELECT ",
        "UPDATE App SET v = ",
        "INSERT INTO App VALUE {'pk': 'a', 'sk': 1, 'x': ",
        "DELETE FROM App WHERE pk = 'a' AND sk = ",
        "EXISTS(SELECT * FROM App WHERE pk = 'a' AND sk = 1 AND ",
        "FROM App WHERE ",
    ]
)
endings = st.sampled_from(["", ")", "}", " WHERE pk = 'a' AND sk = 1", " FROM App", " RETURNING ALL NEW *", ";"])
texts = st.one_of(
    token_soup,
    st.text(max_size=40),
    st.builds(lambda start, soup, end: f"{start}{soup}{end}", beginnings, token_soup, endings),
)
parameters = st.lists(
    st.sampled_from(
        [{"S": "a"}, {"N": "1"}, {"BOOL": True}, {"SS": ["x"]}, {"L": [{"NULL": True}]}, {"M": {}}, {"B": "AA=="}]
    ),
    max_size=3,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts, given_parameters=parameters)
def test_any_text(app: Engine, text: str, given_parameters: list[Any]) -> None:
    part: dict[str, Any] = {"Statement": text}
    if given_parameters:
        part["Parameters"] = given_parameters
    requests: list[tuple[str, dict[str, Any]]] = [
        ("ExecuteStatement", part),
        ("ExecuteTransaction", {"TransactStatements": [part]}),
        ("BatchExecuteStatement", {"Statements": [part]}),
    ]
    for operation, request in requests:
        with suppress(ServiceError):
            app.execute(operation, request)
