"""DynamoDB over HTTP: signing, connections and JSON of our own, sync on sockets and async on asyncio's protocols."""
