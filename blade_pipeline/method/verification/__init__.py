"""Verifies the figures and ids of a written report against the rows of a run."""

from blade_pipeline.method.verification.evidence import DOCUMENTS, TABLES, Evidence
from blade_pipeline.method.verification.report import CONFIRMED, CONTRADICTED, UNPLACED, Verifier

__all__ = ["CONFIRMED", "CONTRADICTED", "DOCUMENTS", "TABLES", "UNPLACED", "Evidence", "Verifier"]
