"""`<` on the field that ends a sort key: everything before the value and nothing of others, whatever the texts are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import Entity, Keys, KeyStyle, Query, Table, query


class Shelf:
    """Versions by their labels, with others before and behind them in the partition."""

    def __init__(self, style: KeyStyle) -> None:
        self.table = table = Table("Shelf", key_style=style)
        between = style.separator

        class Doc(Entity, table=table):
            keys = Keys(f"DOC{between}{{doc}}", "DOC")
            doc: str

        class Version(Entity, table=table):
            keys = Keys(f"DOC{between}{{doc}}", f"V{between}{{label}}")
            doc: str
            label: str

        class Writer(Entity, table=table):
            keys = Keys(f"DOC{between}{{doc}}", f"W{between}{{name}}")
            doc: str
            name: str

        @table.pattern
        def before(doc: str, label: str) -> Query[Version]:
            return query(Version, Version.doc == doc, Version.label < label).newest_first()

        @table.pattern
        def within(doc: str, low: str, high: str) -> Query[Version]:
            return query(Version, Version.doc == doc, Version.label > low, Version.label < high)

        self.Doc, self.Version, self.Writer = Doc, Version, Writer
        self.before, self.within = before, within


LABELS = st.text(st.sampled_from("a#$%b|~\ue000\U0010ffff"), min_size=1, max_size=3)


@pytest.mark.parametrize("style", [KeyStyle(), KeyStyle.adopted("|")], ids=["strict", "adopted"])
@given(labels=st.sets(LABELS, max_size=12), low=LABELS, high=LABELS | st.just("b" * 1020))
def test_everything_before_a_value_is_read(style: KeyStyle, labels: set[str], low: str, high: str) -> None:
    shelf = Shelf(style)
    with shelf.table.open("memory:") as db:
        with db.batch() as batch:
            batch.put(shelf.Doc(doc="d"))
            batch.put(shelf.Writer(doc="d", name="a"))
            for label in labels | {high}:
                batch.put(shelf.Version(doc="d", label=label))
        found = [version.label for version in db.run(shelf.before, "d", high)]
        assert found == sorted((label for label in labels if label < high), reverse=True)
        assert [v.label for v in db.run(shelf.within, "d", low, high)] == sorted(x for x in labels if low < x < high)


def test_the_request_says_where_it_ends() -> None:
    (request,) = Shelf(KeyStyle()).table.prove().of("before").requests
    assert request.key_condition == "PK = DOC#{doc} AND SK BETWEEN V# AND V#{the last text before label}"
