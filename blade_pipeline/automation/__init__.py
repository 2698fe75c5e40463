"""Partitions, sensors, schedules, jobs and checks: what decides when a stage runs."""
