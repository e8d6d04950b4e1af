"""What both sessions do with aggregates: load, expand, save and remove a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from tablewright.later import later

if TYPE_CHECKING:
    from tablewright.client.aggregates import loading, saving
    from tablewright.client.aggregates.saving import Difference
    from tablewright.client.calls import Steps
    from tablewright.client.context import Context
    from tablewright.client.targets import Target
    from tablewright.model.aggregates import Aggregate, Node, Rooted
    from tablewright.model.entity import Entity

    E = TypeVar("E", bound=Entity)
    T = TypeVar("T")
else:
    later(globals(), "tablewright.client.aggregates", "loading", "saving")


class Trees:
    """What a Session does with aggregates."""

    _context: Context

    def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    def load_tree(
        self, aggregate: Rooted[E, T], target: Target[E], *, depth: int | None = None, consistent: bool = False
    ) -> T:
        """An aggregate as a tree, with one query: `db.load_tree(SurveyTree, key(Survey, survey_id="s1"))`.

        `depth` loads the root (0), its children (1) and so on; what lies deeper is then read by expand_node(). Without a
        root it is NotFoundError. `tree.orphans` are the items whose parent is missing."""
        tree: T = self._run(loading.load(self._context, aggregate, target, depth, strong=consistent))
        return tree

    def expand_node(self, node: Node[Any]) -> None:
        """Reads the children of a node that were not loaded."""
        self._run(loading.expand(self._context, node))

    def save_tree(self, tree: Aggregate[Any], *, atomic: bool = True, resume: bool = False) -> Difference:
        """Writes what was changed in a tree since it was loaded: new, changed, moved and removed items, in one transaction.

        Each item is guarded by what was loaded; ConcurrentModificationError shows that another writer was faster. What
        does not fit into a transaction is refused before anything is sent, or written in parts with `atomic=False`. Such
        a save goes on where it was when it is called again; `resume=True` does so with a tree that is built anew."""
        return self._run(saving.save(self._context, tree, atomic=atomic, resume=resume))

    def preview_tree(self, tree: Aggregate[Any]) -> Difference:
        """What save_tree() would write, and how many actions and bytes it takes; without a request, and without running hooks."""
        return saving.preview(self._context, tree)

    def remove_tree(self, tree: Aggregate[Any], *, atomic: bool = True) -> Difference:
        """Deletes every item of a tree that was loaded; leaves first, where it takes several transactions."""
        return self._run(saving.remove(self._context, tree, atomic=atomic))


class AsyncTrees:
    """What an AsyncSession does with aggregates."""

    _context: Context

    async def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    async def load_tree(
        self, aggregate: Rooted[E, T], target: Target[E], *, depth: int | None = None, consistent: bool = False
    ) -> T:
        """An aggregate as a tree, with one query."""
        tree: T = await self._run(loading.load(self._context, aggregate, target, depth, strong=consistent))
        return tree

    async def expand_node(self, node: Node[Any]) -> None:
        """Reads the children of a node that were not loaded."""
        await self._run(loading.expand(self._context, node))

    async def save_tree(self, tree: Aggregate[Any], *, atomic: bool = True, resume: bool = False) -> Difference:
        """Writes what was changed in a tree since it was loaded, as Session.save_tree() does."""
        return await self._run(saving.save(self._context, tree, atomic=atomic, resume=resume))

    def preview_tree(self, tree: Aggregate[Any]) -> Difference:
        """What save_tree() would write; without a request."""
        return saving.preview(self._context, tree)

    async def remove_tree(self, tree: Aggregate[Any], *, atomic: bool = True) -> Difference:
        """Deletes every item of a tree that was loaded."""
        return await self._run(saving.remove(self._context, tree, atomic=atomic))
