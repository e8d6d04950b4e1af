"""Belongings are proved where they are declared: what would leave something behind is refused, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from tablewright import (
    GSI,
    Entity,
    Get,
    Keys,
    Query,
    SoftDelete,
    Table,
    attr,
    get,
    query,
    sparse,
)
from tablewright.errors import ModelError
from tablewright.model.inspection import inspecting


def world() -> dict[str, Any]:
    """An owner, things, parts of things; and patterns that find all of them, or only some."""
    table = Table("World", indexes=[GSI("GSI1"), GSI("GSI2")])

    class Owner(Entity, table=table):
        keys = Keys("OWNER#{owner}", "OWNER")
        owner: str

    class Thing(Entity, table=table):
        keys = Keys(
            "OWNER#{owner}",
            "THING#{thing}",
            GSI1=sparse("NEW#{owner}", "{thing}", when=attr("fresh") == True),  # noqa: E712
            GSI2=("HOLDER#{holder}", "{thing}"),
        )
        owner: str
        thing: str
        fresh: bool = True
        holder: str | None = None

    class Part(Entity, table=table, soft_delete=SoftDelete()):
        keys = Keys("THING#{thing}", "PART#{part}", GSI1=("MAKER#{maker}", "{part}"))
        thing: str
        part: str
        maker: str

    class Screw(Entity, table=table):
        keys = Keys("MAKER#{maker}", "SCREW#{thing}#{screw}")
        maker: str
        thing: str
        screw: str

    class Name(BaseModel):
        thing: str

    @table.pattern
    def owner(owner: str) -> Get[Owner]:
        return get(Owner, Owner.owner == owner)

    @table.pattern
    def things(owner: str) -> Query[Thing]:
        return query(Thing, Thing.owner == owner)

    @table.pattern
    def later_things(owner: str, since: str) -> Query[Thing]:
        return query(Thing, Thing.owner == owner, Thing.thing >= since)

    @table.pattern
    def fresh_things(owner: str) -> Query[Thing]:
        return query(Thing, Thing.owner == owner, Thing.fresh == True).via("GSI1")  # noqa: E712

    @table.pattern
    def filtered_things(owner: str) -> Query[Thing]:
        return query(Thing, Thing.owner == owner).filter(Thing.fresh == True)  # noqa: E712

    @table.pattern
    def held_things(owner: str) -> Query[Thing]:
        return query(Thing, Thing.holder == owner)

    @table.pattern
    def names(owner: str) -> Query[Name]:
        return query(Thing, Thing.owner == owner).only(Name)

    @table.pattern
    def flagged_things(owner: str, up: bool) -> Query[Thing]:
        found = query(Thing, Thing.owner == owner)
        return found if up else found.newest_first()

    @table.pattern
    def parts(thing: str) -> Query[Part]:
        return query(Part, Part.thing == thing)

    @table.pattern
    def parts_by(owner: str) -> Query[Part]:
        return query(Part, Part.maker == owner)

    @table.pattern
    def parts_elsewhere(place: str) -> Query[Part]:
        return query(Part, Part.thing == place)

    @table.pattern
    def screws(maker: str) -> Query[Screw]:
        return query(Screw, Screw.maker == maker)

    @table.pattern
    def screws_of(owner: str) -> Query[Screw]:
        return query(Screw, Screw.maker == owner)

    @table.pattern
    def things_again(thing: str) -> Query[Thing]:
        return query(Thing, Thing.owner == thing)

    return dict(locals())


def declare(**given: Any) -> Callable[[dict[str, Any]], Any]:
    roots = given.get("roots", ["owner", "things", "screws_of"])
    below = given.get("below", {"Thing": ["parts"]})
    beside = given.get("beside", [])

    def made(w: dict[str, Any]) -> Any:
        leading = {w[entity]: [w[p] for p in found] for entity, found in below.items()}
        return w["table"].belongings(*(w[r] for r in roots), below=leading, beside=[w[b] for b in beside])

    return made


WRONG = {
    "an entity is forgotten": (
        declare(roots=["owner", "things"]),
        "no pattern reads Screw, so these would stay behind",
    ),
    "a child is forgotten": (declare(below={}), "no pattern reads Part"),
    "only later ones": (declare(roots=["owner", "later_things", "screws_of"]), "needs since, but owner() takes owner"),
    "a sparse index": (declare(roots=["owner", "fresh_things", "screws_of"]), "does not find every Thing"),
    "a filter": (declare(roots=["owner", "filtered_things", "screws_of"]), "does not find every Thing: its conditions"),
    "an optional field": (declare(roots=["owner", "held_things", "screws_of"]), "GSI2 does not hold all of them"),
    "a view": (declare(roots=["owner", "names", "screws_of"]), "reads only some fields of Thing"),
    "a flag": (declare(roots=["owner", "flagged_things", "screws_of"]), "takes a flag"),
    "tombstones elsewhere": (
        declare(roots=["owner", "things", "parts_by", "screws_of"], below={}),
        "where its tombstones",
    ),
    "a tombstone leads nowhere": (
        declare(roots=["owner", "things"], below={"Thing": ["parts"], "Part": ["screws"]}),
        "a tombstone of Part does not tell maker, which screws",
    ),
    "names that do not fit": (declare(below={"Thing": ["parts_elsewhere"]}), "needs place, but Thing has owner, thing"),
    "in a circle": (declare(below={"Thing": ["parts", "things_again"]}), "Thing leads to itself"),
    "said twice": (declare(beside=["Thing"]), "Thing would be read, and stands in beside= as well"),
    "unreachable": (
        declare(roots=["owner", "screws_of"], below={"Thing": ["parts"]}, beside=["Thing"]),
        "nothing leads to Thing",
    ),
}


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_what_would_leave_something_behind_is_refused(case: str) -> None:
    declaration, message = WRONG[case]
    with pytest.raises(ModelError) as refused:
        declaration(world())
    assert message in refused.value.message


def test_what_finds_everything_is_accepted() -> None:
    w = world()
    declare()(w)
    assert declare(roots=["owner", "things"], beside=["Screw"])(w).__class__.__name__ == "Belongings"


def test_what_is_no_pattern_or_entity_of_the_table_is_refused() -> None:
    w, other = world(), world()
    for wrong in (other["owner"], "owner"):
        with pytest.raises(ModelError, match="no pattern of World"):
            w["table"].belongings(wrong)
    with pytest.raises(ModelError, match="no entity of World"):
        w["table"].belongings(w["owner"], beside=[other["Thing"]])


def test_a_model_that_grows_is_proved_again() -> None:
    w = world()
    of = declare()(w)
    assert w["table"].plan.belongings(of).entities == 4

    class Late(Entity, table=w["table"]):
        keys = Keys("LATE#{late}", "LATE")
        late: str

    with pytest.raises(ModelError, match="no pattern reads Late"):
        w["table"].plan.belongings(of)
    with pytest.raises(ModelError, match="declared of World"):
        Table("Elsewhere").plan.belongings(of)


def test_an_inspection_goes_on_after_it() -> None:
    with inspecting() as found:
        w = world()
        w["table"].belongings(w["owner"])
    assert [r.kind for r in found.refused] == ["belongings"]


def test_an_inspection_tells_of_a_refused_pattern_once() -> None:
    with inspecting() as found:
        w = world()
        table, Thing = w["table"], w["Thing"]

        @table.pattern
        def marked(mark: str) -> Query[Any]:
            return query(Thing, Thing.fresh == mark)

        table.belongings(w["owner"], marked)
    assert [(r.kind, r.name) for r in found.refused] == [("pattern", "marked")]
