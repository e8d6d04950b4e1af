"""Tries the service with real requests: it listens on a free port in a thread, and people send requests with their tokens.

The tests and the documentation use it. It needs httpx, which the service itself does not.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from tablewright import Session

from .app import create_app
from .settings import Settings
from .tokens import Caller, Tokens


class Person:
    """Somebody with a token. `get("/surveys")` and the like send it with a real request."""

    def __init__(self, client: httpx.Client, token: str) -> None:
        self._client = client
        self.headers = {"Authorization": f"Bearer {token}"}

    def send(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Sends a request and waits for its response."""
        return self._client.request(method, path, headers=self.headers, **more)

    def get(self, path: str, **parameters: Any) -> httpx.Response:
        """Reads something."""
        return self.send("GET", path, params=parameters)

    def post(self, path: str, body: Any = None, **parameters: Any) -> httpx.Response:
        """Makes something, or does something."""
        return self.send("POST", path, json=body, params=parameters)

    def patch(self, path: str, body: Any, **parameters: Any) -> httpx.Response:
        """Changes something."""
        return self.send("PATCH", path, json=body, params=parameters)

    def put(self, path: str, body: Any, **parameters: Any) -> httpx.Response:
        """Puts something in its place."""
        return self.send("PUT", path, json=body, params=parameters)

    def delete(self, path: str, **parameters: Any) -> httpx.Response:
        """Deletes something."""
        return self.send("DELETE", path, params=parameters)

    def ask(self, query: str, **variables: Any) -> httpx.Response:
        """Asks by GraphQL."""
        return self.post("/graphql", {"query": query, "variables": variables})

    def made(self, path: str, body: Any) -> dict[str, Any]:
        """What was made, which must be possible."""
        response = self.post(path, body)
        assert response.status_code == 201, response.text
        found: dict[str, Any] = response.json()
        return found


class Service:
    """A running service."""

    def __init__(self, app: FastAPI, client: httpx.Client) -> None:
        self.app = app
        self.client = client
        self.url = str(client.base_url)
        self.tokens: Tokens = app.state.tokens

    @property
    def db(self) -> Session:
        """The table behind it."""
        db: Session = self.app.state.db
        return db

    def person(self, user_id: str, tenant_id: str = "acme", **rights: bool) -> Person:
        """Somebody of a tenant."""
        return Person(self.client, self.tokens.issue(Caller(tenant_id=tenant_id, user_id=user_id, **rights)))


@contextmanager
def running(settings: Settings) -> Iterator[Service]:
    """The service while it listens on a port that was free."""
    app = create_app(settings)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="none", lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            until = time.monotonic() + 60
            while not server.started:
                assert thread.is_alive(), "the service did not start"
                assert time.monotonic() < until, "the service took too long to start"
                time.sleep(0.01)
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", verify=False, timeout=60) as client:  # noqa: S501 - there is no TLS
                yield Service(app, client)
        finally:
            server.should_exit = True
            thread.join()
