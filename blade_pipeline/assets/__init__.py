"""One module per stage of the analysis, in the order of the graph, and what runs a stage."""
