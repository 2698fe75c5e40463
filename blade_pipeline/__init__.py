"""blade_pipeline: BLADE reports for NVIDIA NeMo Gym run directories.

Importing the package loads neither Dagster nor DuckDB nor pandas; each room is imported by name.
"""

__version__ = "0.1.0"
