"""Access patterns that entities of a kind usually need: suggestions to go through, not to copy."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Suggestion(Struct, frozen=True):
    """A pattern that may be needed: what is asked, what is known, what serves it well."""

    question: str
    known: str
    served_by: str


CATALOGUE: Mapping[str, tuple[Suggestion, ...]] = {
    "Users": (
        Suggestion("a user by id", "user id", "primary key"),
        Suggestion("a user who signs in", "email address", "index by the address; unique, trimmed and lower-cased"),
        Suggestion(
            "the users of an organisation", "organisation id", "items in the organisation's partition, or an index"
        ),
        Suggestion("the sessions of a user", "user id", "items in the user's partition that expire"),
        Suggestion("everything a user owns, for a start page", "user id", "one collection, one request"),
    ),
    "Organisations": (
        Suggestion("an organisation by id", "organisation id", "primary key"),
        Suggestion("an organisation by its address in URLs", "slug", "index by slug; unique"),
        Suggestion("its members, and the organisations of a user", "either id", "links that are read from both ends"),
        Suggestion("what somebody may do there", "organisation id, user id", "the link itself, by its whole key"),
        Suggestion("its settings", "organisation id", "one item in its partition"),
    ),
    "Content": (
        Suggestion("a page by id", "content id", "primary key, or index where it lies with its author"),
        Suggestion(
            "what an author wrote, newest first", "author id", "items in the author's partition, sorted by time"
        ),
        Suggestion(
            "what is published, newest first",
            "nothing, or a category",
            "sparse index; a bucket of time or shards if hot",
        ),
        Suggestion("the comments of a page, in order", "content id", "items in the page's partition"),
        Suggestion("all pages with a tag", "tag", "an item for each pair of tag and page"),
        Suggestion("drafts of an author", "author id", "sparse index on what is a draft"),
    ),
    "Orders": (
        Suggestion("an order by number", "order id", "primary key, or index where it lies with its customer"),
        Suggestion("the orders of a customer, newest first", "customer id", "items in the customer's partition"),
        Suggestion("an order with its lines", "order id", "lines embedded while they are few, else a collection"),
        Suggestion("what waits to be done", "status", "sparse index on what is open"),
        Suggestion("orders of a customer in a time", "customer id, from, to", "a range of the sort key"),
    ),
    "Events": (
        Suggestion("what happened to a thing, newest first", "thing id", "items in its partition, sorted by time"),
        Suggestion("what happened in a time", "from, to", "partitions by day or hour; shards if they are hot"),
        Suggestion("the last event", "thing id", "the same, newest first, one item"),
        Suggestion("events of one kind", "thing id, kind", "the kind before the time in the sort key, or an index"),
        Suggestion("nothing older than some time", "", "items that expire"),
    ),
}
