"""What every test under `tests/` and `examples/` shares; it stands at the root because both must see it."""

pytest_plugins = (
    "tests.support.profiles",
    "tests.support.skips",
    "tests.support.dynamodb_local",
    "tests.support.aws_sdk_js",
    "tests.support.commands",
    "tests.support.document_tools",
)
