"""Numbers read from a model of facts: what it stored, and what a question gets out of it."""

from lemmata.papers.knowledge.probe.extraction import extracted_facts, stored_facts
