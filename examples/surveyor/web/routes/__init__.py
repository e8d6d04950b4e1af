"""The routes, one module for each kind of thing. Each calls the store and shows what comes back, and knows no more.

They are plain functions, which FastAPI runs in threads, because the store is written for the sync session: one store serves
programs, commands and this service, and nothing of it is written twice.
"""
