"""The engine over HTTP, as DynamoDB is reached. Knows the engine, values and errors, nothing of models or clients."""

from __future__ import annotations

try:
    import httptools  # noqa: F401 - only to say kindly that it is missing
except ImportError as error:
    from tablewright.errors import not_installed

    raise not_installed("The server needs packages that are not installed.", "server") from error

from tablewright.server.server import Server, announce, serve_in_thread
from tablewright.server.settings import Settings

__all__ = ["Server", "Settings", "announce", "serve_in_thread"]
