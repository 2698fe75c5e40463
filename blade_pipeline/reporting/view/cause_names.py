"""Root causes in words."""

CAUSES = {
    "KG": "missing knowledge",
    "UK": "unreliable knowledge",
    "BI": "behaviour",
    "TI": "the task or its verifier",
    "IR": "infrastructure",
    "DA": "the data",
}
