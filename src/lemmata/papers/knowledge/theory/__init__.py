"""Closed forms of "Provable knowledge acquisition and extraction in one-layer transformers": the least next-token loss
of a set of facts, the relation-covering prediction in N, K, |R| and coverage, the appendix's concentration bound, the
first step of attention. All symbols are explained in the paper's glossary."""

from lemmata.papers.knowledge.theory import concentration, covering, first_attention, leak, optimal_loss
