"""Engines beyond one machine: an object store, Postgres, Celery."""
