"""Numbers read from a model of facts: what it stored, and what a question gets out of it."""

from lemmata.probes.knowledge.extraction import extracted_facts, feature_strengths
from lemmata.probes.knowledge.stored import stored_facts

__all__ = ["extracted_facts", "feature_strengths", "stored_facts"]
