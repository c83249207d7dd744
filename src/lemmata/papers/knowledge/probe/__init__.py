"""Numbers read from a model of facts: what it stored, and what a question gets out of it."""

from lemmata.papers.knowledge.probe.extraction import extracted_facts, feature_strengths
from lemmata.papers.knowledge.probe.stored import stored_facts

__all__ = ["extracted_facts", "feature_strengths", "stored_facts"]
