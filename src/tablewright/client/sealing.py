"""Sealed values on their way: encrypted and put away before a request is sent, and brought back from its answer.

It stands between an operation and its driver, so that every read and every write passes here, whatever planned it. A value
is put into its store before the item that refers to it is written, and never taken out of it by a write: whoever reads an
item finds its values.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tablewright.client.calls import Call, Keeping, Steps
from tablewright.client.stumbling import items_of_answer, items_of_error
from tablewright.compiler.sealing import (
    ENCRYPTED,
    OFFLOADED,
    Held,
    Sealing,
    envelope,
    opened_envelope,
    unpacked,
)
from tablewright.errors import SealingError, TablewrightError, UnsealingError
from tablewright.model.sealing import Offloaded, ValueContext
from tablewright.values.operations import WRITES
from tablewright.values.types import Item

if TYPE_CHECKING:
    from tablewright.compiler.fields import FieldPlan
    from tablewright.compiler.plan import TablePlan

T = TypeVar("T")


class Reference(Struct, frozen=True):
    """What an item holds of a value that is kept elsewhere."""

    name: str
    size: int
    sha256: str


class _Arrived(Struct):
    """A sealed value of an answer, on its way to be opened."""

    held: Held
    context: ValueContext
    flags: int
    content: bytes


class Sealer:
    """Knows which fields of a table are sealed. `seals` is empty where none is, and then nobody calls `follow`."""

    def __init__(self, plan: TablePlan | None, table: str) -> None:
        self.seals: Mapping[str, tuple[FieldPlan, ...]] = plan.seals if plan is not None else {}
        self._table = table
        self._plan = plan

    def follow(self, steps: Steps[T]) -> Steps[T]:
        """The steps of an operation, with values sealed on the way out and opened on the way in."""
        fetched: dict[str, Any] = {}
        try:
            step = next(steps)
            while True:
                try:
                    if isinstance(step, Call) and step.operation in WRITES:
                        yield from self._seal(step.request)
                        step = replace(step, request=_sent(step.request))
                    answer = yield step
                except TablewrightError as error:
                    fetched = yield from self._open(items_of_error(error), fetched)
                    step = steps.throw(error)
                else:
                    if isinstance(step, Call):
                        fetched = yield from self._open(items_of_answer(answer), fetched)
                    step = steps.send(answer)
        except StopIteration as stop:
            result: T = stop.value
            return result

    # --------------------------------------------------------------------------------------------------- outwards

    def _seal(self, request: dict[str, Any]) -> Steps[None]:
        away: dict[int, tuple[Offloaded, list[str], list[bytes]]] = {}
        for container, key in _containers(request, self._key_names()):
            for value in container.values():
                if isinstance(value, Held) and value.payload is not None:
                    self._seal_one(value, key, away)
        for offloaded, names, data in away.values():
            answer = yield Keeping(offloaded.store, names, data)
            for failure in answer["results"]:
                if isinstance(failure, Exception):
                    raise SealingError(
                        "A value could not be put into its store.", hint="Nothing was written to the table; try again."
                    ) from failure

    def _seal_one(self, held: Held, key: Item, away: dict[int, tuple[Offloaded, list[str], list[bytes]]]) -> None:
        sealing, flags, content = held.sealing, held.flags, held.payload or b""
        if sealing.encrypted is not None:
            try:
                key_id, content = sealing.encrypted.cipher.encrypt(content, self._context(sealing, key))
                head = key_id.encode()
                content = bytes([len(head)]) + head + content
            except Exception as error:
                raise SealingError(
                    f"{sealing.entity}.{sealing.field} could not be encrypted.",
                    hint="Nothing was written; see the cipher's own error.",
                    context={"entity": sealing.entity, "field": sealing.field},
                ) from error
            flags |= ENCRYPTED
        offloaded = sealing.offloaded
        if offloaded is not None and len(content) > offloaded.above:
            name = f"{value_prefix(self._table)}{quote(sealing.entity)}/{quote(sealing.field)}/{secrets.token_hex(16)}"
            _, names, data = away.setdefault(id(offloaded.store), (offloaded, [], []))
            names.append(name)
            data.append(content)
            content = msgspec.json.encode(Reference(name, len(content), hashlib.sha256(content).hexdigest()))
            flags |= OFFLOADED
        held.update(envelope(flags, content))
        held.payload = None

    # ---------------------------------------------------------------------------------------------------- inwards

    def opened(self, items: Iterable[Item]) -> Steps[None]:
        """Opens the sealed values of items that came another way; the items are changed in place."""
        yield from self._open(iter(items), {})

    def _open(self, items: Iterator[Item], fetched: dict[str, Any]) -> Steps[dict[str, Any]]:
        """Opens the values of an answer. `fetched` are those that the last answers needed, by name: what is read, written and
        returned by one operation is got from its store once. Returns the same for the next one."""
        arrived = [found for item in items for found in self._sealed_in(item)]
        by_store: dict[int, list[tuple[_Arrived, Reference]]] = {}
        for found in arrived:
            offloaded = found.held.sealing.offloaded
            if found.flags & OFFLOADED and offloaded is not None:
                reference = read_reference(found.content)
                if reference is not None:
                    by_store.setdefault(id(offloaded.store), []).append((found, reference))
        got: dict[str, Any] = {}
        for wanted in by_store.values():
            store = wanted[0][0].held.sealing.offloaded
            assert store is not None
            names = dict.fromkeys(reference.name for _, reference in wanted)
            got |= {name: fetched[name] for name in names if name in fetched}
            missing = [name for name in names if name not in got]
            if missing:
                answer = yield Keeping(store.store, missing)
                got |= zip(missing, answer["results"], strict=True)
            for found, reference in wanted:
                _take(found, reference, got[reference.name])
        for found in arrived:
            _unseal(found)
        return {name: data for name, data in got.items() if not isinstance(data, Exception)} or fetched

    def _sealed_in(self, item: Item) -> Iterator[_Arrived]:
        assert self._plan is not None
        names = self._plan.table.names
        kind = item.get(names.type, {}).get("S")
        fields: Sequence[FieldPlan]
        # An item without a type was stored before there was a model; it may still hold what an update sealed.
        fields = self.seals.get(kind, ()) if kind is not None else [f for each in self.seals.values() for f in each]
        key = {n: item[n] for n in self._key_names() if n in item}
        # A tombstone keeps the item that it stands for.
        wholes: list[Item] = [item, item.get(names.remains, {}).get("M", {})]
        for whole in wholes:
            for field in fields:
                *outer, last = field.path
                container: Any = whole.get(outer[0], {}).get("M") if outer else whole
                av: Any = container.get(last) if isinstance(container, dict) else None
                opened = opened_envelope(av) if isinstance(av, dict) and not isinstance(av, Held) else None
                if opened is not None and field.sealing is not None:
                    held = container[last] = Held(field.sealing, av["B"])
                    yield _Arrived(held, self._context(field.sealing, key), *opened)

    def _context(self, sealing: Sealing, key: Item) -> ValueContext:
        return ValueContext(sealing.table, sealing.entity, sealing.field, key)

    def _key_names(self) -> list[str]:
        assert self._plan is not None
        return [a.name for a in (self._plan.table.pk, self._plan.table.sk) if a is not None]


NO_SEALER = Sealer(None, "")
"""For drivers without a model."""


def value_prefix(table: str) -> str:
    """What the names of a table's values in a store begin with."""
    return f"{quote(table, safe='')}/"


def read_reference(content: bytes) -> Reference | None:
    """The reference that an item holds; None if it is none."""
    try:
        return msgspec.json.decode(content, type=Reference)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def stored_reference(av: Any) -> Reference | None:
    """The reference in a stored value, if that is what it is."""
    opened = opened_envelope(av) if isinstance(av, dict) and "B" in av else None
    return read_reference(opened[1]) if opened is not None and opened[0] & OFFLOADED else None


def _take(found: _Arrived, reference: Reference, data: Any) -> None:
    """What a store gave for a reference."""
    sealing = found.held.sealing
    if isinstance(data, Exception):
        found.held.failure = sealing.unsealable("its store does not give it")
        found.held.failure.__cause__ = data
    elif not isinstance(data, bytes) or hashlib.sha256(data).hexdigest() != reference.sha256:
        found.held.failure = sealing.unsealable("its store gives something else than was put there")
    else:
        found.flags &= ~OFFLOADED
        found.content = data


def _unseal(found: _Arrived) -> None:
    """Decrypts and unpacks. A failure is kept, and told when the value is asked for: the request itself was answered."""
    held, flags, content = found.held, found.flags, found.content
    sealing = held.sealing
    if held.failure is not None:
        return
    try:
        if flags & OFFLOADED:
            raise sealing.unsealable("it is no reference, or the field is no longer offloaded")
        if bool(flags & ENCRYPTED) is not (sealing.encrypted is not None):
            if sealing.encrypted is None or not sealing.encrypted.plain:
                raise sealing.unsealable("it is encrypted" if flags & ENCRYPTED else "it is not encrypted")
        elif sealing.encrypted is not None:
            size = content[0]
            key_id, content = content[1 : 1 + size].decode(), content[1 + size :]
            content = sealing.encrypted.cipher.decrypt(key_id, content, found.context)
        held.plain = unpacked(sealing, flags, content)
    except UnsealingError as error:
        held.failure = error
    except Exception as error:  # a cipher may raise anything
        held.failure = sealing.unsealable("it could not be decrypted")
        held.failure.__cause__ = error


# ------------------------------------------------------------------------------------------- requests and answers


def _containers(request: dict[str, Any], names: Sequence[str]) -> Iterator[tuple[dict[str, Any], Item]]:
    """Every dict of values in a request that writes, with the key of the item that it is for."""
    for body in _bodies(request):
        item: Item = body.get("Item") or {}
        key: Item = body.get("Key") or {n: item[n] for n in names if n in item}
        for values in (item, body.get("ExpressionAttributeValues") or {}):
            for value in values.values():
                if "M" in value:  # where fields live in one map
                    yield value["M"], key
            yield values, key


def _sent(part: Any) -> Any:
    """A request with what is stored in the place of what is held; the plan keeps its own, which knows what it means."""
    if isinstance(part, Held):
        return {"B": part["B"]}
    if isinstance(part, dict):
        return {name: _sent(value) for name, value in part.items()}
    return [_sent(value) for value in part] if isinstance(part, list) else part


def _bodies(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "TransactItems" in request:
        for action in request["TransactItems"]:
            yield from action.values()
    elif "RequestItems" in request:
        for writes in request["RequestItems"].values():
            for write in writes:
                yield from write.values()
    else:
        yield request
