"""Engines: where runs are computed. Another engine is another file with the three functions of `Engine`."""

from lemmata.run.engines.engine import NO_WORKERS as NO_WORKERS, Engine as Engine, start_engine as start_engine
