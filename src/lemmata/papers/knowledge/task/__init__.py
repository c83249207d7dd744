"""Facts in sentences, and questions about them."""

from lemmata.papers.knowledge.task.facts import ASK, DUMMY, START, Facts, FactsConfig, random_stream
from lemmata.papers.knowledge.task.questions import CoverageConfig, Questions
