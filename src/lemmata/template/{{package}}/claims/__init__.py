"""One file an experiment, named by its id."""
