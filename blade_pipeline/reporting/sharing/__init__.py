"""A second edition of the reports that may leave the team: allow-listed facts, a scrubber, and a gate at the end."""

from blade_pipeline.reporting.sharing.build import Shareable, build_shareable, build_shareable_page

__all__ = ["Shareable", "build_shareable", "build_shareable_page"]
