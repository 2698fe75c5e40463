"""Drafts a benchmark's profile from what its analysed runs show."""

from blade_pipeline.method.draft.document import draft_profile
from blade_pipeline.method.draft.seen import Run

__all__ = ["Run", "draft_profile"]
