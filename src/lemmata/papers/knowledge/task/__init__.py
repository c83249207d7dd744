"""Facts told in sentences, and questions about them."""

from lemmata.papers.knowledge.task.facts import Facts, FactsConfig, random_stream
from lemmata.papers.knowledge.task.questions import CoverageConfig, Questions
from lemmata.papers.knowledge.task.vocabulary import ASK, DUMMY, START
