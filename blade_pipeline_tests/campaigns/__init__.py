"""Fault campaigns: long to run, so they are started by hand; docs/reliability.md holds what they found."""
