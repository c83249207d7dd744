"""One folder a paper: its experiments, claims and drawings. Delete one and the library still works."""
