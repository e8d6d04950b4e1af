"""AWS's DynamoDB Local as a peer: started on a free port for one run, in memory."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parent.parent


def start(stack: ExitStack) -> Any:
    """A boto3 client for a fresh server, or None when it is not installed. The stack ends it."""
    jar = max(_ROOT.glob(".tools/dynamodb-local-*/lib/*/DynamoDBLocal.jar"), default=None)
    if jar is None or shutil.which("java") is None:
        return None
    import boto3

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["java", "-Djava.library.path=./DynamoDBLocal_lib", "-jar", jar.name, "-inMemory", "-sharedDb"]
    server = subprocess.Popen(
        [*command, "-disableTelemetry", "-port", str(port)],
        cwd=jar.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stack.callback(server.wait)
    stack.callback(server.terminate)
    client = boto3.client(
        "dynamodb",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
    )
    for _ in range(200):
        with contextlib.suppress(Exception):
            client.list_tables()
            return client
        time.sleep(0.1)
    raise RuntimeError("DynamoDB Local did not start within 20 seconds.")
