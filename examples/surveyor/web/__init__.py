"""The surveyor over HTTP: a FastAPI application on top of the store. `python -m examples.surveyor.web` starts it."""
