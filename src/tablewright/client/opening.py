"""From "memory:", a file, "aws:eu-west-1", a URL or a boto3 client to a session."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from tablewright.client.context import Context
from tablewright.client.cursors import CursorSeal
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.session import AsyncSession, Session
from tablewright.client.settings import Environment, SessionOptions, check_table_name
from tablewright.client.watching import show_debug_log
from tablewright.compiler.plan import TablePlan
from tablewright.errors import ConfigError
from tablewright.later import later
from tablewright.transport.base import AsyncTransport, Transport

if TYPE_CHECKING:
    from tablewright.client import caching
    from tablewright.observe.watcher import Watcher
    from tablewright.transport import embedded
    from tablewright.transport.http.credentials import Source
    from tablewright.transport.http.route import Route, Timeouts
else:
    later(globals(), "tablewright.client", "caching")
    later(globals(), "tablewright.transport", "embedded")


def open_session(plan: TablePlan, target: Any, options: SessionOptions) -> Session:
    """A sync session; the table is made if it should be."""
    environment = Environment.read()
    context = _context(plan, options, environment)
    if options.cache is not None:
        options.cache.bind(_place(target, environment, options))
    transport, ours = _transport(target, environment, options)
    if options.cache is not None:
        transport = caching.CachedTransport(transport, options.cache, _key_names(plan))
    driver = SyncDriver(transport, options.retry, timeout=options.timeout)
    driver.watcher = _watcher(context)
    session = Session(context, driver)
    if options.create or (options.create is None and ours):
        try:
            session.ensure_table()
        except BaseException:
            session.close()
            raise
    return session


def open_async_session(plan: TablePlan, target: Any, options: SessionOptions) -> AsyncSession:
    """An async session; the table is made, if it should be, when the session is entered or first used."""
    environment = Environment.read()
    context = _context(plan, options, environment)
    if options.cache is not None:
        options.cache.bind(_place(target, environment, options))
    transport, ours = _async_transport(target, environment, options)
    if options.cache is not None:
        transport = caching.AsyncCachedTransport(transport, options.cache, _key_names(plan))
    ensure = bool(options.create or (options.create is None and ours))
    driver = AsyncDriver(transport, options.retry, timeout=options.timeout)
    driver.watcher = _watcher(context)
    return AsyncSession(context, driver, ensure=ensure)


def _watcher(context: Context) -> Watcher | None:
    """Who tells the collector of requests, where there is one."""
    if context.options.observe is None:
        return None
    model = context.plan.table
    pks = {name: tuple(key.name for key in index.pk) for name, index in model.indexes.items()}
    own = {*model.names.own(), *(key.name for index in model.indexes.values() for key in index.attributes)}
    own -= {model.names.version}  # a condition on it is a lock
    own -= {field.path[0] for plan in context.plan.entities.values() for field in plan.fields.values()}
    return context.options.observe.watch(context.table, model.pk.name, model.sk.name if model.sk else None, pks, own)


def _place(target: Any, environment: Environment, options: SessionOptions) -> object:
    """What is the same for targets that lead to the same items."""
    kind, place = _read_target(target, environment)
    if kind == "service":
        return place["region"], place["endpoint"], options.profile
    if kind == "embedded":
        return object() if place == "memory:" else os.path.realpath(place)
    return place


def _key_names(plan: TablePlan) -> list[str]:
    return [key.name for key in (plan.table.pk, plan.table.sk) if key is not None]


def _context(plan: TablePlan, options: SessionOptions, environment: Environment) -> Context:
    if environment.debug:
        show_debug_log()
    if options.stage is not None and options.table_name is None and "{stage}" not in plan.table.name:
        raise ConfigError(
            f"open() was given a stage, but the name {plan.table.name!r} has no place for one.",
            hint='Name the table with it: Table("{stage}-shop").',
        )
    plan.check_versions()
    _check_written(plan, options)
    name = options.table_name or plan.table.physical_name(options.stage or environment.stage)
    check_table_name(name)
    seal = CursorSeal(options.cursor_keys, max_age=options.cursor_max_age, now=lambda: options.clock().timestamp())
    return Context(name, options, seal, plan)


def _check_written(plan: TablePlan, options: SessionOptions) -> None:
    """Refuses versions to write that nothing leads to."""
    for entity, version in options.write_versions.items():
        versions = plan.of(entity).versions
        if versions is None:
            raise ConfigError(f"write_versions names {entity.__name__}, which has no schema version.")
        versions.check_way_to(version)
        if options.upgrade_on_read:
            raise ConfigError(
                f"{entity.__name__} cannot be written in an older version and upgraded where it is read.",
                hint="Leave upgrade_on_read out until write_versions is gone.",
            )


def _transport(target: Any, environment: Environment, options: SessionOptions) -> tuple[Transport, bool]:
    """The transport, and whether the table is this process's own to make."""
    kind, place = _read_target(target, environment)
    if kind == "transport":
        return place, False
    if kind == "engine":
        return embedded.EmbeddedTransport(place, owned=False), True
    if kind == "embedded":
        _refuse_missing_file(place, options)
        return embedded.EmbeddedTransport.open(place), True
    if kind == "client":
        from tablewright.transport.botocore import BotocoreTransport

        return BotocoreTransport(place), False
    from tablewright.transport.http.sync import HttpTransport

    return HttpTransport(*_http(place, options)), False


def _async_transport(target: Any, environment: Environment, options: SessionOptions) -> tuple[AsyncTransport, bool]:
    kind, place = _read_target(target, environment)
    if kind == "transport":
        return place, False
    if kind == "engine":
        return embedded.AsyncEmbeddedTransport(place, in_memory=place.in_memory, owned=False), True
    if kind == "embedded":
        _refuse_missing_file(place, options)
        return embedded.AsyncEmbeddedTransport.open(place), True
    if kind == "client":
        from tablewright.transport.botocore import AsyncBotocoreTransport

        return AsyncBotocoreTransport(place), False
    from tablewright.transport.http.aio import AsyncHttpTransport

    return AsyncHttpTransport(*_http(place, options)), False


def _http(place: dict[str, str | None], options: SessionOptions) -> tuple[Route, str, Source, Timeouts, int]:
    """What both transports over HTTP are made of."""
    from tablewright.transport.http.address import Address
    from tablewright.transport.http.place import find_place
    from tablewright.transport.http.route import Route, Timeouts

    found = find_place(place["region"], place["endpoint"], options.profile, os.environ)
    bundle = found.ca_bundle if options.ca_bundle is None else os.fspath(options.ca_bundle)
    route = Route.find(Address.parse(found.url), os.environ, bundle)
    timeouts = Timeouts(options.connect_timeout, options.read_timeout)
    return route, found.region, found.credentials, timeouts, options.max_connections


def transport_to(target: Any, options: SessionOptions) -> tuple[Transport, bool]:
    """The way to a target for whoever has no model, and whether the table is this process's own to make."""
    return _transport(target, _environment(), options)


def async_transport_to(target: Any, options: SessionOptions) -> tuple[AsyncTransport, bool]:
    """The same for asyncio."""
    return _async_transport(target, _environment(), options)


def _environment() -> Environment:
    environment = Environment.read()
    if environment.debug:
        show_debug_log()
    return environment


_REGION = r"[a-z]{2}(-[a-z]+)+-\d"
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*://"
_HOST_AND_PORT = r"[\w.-]+:\d+"
_WORD = r":?([A-Za-z]{2,})(?::(.*))?"
_WORDS = ("memory", "aws")


def _refuse_mistaken_file(target: str) -> None:
    """Names that would make a file, but were surely meant for something else."""
    if target == "memory:":
        return
    meant = None
    word = re.fullmatch(_WORD, target)
    if re.fullmatch(_REGION, target):
        meant = f"aws:{target}"
    elif re.fullmatch(_HOST_AND_PORT, target):
        meant = f"http://{target}"
    elif word is not None and (close := _near(word[1])):
        meant = f"aws:{word[2] or ''}" if close == "aws" else "memory:"
    elif re.match(_SCHEME, target):
        raise ConfigError(
            f"open() does not know {target.partition(':')[0]!r} URLs.",
            hint='Use "memory:", a file, "aws:REGION", or a URL with http:// or https://.',
        )
    elif word is not None and ":" in target:
        raise ConfigError(
            f"open() does not know the target {word[1] + ':'!r}.",
            hint=f'Use "memory:", "aws:REGION" or a URL. A file: \'./{target}\'.',
        )
    if meant is not None:
        raise ConfigError(
            f"open({target!r}) would make a file of that name.", hint=f"Did you mean {meant!r}? A file: './{target}'."
        )


def _near(word: str) -> str | None:
    from difflib import get_close_matches  # for mistakes only, and slow to load

    return next(iter(get_close_matches(word.lower(), _WORDS, n=1, cutoff=0.75)), None)


def _refuse_missing_file(place: str, options: SessionOptions) -> None:
    if options.create is False and place != "memory:" and not os.path.exists(place):
        raise ConfigError(f"There is no file {place}.", hint="Leave create out to make it.")


def _read_target(target: Any, environment: Environment) -> tuple[str, Any]:
    if target is None:
        return "service", {"region": environment.region, "endpoint": environment.endpoint}
    if isinstance(target, os.PathLike):
        return "embedded", os.fspath(target)
    if isinstance(target, str):
        if target.startswith(("http://", "https://")):
            return "service", {"region": environment.region, "endpoint": target}
        if target.startswith("aws:"):
            return "service", {
                "region": target.removeprefix("aws:") or environment.region,
                "endpoint": environment.endpoint,
            }
        if not target:
            raise ConfigError("open() was given an empty target.", hint='Use "memory:", a file, "aws:REGION" or a URL.')
        _refuse_mistaken_file(target)
        return "embedded", target
    if hasattr(target, "_make_api_call"):
        service = target.meta.service_model.service_name
        if service != "dynamodb":
            raise ConfigError(f"open() was given a client for {service}.", hint='Use boto3.client("dynamodb").')
        return "client", target
    if embedded.EmbeddedTransport.is_engine(target):
        return "engine", target
    if hasattr(target, "send") and hasattr(target, "close"):
        return "transport", target
    raise ConfigError(
        f"open() cannot use {type(target).__name__}.",
        hint='Use "memory:", a file, "aws:REGION", a URL, an engine, a boto3 client or a transport.',
    )
