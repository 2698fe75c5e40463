"""The BLADE method: from aligned samples to scores, buckets, diagnosis, comparison and facts.

Every function takes and returns Arrow tables with the schemas of ``blade_pipeline.tables`` and plain documents;
none reads a file of the user's run or knows of Dagster.
"""
