"""Engines: where runs are computed. Another engine is another file with the three functions of `Engine`."""

from lemmata.run.engines.engine import Engine as Engine, start_engine as start_engine
