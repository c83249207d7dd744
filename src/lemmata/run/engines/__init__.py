"""Engines: where runs are computed. Another engine is another file with these three functions."""

from lemmata.run.engines.engine import (
    ENGINES as ENGINES,
    Engine as Engine,
    EngineName as EngineName,
    start_engine as start_engine,
)
