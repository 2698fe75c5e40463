"""Verifies the figures and ids of a written report against the rows of a run."""

from blade_pipeline.method.verification.evidence import DOCUMENTS, TABLES, Evidence, queries_of
from blade_pipeline.method.verification.judging import CONFIRMED, CONTRADICTED, UNPLACED, wrongs
from blade_pipeline.method.verification.page import PageVerifier
from blade_pipeline.method.verification.report import Verifier

__all__ = [
    "CONFIRMED",
    "CONTRADICTED",
    "DOCUMENTS",
    "TABLES",
    "UNPLACED",
    "Evidence",
    "PageVerifier",
    "Verifier",
    "queries_of",
    "wrongs",
]
