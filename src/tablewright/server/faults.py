"""Faults over HTTP, for test suites in any language: a list of them in, how often each has struck out."""

from __future__ import annotations

from typing import Any

from tablewright.engine import Engine
from tablewright.engine.faults import IndexLag, describe_fault, parse_fault
from tablewright.errors import ConfigError, RequestRefused


def answer_faults(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    """Answer `{"Faults": ["throttle:every=3"]}`, which replaces all faults, or `{"Release": true}`, or an empty request."""
    faults = engine.faults
    texts, release = request.get("Faults"), request.get("Release", False)
    if unknown := request.keys() - {"Faults", "Release"}:
        raise RequestRefused(f"A request about faults has no member {sorted(unknown)[0]!r}; it has Faults and Release.")
    if not isinstance(release, bool) or not (texts is None or _are_texts(texts)):
        raise RequestRefused("Faults must be a list of texts, and Release true or false.")
    if texts is not None:
        try:
            wanted = [parse_fault(text) for text in texts]
        except ConfigError as error:
            raise RequestRefused(str(error)) from None
        faults.clear()
        for fault in wanted:
            faults.inject(fault)
    if release:
        for fault in faults.active:
            if isinstance(fault, IndexLag):
                fault.release()
    return {
        "Faults": [
            {"Fault": describe_fault(fault), "Seen": fault.seen, "Fired": fault.fired} for fault in faults.active
        ]
    }


def _are_texts(texts: Any) -> bool:
    return isinstance(texts, list) and all(isinstance(text, str) for text in texts)
