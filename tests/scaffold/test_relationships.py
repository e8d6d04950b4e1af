"""The tree of relationships: whatever is answered, what must not happen does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import ArgumentError
from tablewright.scaffold.job.relationships import Question, decide, key_kind

questions = st.builds(
    Question,
    cardinality=st.sampled_from(["1:1", "1:N", "M:N"]),
    count=st.none() | st.integers(1, 50),
    alone=st.booleans(),
    large=st.booleans(),
    link_data=st.booleans(),
    both_ways=st.booleans(),
    kinds=st.integers(1, 3),
    stable=st.booleans(),
    together=st.booleans(),
)


@given(questions)
def test_no_answer_leads_where_it_must_not(question: Question) -> None:
    decision = decide(question)
    assert decision.path[0] == question.cardinality
    if decision.strategy == "embedded":
        assert not question.alone
        assert not question.large
        assert question.cardinality == "1:1" or (question.count is not None and question.count < 20)
    if decision.strategy == "shallow duplication":
        assert question.stable
        assert not question.both_ways
        assert not question.link_data
    many = ("adjacency list", "materialised graph", "shallow duplication", "normalised")
    assert (decision.strategy in many) is (question.cardinality == "M:N")


@given(questions.filter(lambda q: q.cardinality == "M:N" and q.both_ways and q.together))
def test_links_that_are_read_from_both_ends_are_items(question: Question) -> None:
    assert decide(question).strategy in ("adjacency list", "materialised graph")


def test_no_target_at_all_is_no_relationship() -> None:
    with pytest.raises(ArgumentError, match="fewer than one"):
        decide(Question(cardinality="1:N", count=0))


@given(st.booleans(), st.booleans())
def test_one_table_always_has_a_sort_key(grouped: bool, ranged: bool) -> None:
    assert key_kind(single_table=True, grouped=grouped, ranged=ranged)[0] == "composite"
    wanted = "composite" if grouped or ranged else "simple"
    assert key_kind(single_table=False, grouped=grouped, ranged=ranged)[0] == wanted
