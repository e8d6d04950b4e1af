"""Whether the model can read what is there, and finds it under its key: what steps do not know that a file has left out."""

from __future__ import annotations

from tablewright.errors import DecodeError
from tablewright.evolve.jobs.work import Decision, Skipped
from tablewright.evolve.migrations.works.guarding import ItemWork, attempted, identity
from tablewright.values.types import Item

ELSEWHERE = "it does not lie under the key that the model gives it"


class ReadByModel(ItemWork, frozen=True, eq=False):
    """Writes nothing: items that the model could not read, or not find by their key, are skipped."""

    moved: bool
    """Whether steps give items other keys: they tell themselves which have not got theirs."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"read {self.plan.name} by the model"

    @property
    def identity(self) -> str:
        """The same entity."""
        return identity("read", self.table, self.plan.type_name)

    def look(self, item: Item) -> Decision:
        """What is wrong with it. Of older schema versions another part tells."""
        versions = self.plan.versions
        if not self.concerns(item):
            return None
        return attempted(lambda: None if versions is not None and versions.is_old(item) else self._look(item))

    def _look(self, item: Item) -> Decision:
        plan = self.plan
        if not plan.seals:  # what only a session can open
            try:
                plan.decode(item)
            except DecodeError as error:
                return Skipped(error.message)
        if not self.moved and plan.key(plan.values_in(item, plan.key_fields)) != plan.key_of_item(item):
            return Skipped(ELSEWHERE)
        return None
