"""Statements of PartiQL: SELECT, INSERT, UPDATE, DELETE, and UPDATE written with FROM first."""

from __future__ import annotations

from tablewright.engine.partiql.ast import (
    Assignment,
    Column,
    Delete,
    Element,
    Expression,
    Insert,
    Ordering,
    Path,
    Removal,
    Returned,
    Select,
    Source,
    Update,
    Wildcard,
)
from tablewright.engine.partiql.expression_parser import ExpressionParser
from tablewright.engine.partiql.lexer import NAME, QUOTED, Position
from tablewright.engine.partiql.messages import malformed

_JOINS = frozenset({"join", "inner join", "left join", "right join", "outer join"})
_MAPPINGS = frozenset({"all old", "all new", "modified old", "modified new"})


class StatementParser(ExpressionParser):
    """Adds statements to expressions; a statement may stand wherever a term may, and is looked at later."""

    def statement(self) -> Expression:
        """The statement that begins under the head."""
        token = self.advance()
        match token.kind:
            case "select":
                return self.select(token.position)
            case "pivot":
                return self.pivot(token.position)
            case "update":
                return self.update(token.position)
            case "delete":
                return self.delete(token.position)
            case "from":
                return self.from_first(token.position)
            case _:
                self.at -= 1
                actions = (self.manipulation(),)
                if isinstance(actions[0], Insert):
                    return actions[0]
                return Update(None, actions, None, token.position)

    # -------------------------------------------------------------------------------------------------- SELECT

    def select(self, position: Position) -> Select:
        """SELECT columns FROM source [WHERE …] [ORDER BY …]"""
        quantifier = self.advance().kind if self.kind in ("distinct", "all") else ""
        if self.take("value"):
            columns: tuple[Column, ...] = (Column(self.expression()),)
            quantifier = "value"
        elif self.take("*"):
            if self.kind == ",":
                malformed(
                    "Other expressions may not be present in the select list when '*' is used without dot notation."
                )
            columns = ()
        else:
            columns = self.several(self.column)
        if not self.take("from"):
            malformed("Expected FROM after SELECT list")
        return self.after_projection(columns, position, quantifier)

    def pivot(self, position: Position) -> Select:
        """PIVOT value AT name FROM source: read, and refused later."""
        columns = (Column(self.expression()),)
        self.expect("at", "AT")
        self.expression()
        if not self.take("from"):
            malformed("Expected FROM after SELECT list")
        return self.after_projection(columns, position, "value")

    def after_projection(self, columns: tuple[Column, ...], position: Position, quantifier: str) -> Select:
        """What follows FROM in a SELECT."""
        source = self.source_list()
        where = self.where()
        order: tuple[Ordering, ...] = ()
        if self.take("order"):
            self.expect("by", "BY")
            order = self.several(self.ordering)
        unsupported = ""
        if self.take("group"):
            self.take("partial")
            self.expect("by", "BY")
            self.several(self.expression)
            unsupported = "GROUP BY"
        for clause in ("having", "limit"):
            if self.take(clause):
                first = self.token.position
                self.expression()
                unsupported = unsupported or f"{clause.upper()} at {first}"
        return Select(columns, source, where, order, position, quantifier, unsupported)

    def column(self) -> Column:
        """One expression of a select list."""
        if self.kind == "*":
            malformed("Other expressions may not be present in the select list when '*' is used without dot notation.")
        expression = self.expression()
        if isinstance(expression, Path):
            stars = [step for step in expression.steps if isinstance(step, Wildcard)]
            if any(star.star == "[*]" for star in stars) or (stars and stars[-1] is not expression.steps[-1]):
                malformed("Invalid use of * in select list")
            if stars and any(isinstance(step, Element) for step in expression.steps):
                malformed("Cannot use [] and * together in SELECT list expression")
        return Column(expression, self.alias())

    def ordering(self) -> Ordering:
        """One term of ORDER BY."""
        expression = self.expression()
        if self.kind in ("asc", "desc"):
            return Ordering(expression, self.advance().kind == "desc")
        return Ordering(expression, descending=False)

    # ------------------------------------------------------------------------------------------------- sources

    def source_list(self) -> Source:
        """What stands behind FROM in a SELECT."""
        source = self.with_alias(self.from_place())
        joined = False
        while True:
            if self.kind in (",", "cross join"):
                self.advance()
                self.with_alias(self.from_place())
            elif self.kind in _JOINS:
                self.advance()
                self.with_alias(self.from_place())
                self.expect("on", "'ON'")
                self.expression()
            else:
                return Source(source.place, source.has_alias, joined)
            joined = True

    def from_place(self) -> Expression:
        """A place to read from."""
        self.take("unpivot")
        return self.path_of(self.term())

    def with_alias(self, place: Expression) -> Source:
        """A place with another name for it, if one is given."""
        return Source(place, self.alias())

    def alias(self) -> bool:
        """Whether another name is given: AS name, name, AT name or BY name."""
        found = False
        if self.kind in (NAME, QUOTED):
            self.advance()
            found = True
        for word in ("as", "at", "by"):
            if self.take(word):
                if self.kind not in (NAME, QUOTED):
                    malformed("Expected identifier for alias" if word == "as" else "Expected identifier for AT-name")
                self.advance()
                found = True
        return found

    def where(self) -> Expression | None:
        """WHERE condition, if there is one."""
        return self.expression() if self.take("where") else None

    # -------------------------------------------------------------------------------------------------- writes

    def update(self, position: Position) -> Update:
        """UPDATE place SET … REMOVE … [WHERE …] [RETURNING …]"""
        source = self.with_alias(self.simple_path())
        actions = self.manipulations()
        where = self.where()
        return Update(source, actions, where, position, self.returning())

    def from_first(self, position: Position) -> Update | Delete:
        """FROM place [WHERE …] SET … REMOVE … [RETURNING …]"""
        source = self.source_list()
        where = self.where()
        return Update(source, self.manipulations(), where, position, self.returning())

    def delete(self, position: Position) -> Delete:
        """DELETE FROM place [WHERE …] [RETURNING …]"""
        if not self.take("from"):
            malformed("Expected FROM after DELETE")
        source = self.with_alias(self.simple_path())
        where = self.where()
        return Delete(source, where, position, self.returning())

    def manipulations(self) -> tuple[Assignment | Removal | Insert, ...]:
        """One or more SET, REMOVE or INSERT clauses."""
        actions: list[Assignment | Removal | Insert] = []
        while self.kind in ("set", "remove", "insert into"):
            if self.take("set"):
                actions.extend(self.several(self.assignment))
            else:
                actions.append(self.manipulation())
        if not actions:
            malformed("Expected data manipulation")
        return tuple(actions)

    def manipulation(self) -> Assignment | Removal | Insert:
        """One clause."""
        token = self.advance()
        if token.kind == "insert into":
            return self.insert(token.position)
        return self.assignment() if token.kind == "set" else Removal(self.simple_path())

    def assignment(self) -> Assignment:
        """path = value"""
        path = self.simple_path()
        self.expect("=", "'='")
        return Assignment(path, self.expression())

    def insert(self, position: Position) -> Insert:
        """INSERT INTO place VALUE item"""
        source = Source(self.simple_path())
        if not self.take("value"):
            return Insert(source, self.expression(), position, is_value=False)
        item = self.expression()
        has_place = self.take("at")
        if has_place:
            self.expression()
        on_conflict = self.take("on conflict")
        if on_conflict and (self.where() is None or not self.take("do nothing")):
            malformed("invalid ON CONFLICT syntax")
        return Insert(source, item, position, has_place, on_conflict, self.returning())

    def returning(self) -> tuple[Returned, ...]:
        """RETURNING elements, if there are any."""
        return self.several(self.returned) if self.take("returning") else ()

    def returned(self) -> Returned:
        """One element: a mapping and what of it is wanted."""
        if self.kind not in _MAPPINGS:
            malformed("Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.")
        mapping = self.advance().kind.upper()
        if self.take("*"):
            return Returned(mapping, is_star=True)
        if self.kind not in (NAME, QUOTED):
            malformed("Unsupported syntax in RETURNING columns.")
        self.simple_path()
        return Returned(mapping, is_star=False)
