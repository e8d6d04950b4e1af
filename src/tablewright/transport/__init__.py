"""Ways to a table: the embedded engine, DynamoDB over HTTP, or a botocore client. Nothing above this room knows which one it
talks to."""
